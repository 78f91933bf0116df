/* order.h - the canonical order (docs/order.md) as arithmetic on indices: a function of n and the method alone.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_ORDER_ORDER_H
#define QUIRE_ORDER_ORDER_H

#include "arithmetic.h"
#include "method/methods.h"

#define ORDER_LANES 256 /* elements of a row */
#define ORDER_ROWS 16   /* rows of a tile, unless they grow */
#define ORDER_TILE ((size_t)(ORDER_LANES * ORDER_ROWS))
#define ORDER_TILES 32768 /* rows grow so that there are no more tiles than this */

typedef enum { ROWS_FIXED, ROWS_GROW } order_rows;

/* Elements of a tile. */
QUIRE_INLINE size_t order_tile(size_t n, order_rows rows) {
    size_t tile = ORDER_TILE;
    if (rows == ROWS_GROW)
        while ((n - (n != 0)) / ORDER_TILES >= tile) tile *= 2;
    return tile;
}

/* m parts (m > 1) are split behind the first order_split(m): the largest power of two below m. */
QUIRE_INLINE size_t order_split(size_t m) {
    size_t p = 1;
    while (p < m - p) p *= 2;
    return p;
}

QUIRE_INLINE order_rows order_rows_of(quire_method method) {
#define QUIRE_CASE(name, METHOD, words, rows, unused)                                                                  \
    case METHOD: return rows;
    switch (method) {
        QUIRE_LANE_METHODS(QUIRE_CASE, )
    case QUIRE_EXACT: break;
    }
#undef QUIRE_CASE
    return ROWS_FIXED;
}

#endif
