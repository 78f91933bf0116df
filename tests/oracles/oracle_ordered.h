/* oracle_ordered.h - docs/order.md for vectors of one tile, as model.h has it for any: the same bits, but found
 * quickly, and left to be rounded as often as one likes. */
#ifndef QUIRE_TESTS_ORACLE_ORDERED_H
#define QUIRE_TESTS_ORACLE_ORDERED_H

#include "oracle_words.h"

#define ORDERED_MOST 4096 /* elements: one tile of 16 rows */

/* The values of types of at most 16 bits, by their bits. */
typedef struct ordered_tables {
    float half[65536], e5m2[256], e4m3[256];
} ordered_tables;

void ordered_open(ordered_tables *t);

/* The total of at most ORDERED_MOST terms, and what the operation makes of it. Not for QUIRE_EXACT. The sum is empty
 * before and after. */
unrounded ordered_reduce(const ordered_tables *t, words_sum *s, operation op, quire_type type, size_t n, const void *x,
                         const void *y, quire_method method);

#endif
