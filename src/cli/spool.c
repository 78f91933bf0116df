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
#include <sys/mman.h>
#include <unistd.h>

#include "complain.h"

static int spool_trouble(void) {
    complain("temporary file: %s", strerror(errno));
    return EXIT_TROUBLE;
}

int spool_open(struct spool *spool) {
    const char *folder = getenv("TMPDIR");
    char path[PATH_MAX];
    spool->length = 0;
    spool->fd = -1;
    const int length = snprintf(path, sizeof path, "%s/quire-XXXXXX", folder && *folder ? folder : "/tmp");
    if (length < 0 || (size_t)length >= sizeof path)
        errno = ENAMETOOLONG;
    else
        spool->fd = mkstemp(path);
    if (spool->fd < 0) {
        complain("temporary file %s: %s", path, strerror(errno));
        return EXIT_TROUBLE;
    }
    unlink(path);
    return EXIT_FINE;
}

int spool_write(struct spool *spool, const void *bytes, size_t length) {
    const char *next = bytes;
    spool->length += length;
    while (length) {
        const ssize_t put = write(spool->fd, next, length);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return spool_trouble();
        next += put;
        length -= (size_t)put;
    }
    return EXIT_FINE;
}

int spool_map(const struct spool *spool, void **map) {
    *map = NULL;
    if (!spool->length) return EXIT_FINE;
    void *there = mmap(NULL, spool->length, PROT_READ, MAP_PRIVATE, spool->fd, 0);
    if (there == MAP_FAILED) return spool_trouble();
    posix_madvise(there, spool->length, POSIX_MADV_SEQUENTIAL);
    *map = there;
    return EXIT_FINE;
}

void spool_close(struct spool *spool) {
    if (spool->fd >= 0) close(spool->fd);
}
