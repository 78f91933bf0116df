/* bytes.c - the bytes of a file, with a buffer to look ahead into.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "complain.h"
#include "inflate.h"

ssize_t read_fully(int fd, void *buffer, size_t length) {
    size_t done = 0;
    while (done < length) {
        const ssize_t got = read(fd, (char *)buffer + done, length - done);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return -1;
        if (!got) break;
        done += (size_t)got;
    }
    return (ssize_t)done;
}

int bytes_open(struct bytes *bytes, const char *name, int fd, uintmax_t left) {
    *bytes = (struct bytes){ .name = name, .fd = fd, .left = left };
    bytes->buffer = malloc(BYTES_AHEAD);
    if (bytes->buffer) return EXIT_FINE;
    complain("%s: out of memory", name);
    return EXIT_TROUBLE;
}

void bytes_close(struct bytes *bytes) {
    inflate_close(bytes->inflater);
    free(bytes->buffer);
    bytes->inflater = NULL;
    bytes->buffer = NULL;
}

/* Up to length bytes of the file itself. */
static ssize_t read_file(struct bytes *bytes, void *to, size_t length) {
    if (length > bytes->left) length = (size_t)bytes->left;
    const ssize_t got = read_fully(bytes->fd, to, length);
    if (got < 0) complain("%s: %s", bytes->name, strerror(errno));
    if (got > 0 && bytes->left != UINTMAX_MAX) bytes->left -= (uintmax_t)got;
    return got;
}

/* What the inflater reads: first what was looked at before there was one. */
static ssize_t read_packed(void *user, void *to, size_t length) {
    struct bytes *bytes = user;
    if (!bytes->head_length) return read_file(bytes, to, length);
    if (length > bytes->head_length) length = bytes->head_length;
    memcpy(to, bytes->head, length);
    memmove(bytes->head, bytes->head + length, bytes->head_length - length);
    bytes->head_length -= length;
    return (ssize_t)length;
}

static int begin_inflating(struct bytes *bytes, bool gzip, uint32_t checksum) {
    bytes->head_length = bytes->end - bytes->next;
    memcpy(bytes->head, bytes->buffer + bytes->next, bytes->head_length);
    bytes->next = bytes->end = 0;
    bytes->inflater = inflate_open(bytes->name, gzip, checksum, read_packed, bytes);
    return bytes->inflater ? EXIT_FINE : EXIT_TROUBLE;
}

int bytes_inflate_gzip(struct bytes *bytes) { return begin_inflating(bytes, true, 0); }

int bytes_inflate_member(struct bytes *bytes, uint32_t checksum) { return begin_inflating(bytes, false, checksum); }

static ssize_t read_any(struct bytes *bytes, void *to, size_t length) {
    size_t done = 0;
    while (done < length && !bytes->failed) {
        const ssize_t got = bytes->inflater ? inflate_read(bytes->inflater, (char *)to + done, length - done)
                                            : read_file(bytes, (char *)to + done, length - done);
        bytes->failed = got < 0;
        if (got <= 0) break;
        done += (size_t)got;
    }
    return bytes->failed ? -1 : (ssize_t)done;
}

ssize_t bytes_peek(struct bytes *bytes, size_t wanted) {
    const size_t there = bytes->end - bytes->next;
    if (there >= wanted) return (ssize_t)there;
    memmove(bytes->buffer, bytes->buffer + bytes->next, there);
    bytes->next = 0;
    bytes->end = there;
    const ssize_t got = read_any(bytes, bytes->buffer + there, wanted - there);
    if (got < 0) return -1;
    bytes->end += (size_t)got;
    return (ssize_t)bytes->end;
}

ssize_t bytes_read(struct bytes *bytes, void *to, size_t length) {
    size_t there = bytes->end - bytes->next;
    if (there > length) there = length;
    memcpy(to, bytes->buffer + bytes->next, there);
    bytes->next += there;
    if (there == length) return (ssize_t)there;
    const ssize_t got = read_any(bytes, (char *)to + there, length - there);
    return got < 0 ? -1 : (ssize_t)there + got;
}
