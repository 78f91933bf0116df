/* gather.cuh - how the totals of groups become the result.
 *
 * Every block but the last of the grid writes its group's total to the workspace and ends; the last waits for them,
 * merges all by the tree, rounds once and stores. A word of the workspace that nothing has been written to has all bits
 * set: a NaN, in place of which deliver_word writes another. So a word tells by itself whether it is there, and there
 * is one trip to memory and back where a counter of blocks takes three (a fence, an atomic, a load). No block waits but
 * the last, and that one for blocks of lower index alone. So waiting ends if a block starts only after those of lower
 * index: what decoupled look-back assumes, too (Merrill and Garland 2016), and no more.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_GRID_GATHER_CUH
#define QUIRE_CUDA_GRID_GATHER_CUH

#include <type_traits>

#include "cuda/device/bulk.cuh"
#include "cuda/device/relaxed.cuh"
#include "cuda/grid/result.cuh"
#include "cuda/job.h"
#include "cuda/warp/lane_trees.cuh"

#define GATHER_THREAD 8                          /* states that a thread merges by itself */
#define GATHER_WARP (WARP * GATHER_THREAD)       /* and a warp at a time */
#define GATHER_PARTS (LANE_GROUPS / GATHER_WARP) /* the most totals that warps make */
static_assert(LANE_GROUPS % GATHER_WARP == 0, "warps take whole stretches of places");
static_assert(GATHER_PARTS <= WARP, "one warp must be able to merge them");

static __device__ __forceinline__ void deliver_word(float *to, float x) {
    const uint32_t bits = bits_of_float(x);
    store_relaxed(to, bits == ~0u ? 0x7fffffffu : bits);
}

static __device__ __forceinline__ void deliver_word(double *to, double x) {
    const uint64_t bits = bits_of_double(x);
    store_relaxed(to, ~bits ? bits : ~(uint64_t)0 >> 1);
}

static __device__ __forceinline__ void deliver_word(uint64_t *to, uint64_t x) { store_relaxed(to, x); }

static __device__ __forceinline__ void set_word(float *to, uint32_t bits) { *to = float_of_bits(bits); }
static __device__ __forceinline__ void set_word(double *to, uint64_t bits) { *to = double_of_bits(bits); }

/* Leaves places empty. */
template <int STATES, class State> static __device__ __forceinline__ void leave_empty(State *places) {
    constexpr int BYTES = STATES * (int)sizeof(State);
    if constexpr (BYTES % 16 == 0) {
#pragma unroll
        for (int i = 0; i < BYTES / 16; i++) ((uint4 *)places)[i] = make_uint4(~0u, ~0u, ~0u, ~0u);
    } else {
#pragma unroll
        for (int i = 0; i < BYTES / 4; i++) ((uint32_t *)places)[i] = ~0u;
    }
}

/* Takes states begin, begin + 1, ... of count, as soon as all are there, and leaves their places empty; beyond the end
 * they are empty anyway. All words are under way before the first is looked at. */
template <int STATES, class State>
static __device__ __forceinline__ void take_states(State (&s)[STATES], State *partial, unsigned begin, unsigned count) {
    typedef std::conditional_t<sizeof *s->word == 4, uint32_t, uint64_t> bits;
    constexpr int WORDS = sizeof s->word / sizeof *s->word, ALL = STATES * WORDS;
    constexpr int ONCE = ALL < 16 / (int)sizeof(bits) ? ALL : 16 / (int)sizeof(bits);
    bits word[ALL / ONCE][ONCE], *from = (bits *)(partial + begin);
    for (int i = 0; i < STATES; i++) s[i] = identity<State>();
    if (begin >= count) return;
    for (bool there = false; !there;) {
        there = true;
#pragma unroll
        for (int i = 0; i < ALL; i += ONCE) load_relaxed(from + i, word[i / ONCE]);
#pragma unroll
        for (int i = 0; i < ALL; i++) there &= ~word[i / ONCE][i % ONCE] || begin + i / WORDS >= count;
    }
#pragma unroll
    for (int i = 0; i < ALL; i++)
        if (begin + i / WORDS < count) set_word(&s[i / WORDS].word[i % WORDS], word[i / ONCE][i % ONCE]);
    leave_empty<STATES>(partial + begin);
}

