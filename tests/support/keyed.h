/* keyed.h - what the suites of sums by key share: arrays of rows, and the single call that a group is compared with. */
#ifndef QUIRE_TESTS_KEYED_H
#define QUIRE_TESTS_KEYED_H

#include "many.h"

/* An array that a layout reaches all of, and not a byte more. */
typedef struct row_array {
    void *memory, *origin; /* origin: the element of index 0 */
    quire_layout layout;
} row_array;

/* Elements of a family. */
row_array row_array_new(quire_type type, quire_layout layout, family which, uint64_t seed);
void row_array_free(row_array *a);

/* A layout of n rows: a vector, a matrix, or with strides of any kind. */
quire_layout draw_rows(generator *g, size_t n);

/* The bits of the single call on the elements of vector (i, j) in those rows, in that order. */
uint64_t call_on_rows(const quire_reduction *what, const row_array *x, const int64_t *x_rows, const row_array *y,
                      const int64_t *y_rows, size_t count, size_t i, size_t j);

/* Rows of each group, found one by one: those of group g are at rows[offsets[g]], and so on; at the end those of none.
 */
typedef struct grouped {
    size_t groups, n;
    int64_t *keys, *rows, *offsets;
} grouped;

/* Takes the keys, of memory that array_free frees, as grouped_free frees all. */
grouped grouped_of(int64_t *keys, size_t n, size_t groups);
void grouped_free(grouped *d);

/* Each result of a call by key, or every so many, must have the bits of the single call on its rows, and the counts be
 * right; the call is made in that variant of the place. */
void check_by_key(const quire_reduction *what, const grouped *d, quire_index index, const row_array *x,
                  const row_array *y, size_t variant, size_t every);

/* count numbers of 64 bits as those of an index, to be freed with array_free. */
void *index_array(quire_index index, const int64_t *numbers, size_t count);

#endif
