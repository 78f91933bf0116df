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

/* Whether a product of two elements is a float; or it is two floats, the product that was rounded and its error. */
template <class Format> constexpr bool product_is_float = 2 * Format::description.precision <= 24;

/* What a lane has counted of sums of up to TERMS terms; what is not a count is the warp's. SPARE: the last bin is for
 * those batches that need it. STREAMS: a term is one float; or two, a product that was rounded and its error, which
 * have bins of their own: products are multiples of 2^FLOAT_ERROR of what their errors are, and errors less than 2^-24
 * of the greatest product. */
#define FLOAT_ERROR 23
template <int TERMS, int BINS, int SPARE, int STREAMS> struct float_bins {
    static constexpr int headroom = TERMS <= 8 ? 3 : TERMS <= 16 ? 4 : TERMS <= 32 ? 5 : 6;
    static constexpr int first = 22 - headroom, step = 23 - headroom, counts = STREAMS * BINS;
    static constexpr int range = first + (BINS - 1) * step + (STREAMS - 1) * FLOAT_ERROR;
    static constexpr int usual_range = range - SPARE * step;
    /* The tops for which all bins are normal numbers. */
    static constexpr int least_top = range - 149, greatest_top = 104 + first;
    static_assert(TERMS <= 1 << headroom, "bins overflow");
    int count[counts], top;

    /* How far below the top the unit of bin k is, of those of all streams. */
    static __device__ __forceinline__ constexpr int depth(int k) {
        return first + k % BINS * step + k / BINS * FLOAT_ERROR;
    }
    __device__ __forceinline__ float start(int k) const {
        return float_of_bits((uint32_t)(top - depth(k) + 23 + 127) << 23 | 0x400000);
    }
    __device__ __forceinline__ void open() {
        top = INT_MIN;
        for (int k = 0; k < counts; k++) count[k] = 0;
    }
    __device__ __forceinline__ bool hold(term_extent x, int within) const {
        return x.top <= top && x.low >= top - within;
    }
    /* Adds a lane's terms, of which the first USED bins of a stream hold each; answers whether they have moved a bin.
     * add_term(bin, i): adds number i to these. */
    template <int COUNT, int USED, class Add> __device__ __forceinline__ bool add(Add add_term) {
        static_assert(COUNT <= TERMS && (STREAMS == 1 || USED == BINS), "bins overflow");
        constexpr int used = STREAMS * USED;
        float bin[used];
        bool moved = false;
#pragma unroll
        for (int k = 0; k < used; k++) bin[k] = start(k);
#pragma unroll
        for (int i = 0; i < COUNT; i++) add_term(bin, i);
#pragma unroll
        for (int k = 0; k < used; k++) {
            const int more = window_count_f32(bin[k], start(k));
            count[k] += more, moved = moved || more;
        }
        return moved;
    }
};
template <int TERMS, int SPARE, int STREAMS> struct float_bins<TERMS, 0, SPARE, STREAMS> {
    static constexpr int counts = 0;
};

#endif
