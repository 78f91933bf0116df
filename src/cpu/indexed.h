/* indexed.h - elements that are found through an index: entry e names the row where an array's element is, and may name
 * none. An entry of which a row is absent, of either array, is passed over.
 *
 * A vector of such elements goes where strided ones go (strided.h). Its elements "stand" where its entries do: an
 * address there is that of an entry, in the memory of an index, and elements are looked up as they are gathered.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_INDEXED_H
#define QUIRE_CPU_INDEXED_H

#include <stddef.h>
#include <stdint.h>

#include "backend.h"

typedef struct {
    const char *base;  /* the element of row 0 */
    ptrdiff_t row;     /* bytes from a row to the next */
    size_t rows;       /* rows from this number on are absent */
    const void *order; /* the index; NULL: entry e is row e */
    int is_64_bit;
} indexed_array;

/* How far a walk over entries has come: to the one that has so many present ones before it. */
typedef struct {
    size_t present;
    int64_t entry;
} indexed_walk;

typedef struct indexed_vector {
    indexed_array x, y;
    int reads_y; /* else y is x */
    /* Entry `first` stands here, others at multiples of so many bytes. */
    const char *at;
    size_t entry_size;
    int64_t first;
    indexed_walk *walk; /* NULL: none is absent. Else one thread at a time gathers */
} indexed_vector;

/* How many of n entries from first on are present. */
QUIRE_PRIVATE size_t indexed_count(const indexed_vector *v, int64_t first, size_t n);

/* Elements of x, or of y, side by side: of n present entries from the one that stands at this address on. If some are
 * absent, the present ones stand as if these were not there. */
QUIRE_PRIVATE void indexed_gather(const indexed_vector *v, int of_y, void *to, const char *at, size_t n, size_t size);

/* The same of n entries from number first on, present or not, of some neighbouring columns: those of column c are inner
 * bytes from those of the one before, and go to c * apart bytes behind `to`. Answers how many are present. */
QUIRE_PRIVATE size_t indexed_gather_columns(const indexed_vector *v, int of_y, char *to, size_t apart, int64_t first,
                                            size_t n, size_t columns, ptrdiff_t inner, size_t size);

#endif
