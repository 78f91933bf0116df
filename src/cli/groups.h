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

/* The rows in the order of their groups: those of group g from begin[g] up to begin[g + 1]. */
struct group_order {
    int64_t *row, *begin;
};

/* Answers EXIT_FINE or EXIT_TROUBLE, said in the verb's name. To be freed in any case. */
int group_order_find(struct group_order *order, const struct groups *groups, const char *verb);
void group_order_free(struct group_order *order);
/* The rows' elements, of so many bytes each, in that order; to be freed. NULL: out of memory, not yet said. */
char *group_order_gather(const struct group_order *order, const struct groups *groups, const char *x, size_t size);

#endif
