/* tolerant_window.cuh - the window of a warp that adds many batches (window.cuh): a few outliers do not move it.
 *
 * It is placed on the first batch, moves up when several lanes have elements above it, and down when several have bits
 * below it that a lower window would hold. Otherwise what it does not hold goes to columns (column.cuh), of the lanes
 * that have it. Data that no window holds makes the warp add whole stretches to columns, each longer than the one
 * before. Bins are read now and then; what they have counted goes to limbs.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_WARP_TOLERANT_WINDOW_CUH
#define QUIRE_CUDA_WARP_TOLERANT_WINDOW_CUH

#include "cuda/device/warp.cuh"
#include "cuda/thread/atomic_limbs.cuh"
#include "cuda/thread/column.cuh"
#include "cuda/thread/float_bins.cuh"
#include "cuda/warp/window.cuh"

#define ERROR_BELOW 53     /* an error is at most 2^-53 of its product, and a multiple of 2^-53 of its unit */
#define WINDOW_ROOM 1      /* binades left free above the greatest element when a window is placed */
#define WINDOW_ALIGNED 4   /* its top is a multiple of this */
#define OUTLIERS 3         /* lanes of a warp that may be outside without a word */
#define MOVES 16           /* times that a window moves, at most */
#define SLOW_BATCHES 512   /* the longest stretch that goes to columns before the window is tried again */
#define READINGS (1 << 11) /* a count takes 2^51 a reading, and has 63 bits; a rise reads, too, but halves it */

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

/* Where its counts go: limbs, by a whole warp. Elements come divided by 2^shrunk. */
struct limbs_of_warp {
    int64_t *limb;
    int thread, shrunk;
};

/* LOWERED: bins of a window whose top is beyond WINDOW_GREATEST_TOP (approximate.cuh) hold terms times 2^-LOWERED.
 * Floats: bins of floats (float_bins.cuh) within the window, if there are any; it counts what they have counted when it
 * is read. */
template <int STREAMS, int BINS, int LOWERED, int THREADS, class Floats>
struct tolerant_window : window<tolerant_window<STREAMS, BINS, LOWERED, THREADS, Floats>, STREAMS, BINS> {
    using window<tolerant_window, STREAMS, BINS>::top;
    using window<tolerant_window, STREAMS, BINS>::limit; /* of magnitude_words */
    using window<tolerant_window, STREAMS, BINS>::start;
    using window<tolerant_window, STREAMS, BINS>::place;
    static constexpr bool has_floats = Floats::counts > 0;
    static constexpr bool in_memory = STREAMS == 1 && !LOWERED; /* doubles' columns are large */
    static constexpr unsigned memory = (in_memory + has_floats) * sizeof(int64_t) * BINS * THREADS;
    int64_t counts[STREAMS][BINS]; /* of this lane, unless in memory; the rest is the warp's */
    int additions, readings, moves, slow, stretch;
    Floats floats;
    int below; /* how far the floats' top is below the window's */

    __device__ __forceinline__ int64_t &count(int s, int k) {
        if constexpr (in_memory)
            return shared_counts<BINS, THREADS>()[k * THREADS];
        else
            return counts[s][k];
    }
    __device__ __forceinline__ window_bins<STREAMS, BINS> &bins() {
        if constexpr (has_floats)
            return shared_bins<STREAMS, BINS, THREADS>();
        else
            return this->own_bins;
    }

    /* Of a second stream that nothing is added to (approximate products of doubles), anything. */
    __device__ __forceinline__ int unit(int s, int k) const {
        const int lowered = LOWERED && top > WINDOW_GREATEST_TOP ? LOWERED : 0;
        return window_unit(top - lowered - s * ERROR_BELOW, k);
    }

    __device__ __forceinline__ void placed() {
        limit = power_word(top);
        additions = 0;
        if constexpr (has_floats) floats.open();
    }

    __device__ __forceinline__ void open() {
        top = additions = readings = moves = slow = 0;
        stretch = 1;
        limit = 0;
        below = 0;
        for (int s = 0; s < STREAMS; s++)
            for (int k = 0; k < BINS; k++) bins().at[s][k] = 0, count(s, k) = 0;
        if constexpr (has_floats) floats.open();
    }

    /* Where a window for elements up to this magnitude_word belongs. least: the exponent of the least unit that there
     * is; bins: how many it is to hold them in. */
    static __device__ __forceinline__ int top_for(uint32_t most, int least, int bins) {
        const int lowest = least + window_range(bins) + (STREAMS - 1) * ERROR_BELOW;
        return min(max(window_top((int)(most >> 20) - 1022 + WINDOW_ROOM, WINDOW_ALIGNED), lowest),
                   WINDOW_GREATEST_TOP);
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
        if constexpr (has_floats) read_floats();
        for (int s = 0; s < STREAMS; s++)
            for (int k = 0; k < BINS; k++) {
                count(s, k) += this->counted(s, k);
                bins().at[s][k] = start(s, k);
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

    /* Adds what the warp has counted to limbs, and forgets it. */
    __device__ __forceinline__ void deposit(limbs_of_warp to) {
        if (!limit) return;
        read();
        for (int s = 0; s < STREAMS; s++)
            for (int k = 0; k < BINS; k++) {
                deposit_count(to.limb, count(s, k), window_unit(top - s * ERROR_BELOW, k) + to.shrunk, to.thread);
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
    __device__ __forceinline__ bool learn(int better, limbs_of_warp to) {
        if (better == top) return false;
        if (this->move(better, to)) {
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
