/* window.cuh - a warp's window (method/window.h): its bins, what they have counted, and when it moves.
 *
 * The window is the same in all lanes of a warp, and so is every decision here. It follows the data: it is placed on
 * the first batch, moves up when several lanes have elements above it, and down when several have bits below it that a
 * lower window would hold. A few outliers do not move it; their lanes add those batches to columns (column.cuh). Data
 * that no window holds makes the warp add whole stretches to columns, each longer than the one before.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_WARP_WINDOW_CUH
#define QUIRE_CUDA_WARP_WINDOW_CUH

#include <limits.h>

#include "cuda/device/warp.cuh"
#include "cuda/thread/atomic_limbs.cuh"
#include "cuda/thread/bins.cuh"
#include "cuda/thread/column.cuh"

#define ERROR_BELOW 53     /* an error is at most 2^-53 of its product, and a multiple of 2^-53 of its unit */
#define WINDOW_ROOM 1      /* binades left free above the greatest element when a window is placed */
#define WINDOW_ALIGNED 4   /* its top is a multiple, so that warps agree, whose sums then are quickly added up */
#define OUTLIERS 3         /* lanes of a warp that may be outside without a word */
#define MOVES 16           /* times that a window moves, at most */
#define SLOW_BATCHES 512   /* the longest stretch that goes to columns before the window is tried again */
#define READINGS (1 << 11) /* a count takes 2^51 a reading, and has 63 bits; a rise reads, too, but halves it */
#define NO_WINDOW INT_MIN  /* the top of none */

/* The sum of what the lanes have, in units of 1 (low) and 2^32 (high). */
static __device__ __forceinline__ cell_total warp_sum(int64_t x) {
#if __CUDA_ARCH__ >= 800
    const uint32_t piece[3] = { (uint32_t)x & 0xffff, (uint32_t)x >> 16, (uint32_t)(x >> 32) & 0xffff };
    const int64_t sum[4] = { __reduce_add_sync(WHOLE_WARP, piece[0]), __reduce_add_sync(WHOLE_WARP, piece[1]),
                             __reduce_add_sync(WHOLE_WARP, piece[2]), __reduce_add_sync(WHOLE_WARP, (int)(x >> 48)) };
    return { sum[0] + (sum[1] << 16), sum[2] + sum[3] * (1 << 16) };
#else
    cell_total sum = { x & 0xffffffff, x >> 32 };
    for (int w = WARP / 2; w; w /= 2) {
        sum.low += __shfl_xor_sync(WHOLE_WARP, sum.low, w);
        sum.high += __shfl_xor_sync(WHOLE_WARP, sum.high, w);
    }
    return sum;
#endif
}

/* Adds the warp's counts, in units of 2^unit, to limbs. */
static __device__ __noinline__ void deposit_count(int64_t *limb, int64_t count, int unit, int thread) {
    const cell_total sum = warp_sum(count);
    if (thread > 1) return;
    limbs_add_atomic(limb, thread ? sum.high : sum.low, unit + 32 * thread);
}

/* What lanes have counted: read now and then, and so in shared memory, if columns leave room there. */
template <int BINS, int THREADS> static __device__ __forceinline__ int64_t *shared_counts(void) {
    __shared__ int64_t counts[BINS * THREADS];
    return counts + threadIdx.x;
}

/* And the bins of a window that has floats, which most batches go to. */
template <int STREAMS, int BINS, int THREADS>
static __device__ __forceinline__ window_bins<STREAMS, BINS> &shared_bins(void) {
    __shared__ window_bins<STREAMS, BINS> bins[THREADS];
    return bins[threadIdx.x];
}

/* LOWERED: bins of a window whose top is beyond WINDOW_GREATEST_TOP (approximate.cuh) hold terms times 2^-LOWERED.
 * Floats: FLOATS bins of floats (float_bins.cuh) within the window, which counts what they have counted when it is
 * read. */
