/* gather.cuh - how the states of blocks become that of the grid (docs/gpu-protocol.md).
 *
 * Every block but the last of the grid publishes its state, in a place of its own in the workspace, and ends. The last
 * gathers: it polls the places until all are filled, and merges the states, its own among them if it has one. A word of
 * a place that nothing has been published in has all bits set: a NaN, in place of which publish_word writes another. So
 * a word tells by itself whether it is there, and there is one trip to memory and back where a counter of blocks takes
 * three (a fence, an atomic, a load). No block waits but the last, and that one for blocks of lower index alone. So
 * waiting ends if a block starts only after those of lower index: what decoupled look-back assumes, too (Merrill and
 * Garland 2016), and no more.
 *
 * A kernel ends with gather_and_finish, which all of its blocks call: it publishes, or gathers, and calls finish
 * (finish.cuh). Here is how words are published and polled for; what becomes of them is beside it:
 *
 *   gather_ordered.cuh  totals of the canonical order: by a warp, by all warps, or from pieces of unlike sizes
 *   gather_exact.cuh    exact sums, integers: by a warp, or by all warps; and limbs
 *   gather_cluster.cuh  the same of a cluster, in shared memory
 *   gather_radius.cuh   what exact sums may lack
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_GRID_GATHER_CUH
#define QUIRE_CUDA_GRID_GATHER_CUH

#include <type_traits>

#include "cuda/device/relaxed.cuh"
#include "cuda/grid/users.cuh"
#include "cuda/job.h"
#include "cuda/warp/fixed_state.cuh"

static __device__ __forceinline__ void publish_word(float *to, float x) {
    const uint32_t bits = bits_of_float(x);
    store_relaxed(to, bits == ~0u ? 0x7fffffffu : bits);
}

static __device__ __forceinline__ void publish_word(double *to, double x) {
    const uint64_t bits = bits_of_double(x);
    store_relaxed(to, ~bits ? bits : ~(uint64_t)0 >> 1);
}

static __device__ __forceinline__ void publish_word(uint64_t *to, uint64_t x) { store_relaxed(to, x); }

static __device__ __forceinline__ void set_word(float *to, uint32_t bits) { *to = float_of_bits(bits); }
static __device__ __forceinline__ void set_word(double *to, uint64_t bits) { *to = double_of_bits(bits); }

/* Makes places empty, for the next call. */
template <int STATES, class State> static __device__ __forceinline__ void empty_places(State *places) {
    constexpr int BYTES = STATES * (int)sizeof(State);
    if constexpr (BYTES % 16 == 0) {
#pragma unroll
        for (int i = 0; i < BYTES / 16; i++) ((uint4 *)places)[i] = make_uint4(~0u, ~0u, ~0u, ~0u);
    } else {
#pragma unroll
        for (int i = 0; i < BYTES / 4; i++) ((uint32_t *)places)[i] = ~0u;
    }
}

/* Polls for states begin, begin + 1, ... of count until all are there, and empties their places; beyond the end they
 * are empty anyway. All words are under way before the first is judged. */
template <int STATES, class State>
static __device__ __forceinline__ void poll_states(State (&s)[STATES], State *places, unsigned begin, unsigned count) {
    typedef std::conditional_t<sizeof *s->word == 4, uint32_t, uint64_t> bits;
    constexpr int WORDS = sizeof s->word / sizeof *s->word, ALL = STATES * WORDS;
    constexpr int ONCE = ALL < 16 / (int)sizeof(bits) ? ALL : 16 / (int)sizeof(bits);
    bits word[ALL / ONCE][ONCE], *from = (bits *)(places + begin);
    for (int i = 0; i < STATES; i++) s[i] = identity<State>();
    if (begin >= count) return;
    unsigned polls = 0;
    for (bool there = false; !there;) {
        there = true;
#pragma unroll
        for (int i = 0; i < ALL; i += ONCE) load_relaxed(from + i, word[i / ONCE]);
#pragma unroll
        for (int i = 0; i < ALL; i++) there &= ~word[i / ONCE][i % ONCE] || begin + i / WORDS >= count;
        there |= is_given_up(places, ++polls);
    }
#pragma unroll
    for (int i = 0; i < ALL; i++)
        if (begin + i / WORDS < count) set_word(&s[i / WORDS].word[i % WORDS], word[i / ONCE][i % ONCE]);
    empty_places<STATES>(places + begin);
}

/* In place of states that were given up, what says that the limbs of the workspace have a NaN. */
template <int STATES> static __device__ __noinline__ void lose_states(fixed_state (&s)[STATES], fixed_state *places) {
    for (int i = 0; i < STATES; i++) s[i] = state_of({ 0, NO_UNIT, FIXED_LIMBS });
    atomicAdd((unsigned long long *)&workspace_of(places)->sum.nan, 1ull);
    __threadfence();
}

/* The same of an exact sum, whose words have the highest bit clear if they are there. */
template <int STATES>
static __device__ __forceinline__ void poll_states(fixed_state (&s)[STATES], fixed_state *places, unsigned begin,
                                                   unsigned count) {
    if (begin < count) {
        uint64_t empty;
        unsigned polls = 0;
        do {
            empty = 0;
#pragma unroll
            for (int i = 0; i < STATES; i++) load_relaxed(places[begin + i].word, s[i].word);
#pragma unroll
            for (int i = 0; i < STATES; i++)
                if (begin + i < count) empty |= s[i].word[0] | s[i].word[1];
        } while ((int64_t)empty < 0 && !is_given_up(places, ++polls));
        empty_places<STATES>(places + begin);
        if ((int64_t)empty < 0) lose_states(s, places);
    }
#pragma unroll
    for (int i = 0; i < STATES; i++)
        if (begin + i >= count) s[i] = identity<fixed_state>();
}

#endif
