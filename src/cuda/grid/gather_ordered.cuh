/* gather_ordered.cuh - how the totals of blocks, of a method of the canonical order, become the total of the grid: by
 * its tree, in the last block; see gather.cuh.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_GRID_GATHER_ORDERED_CUH
#define QUIRE_CUDA_GRID_GATHER_ORDERED_CUH

#include "cuda/device/bulk.cuh"
#include "cuda/grid/finish.cuh"
#include "cuda/grid/gather.cuh"
#include "cuda/warp/lane_trees.cuh"

#define GATHER_THREAD 8                          /* states that a thread merges by itself */
#define GATHER_WARP (WARP * GATHER_THREAD)       /* and a warp at a time */
#define GATHER_PARTS (LANE_GROUPS / GATHER_WARP) /* the most totals that warps make */
static_assert(LANE_GROUPS % GATHER_WARP == 0, "warps take whole stretches of places");
static_assert(GATHER_PARTS <= WARP, "one warp must be able to merge them");

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
static __device__ __forceinline__ State gather_states(State *places, unsigned begin, unsigned groups, const State &own,
                                                      int thread) {
    State s[STATES];
    begin += thread * STATES;
    poll_states(s, places, begin, groups - 1);
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

/* Publishes a block's total, which its first thread has. */
template <class Method, class Real>
static __device__ __forceinline__ void publish_state(const cuda_job &job, unsigned number,
                                                     const lane_state<Method, Real> &total) {
    lane_state<Method, Real> *to = (lane_state<Method, Real> *)job.workspace->places + number;
    if (threadIdx.x == 0)
        for (int w = 0; w < Method::words; w++) publish_word(&to->word[w], total.word[w]);
}

/* Publishes the total of a block, or, in the last, gathers all, rounds and stores the result. By all threads of all
 * blocks, the total in thread 0; blockDim.x is a multiple of a warp, of which warps take part in large gatherings. */
template <class Method, class Real>
static __device__ __forceinline__ void gather_and_finish(const cuda_job &job, lane_state<Method, Real> total,
                                                         unsigned warps,
                                                         gather_memory<lane_state<Method, Real>> &memory) {
    typedef lane_state<Method, Real> state;
    state *places = (state *)job.workspace->places;
    const unsigned groups = gridDim.x, warp = threadIdx.x / WARP;
    const int thread = threadIdx.x % WARP;
    if (blockIdx.x < groups - 1) {
        publish_state(job, blockIdx.x, total);
        return;
    }
    const unsigned users = users_of_workspace(job);
    if (groups > GATHER_WARP) {
        if (threadIdx.x == 0) memory.own = total;
        __syncthreads();
        for (unsigned begin = warp * GATHER_WARP; warp < warps && begin < groups; begin += warps * GATHER_WARP) {
            const state part = gather_states<GATHER_THREAD>(places, begin, groups, memory.own, thread);
            if (thread == 0) memory.part[begin / GATHER_WARP] = part;
        }
        __syncthreads();
        if (warp) return;
        total = warp_tree(thread * GATHER_WARP < groups ? memory.part[thread] : identity<state>(), WARP);
    } else {
        if (warp) return;
        if (groups > 1) {
            for (int w = 0; w < Method::words; w++) total.word[w] = __shfl_sync(WHOLE_WARP, total.word[w], 0);
            total = groups > WARP ? gather_states<GATHER_THREAD>(places, 0, groups, total, thread)
                                  : gather_states<1>(places, 0, groups, total, thread);
        }
    }
    finish(job, total, memory.limb, thread);
    leave_workspace(job, users, thread);
}

/* --------------------------------------------------------------------------------------------------- pieces (job.h) */

static_assert(PIECES_WARP == WARP * PIECES_THREAD, "a warp merges a tree");

/* Merges count pieces from place begin on, span of which make a tree of as many tiles as the largest, to trees. By
 * warps, in turn. */
template <class State>
static __device__ __forceinline__ void merge_pieces(State *places, unsigned begin, unsigned count, unsigned span,
                                                    State *tree, unsigned warps) {
    const unsigned thread = threadIdx.x % WARP, beyond = begin + count;
    for (unsigned at = threadIdx.x / WARP * PIECES_WARP; at < count; at += warps * PIECES_WARP) {
        State s[PIECES_THREAD];
        const unsigned first = at + thread * PIECES_THREAD;
        poll_states(s, places, begin + first, beyond);
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

/* The same, where groups are pieces: each is part of a tree of as much as the greatest have, and those are merged then.
 * tree: room for PIECE_TREE of them. */
template <class Method, class Real>
static __device__ __forceinline__ void
gather_and_finish(const cuda_job &job, unsigned number, lane_state<Method, Real> total, unsigned warps,
                  lane_state<Method, Real> *tree, gather_memory<lane_state<Method, Real>> &memory) {
    typedef lane_state<Method, Real> state;
    state *places = (state *)job.workspace->places;
    const unsigned pieces = gridDim.x - 1, warp = threadIdx.x / WARP;
    if (number < pieces) {
        publish_state(job, number, total);
        return;
    }
    const unsigned users = users_of_workspace(job);
    const block_shares &shares = job.shares;
    unsigned trees = shares.largest_pieces, begin = trees;
    if (warp < warps) merge_pieces(places, 0, trees, 1, tree, warps);
    for (unsigned level = 0; level < shares.smaller_sizes; level++, begin += shares.pieces_per_size) {
        const bool is_last = level == shares.smaller_sizes - 1;
        const unsigned count = is_last ? pieces - begin : shares.pieces_per_size, span = 2u << level;
        if (warp < warps) merge_pieces(places, begin, count, span, tree + trees, warps);
        trees += (count + span - 1) / span;
    }
    __syncthreads();
    total = tree_of_trees(tree, trees, warps, memory);
    if (warp) return;
    finish(job, total, memory.limb, (int)(threadIdx.x % WARP));
    leave_workspace(job, users, (int)(threadIdx.x % WARP));
}

#endif
