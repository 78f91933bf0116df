/* quire/keys.h - sums by key: rows of numbers, each with the number of its group, and a result for each group; and
 * segments of rows that are found through an index.
 *
 *     int64_t keys[5] = { 2, 0, 2, 2, 7 };                // of 3 groups; the last row belongs to none
 *     quire_reduction sum = { 0 };                        // in C++: = {}
 *     quire_layout rows = quire_strided(5, 1);
 *     sum.type = QUIRE_F32;
 *     size_t size = quire_by_key_workspace(NULL, &sum, 3, QUIRE_I64, &rows);
 *     void *workspace = aligned_alloc(256, size);
 *     quire_status status = quire_reduce_by_key(NULL, &sum, 3, QUIRE_I64, keys, &rows, x, NULL, NULL, results, counts,
 *                                               workspace, size);
 *
 * The results are { x[1], 0, x[0] + x[2] + x[3] }, and the counts { 1, 0, 3 }.
 *
 * A GROUP'S RESULT HAS THE BITS OF THE SINGLE CALL on its rows' elements, gathered in the order of the rows, in every
 * method; so no number of threads, blocks, or other groups shows in it. By QUIRE_EXACT no order of the rows does
 * either. A group without rows has the result of no elements: sums are +0, means and variances NaN.
 *
 * KEYS are 0 to groups - 1. A row whose key is less or more belongs to no group; counts show whether there are such
 * rows, since they add up to fewer than n then. Where rows stand sorted by their keys already, quire_reduce_segments
 * does the same without workspace.
 *
 * WORKSPACE is memory that the context can write, at a multiple of 256 bytes, as large as a function here says, or
 * larger. It is in use until the call has returned, on a CUDA context until the call's work on the stream ends, and
 * holds nothing that a later call needs. Nothing else is allocated.
 *
 * Part of quire.h, whose first comment is the contract. docs/keys.md has more.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_KEYS_H
#define QUIRE_KEYS_H

#include <stddef.h>
#include <stdint.h>

#include <quire/reduce.h>
#include <quire/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------------- by the key */

/* Bytes of workspace for quire_reduce_by_key with the same arguments, more than 0; 0 if what or x_layout is NULL, if an
 * argument is wrong, if this is more than memory holds, or if the context has no such call. */
QUIRE_API size_t quire_by_key_workspace(quire_context *context, const quire_reduction *what, size_t groups,
                                        quire_index index, const quire_layout *x_layout);

/* Reduces the rows of each group. A row is what the axis n of a layout counts: of vector (i, j) of the layout row k has
 * the element x[i * outer_stride + k * stride + j * inner_stride], and keys[k] is its group.
 *
 *     a vector of n elements             quire_strided(n, 1)
 *     n rows of a row-major matrix       quire_columns(n, width, ld): each column is reduced by key
 *
 *   context         where to work; NULL: the CPU, this thread
 *   what            see there
 *   groups          how many groups there are; 0 is allowed
 *   index           the type of the keys
 *   keys            x_layout->n keys, in memory the context can read, aligned to their type
 *   x_layout, x     as quire_reduce has them
 *   y_layout, y     the same; read by operations of two arrays alone. Row k of y has the key of row k of x
 *   results         outer * groups * inner elements of the result type, that of group g of vector (i, j) at
 *                   results[(i * groups + g) * inner + j], aligned as quire_reduce has them, in memory the context can
 *                   write, none of it in the inputs
 *   counts          groups numbers, how many rows each group has, as results; or NULL
 *   workspace       see above
 *   workspace_size  its bytes
 * Statuses, checked in this order: QUIRE_NULL_POINTER (what, x_layout), QUIRE_INVALID_OPERATION, QUIRE_INVALID_TYPE,
 * QUIRE_INVALID_METHOD, QUIRE_INVALID_RESULT_TYPE, QUIRE_NO_INTEGER, QUIRE_INVALID_ROUNDING, QUIRE_INVALID_INDEX,
 * QUIRE_INVALID_LAYOUT (as quire_reduce; and results that reach over more than PTRDIFF_MAX bytes), QUIRE_SIZE_OVERFLOW
 * (more keys, groups or workspace than memory holds), QUIRE_NULL_POINTER (of what is not empty; the workspace),
 * QUIRE_MISALIGNED, QUIRE_OUT_OF_MEMORY (the workspace is too small); on a CUDA context also QUIRE_NOT_DEVICE_MEMORY
 * and QUIRE_DEVICE_FAULT. Where there are neither results nor counts to be written, QUIRE_OK comes before all that is
 * said of pointers. */
QUIRE_API quire_status quire_reduce_by_key(quire_context *context, const quire_reduction *what, size_t groups,
                                           quire_index index, const void *keys, const quire_layout *x_layout,
                                           const void *x, const quire_layout *y_layout, const void *y, void *results,
                                           int64_t *counts, void *workspace, size_t workspace_size);

