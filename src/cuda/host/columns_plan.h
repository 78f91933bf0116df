/* columns_plan.h - how exact columns are shared out (kernels/exact_columns.cuh): a pure function of the layouts and of
 * what the device is.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_HOST_COLUMNS_PLAN_H
#define QUIRE_CUDA_HOST_COLUMNS_PLAN_H

#include <string.h>

#include "cuda/host/panels_plan.h"

/* The panels of a block, of which a tile is a part: "part" rows, of "parts" parts. */
typedef struct {
    int fits;
    panel_share share;
    size_t part, parts;
} columns_plan;

/* Parts of the rows of bundles of panels, of which each is a block's; blocks: that are at work at once. */
static inline size_t plan_column_parts(size_t bundles, size_t blocks, size_t most) {
    const size_t first = plan_least(COLUMNS_SPREAD * blocks / bundles, most), least = first ? first : 1;
    return plan_whole_waves(bundles, blocks, least, plan_least(most, 2 * COLUMNS_SPREAD * blocks / bundles));
}

/* blocks: as many as are at work at once. */
static inline columns_plan plan_columns(const quire_layout *x, const void *at_x, const quire_layout *y,
                                        const void *at_y, int size, size_t blocks) {
    const size_t n = x->n, vectors = x->outer * x->inner, step = (size_t)x->stride * (size_t)size;
    columns_plan p;
    panel_share *const share = &p.share;
    memset(&p, 0, sizeof p);
    if (n == 0 || x->inner < 2 || x->inner_stride != 1 || y->inner_stride != 1) return p;
    if (n < COLUMNS_SHORT && step % ROWS_CHUNK) return p; /* a thread would have few rows that are aligned alike */
    share->by_elements = !plan_has_chunks(x, at_x, y, at_y, size);
    share->apart = plan_least(stride_magnitude(x->stride), stride_magnitude(y->stride));
    share->tiles = n > ORDER_LANES * COLUMNS_PART_LEAST ? 2 : 1; /* or more: all threads have rows enough */
    plan_panels_of_row(share, x->inner, size, share->by_elements ? 0 : plan_most_beyond(x, at_x, size),
                       step % ROWS_LINE == 0);
    plan_panels_of_block(share, x->outer * share->panels, n, share->by_elements ? 0 : step, blocks);
    const size_t most = plan_least(n / ((size_t)COLUMNS_PART_LEAST * share->threads), VECTORS_PLACES / vectors),
                 unit = share->threads > ROWS_CHUNK ? share->threads : ROWS_CHUNK;
    p.parts = plan_column_parts(share->bundles, blocks, most);
    p.part = plan_divide_up(plan_divide_up(n, p.parts), unit) * unit; /* all parts begin at a chunk as the first does */
    if (p.part > COLUMNS_PART_MOST) return p;
    p.parts = plan_divide_up(n, p.part);
    share->tile = (unsigned)p.part, share->tiles = (unsigned)p.parts, share->tiles_of_part = 1;
    share->last_tile = (unsigned)(n - (p.parts - 1) * p.part);
    p.fits = 1;
    return p;
}

#endif
