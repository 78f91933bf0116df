/* zip.h - the directory of a zip archive, which is what an .npz file is.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_ZIP_H
#define QUIRE_CLI_ZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ZIP_NAME 256     /* the longest name, with its zero, that is believed */
#define ZIP_MEMBERS 4096 /* the most members */

struct zip_member {
    char name[ZIP_NAME]; /* of an array: without its .npy */
    uint64_t place;      /* where the member's own header is in the file */
    uint64_t packed;     /* bytes of it in the file */
    uint32_t checksum;   /* of its content */
    bool deflated;       /* by zlib's method; else stored as it is */
};

/* The arrays (members whose names end in .npy) of the archive, in its order, to be freed. name is for messages.
 * EXIT_FINE or EXIT_TROUBLE. */
int zip_list(const char *name, int fd, struct zip_member **members, size_t *count);

/* Sets the file's position to the first byte of a member's content. EXIT_FINE or EXIT_TROUBLE. */
int zip_seek(const char *name, int fd, const struct zip_member *member);

#endif
