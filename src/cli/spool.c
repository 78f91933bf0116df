/* spool.c - an unlinked temporary file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "spool.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "complain.h"
#include "progress.h"

#define PIECE ((size_t)1 << 18) /* bytes copied at a time: a multiple of every element's size */

ssize_t spool_read(int fd, void *buffer, size_t length) {
    size_t done = 0;
    while (done < length) {
        ssize_t got = read(fd, (char *)buffer + done, length - done);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return -1;
        if (!got) break;
        done += (size_t)got;
    }
    return (ssize_t)done;
}

static int spool_trouble(void) {
    complain("temporary file: %s", strerror(errno));
    return EXIT_TROUBLE;
}

static int spool_write(struct spool *spool, const char *bytes, size_t length) {
    spool->length += length;
    while (length) {
        ssize_t put = write(spool->fd, bytes, length);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return spool_trouble();
        bytes += put;
        length -= (size_t)put;
    }
    return EXIT_FINE;
}

int spool_open(struct spool *spool) {
    const char *folder = getenv("TMPDIR");
    char path[PATH_MAX];
    spool->length = 0;
    spool->fd = -1;
    int length = snprintf(path, sizeof path, "%s/quire-XXXXXX", folder && *folder ? folder : "/tmp");
    if (length < 0 || (size_t)length >= sizeof path)
        errno = ENAMETOOLONG;
    else
        spool->fd = mkstemp(path);
    if (spool->fd < 0) return spool_trouble();
    unlink(path);
    return EXIT_FINE;
}

static void reverse_elements(unsigned char *bytes, size_t length, size_t size) {
    for (size_t i = 0; i + size <= length; i += size)
        for (size_t low = i, high = i + size - 1; low < high; low++, high--) {
            unsigned char swap = bytes[low];
            bytes[low] = bytes[high];
            bytes[high] = swap;
        }
}

static int copy_pieces(struct spool *spool, int fd, char *piece) {
    while (spool->length <= spool->limit) {
        size_t room = spool->limit - (size_t)spool->length;
        ssize_t got = spool_read(fd, piece, room < PIECE ? room + 1 : PIECE);
        if (got < 0) {
            complain("%s: %s", spool->name, strerror(errno));
            return EXIT_TROUBLE;
        }
        if (!got) break;
        if (spool->size > 1) reverse_elements((unsigned char *)piece, (size_t)got, spool->size);
        int status = spool_write(spool, piece, (size_t)got);
        if (status) return status;
        progress_report("reading", (size_t)spool->length, spool->limit == SIZE_MAX ? 0 : spool->limit);
    }
    return EXIT_FINE;
}

int spool_copy(struct spool *spool, int fd, const void *head, size_t head_length) {
    int status = head_length ? spool_write(spool, head, head_length) : EXIT_FINE;
    if (status) return status;
    char *piece = malloc(PIECE);
    if (!piece) return spool_trouble();
    progress_begin();
    status = copy_pieces(spool, fd, piece);
    progress_end();
    free(piece);
    return status;
}

void spool_close(struct spool *spool) {
    if (spool->fd >= 0) close(spool->fd);
}
