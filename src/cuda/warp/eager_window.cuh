/* eager_window.cuh - the window of a warp that adds few batches (window.cuh): it moves for whatever does not fit.
 *
 * There is a window from the start, which holds what is neither large nor small: where all is so nothing is to be found
 * out first. Bins are read once, before it moves or in the end; what they have counted goes to an integer of 128 bits
 * (fixed.cuh).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_WARP_EAGER_WINDOW_CUH
#define QUIRE_CUDA_WARP_EAGER_WINDOW_CUH

#include "cuda/thread/batch.cuh"
#include "cuda/warp/fixed.cuh"
#include "cuda/warp/short_choice.cuh"
#include "cuda/warp/short_extent.cuh"
#include "cuda/warp/window.cuh"

#define EAGER_ROOM 2 /* binades left free above a batch that moves the window, if there are more batches */

/* Where its counts go: the sum of the warp's windows before it; or limbs, if the units differ. By a whole warp. */
struct fixed_of_warp {
    fixed_sum *before;
    int64_t *limb;
};

/* What the bins of a warp's window have counted, all lanes together. */
template <class Choice> struct alignas(Choice::counts * sizeof(int64_t)) window_counts { int64_t of[Choice::counts]; };

/* As a sum, if they are of windows below 2^top, the last bin of which has that unit. */
template <class Choice>
static __device__ __forceinline__ fixed_sum sum_of_counts(const window_counts<Choice> &count, int top, int unit) {
    const int first_unit = window_unit(top, 0);
    if constexpr (Choice::counts == 1)
        return { count.of[0], first_unit, 0 };
    else
        return { ((__int128)count.of[0] << (first_unit - unit)) + count.of[1], unit, 0 };
}

/* Adds a sum to that of the windows before, if it is not the first. */
static __device__ __noinline__ void deposit_sum(fixed_sum *before, bool first, fixed_sum sum, int64_t *limb) {
    if (threadIdx.x % WARP == 0) {
        if (first)
            *before = sum;
        else if (before->unit == sum.unit)
            before->units += sum.units;
        else
            limbs_add_units(limb, sum.units, sum.unit), before->flags = FIXED_LIMBS;
    }
    __syncwarp();
}

/* The same for what a window has counted; answers whether that was anything. */
template <class Choice>
static __device__ __noinline__ bool deposit_counts(fixed_sum *before, bool first, int64_t *limb,
                                                   window_counts<Choice> count, int top, int unit) {
    const fixed_sum sum = sum_of_counts<Choice>(count, top, unit);
    if (sum.units) deposit_sum(before, first, sum, limb);
    return sum.units != 0;
}

/* Of one bin, or two. Its last unit is that of a coarse grid. */
template <class Choice, class Format, class Term>
struct eager_window : window<eager_window<Choice, Format, Term>, 1, Choice::counts> {
    using window<eager_window, 1, Choice::counts>::top;
    using window<eager_window, 1, Choice::counts>::limit; /* not set where one window holds all there is */
    static constexpr int shrunk = term_as_double<Format, Term>::shrunk; /* terms come divided by 2^this */
    int last_unit;
    uint32_t floor[2]; /* magnitudes, of upper bits as the limit's, that the first bin holds, or both, are no less */
    bool used;         /* whether it has taken a batch */
    bool moved;        /* whether another window before it has been used */

    __device__ __forceinline__ int unit(int, int k) const { return (k ? last_unit : window_unit(top, 0)) - shrunk; }

    __device__ __forceinline__ void placed() {
        last_unit = Choice::last_unit(top);
        used = false;
        if (!Choice::fits) {
            limit = upper<Format>::limit(top - Choice::free_top);
            floor[0] = upper<Format>::floor(window_unit(top, 0));
            floor[1] = upper<Format>::floor(last_unit);
        }
    }

    __device__ __forceinline__ void open() {
        this->place(Choice::first_window);
        moved = false;
    }

    __device__ __forceinline__ bool holds(lane_extent x) const { return x.most < limit && x.least >= floor[1]; }

    __device__ __forceinline__ window_counts<Choice> counts() {
        window_counts<Choice> count;
#pragma unroll
        for (int k = 0; k < Choice::counts; k++) count.of[k] = warp_sum_units<2>(this->counted(0, k));
        return count;
    }

    __device__ __forceinline__ void deposit(fixed_of_warp to) {
        if (used) moved |= deposit_counts<Choice>(to.before, !moved, to.limb, counts(), top, last_unit);
    }

    /* Where a window belongs for a batch that the one below 2^top does not hold: on both, if that can be; or NO_WINDOW.
     */
    static __device__ __noinline__ int better_top(lane_extent of_lane, bool used, int top) {
        const warp_extent x = extent_of_warp<Format>(of_lane);
        const int most = x.top + Choice::free_top + (Choice::many ? EAGER_ROOM : 0);
        const int lowest = Choice::least + max(window_range(1), Choice::precision);
        const int least = max(most, lowest), even = max(window_top(most, Choice::top_step), lowest);
        const int better = even <= WINDOW_GREATEST_TOP && x.low >= Choice::unit_for(even) ? even : least;
        const int both = max(better, top);
        if (x.special || better > WINDOW_GREATEST_TOP || x.low < Choice::unit_for(better)) return NO_WINDOW;
        return used && x.low >= Choice::unit_for(both) ? both : better;
    }
};

#endif