/* --------------------------------------------------------------------------------------------------------- in steps */

/* Bytes of workspace for quire_order_by_key with the same arguments, more than 0; 0 if an argument is wrong, if this is
 * more than memory holds, or if the context has no such call. */
QUIRE_API size_t quire_order_workspace(quire_context *context, size_t groups, quire_index index, size_t n);

/* Sorts rows by their keys, once for many calls of quire_reduce_gathered. The order is stable: rows of one group stay
 * in theirs.
 *   context         where to work; NULL: the CPU, this thread
 *   groups          how many groups there are; 0 is allowed
 *   index           the type of the keys, the order and the offsets
 *   n               how many rows
 *   keys            n keys, in memory the context can read, aligned to their type
 *   order           n row numbers: first the rows of group 0, then those of group 1, and so on; at the end, in their
 *                   order, those of no group. In memory the context can write, not in keys
 *   offsets         groups + 1 numbers, as order: the rows of group g are order[offsets[g]] to
 *                   order[offsets[g + 1] - 1]
 *   workspace       see above
 *   workspace_size  its bytes
 * Statuses, checked in this order: QUIRE_INVALID_INDEX, QUIRE_SIZE_OVERFLOW (more than memory holds, or more rows than
 * the index counts), QUIRE_NULL_POINTER (offsets, workspace; keys and order unless n is 0), QUIRE_MISALIGNED,
 * QUIRE_OUT_OF_MEMORY (the workspace is too small); on a CUDA context also QUIRE_NOT_DEVICE_MEMORY and
 * QUIRE_DEVICE_FAULT. */
QUIRE_API quire_status quire_order_by_key(quire_context *context, size_t groups, quire_index index, size_t n,
                                          const void *keys, void *order, void *offsets, void *workspace,
                                          size_t workspace_size);

/* Reduces segments of rows that are found through an index: element k of segment s of vector (i, j) is that of row
 * x_order[begin[s] + k], k < end[s] - begin[s]. This is a sparse matrix times a dense one, an embedding bag, a sum over
 * the neighbours of each node of a graph.
 *
 *     sums by key               begin, end: offsets, offsets + 1; x_order: order; see quire_order_by_key
 *     CSR matrix times dense    QUIRE_DOT; x: the matrix's values, x_order NULL, x_layout { 1, nonzeros, columns, 0,
 *                               1, 0 }, whose inner stride of 0 takes a value for each column; y_order: the matrix's
 *                               column indices, y_layout quire_columns(rows, columns, ld) of the dense matrix
 *
 *   context             where to work; NULL: the CPU, this thread
 *   what                see there
 *   segments            how many; 0 is allowed
 *   index               the type of the offsets and the orders
 *   begin, end          as quire_reduce_segments has them
 *   x_order             row numbers, all that segments reach in memory the context can read, aligned to their type; or
 *                       NULL: begin[s] + k is the row itself. A row outside 0 to x_layout->n - 1 is absent: the segment
 *                       has an element less, and the elements behind it move up
 *   x_layout, x         as quire_reduce has them
 *   y_order             as x_order, of y, with the rows of y_layout; read by operations of two arrays alone. Where
 *                       the row of either is absent, the pair is
 *   y_layout, y         as quire_reduce has them, but that y_layout->n need not be x_layout->n
 *   results             outer * segments * inner elements of the result type, that of segment s of vector (i, j) at
 *                       results[(i * segments + s) * inner + j], aligned as quire_reduce has them, in memory the
 *                       context can write, none of it in the inputs
 * Statuses, checked in this order: QUIRE_NULL_POINTER (what, x_layout), QUIRE_INVALID_OPERATION, QUIRE_INVALID_TYPE,
 * QUIRE_INVALID_METHOD, QUIRE_INVALID_RESULT_TYPE, QUIRE_NO_INTEGER, QUIRE_INVALID_ROUNDING, QUIRE_INVALID_INDEX,
 * QUIRE_INVALID_LAYOUT (as quire_reduce; and results that reach over more than PTRDIFF_MAX bytes), QUIRE_SIZE_OVERFLOW
 * (more offsets than memory holds), QUIRE_NULL_POINTER (begin, end, results; x and y where their layouts have
 * elements), QUIRE_MISALIGNED. On a CUDA context also QUIRE_NOT_DEVICE_MEMORY and QUIRE_DEVICE_FAULT. Where there are
 * no results to be written, QUIRE_OK comes before all that is said of pointers. */
QUIRE_API quire_status quire_reduce_gathered(quire_context *context, const quire_reduction *what, size_t segments,
                                             quire_index index, const void *begin, const void *end, const void *x_order,
                                             const quire_layout *x_layout, const void *x, const void *y_order,
                                             const quire_layout *y_layout, const void *y, void *results);

#ifdef __cplusplus
}
#endif

#endif
