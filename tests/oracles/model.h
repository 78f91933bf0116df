/* model.h - docs/order.md once more, as plain loops over scalars, written from that page and not from the library. What
 * the methods plain, pairwise and kahan answer anywhere must be these bits. Needs IEEE arithmetic to nearest, without
 * contraction and without fast-math; model.c refuses to compile where it can see that it lacks them. */
#ifndef QUIRE_TESTS_MODEL_H
#define QUIRE_TESTS_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "number.h"
#include "operation.h"

/* The total before it is rounded: s if c is zero, else exactly s + c. Both are floats if the accumulation is in float.
 */
typedef struct model_total {
    double s, c;
} model_total;

/* The shape of the order: rows of a tile, tiles of a vector, the longest chain of additions. */
size_t model_rows(quire_method method, size_t n);
size_t model_tiles(quire_method method, size_t n);
size_t model_chain_length(quire_method method, size_t n);

/* The total of the terms of op in that order; y is read by dot alone. Not for QUIRE_EXACT. */
model_total model_reduce(operation op, quire_type type, size_t n, const void *x, const void *y, quire_method method);

/* The bits of the total after the root or the division that op asks for, rounded once: to nearest, or in any direction.
 */
uint64_t model_finish(operation op, model_total total, size_t n, quire_type result_type);
uint64_t model_directed(operation op, model_total total, size_t n, quire_type result_type, quire_rounding rounding);

#endif
