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

/* count numbers of 64 bits as those of an index, to be freed with array_free. */
void *index_array(quire_index index, const int64_t *numbers, size_t count);

#endif
