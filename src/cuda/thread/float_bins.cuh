/* float_bins.cuh - the sum of a lane's batch by additions of floats alone: a window (method/window.h) whose bins are
 * floats. Many GPUs add one double in the time of 32 or 64 floats.
 *
 * A float has 24 bits: a bin that starts at 1.5 * 2^k counts up to 2^22 units, up or down. With every |x| < 2^top, 2^h
 * terms stay within a first bin whose unit is 2^(top - (22 - h)): their total is below 2^22 units, and so is what they
 * are rounded to, but where it is 2^22 itself, which the bits still count. What the first bin leaves of a term is half
 * a unit at most, so the next bin's unit is 23 - h binades lower. Terms are multiples of the last bin's unit. All bins
 * are read, and start anew, after 2^h terms.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_FLOAT_BINS_CUH
#define QUIRE_CUDA_THREAD_FLOAT_BINS_CUH

#include <limits.h>

#include "cuda/thread/bins.cuh"

#define REAL float
#define INTEGER int32_t
#define SUFFIX f32
QUIRE_INLINE int32_t bits_of_f32(float x) { return (int32_t)bits_of_float(x); }
#include "method/window.h"

/* All terms of a lane's batch that are not zero are below 2^top in magnitude, and multiples of 2^low. */
struct term_extent {
    int top, low;
};
#define NOT_A_FLOAT 1000 /* the top of what is not finite */

/* What a lane has counted of sums of up to TERMS terms; what is not a count is the warp's. */
template <int TERMS, int BINS> struct float_bins {
    static constexpr int headroom = TERMS <= 8 ? 3 : TERMS <= 16 ? 4 : TERMS <= 32 ? 5 : 6;
    static constexpr int first = 22 - headroom, step = 23 - headroom, range = first + (BINS - 1) * step;
    /* The tops for which all bins are normal numbers. */
    static constexpr int least_top = range - 149, greatest_top = 104 + first;
    static_assert(TERMS <= 1 << headroom, "bins overflow");
    int count[BINS], top;

    /* How far below the top bin k's unit is. */
    static __device__ __forceinline__ constexpr int depth(int k) { return first + k * step; }
    __device__ __forceinline__ float start(int k) const {
        return float_of_bits((uint32_t)(top - depth(k) + 23 + 127) << 23 | 0x400000);
    }
    __device__ __forceinline__ void open() {
        top = INT_MIN;
        for (int k = 0; k < BINS; k++) count[k] = 0;
    }
    __device__ __forceinline__ bool hold(term_extent x) const { return x.top <= top && x.low >= top - range; }
    /* Adds a lane's terms, of which the bins hold each; answers whether they have moved a bin. term(i): number i. */
    template <int COUNT, class Term> __device__ __forceinline__ bool add(Term term) {
        static_assert(COUNT <= TERMS, "bins overflow");
        float bin[BINS];
        bool moved = false;
#pragma unroll
        for (int k = 0; k < BINS; k++) bin[k] = start(k);
#pragma unroll
        for (int i = 0; i < COUNT; i++) window_add_f32(bin, BINS, term(i));
#pragma unroll
        for (int k = 0; k < BINS; k++) {
            const int more = window_count_f32(bin[k], start(k));
            count[k] += more, moved = moved || more;
        }
        return moved;
    }
};
template <int TERMS> struct float_bins<TERMS, 0> {};

#endif
