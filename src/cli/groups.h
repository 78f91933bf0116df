/* groups.h - the groups of the rows of a table, by the keys in one of its columns. Keys are texts; if all of them are
 * numbers the groups come in the order of these, else in that of their bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_GROUPS_H
#define QUIRE_CLI_GROUPS_H

#include <stdint.h>

#include "options.h"
#include "sources.h"

/* The keys of all rows, one behind the other, each with its zero. */
struct key_texts {
    char *text;
    size_t length, room, count;
};

struct groups {
    struct key_texts texts;
    struct keyed_row *row;
    const char **key; /* of each group */
    int64_t *of_row;  /* the number of each row's group */
    size_t rows, count;
};

/* Reads the column that --by names in the source, a table of n numbers. EXIT_FINE, EXIT_TROUBLE or EXIT_USAGE. To be
 * freed in any case. */
int groups_read(struct groups *groups, const struct options *options, const struct source *source, size_t n);
void groups_free(struct groups *groups);

#endif