/* The tree over states that a thread has, at distances below span, in s[0], s[span], ... */
template <int STATES, class State>
static __device__ __forceinline__ void merge_states(State (&s)[STATES], unsigned span) {
#pragma unroll
    for (int w = 1; w < STATES; w *= 2)
        if (w < span)
#pragma unroll
            for (int i = 0; i < STATES; i += 2 * w) merge(s[i], s[i + w]);
}

/* The tree over STATES groups a thread from begin on, by a warp, in thread 0. The last group is the own one. */
template <int STATES, class State>
static __device__ __forceinline__ State gather_warp(State *partial, unsigned begin, unsigned groups, const State &own,
                                                    int thread) {
    State s[STATES];
    begin += thread * STATES;
    take_states(s, partial, begin, groups - 1);
#pragma unroll
    for (unsigned i = 0; i < STATES; i++)
        if (begin + i == groups - 1) s[i] = own;
    merge_states(s, STATES);
    return warp_tree(s[0], WARP);
}

template <class State> struct gather_memory {
    State own, part[GATHER_PARTS];
    int64_t limb[sizeof(State::word) > sizeof *State::word ? QUIRE_ACCUMULATOR_LIMBS : 1];
};

/* A block's total, which its first thread has, for the last. */
template <class Method, class Real>
static __device__ __forceinline__ void deliver_state(const cuda_job &job, unsigned number,
                                                     const lane_state<Method, Real> &total) {
    lane_state<Method, Real> *to = (lane_state<Method, Real> *)job.workspace->partial + number;
    if (threadIdx.x == 0)
        for (int w = 0; w < Method::words; w++) deliver_word(&to->word[w], total.word[w]);
}

/* The result from the total of all, which the first thread of a warp has. */
template <class Method, class Real>
static __device__ __forceinline__ void store_state(const cuda_job &job, const lane_state<Method, Real> &total,
                                                   gather_memory<lane_state<Method, Real>> &memory, int thread) {
    double words[QUIRE_STATE_WORDS] = { 0, 0 };
    for (int w = 0; w < Method::words; w++) words[w] = __shfl_sync(WHOLE_WARP, total.word[w], 0);
    store_words<Method>(job, words, memory.limb, thread);
}

/* The result from the totals of groups. To be called by all threads of all blocks, the total in thread 0; blockDim.x is
 * a multiple of a warp, of which warps take part in large gatherings. */
template <class Method, class Real>
static __device__ __forceinline__ void gather(const cuda_job &job, lane_state<Method, Real> total, unsigned warps,
                                              gather_memory<lane_state<Method, Real>> &memory) {
    typedef lane_state<Method, Real> state;
    state *partial = (state *)job.workspace->partial;
    const unsigned groups = gridDim.x, warp = threadIdx.x / WARP;
    const int thread = threadIdx.x % WARP;
    if (blockIdx.x < groups - 1) {
        deliver_state(job, blockIdx.x, total);
        return;
    }
    if (groups > GATHER_WARP) {
        if (threadIdx.x == 0) memory.own = total;
        __syncthreads();
        for (unsigned begin = warp * GATHER_WARP; warp < warps && begin < groups; begin += warps * GATHER_WARP) {
            const state part = gather_warp<GATHER_THREAD>(partial, begin, groups, memory.own, thread);
            if (thread == 0) memory.part[begin / GATHER_WARP] = part;
        }
        __syncthreads();
        if (warp) return;
        total = warp_tree(thread * GATHER_WARP < groups ? memory.part[thread] : identity<state>(), WARP);
    } else {
        if (warp) return;
        if (groups > 1) {
            for (int w = 0; w < Method::words; w++) total.word[w] = __shfl_sync(WHOLE_WARP, total.word[w], 0);
            total = groups > WARP ? gather_warp<GATHER_THREAD>(partial, 0, groups, total, thread)
                                  : gather_warp<1>(partial, 0, groups, total, thread);
        }
    }
    store_state<Method>(job, total, memory, thread);
}

