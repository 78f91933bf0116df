/* groups.h - exact sums of groups without a sort: each row is added to the state of its group as it comes. A state is a
 * sum by TwoSum, what its additions lost, added up by TwoSum as well, and the magnitudes of what these lost in turn:
 * ends beside a sum, as in block/pairs.h. And the order of rows by their groups.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_GROUPS_H
#define QUIRE_CPU_GROUPS_H

#include "cpu/context.h"
#include "cpu/gather.h"
#include "workspace.h"

#include <string.h>

/* Neighbouring columns of rows, and the groups that these belong to. y is x unless it is read. */
typedef struct {
    const quire_job *job;
    const quire_keys *keys;
    const char *x, *y;
    ptrdiff_t x_row, x_inner, y_row, y_inner; /* bytes to the next row, and to the next column */
    size_t columns;                           /* GROUP_COLUMNS at most */
} group_columns;

#define GROUP_COLUMNS ((size_t)16)
#define ROW_STRETCH ((size_t)512) /* rows that are taken one way or the other */
#define AHEAD ((size_t)16)        /* rows between that which is added and the one whose state is fetched */

/* States of a group: of each column the sum, then what was lost, then how far off that may be; and at the end how many
 * rows there are. */
QUIRE_INLINE size_t words_of(size_t columns) { return 3 * columns + 1; }

/* Where TwoSum has lost something. */
QUIRE_INLINE void lost_add(double *lost, double *off, double error) {
    *off += abs_f64(two_sum_f64(*lost, error, lost));
}

/* The type and the term are constants for each caller. */
QUIRE_INLINE double number_at(const char *from, int is_double) {
    float narrow;
    double wide;
    if (is_double) {
        memcpy(&wide, from, sizeof wide);
        return wide;
    }
    memcpy(&narrow, from, sizeof narrow);
    return (double)narrow;
}

QUIRE_INLINE double term_at(const char *x, const char *y, int is_double, quire_term term) {
    const double value = number_at(x, is_double);
    if (term == TERM_MAGNITUDE) return abs_f64(value);
    return term == TERM_PRODUCT ? value * number_at(y, is_double) : value;
}

QUIRE_INLINE void add_count(double *count, size_t more) {
    int64_t rows;
    memcpy(&rows, count, sizeof rows);
    rows += (int64_t)more;
    memcpy(count, &rows, sizeof rows);
}

QUIRE_INLINE int64_t count_of(const double *group, size_t columns) {
    int64_t rows;
    memcpy(&rows, &group[3 * columns], sizeof rows);
    return rows;
}

/* is_64_bit is a constant, too. */
QUIRE_INLINE uint64_t key_of(const void *keys, size_t row, int is_64_bit) {
    return (uint64_t)index_at(keys, (ptrdiff_t)row, is_64_bit);
}

QUIRE_INLINE uint64_t key_at(const quire_keys *keys, size_t row) {
    return key_of(keys->keys, row, keys->index == QUIRE_I64);
}

/* Whether that is a way to a job's sums, and one that takes no longer than a sort. */
QUIRE_PRIVATE int has_group_sums(const quire_job *job, const quire_keys *keys);

/* Bytes of states for so many columns, and at least one group; 0: more than memory holds. */
QUIRE_PRIVATE size_t group_sums_states(const cpu_context *context, const quire_keys *keys, size_t columns);

/* Adds up, by all threads of a context that reports nothing, and stores the results that the states tell: that of group
 * g and column c goes to results[g * apart + c]. numbers[g] becomes -1, or, if a result of group g is left open, how
 * many such groups there are before it. counts: how many rows each group has, or NULL. Answers how many groups are left
 * open. */
QUIRE_PRIVATE size_t group_sums(const cpu_context *context, const group_columns *columns, void *states, char *results,
                                size_t apart, int64_t *numbers, int64_t *counts);

/* -------------------------------------------------------------------------------- rows in the order of their groups */

/* What is brought into the order of the groups: of each row an element of so many bytes, `row` bytes behind that of the
 * row before; or if x is NULL the number of the row, an integer of 4 or 8. */
typedef struct {
    const char *x;
    ptrdiff_t row;
    size_t size;
} keyed_elements;

/* Bytes of workspace for these groups, or fewer; 0: more than memory holds. */
QUIRE_PRIVATE size_t key_order_workspace(const cpu_context *context, const quire_keys *keys, keyed_elements elements);

/* See quire_order_by_key; index: of the offsets; to: where elements go. */
QUIRE_PRIVATE void key_order(const cpu_context *context, const quire_keys *keys, keyed_elements elements,
                             quire_index index, void *to, void *offsets, void *workspace);

#endif
