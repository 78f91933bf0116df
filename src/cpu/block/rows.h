/* rows.h - the rows of a tile as they stand in memory.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_BLOCK_ROWS_H
#define QUIRE_CPU_BLOCK_ROWS_H

#include "format/formats.h"
#include "operation/operations.h"
#include "order/order.h"

/* What is to be added: rows of a tile, of which the last may stand elsewhere. */
typedef struct {
    const char *x, *y, *last_x, *last_y;
    size_t full;
} tile_source;

/* The element that stands where there is none, as its term is the identity: -0, or +0 where signs are flipped; of a
 * product, -0 times +0. (The magnitude of -0 and its square are +0, which changes no sum of such, as none is -0.) */
QUIRE_INLINE uint64_t missing_element(size_t size, term_sign sign) {
    return (uint64_t)(sign != SIGN_FLIPPED) << (8 * size - 1);
}

/* A short row, filled up with such elements. */
QUIRE_INLINE void tile_fill(format_description format, char *row, const char *from, size_t n, uint64_t missing) {
    memcpy(row, from, n * (size_t)format.size);
    for (size_t j = n; j < ORDER_LANES; j++) format_store(missing, format.size, row + j * (size_t)format.size);
}

#endif