template <int STREAMS, int BINS, int LOWERED, int THREADS, int FLOATS, class Floats> struct warp_window {
    static constexpr bool in_memory = STREAMS == 1 && !LOWERED; /* doubles' columns are large */
    static constexpr unsigned memory = (in_memory + (FLOATS > 0)) * sizeof(int64_t) * BINS * THREADS;
    window_bins<STREAMS, BINS> own_bins; /* of this lane, as is, unless there are floats */
    int64_t counts[STREAMS][BINS];       /* this, unless in memory; the rest is the warp's */
    int top, additions, readings, moves, slow, stretch;
    uint32_t limit; /* elements of this magnitude_word are too large; 0: there is no window yet */
    Floats floats;
    int below; /* how far the floats' top is below the window's */

    __device__ __forceinline__ int64_t &count(int s, int k) {
        if constexpr (in_memory)
            return shared_counts<BINS, THREADS>()[k * THREADS];
        else
            return counts[s][k];
    }
    __device__ __forceinline__ window_bins<STREAMS, BINS> &bins() {
        if constexpr (FLOATS > 0)
            return shared_bins<STREAMS, BINS, THREADS>();
        else
            return own_bins;
    }

    /* Where bin k of a stream starts; of a second one that nothing is added to (approximate products of doubles),
     * anywhere.
     */
    __device__ __forceinline__ double start(int s, int k) const {
        const int lowered = LOWERED && top > WINDOW_GREATEST_TOP ? LOWERED : 0;
        return window_start(top - lowered - s * ERROR_BELOW, k);
    }

    __device__ __forceinline__ void place(int new_top) {
        top = new_top;
        limit = power_word(top);
        additions = 0;
        for (int s = 0; s < STREAMS; s++)
            for (int k = 0; k < BINS; k++) bins().at[s][k] = start(s, k);
        if constexpr (FLOATS > 0) floats.open();
    }

    __device__ __forceinline__ void open() {
        top = additions = readings = moves = slow = 0;
        stretch = 1;
        limit = 0;
        below = 0;
        for (int s = 0; s < STREAMS; s++)
            for (int k = 0; k < BINS; k++) bins().at[s][k] = 0, count(s, k) = 0;
        if constexpr (FLOATS > 0) floats.open();
    }

    /* Where a window for elements up to this magnitude_word belongs. least: the exponent of the least unit that there
     * is; bins: how many it is to hold them in. */
    static __device__ __forceinline__ int top_for(uint32_t most, int least, int bins) {
        const int t = ((int)(most >> 20) - 1022 + WINDOW_ROOM + WINDOW_ALIGNED - 1) & -WINDOW_ALIGNED;
        const int lowest = least + window_range(bins) + (STREAMS - 1) * ERROR_BELOW;
        return t < lowest ? lowest : t > WINDOW_GREATEST_TOP ? WINDOW_GREATEST_TOP : t;
    }

    /* How far below their top, which is "down" below the window's, the floats' terms may have bits: where a spare bin
     * (float_bins.cuh) goes below the window, its last bins are not all of use. */
    static __device__ __forceinline__ int float_range(int down) {
        return Floats::range == Floats::usual_range ? Floats::range : min(Floats::range, window_range(BINS) - down);
    }

    /* Counts what the floats have counted. The last bin's unit divides all of it: no term has bits below that. */
    __device__ __forceinline__ void read_floats() {
        for (int k = 0; k < Floats::counts; k++) {
            const int64_t units = floats.count[k];
            const int up = window_range(1) - below - Floats::depth(k), last = WINDOW_STEP + up; /* above bins' units */
            count(0, 0) += up >= 0 ? units * ((int64_t)1 << up) : units >> -up;
            if (BINS > 1 && up < 0)
                count(0, BINS - 1) += (last >= 0 ? (int64_t)((uint64_t)units << last) : units >> -last) &
                                      (((int64_t)1 << WINDOW_STEP) - 1);
            floats.count[k] = 0;
        }
    }

    __device__ __forceinline__ void read() {
        if constexpr (FLOATS > 0) read_floats();
        for (int s = 0; s < STREAMS; s++)
            for (int k = 0; k < BINS; k++) {
                const double began = start(s, k);
                count(s, k) += window_count_f64(bins().at[s][k], began);
                bins().at[s][k] = began;
            }
        additions = 0;
        readings++;
    }

    /* Moves the floats to where they hold such terms of all lanes, in the middle, if they can; answers whether. By a
     * whole warp. */
    __device__ __forceinline__ bool move_floats(term_extent x, int shrunk) {
        const int greatest = warp_max(x.top), least = -warp_max(-x.low), its_top = top + shrunk;
        const int lowest = max(window_unit(its_top, BINS - 1) + Floats::usual_range, Floats::least_top);
        const int better = max(greatest + max(Floats::usual_range - (greatest - least), 0) / 2, lowest);
        const int new_top = min(better, min(its_top, Floats::greatest_top));
        if (new_top < lowest || greatest > new_top || least < new_top - float_range(its_top - new_top)) return false;
        read_floats(); /* these alone: readings are counted by what the bins take between them */
        floats.top = new_top, below = its_top - new_top;
        return true;
    }

    /* Adds what the warp has counted to limbs, and forgets it. Elements come divided by 2^shrunk. */
    __device__ __forceinline__ void deposit(int64_t *limb, int thread, int shrunk) {
        if (!limit) return;
        read();
        for (int s = 0; s < STREAMS; s++)
            for (int k = 0; k < BINS; k++) {
                deposit_count(limb, count(s, k), window_unit(top - s * ERROR_BELOW, k) + shrunk, thread);
                count(s, k) = 0;
            }
        readings = 0;
    }

    /* The best top after a batch that did not fit in the lanes with bad set: this one, another, or NO_WINDOW. most: of
     * this lane's elements, or 0 if they are not finite. */
    __device__ __forceinline__ int better_top(bool bad, uint32_t most, int least, int bins) const {
        const unsigned above = __ballot_sync(WHOLE_WARP, bad && most >= limit), all = __ballot_sync(WHOLE_WARP, bad);
        if (__popc(all) <= OUTLIERS) return top;
        const uint32_t greatest = (uint32_t)warp_max((int)most);
        const int better = top_for(greatest, least, bins);
        const bool moves_on = better > top ? __popc(above) > OUTLIERS : better + WINDOW_ROOM < top;
        return greatest && moves < MOVES && moves_on ? better : NO_WINDOW;
    }

    /* Moves there; or is slow for a while. Answers whether it has deposited. */
    __device__ __forceinline__ bool learn(int better, int64_t *limb, int thread, int shrunk) {
        if (better == top) return false;
        if (better != NO_WINDOW) {
            deposit(limb, thread, shrunk);
            place(better);
            moves++;
            return true;
        }
        be_slow();
        return false;
    }
    __device__ __forceinline__ void be_slow() {
        slow = stretch;
        if (stretch < SLOW_BATCHES) stretch *= 2;
    }
    /* The next stretch is no longer than the last but one, after a batch that was not slow. */
    __device__ __forceinline__ void be_quick() {
        if (stretch > 1) stretch /= 2;
    }

    /* Moves up, and drops what has been counted below the last bin's new unit: less than one unit, if anything, which
     * it answers. Of one stream and two bins. */
    __device__ __forceinline__ bool raise(int new_top) {
        bool dropped = false;
        if (limit) {
            read();
            const int rise = min(new_top - top, 127);
            const __int128 all = count(0, 0) * ((__int128)1 << WINDOW_STEP) + count(0, BINS - 1);
            const __int128 kept = all >> rise; /* the floor */
            dropped = kept * ((__int128)1 << rise) != all;
            count(0, 0) = (int64_t)(kept >> WINDOW_STEP);
            count(0, BINS - 1) = (int64_t)kept & (((int64_t)1 << WINDOW_STEP) - 1);
        }
        place(new_top);
        return dropped;
    }
};

#endif
