/* quire/scan.h - running sums: each one correctly rounded.
 *
 *     float x[4] = { 1e20f, 1.0f, -1e20f, 1.0f };
 *     quire_reduction sum = { 0 };                        // in C++: = {}
 *     quire_layout four = quire_strided(4, 1);
 *     sum.type = QUIRE_F32;
 *     quire_status status = quire_scan(NULL, &sum, QUIRE_INCLUSIVE, &four, x, &four, results);
 *
 * The results are { 1e20, 1e20, 1, 2 }: those of quire_sum of the first element, of the first two, and so on.
 *
 * Part of quire.h, whose first comment is the contract. docs/scan.md has more.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_SCAN_H
#define QUIRE_SCAN_H

#include <quire/reduce.h>
#include <quire/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which elements a running sum has. The numbers are pinned. */
typedef enum quire_scan_kind {
    QUIRE_INCLUSIVE = 0, /* result k: the first k + 1, element k among them */
    QUIRE_EXCLUSIVE = 1  /* result k: the first k, so that the first result is the empty sum, +0 */
} quire_scan_kind;

/* The running sums of each vector of a layout. A result has the bits that quire_reduce gives of the elements that it
 * sums up: signs of zeros, NaN and infinities, too, whatever stands behind them or beside them, and however many
 * threads or blocks do it.
 *   context         where to work; NULL: the CPU, this thread
 *   what            operation QUIRE_SUM or QUIRE_ASUM (running sums of |x|), method QUIRE_EXACT; any type, integers
 *                   included, and any result type and rounding: QUIRE_INT128 of integers alone
 *   kind            see there
 *   x_layout        where the vectors of x stand
 *   x               the element that has index 0, in memory the context can read, aligned to its element; may be
 *                   anything if there are no elements
 *   results_layout  where the results stand, with the sizes of x_layout; no two of them in the same place
 *   results         the result that has index 0, of the result type, aligned to it (QUIRE_INT128: to 8 bytes), in
 *                   memory the context can write. None of them stands in x, unless each stands in the place of its
 *                   own element: results is x, the layouts are the same, and so are the sizes of an element and of a
 *                   result. What stands between results is not written
 * Statuses, checked in this order: QUIRE_NULL_POINTER (what, x_layout, results_layout), QUIRE_INVALID_OPERATION (also
 * of any but these two, and where kind is none), QUIRE_INVALID_TYPE, QUIRE_INVALID_METHOD (any but QUIRE_EXACT),
 * QUIRE_INVALID_RESULT_TYPE, QUIRE_NO_INTEGER (QUIRE_INT128 of what are no integers), QUIRE_INVALID_ROUNDING,
 * QUIRE_INVALID_LAYOUT (sizes differ; or the elements, or the results, reach over more than PTRDIFF_MAX bytes, or as
 * many side by side would), QUIRE_NULL_POINTER, QUIRE_MISALIGNED; on a CUDA context also QUIRE_NOT_DEVICE_MEMORY and
 * QUIRE_DEVICE_FAULT. Where there are no elements, QUIRE_OK comes before what is said of pointers. */
QUIRE_API quire_status quire_scan(quire_context *context, const quire_reduction *what, quire_scan_kind kind,
                                  const quire_layout *x_layout, const void *x, const quire_layout *results_layout,
                                  void *results);

#ifdef __cplusplus
}
#endif

#endif
