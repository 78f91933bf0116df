/* ends.cuh - a sum by its two ends: every term is added twice, rounded down and rounded up, so that the exact sum lies
 * between the two, whatever the data and the order. Where both round to the same result that is the correctly rounded
 * sum, for rounding is monotonic.
 *
 * A lower end of -0 and an upper end of +0 come from zeros alone, or from terms that cancel; the upper end is -0 only
 * if every term was. An end of floats' terms or of their products is infinite or NaN only if a term was: 2^64 of them
 * are below 2^320.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_ENDS_CUH
#define QUIRE_CUDA_THREAD_ENDS_CUH

#include "cuda/device/directed.cuh"
#include "cuda/device/warp.cuh"

struct ends {
    static constexpr int words = 1;
    double down, up;

    __device__ __forceinline__ void clear() { down = up = -0.0; }
    __device__ __forceinline__ void add(double term) { down = add_down(down, term), up = add_up(up, term); }
    __device__ __forceinline__ void add_product(double a, double b) {
        down = fma_down(a, b, down), up = fma_up(a, b, up);
    }
    __device__ __forceinline__ void join(const ends &other) {
        down = add_down(down, other.down), up = add_up(up, other.up);
    }
    /* That of another lane; by whole warps. */
    __device__ __forceinline__ ends of_lane(unsigned lane) const {
        return { __shfl_sync(WHOLE_WARP, down, (int)lane), __shfl_sync(WHOLE_WARP, up, (int)lane) };
    }
    /* That of the thread whose number differs in one bit, too. */
    __device__ __forceinline__ void merge_across(unsigned bit) {
        down = add_down(down, __shfl_xor_sync(WHOLE_WARP, down, bit));
        up = add_up(up, __shfl_xor_sync(WHOLE_WARP, up, bit));
    }
    /* The sums of "threads" threads, a power of two, that stand "apart"; by whole warps. */
    __device__ __forceinline__ void merge(unsigned threads, unsigned apart = 1) {
        for (unsigned lanes = threads / 2 * apart; lanes >= apart; lanes /= 2) merge_across(lanes);
    }
    __device__ __forceinline__ double width() const { return add_up(up, -down); }
    __device__ __forceinline__ double word(int) const { return up; } /* whose zero has the sign that nearest gives it */
};

#endif
