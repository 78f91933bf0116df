/* columns_plan.h - how columns are shared out (kernels/ordered_columns.cuh, exact_columns.cuh): a pure function of the
 * layouts and of what the device is.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_HOST_COLUMNS_PLAN_H
#define QUIRE_CUDA_HOST_COLUMNS_PLAN_H

#include <string.h>

#include "cuda/host/plan.h"

/* See vectors_job.h. fits: whether these are columns for blocks to share; those of exact sums in "parts" parts, of
 * which a tile is one, of "part" rows. */
typedef struct {
    int fits;
    panel_share share;
    size_t part, parts;
} columns_plan;

/* How far a stride is beyond a multiple of the bytes of a chunk; 0 if there is none to go. */
static inline unsigned plan_beyond(ptrdiff_t stride, size_t count, int size) {
    return count > 1 ? (unsigned)((size_t)stride * (size_t)size % ROWS_CHUNK) : 0;
}

/* Whether columns are so short that a block's merging takes longer than its loads, where a thread has few rows that are
 * aligned alike. */
static inline int plan_are_short(const quire_layout *x, const quire_layout *y, int size) {
    if (!plan_beyond(x->stride, x->n, size) && !plan_beyond(y->stride, y->n, size)) return 0;
    return x->n <= VECTORS_LANES || (x->n <= PANEL_SHORT && x->inner <= PANEL_NARROW);
}

/* Whether there are columns for blocks to share: vectors that are no rows, of some elements, and no more tiles than
 * 2^31. */
static inline int plan_has_panels(const quire_layout *x, const quire_layout *y, int size) {
    return x->n > 0 && plan_has_columns(x) && x->n / (ORDER_LANES * ORDER_ROWS) < INT32_MAX &&
           !plan_are_short(x, y, size);
}

/* How far the rows of an array may stand beyond a multiple of the bytes of a chunk. */
static inline unsigned plan_most_beyond(const quire_layout *l, const void *x, int size) {
    const unsigned bits = (unsigned)((uintptr_t)x % ROWS_CHUNK) | plan_beyond(l->stride, l->n, size) |
                          plan_beyond(l->outer_stride, l->outer, size);
    return bits ? ROWS_CHUNK - (bits & -bits) : 0;
}

/* Whether the chunks of both arrays begin at the same columns, and none of a row but the first and the last one has
 * anything beside it but what the layout reaches. */
static inline int plan_has_chunks(const quire_layout *x, const void *at_x, const quire_layout *y, const void *at_y,
                                  int size) {
    if (x->inner_stride != 1 || y->inner_stride != 1) return 0;
    if (x->n > 1 && (!x->stride || !y->stride)) return 0;
    return (uintptr_t)at_x % ROWS_CHUNK == (uintptr_t)at_y % ROWS_CHUNK &&
           plan_beyond(x->stride, x->n, size) == plan_beyond(y->stride, y->n, size) &&
           plan_beyond(x->outer_stride, x->outer, size) == plan_beyond(y->outer_stride, y->outer, size);
}

/* Panels of a row of columns: so many columns each that they have a line of chunks, wherever the row stands; more where
 * rows do not stand at lines, so that they share fewer of these. beyond: bytes, as above. */
static inline void plan_panels_of_row(panel_share *p, size_t columns, int size, unsigned beyond, bool has_lines) {
    const size_t E = (size_t)(ROWS_CHUNK / size), more = beyond / (unsigned)size,
                 most = has_lines ? PANEL_CHUNKS : plan_least(PANEL_CHUNKS_MOST, PANEL_THREADS / E);
    p->panels = columns + more <= most * E ? 1 : plan_divide_up(columns, (most - (more > 0)) * E);
    p->columns = p->panels == 1 ? columns : plan_divide_up(plan_divide_up(columns, p->panels), E) * E;
    p->panels = plan_divide_up(columns, p->columns);
    p->chunks = (unsigned)plan_divide_up(p->columns + more, E);
}

/* The threads of a block: of columns of several tiles as many as there is room for, so that each column has one; else
 * as few share a chunk as leave all blocks something to do. Lanes of a thread stand alike, or it has one alone. */
static inline void plan_panels_of_block(panel_share *p, size_t panels, size_t n, size_t stride, size_t blocks) {
    unsigned lanes = 1;
    while (lanes < ORDER_LANES && lanes < n) lanes *= 2;
    p->threads = 1, p->bundle = 1;
    while (p->threads < lanes && p->threads * stride % ROWS_CHUNK) p->threads *= 2;
    while (p->threads < lanes && 2 * p->threads * p->chunks <= PANEL_THREADS &&
           (p->tiles > 1 || panels * p->chunks * p->threads < blocks * PANEL_THREADS))
        p->threads *= 2;
    p->bundle = (unsigned)plan_least(panels, PANEL_THREADS / (p->threads * p->chunks));
    while (p->threads < lanes && 2 * p->threads * p->chunks * p->bundle <= PANEL_THREADS) p->threads *= 2;
    p->lanes = lanes / p->threads;
    p->bundles = plan_divide_up(panels, p->bundle);
}

/* Places for what parts leave, and for counting them: some become one, as many as a block has room for, and so on. */
static inline void plan_panel_places(panel_share *p, size_t parts) {
    for (p->join = 2; p->join < PANEL_JOIN && 2 * p->join * p->bundle * p->chunks <= PANEL_THREADS;) p->join *= 2;
    p->records = p->tickets = 0;
    for (; parts > 1; parts = plan_divide_up(parts, p->join))
        p->records += (unsigned)parts, p->tickets += (unsigned)plan_divide_up(parts, p->join);
}

/* blocks: as many as are to be at work. */
static inline columns_plan plan_panels(const quire_layout *x, const void *at_x, const quire_layout *y, const void *at_y,
                                       bool is_product, int size, order_rows rows, size_t blocks) {
    const size_t tile = order_tile(x->n, rows), tiles = plan_divide_up(x->n, tile),
                 apart = plan_least(stride_magnitude(x->stride), stride_magnitude(y->stride)),
                 of_lane = plan_divide_up(plan_least(x->n, tile), ORDER_LANES);
    const unsigned loads = 1u << panel_loads_log(is_product);
    columns_plan p;
    panel_share *const share = &p.share;
    memset(&p, 0, sizeof p);
    share->by_elements = !plan_has_chunks(x, at_x, y, at_y, size);
    share->apart = apart;
    share->tile = (unsigned)tile, share->tiles = (unsigned)tiles;
    share->last_tile = (unsigned)(x->n - (tiles - 1) * tile);
    share->lanes_at_once = of_lane < loads ? loads : 1;
    while (share->lanes_at_once > 1 && loads / share->lanes_at_once < of_lane) share->lanes_at_once /= 2;
    const size_t step = (size_t)x->stride * (size_t)size;
    plan_panels_of_row(share, x->inner, size, share->by_elements ? 0 : plan_most_beyond(x, at_x, size),
                       step % ROWS_LINE == 0);
    plan_panels_of_block(share, x->outer * share->panels, x->n, share->by_elements ? 0 : step, blocks);
    const size_t width = share->bundle * share->chunks * (size_t)(ROWS_CHUNK / size);
    for (share->tiles_of_part = 1;; share->tiles_of_part *= 2) {
        p.parts = plan_divide_up(tiles, share->tiles_of_part);
        plan_panel_places(share, p.parts);
        if (p.parts == 1 ||
            (p.parts * share->bundles <= blocks && share->bundles * share->records * width <= VECTORS_PLACES &&
             share->bundles * share->tickets <= VECTORS_IN_PARTS))
            return p;
    }
}

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
