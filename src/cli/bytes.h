/* bytes.h - the bytes of a file, a pipe, or a part of a file, read once from the first to the last; decompressed if
 * need be.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_BYTES_H
#define QUIRE_CLI_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define BYTES_AHEAD ((size_t)1 << 16) /* how far bytes_peek can look */
#define BYTES_HEAD 64                 /* how far it may look before decompression begins */

struct inflater;

struct bytes {
    const char *name; /* for messages */
    int fd;
    uintmax_t left;            /* how many bytes of fd may still be read */
    struct inflater *inflater; /* NULL: the bytes are taken as they are */
    unsigned char *buffer;     /* bytes[next] to bytes[end] are read, but not yet taken */
    size_t next, end;
    unsigned char head[BYTES_HEAD]; /* what was looked at before the inflater came */
    size_t head_length;
    bool failed; /* and complained of */
};

/* The next left bytes of fd (UINTMAX_MAX: to its end), which stays the caller's. EXIT_FINE or EXIT_TROUBLE. */
int bytes_open(struct bytes *bytes, const char *name, int fd, uintmax_t left);
void bytes_close(struct bytes *bytes);

/* From here on the bytes are compressed: by gzip, or as a member of a zip archive is, with this checksum of what comes
 * out. EXIT_FINE or EXIT_TROUBLE, the latter in a build without zlib. */
int bytes_inflate_gzip(struct bytes *bytes);
int bytes_inflate_member(struct bytes *bytes, uint32_t checksum);

/* Looks at the next bytes, wanted (at most BYTES_AHEAD) of them or all there are: how many, from buffer + next on; -1
 * after a complaint. */
ssize_t bytes_peek(struct bytes *bytes, size_t wanted);

/* Takes the next length bytes, or all there are: how many; -1 after a complaint. */
ssize_t bytes_read(struct bytes *bytes, void *to, size_t length);

/* read(2), until length bytes are there or the file ends; -1 and errno. */
ssize_t read_fully(int fd, void *buffer, size_t length);

#endif