/* --------------------------------------------------------------------------------------------------- pieces (job.h) */

static_assert(PIECES_WARP == WARP * PIECES_THREAD, "a warp merges a tree");

/* Merges count pieces from place begin on, span of which make a tree of job.units tiles, to trees. By warps, in turn.
 */
template <class State>
static __device__ __forceinline__ void merge_pieces(State *partial, unsigned begin, unsigned count, unsigned span,
                                                    State *tree, unsigned warps) {
    const unsigned thread = threadIdx.x % WARP, beyond = begin + count;
    for (unsigned at = threadIdx.x / WARP * PIECES_WARP; at < count; at += warps * PIECES_WARP) {
        State s[PIECES_THREAD];
        const unsigned first = at + thread * PIECES_THREAD;
        take_states(s, partial, begin + first, beyond);
        merge_states(s, span);
        for (unsigned w = PIECES_THREAD; w < span; w *= 2) merge_down(s[0], w / PIECES_THREAD);
#pragma unroll
        for (unsigned i = 0; i < PIECES_THREAD; i++)
            if ((first + i) % span == 0 && first + i < count) tree[(first + i) / span] = s[i];
    }
}

/* The tree over trees, by warps and then by the first. */
template <class State>
static __device__ __forceinline__ State tree_of_trees(const State *tree, unsigned trees, unsigned warps,
                                                      gather_memory<State> &memory) {
    const unsigned warp = threadIdx.x / WARP, thread = threadIdx.x % WARP;
    State s[GATHER_THREAD];
    for (unsigned begin = warp * GATHER_WARP; warp < warps && begin < trees; begin += warps * GATHER_WARP) {
#pragma unroll
        for (unsigned i = 0, at = begin + thread * GATHER_THREAD; i < GATHER_THREAD; i++)
            s[i] = at + i < trees ? tree[at + i] : identity<State>();
        merge_states(s, GATHER_THREAD);
        s[0] = warp_tree(s[0], WARP);
        if (thread == 0) memory.part[begin / GATHER_WARP] = s[0];
    }
    __syncthreads();
    return warp_tree(thread * GATHER_WARP < trees ? memory.part[thread] : identity<State>(), WARP);
}

/* The same as gather, where groups are pieces: each is part of a tree of as much as the greatest have, and those are
 * merged then. tree: room for PIECE_TREE of them. */
template <class Method, class Real>
static __device__ __forceinline__ void
gather_pieces(const cuda_job &job, unsigned number, lane_state<Method, Real> total, unsigned warps,
              lane_state<Method, Real> *tree, gather_memory<lane_state<Method, Real>> &memory) {
    typedef lane_state<Method, Real> state;
    state *partial = (state *)job.workspace->partial;
    const unsigned pieces = gridDim.x - 1, warp = threadIdx.x / WARP;
    if (number < pieces) {
        deliver_state(job, number, total);
        return;
    }
    unsigned trees = job.whole, begin = job.whole;
    if (warp < warps) merge_pieces(partial, 0, job.whole, 1, tree, warps);
    for (unsigned halved = 0; halved < job.halvings; halved++, begin += job.level) {
        const unsigned count = halved == job.halvings - 1 ? pieces - begin : job.level, span = 2u << halved;
        if (warp < warps) merge_pieces(partial, begin, count, span, tree + trees, warps);
        trees += (count + span - 1) / span;
    }
    __syncthreads();
    total = tree_of_trees(tree, trees, warps, memory);
    if (warp == 0) store_state<Method>(job, total, memory, (int)(threadIdx.x % WARP));
}

#endif
