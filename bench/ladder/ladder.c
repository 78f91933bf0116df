/* ladder.c - the table of contents: the rungs in order, what each mends and what that costs.
 *
 * SPDX-License-Identifier: MIT
 */
#include "ladder.h"

#include "rung.h"

static const rung *rung_of(const reducer *r) { return r->own; }

static bool is_a_sum(const job *j) { return j->operation == OPERATION_SUM && j->result_type == QUIRE_F32; }

static bool takes(const reducer *r, const job *j) {
    (void)r;
    return is_a_sum(j) && (j->type == QUIRE_F32 || j->type == QUIRE_F16);
}

static bool takes_in_half(const reducer *r, const job *j) {
    (void)r;
    return is_a_sum(j) && j->type == QUIRE_F16;
}

bool ladder_is_in_half(const reducer *r) { return r->takes == takes_in_half; }

bool ladder_is_by_chance(const reducer *r) { return rung_of(r)->is_by_chance; }

static const way *way_of(const reducer *r, const job *j) {
    const rung *own = rung_of(r);
    if (ladder_is_in_half(r)) return &own->f16_in_half;
    return j->type == QUIRE_F16 ? &own->f16 : &own->f32;
}

static size_t workspace(const reducer *r, const job *j) { return way_of(r, j)->workspace(j->n); }

static int enqueue(const reducer *r, const job *j, void *memory, void *result, void *stream) {
    return way_of(r, j)->enqueue(j->n, j->x, memory, result, stream);
}

size_t ladder_chain(const reducer *r, const job *j) { return way_of(r, j)->chain(j->n); }

#define RUNG(name, own, what)                                                                                          \
    { name, what, takes, workspace, enqueue, false, &own }, {                                                          \
        name " in half", what, takes_in_half, workspace, enqueue, false, &own                                          \
    }

const reducer ladder_reducers[] = {
    RUNG("01 interleaved", rung_01,
         "one thread a pair, neighbours first, in global memory: needs no order; warps diverge, every step goes to "
         "memory"),
    RUNG("02 sequential", rung_02,
         "the active threads side by side: no divergence, coalesced; every step still goes to global memory"),
    RUNG("03 shared memory", rung_03,
         "the tree moves into shared memory, x is read once; half the threads load one element and never add"),
    RUNG("04 bank conflicts", rung_04_conflicts,
         "two elements a thread, first added while loading; neighbours first in shared memory: lanes share banks"),
    RUNG("04 first add", rung_04,
         "two elements a thread, first added while loading: no idle half, no conflicts; still several launches"),
    RUNG(
        "05 atomics", rung_05,
        "one atomicAdd a block: a single launch, no partial results; the order of blocks, and so the bits, are chance"),
    RUNG("06 coarsened", rung_06,
         "16 elements a thread: fewer trees, barriers and atomics an element; the chain of additions is longer"),
    RUNG("07 last warp", rung_07,
         "the last warp without block barriers, with the __syncwarp that Volta made necessary; half its lanes idle"),
    RUNG("07 unrolled", rung_07_unrolled,
         "the whole tree unrolled by template: no loop, no index arithmetic; one kernel compiled for each block size"),
    RUNG("08 warp shuffle", rung_08,
         "grid-stride loop, sums by shuffle, one atomicAdd a warp: no shared memory, no barrier; one load in flight, "
         "bits "
         "still chance"),
    RUNG(
        "09 tree and shuffle", rung_09,
        "128 elements a thread, shared memory down to 64, one warp's shuffle: few atomics; needs much data to fill the "
        "chip"),
    RUNG("10 two levels", rung_10,
         "shuffles in two levels, 4 loads in flight, partial results to memory: same bits every run; a second launch"),
    RUNG("11 vector loads", rung_11,
         "16 bytes a load, 4 in flight: a quarter of the instructions; the order, and the bits, follow the alignment"),
    RUNG("12 tuned", rung_12,
         "block size, blocks and loads in flight from a search: the last percents; right for one chip"),
};
const int ladder_count = (int)(sizeof ladder_reducers / sizeof *ladder_reducers);
