/* array_plan.h - how the blocks of a device share one array (kernels/exact_array.cuh, exact_limbs.cuh,
 * ordered_array.cuh): pure functions of what the device is.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_HOST_ARRAY_PLAN_H
#define QUIRE_CUDA_HOST_ARRAY_PLAN_H

#include "cuda/host/plan.h"

/* Blocks and their threads; and elements of a part: of what a warp adds to limbs at a time, or of a group of tiles in
 * the canonical order. */
typedef struct {
    size_t blocks, part;
    unsigned threads;
} array_plan;

/* An exact sum of an array of so many bytes: one block, which has nobody to bring together; or as many as there are
 * places for at once, unless they would have too little. */
static inline array_plan plan_exact_array(const device_facts *d, size_t bytes, int is_wide) {
    const size_t most = plan_least(plan_blocks(d, is_wide ? ARRAY_WIDE_BLOCKS : ARRAY_BLOCKS), ARRAY_MOST);
    const size_t enough = bytes > ARRAY_ALONE || d->wish.blocks ? plan_divide_up(bytes, ARRAY_LEAST) : 1;
    const array_plan p = { plan_least(enough, most), 0, ARRAY_THREADS };
    return p;
}

/* To limbs, n elements, by blocks of so many threads, of which a multiprocessor has so many. */
static inline array_plan plan_limbs(const device_facts *d, size_t n, unsigned threads, unsigned blocks) {
    const size_t warps = threads / 32, most = plan_least(plan_blocks(d, blocks), VECTORS_PLACES),
                 each = plan_divide_up(plan_divide_up(n, most * warps), LIMBS_PART_LEAST) * LIMBS_PART_LEAST,
                 part = each > LIMBS_PART ? LIMBS_PART
                        : each            ? each
                                          : LIMBS_PART_LEAST;
    const array_plan p = { plan_least(plan_divide_up(plan_divide_up(n, part), warps), most), part, threads };
    return p;
}

/* By a method of the canonical order, in tiles of so many elements, which "lanes" neighbouring lanes a thread share:
 * as many blocks as there are groups of tiles. What fits one block is one block's; more is spread over the device, in
 * groups that a block adds at a time, which have more tiles only where there would be too many groups. */
static inline array_plan plan_ordered_array(const device_facts *d, size_t n, size_t tile, unsigned lanes) {
    const unsigned of_tile = ORDER_LANES / lanes, wished = d->wish.warps * 32,
                   room = wished && wished < ORDERED_ARRAY_THREADS ? wished : ORDERED_ARRAY_THREADS;
    const size_t tiles = n ? plan_divide_up(n, tile) : 1,
                 spread = tiles * of_tile <= room ? 1 : (size_t)d->multiprocessors * ORDERED_ARRAY_SPREAD;
    size_t together = 1, group;
    while (together * 2 * of_tile <= room && plan_divide_up(tiles, together) > spread) together *= 2;
    for (group = together; plan_divide_up(tiles, group) > ORDERED_ARRAY_MOST;) group *= 2;
    const array_plan p = { plan_divide_up(tiles, group), group * tile, (unsigned)together * of_tile };
    return p;
}

#endif
