/* quire/reduce.h - the general call: many vectors at once, any operation, method and rounding.
 *
 *     quire_reduction sum = { 0 };                        // in C++: = {}
 *     quire_layout rows = quire_rows(3, 4, 4);
 *     sum.type = QUIRE_F32;
 *     quire_status status = quire_reduce(NULL, &sum, &rows, x, NULL, NULL, results);
 *
 * These are the sums of each row of a matrix of 3 rows and 4 columns.
 *
 * Part of quire.h, whose first comment is the contract. docs/batches.md has more.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_REDUCE_H
#define QUIRE_REDUCE_H

#include <stddef.h>
#include <stdint.h>

#include <quire/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------------------------------------------------- layouts */

/* Where the vectors stand: outer times inner vectors of n elements each. Element k of vector (i, j) is
 * x[i * outer_stride + k * stride + j * inner_stride]; strides count elements, and may be negative or 0 (which
 * repeats).
 *
 * Of a row-major matrix of 3 rows and 4 columns
 *
 *      inner ->            its rows: { 3, 4, 1,  4, 1, 0 }                    (outer is 3: one vector a row)
 *      0  1  2  3          its columns: { 1, 3, 4,  0, 4, 1 }                 (inner is 4: one vector a column)
 *      4  5  6  7          stride of rows: 4
 *      8  9 10 11
 *
 * Every second element of a vector of 10: { 1, 5, 1,  0, 2, 0 }.
 * The middle axis of a row-major array [a][b][c]: { a, b, c,  b * c, c, 1 }, results as [a][c].
 * A matrix times one vector y (gemv): x_layout as the rows, y_layout { 3, 4, 1,  0, 1, 0 }, whose outer stride of 0
 * takes y for every row. */
typedef struct quire_layout {
    size_t outer, n, inner;
    ptrdiff_t outer_stride, stride, inner_stride;
} quire_layout;

/* The rows of a row-major matrix whose rows begin ld elements apart; its columns; n elements inc apart. */
static inline quire_layout quire_rows(size_t rows, size_t n, ptrdiff_t ld) {
    quire_layout layout = { rows, n, 1, ld, 1, 0 };
    return layout;
}

static inline quire_layout quire_columns(size_t n, size_t columns, ptrdiff_t ld) {
    quire_layout layout = { 1, n, columns, 0, ld, 1 };
    return layout;
}

static inline quire_layout quire_strided(size_t n, ptrdiff_t inc) {
    quire_layout layout = { 1, n, 1, 0, inc, 0 };
    return layout;
}

/* --------------------------------------------------------------------------------------------------------- the call */

/* Reduces each vector of a layout to one number. A result has the bits that the single call on that vector gives, in
 * every method, whatever lies beside it: results are batch-invariant.
 *   context   where to work; NULL: the CPU, this thread
 *   what      see there
 *   x_layout  where the vectors of x stand
 *   x         the element that has index 0, in memory the context can read, aligned to its element; may be anything if
 *             there are no elements
 *   y_layout  of y, with the sizes of x_layout; NULL: as x_layout. Read, and checked, for operations of two
 *             arrays alone: QUIRE_DOT, QUIRE_AVERAGE, QUIRE_COVARIANCE, QUIRE_CORRELATION
 *   y         as x; read by these alone, may else be NULL
 *   results   outer * inner elements of the result type, of vector (i, j) at results[i * inner + j], aligned to one
 *             (QUIRE_INT128: to 8 bytes), in memory the context can write, none of it in x or y; may be anything if
 *             there are no vectors
 * Statuses, checked in this order: QUIRE_NULL_POINTER (what, x_layout), QUIRE_INVALID_OPERATION, QUIRE_INVALID_TYPE,
 * QUIRE_INVALID_METHOD, QUIRE_INVALID_RESULT_TYPE, QUIRE_NO_INTEGER, QUIRE_INVALID_ROUNDING, QUIRE_INVALID_LAYOUT
 * (sizes differ; or the elements, or the results, reach over more than PTRDIFF_MAX bytes, or n elements side by side
 * would, where there are any), QUIRE_NULL_POINTER, QUIRE_MISALIGNED; on a CUDA context also QUIRE_NOT_DEVICE_MEMORY and
 * QUIRE_DEVICE_FAULT. QUIRE_INVALID_METHOD is also that of a variance, an average, a covariance or a correlation, or of
 * integers, by another than QUIRE_EXACT. */
QUIRE_API quire_status quire_reduce(quire_context *context, const quire_reduction *what, const quire_layout *x_layout,
                                    const void *x, const quire_layout *y_layout, const void *y, void *results);

/* --------------------------------------------------------------------------------------------------------- segments */

/* The type of the offsets of segments. The numbers are pinned. */
typedef enum quire_index {
    QUIRE_I32 = 1, /* int32_t */
    QUIRE_I64 = 2  /* int64_t */
} quire_index;

/* Reduces each segment of an array to one number: element k of segment s is x[begin[s] + k], k < end[s] - begin[s], and
 * of y likewise. A result has the bits that the single call on that segment gives.
 *
 *     int32_t offsets[4] = {0, 2, 2, 5};                  // three segments: x[0..1], none, x[2..4]; as CSR has them
 *     quire_reduction sum = {0};                          // in C++: = {}
 *     sum.type = QUIRE_F32;
 *     quire_reduce_segments(NULL, &sum, 3, QUIRE_I32, offsets, offsets + 1, x, NULL, results);
 *
 *   context     where to work; NULL: the CPU, this thread
 *   what        see there
 *   segments    how many; 0 is allowed
 *   index       the type of the offsets
 *   begin, end  segments offsets each, in memory the context can read, aligned to their type; they may overlap.
 *               Segments may overlap, too, leave gaps, and stand in any order; one whose end is not beyond its begin is
 *               empty
 *   x, y        the elements that offset 0 names, aligned to one; y is read by operations of two arrays alone, and may
 *               else be NULL.
 *               All elements of segments must be in memory the context can read; x and y may be NULL if there are none.
 *               A CUDA context also wants x and y themselves to be addresses of its device, or NULL: where they are a
 *               part of larger arrays, whose offsets do not begin at 0, subtract the first one from the offsets, and
 *               not from x and y
 *   results     segments elements of the result type, aligned as above, in memory the context can write, none of it in
 *               the inputs
 * Statuses, checked in this order: QUIRE_NULL_POINTER (what), QUIRE_INVALID_OPERATION, QUIRE_INVALID_TYPE,
 * QUIRE_INVALID_METHOD, QUIRE_INVALID_RESULT_TYPE, QUIRE_NO_INTEGER, QUIRE_INVALID_ROUNDING, QUIRE_INVALID_INDEX,
 * QUIRE_SIZE_OVERFLOW (more offsets than memory holds), QUIRE_NULL_POINTER (begin, end, results), QUIRE_MISALIGNED;
 * then, on a CPU, QUIRE_NULL_POINTER again for x or y where a segment is not empty (a CUDA context does not read
 * offsets before the kernel does, so that there such an array must not be NULL); on a CUDA context also as
 * quire_reduce. */
QUIRE_API quire_status quire_reduce_segments(quire_context *context, const quire_reduction *what, size_t segments,
                                             quire_index index, const void *begin, const void *end, const void *x,
                                             const void *y, void *results);

#ifdef __cplusplus
}
#endif

#endif
