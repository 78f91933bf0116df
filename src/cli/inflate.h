/* inflate.h - decompression by zlib; inflate_stub.c is for a build without it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_INFLATE_H
#define QUIRE_CLI_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct inflater;

/* Reads up to length compressed bytes; 0 at their end, -1 after a complaint. */
typedef ssize_t inflate_source(void *user, void *to, size_t length);

/* name is for messages. gzip: a file of gzip, else a member of a zip archive, whose content has the checksum. NULL
 * after a complaint. */
struct inflater *inflate_open(const char *name, bool gzip, uint32_t checksum, inflate_source *source, void *user);

/* The next bytes of the content, up to length; 0 at its end, -1 after a complaint. */
ssize_t inflate_read(struct inflater *inflater, void *to, size_t length);
void inflate_close(struct inflater *inflater);

/* Whether the next length bytes of a file have the checksum, as a member of an archive has that is stored as it is;
 * they are to be read again. EXIT_FINE or EXIT_TROUBLE. Without zlib, and of fewer bytes, it is not known: EXIT_FINE.
 */
int inflate_check_stored(const char *name, int fd, uintmax_t length, uint32_t checksum);

#endif
