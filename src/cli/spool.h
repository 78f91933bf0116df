/* spool.h - an unlinked temporary file, in TMPDIR, that takes what cannot be mapped where it is.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_SPOOL_H
#define QUIRE_CLI_SPOOL_H

#include <stddef.h>

struct spool {
    int fd;
    size_t length; /* how many bytes are there */
};

/* These answer EXIT_FINE or EXIT_TROUBLE. */
int spool_open(struct spool *spool);
int spool_write(struct spool *spool, const void *bytes, size_t length);

/* Maps all of it; *map is NULL if there is nothing. The mapping outlives the spool. */
int spool_map(const struct spool *spool, void **map);
void spool_close(struct spool *spool);

#endif
