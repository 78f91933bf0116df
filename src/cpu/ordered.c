/* ordered.c - the methods of the canonical order on the CPU, of one vector: tiles, the tree over those of a piece, and
 * the tree over pieces.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/environment.h"
#include "cpu/results.h"
#include "cpu/strided.h"
#include "cpu/vector.h"

/* What a method does on states of either type. */
#define MERGES(method, METHOD, words, rows, unused)                                                                    \
    static void method##_merge_float(lane_state *into, const lane_state *from) {                                       \
        method##_merge_f32(into->f32, from->f32);                                                                      \
    }                                                                                                                  \
    static void method##_merge_double(lane_state *into, const lane_state *from) {                                      \
        method##_merge_f64(into->f64, from->f64);                                                                      \
    }
QUIRE_LANE_METHODS(MERGES, )

#define ENTRY(method, METHOD, words, rows, unused)                                                                     \
    [METHOD] = { { method##_merge_float, method##_merge_double }, method##_total, words },
const lane_method lane_methods[METHOD_NUMBERS] = { QUIRE_LANE_METHODS(ENTRY, ) };
#undef MERGES
#undef ENTRY

/* What sums a batch of tiles, how two are merged, and where each piece puts its state. */
typedef struct {
    tile_function sum;
    merge_function merge;
    lane_state *state;
} ordered_work;

/* Whether elements are added as they stand in memory: not those that are gathered or decoded first, tile by tile. */
static int in_place(const cpu_work *w) { return is_contiguous(w) && !is_decoded(w->job->type); }

/* As many tiles as go at a time. */
static size_t tiles_together(const cpu_work *w) { return in_place(w) ? TILE_BATCH : 1; }

static void tiles_sum(const cpu_work *w, const char *x, const char *y, size_t n, lane_state *state) {
    const ordered_work *o = w->own;
    const strided_vector v = strided_vector_of(w->context, w->job, w->x_stride, w->y_stride);
    if (in_place(w))
        o->sum(x, y, n, w->tile, w->fetches, state);
    else
        strided_tile(&v, x, y, n, w->tile, state);
}

/* The tree over tiles: of a piece, or of a job that is one piece. */
static void tree_sum(const cpu_work *w, const char *x, const char *y, size_t n, lane_state *state) {
    if (n <= tiles_together(w) * w->tile) {
        tiles_sum(w, x, y, n, state);
        return;
    }
    const size_t left = order_split((n - 1) / w->tile + 1) * w->tile;
    lane_state right;
    tree_sum(w, x, y, left, state);
    tree_sum(w, x + (ptrdiff_t)left * w->x_stride, y + (ptrdiff_t)left * w->y_stride, n - left, &right);
    ((const ordered_work *)w->own)->merge(state, &right);
}

/* The upper levels of that tree, over the pieces: neighbours, then pairs of them. Into the first. */
static void tree_merge(merge_function merge, lane_state *state, int pieces) {
    for (int apart = 1; apart < pieces; apart *= 2)
        for (int i = 0; i + apart < pieces; i += 2 * apart) merge(&state[i], &state[i + apart]);
}

static void run_lanes(const cpu_work *w, int piece, const char *x, const char *y, size_t n) {
    tree_sum(w, x, y, n, &((const ordered_work *)w->own)->state[piece]);
}

/* The result of what a method has left. Never inlined: additions would be moved out of our environment. */
static __attribute__((noinline)) uint64_t state_round(const lane_state *state, const quire_job *job,
                                                      format_description format) {
    const int words = lane_methods[job->method].words, is_double = has_double_lanes(job->type);
    double word[QUIRE_STATE_WORDS];
    for (int k = 0; k < words; k++) word[k] = is_double ? state->f64[k] : (double)state->f32[k];
    return words_round(word, words, job, format);
}

uint64_t ordered_reduce(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride, ptrdiff_t y_stride,
                        format_description format) {
    lane_state state[MOST_PIECES];
    ordered_work o = { context->tier->lanes->of[job->type][job->term][job->method].tile,
                       lane_methods[job->method].merge[has_double_lanes(job->type)], state };
    cpu_work w = work_of(context, job, x_stride, y_stride);
    w.run = run_lanes;
    w.own = &o;
    work_run(&w);

    const cpu_environment callers = environment_enter();
    tree_merge(o.merge, state, w.pieces);
    const uint64_t bits = state_round(&state[0], job, format);
    environment_leave(callers);
    return bits;
}

/* Every step between the arguments and the tier shows in the time of few elements, totals of 128 bits too. */
uint64_t ordered_one_tile(const cpu_tier *tier, const quire_job *job, format_description format) {
    lane_state state;
    tier->lanes->of[job->type][job->term][job->method].tile(job->x, job->y, job->n, ORDER_TILE, 0, &state);
    return state_round(&state, job, format);
}
