/* bins.cuh - the bins of a window (method/window.h), which a thread adds to, and magnitudes to compare with its top.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_BINS_CUH
#define QUIRE_CUDA_THREAD_BINS_CUH

#include "cuda/thread/choices.cuh"

#define REAL double
#define INTEGER int64_t
#define SUFFIX f64
QUIRE_INLINE int64_t bits_of_f64(double x) { return (int64_t)bits_of_double(x); }
#include "method/window.h"

/* window_add, but the last bin gives its rest too. */
static __device__ __forceinline__ double window_extract(double *bin, int bins, double x) {
    for (int k = 0; k < bins; k++) {
        const double q = bin[k] + x;
        x = x - (q - bin[k]);
        bin[k] = q;
    }
    return x;
}

/* The upper word of |x|: exponent and 20 bits, enough to compare with a power of two. */
static __device__ __forceinline__ uint32_t magnitude_word(double x) { return (uint32_t)__double2hiint(x) & 0x7fffffff; }
static __device__ __forceinline__ uint32_t power_word(int exponent) { return (uint32_t)(exponent + 1023) << 20; }

#define INFINITE_WORD 0x7ff00000u

/* 2^exponent, a normal number. */
static __device__ __forceinline__ double power_of_two(int exponent) {
    return double_of_bits((uint64_t)(1023 + exponent) << 52);
}

/* Everything is inlined but what takes no reference to it, so that all of it stays in registers. */
template <int STREAMS, int BINS> struct window_bins { double at[STREAMS][BINS]; };

template <int STREAMS, int BINS>
static __device__ __forceinline__ bool same_bins(const window_bins<STREAMS, BINS> &a,
                                                 const window_bins<STREAMS, BINS> &b) {
    bool same = true;
    for (int s = 0; s < STREAMS; s++)
        for (int k = 0; k < BINS; k++) same = same && a.at[s][k] == b.at[s][k];
    return same;
}

#endif
