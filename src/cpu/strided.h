/* strided.h - parts of one vector whose elements stand apart: gathered in blocks, and reduced as contiguous ones are.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_STRIDED_H
#define QUIRE_CPU_STRIDED_H

#include "cpu/context.h"

/* Strides are in bytes; y is read where the terms are products. */
typedef struct {
    const cpu_tier *tier;
    quire_type type;
    quire_term term;
    quire_method method;
    size_t size; /* bytes of an element */
    ptrdiff_t x_stride, y_stride;
} strided_vector;

/* A tile of the order, or less: n elements, 0 < n <= tile. */
QUIRE_PRIVATE void strided_tile(const strided_vector *v, const char *x, const char *y, size_t n, size_t tile,
                                lane_state *state);

/* Adds n elements as an exact_function does. */
QUIRE_PRIVATE void strided_exact(const strided_vector *v, quire_accumulator *a, const char *x, const char *y, size_t n,
                                 ball_radius *radius);

#endif
