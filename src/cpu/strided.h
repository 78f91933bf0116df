/* strided.h - elements that stand apart, at strides, or where an index says: entry e names the row where an array's
 * element is, and may name none. An entry of which a row is absent, of either array, is passed over.
 *
 * A vector of such elements goes where strided ones go. Its elements "stand" where its entries do: an address there is
 * that of an entry, in the memory of an index, and elements are looked up as they are gathered.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_STRIDED_H
#define QUIRE_CPU_STRIDED_H

#include "cpu/context.h"
#include "cpu/results.h"

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

/* Elements of x, or of y, side by side, of n entries from number first on, present or not, of some neighbouring
 * columns: those of column c are inner bytes from those of the one before, and go to c * apart bytes behind `to`.
 * Answers how many are present. */
QUIRE_PRIVATE size_t indexed_gather_columns(const indexed_vector *v, int of_y, char *to, size_t apart, int64_t first,
                                            size_t n, size_t columns, ptrdiff_t inner, size_t size);

/* Parts of a vector are gathered, and reduced as contiguous ones are. Strides are in bytes; y is read where the
 * terms are products. */
typedef struct {
    const cpu_tier *tier;
    quire_type type;
    quire_term term;
    quire_method method;
    size_t size; /* bytes of an element */
    ptrdiff_t x_stride, y_stride;
    const indexed_vector *indexed; /* or NULL: what stands at the strides are entries of an index */
} strided_vector;

/* Of a job's elements. */
QUIRE_INLINE strided_vector strided_vector_of(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride,
                                              ptrdiff_t y_stride) {
    const size_t size = (size_t)element_size(job->type);
    return (strided_vector){ context->tier, job->type, job->term, job->method,
                             size,          x_stride,  y_stride,  context->indexed };
}

/* n > 0 elements, block by block, side by side: as they stand if they do so already, `most` at a time, else gathered,
 * fewer than that. A block's y is its x unless y is another vector. */
#define STRIDED_BLOCK ORDER_TILE /* elements that are gathered: a tile that has not grown */
typedef struct {
    _Alignas(64) char x[STRIDED_BLOCK * 8], y[STRIDED_BLOCK * 8];
} block_buffer;
typedef struct {
    const strided_vector *v;
    const char *x, *y;
    size_t left, most;
    block_buffer buffer;
} strided_blocks;

QUIRE_PRIVATE void strided_begin(strided_blocks *b, const strided_vector *v, const char *x, const char *y, size_t n,
                                 size_t most);

/* The next block; answers whether there is one. */
QUIRE_PRIVATE int strided_next(strided_blocks *b, ends_vector *block);

/* A tile of the order, or less: n elements, 0 < n <= tile. */
QUIRE_PRIVATE void strided_tile(const strided_vector *v, const char *x, const char *y, size_t n, size_t tile,
                                lane_state *state);

/* Adds n elements to accumulators of all sums of a job, one each, as an exact_function does; what it leaves is carried.
 */
QUIRE_PRIVATE void strided_exact(const strided_vector *v, const quire_job *job, quire_accumulator *a, const char *x,
                                 const char *y, size_t n, int fetches);

/* The ends of all sums of a job over n > 0 elements, one each. */
QUIRE_PRIVATE void strided_ends(const strided_vector *v, const quire_job *job, ends_kind kind, const char *x,
                                const char *y, size_t n, sum_ends *sums);

#endif
