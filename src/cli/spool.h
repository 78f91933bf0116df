/* spool.h - an unlinked temporary file that takes what cannot be mapped where it is.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_SPOOL_H
#define QUIRE_CLI_SPOOL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct spool {
    const char *name; /* of what is copied, for messages                                                            */
    size_t size;      /* of the elements whose bytes are to be reversed; 1: copy them as they are                   */
    size_t limit;     /* stop once more than this many bytes are there                                              */
    int fd;
    uintmax_t length; /* how many bytes are there                                                                   */
};

/* Sets fd. EXIT_FINE or EXIT_TROUBLE. */
int spool_open(struct spool *spool);

/* Copies the head, and then fd to its end or to the limit. EXIT_FINE or EXIT_TROUBLE. */
int spool_copy(struct spool *spool, int fd, const void *head, size_t head_length);

void spool_close(struct spool *spool);

/* read(2), until length bytes are there or the file ends; -1 and errno. */
ssize_t spool_read(int fd, void *buffer, size_t length);

#endif
