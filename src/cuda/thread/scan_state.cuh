/* scan_state.cuh - what a running sum has come to: an exact sum in a few doubles (exact_sum.cuh), and what is to be
 * known of its terms. Blocks bring states together; from one of them on a thread adds a few elements, by the ends of
 * the sum where these tell results (exact_sum.cuh).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_SCAN_STATE_CUH
#define QUIRE_CUDA_THREAD_SCAN_STATE_CUH

#include "cuda/thread/round_ends.cuh"

/* What sums do not tell of their terms: which of these there were; OTHER only where results are rounded downward. */
enum { SEEN_OTHER = 1, SEEN_POSITIVE = 2, SEEN_NEGATIVE = 4, SEEN_NAN = 8 }; /* no zero, infinities, NaN */

static __device__ __forceinline__ unsigned seen_of(double term) {
    const uint64_t bits = bits_of_double(term), magnitude = bits << 1;
    const unsigned special = double_is_nan(term) ? SEEN_NAN : bits >> 63 ? SEEN_NEGATIVE : SEEN_POSITIVE;
    return (double_is_finite(term) ? 0 : special) | (magnitude ? SEEN_OTHER : 0);
}

struct scan_state {
    exact_sum<2> sum;
    unsigned seen;

    __device__ __forceinline__ void clear() { sum.clear(), seen = 0; }
    __device__ __forceinline__ bool is_special() const { return seen & ~SEEN_OTHER; }
    __device__ __forceinline__ void add(double term) { sum.add(term), seen |= seen_of(term); }
    /* The same of several, whose sum mostly is one number. looks_at_zeros: the sign of a zero depends on whether a term
     * was none. */
    template <int COUNT> __device__ __forceinline__ void add_all(const double (&term)[COUNT], bool looks_at_zeros) {
        ends all;
        all.clear();
#pragma unroll
        for (int i = 0; i < COUNT; i++) all.add(term[i]);
        if (all.down == all.up && double_is_finite(all.up))
            sum.add(all.up);
        else
            add_each(term);
        if (looks_at_zeros)
#pragma unroll
            for (int i = 0; i < COUNT; i++) seen |= term[i] != 0 ? SEEN_OTHER : 0;
    }
    /* One by one; those that are not finite are looked for in what all come to. */
    template <int COUNT> __device__ __forceinline__ void add_each(const double (&term)[COUNT]) {
#pragma unroll
        for (int i = 0; i < COUNT; i++) sum.add(term[i]);
        if (double_is_finite(sum.width())) return;
#pragma unroll
        for (int i = 0; i < COUNT; i++) seen |= double_is_finite(term[i]) ? 0 : seen_of(term[i]);
    }
    __device__ __forceinline__ void merge(const scan_state &other) { sum.merge(other.sum), seen |= other.seen; }
    /* That of another lane; by a whole warp, as the next one is. */
    __device__ __forceinline__ scan_state of_lane(unsigned lane) const {
        return { sum.of_lane(lane), __shfl_sync(WHOLE_WARP, seen, (int)lane) };
    }
};

/* Of each lane's state the sum of those before it in its group of so many neighbours, a power of two; and of all of
 * these. By a whole warp. */
static __device__ __noinline__ scan_state any_lanes_before(scan_state mine, unsigned width, scan_state *all) {
    const unsigned lane = threadIdx.x % WARP, place = lane % width;
#pragma unroll 1
    for (unsigned w = 1; w < width; w *= 2) {
        const scan_state other = mine.of_lane(place >= w ? lane - w : lane);
        if (place >= w) mine.merge(other);
    }
    scan_state before = mine.of_lane(place ? lane - 1 : lane);
    if (place == 0) before.clear();
    *all = mine.of_lane(lane | (width - 1));
    return before;
}
/* The same; mostly all of these sums are one number each, which their ends tell. */
static __device__ __forceinline__ scan_state lanes_before(const scan_state &mine, unsigned width, scan_state *all) {
    const unsigned lane = threadIdx.x % WARP, place = lane % width;
    if (!__all_sync(WHOLE_WARP, mine.sum.is_one_number() && !mine.seen)) return any_lanes_before(mine, width, all);
    ends sum = { mine.sum.word[0], mine.sum.word[0] };
#pragma unroll 1
    for (unsigned w = 1; w < width; w *= 2) {
        const ends other = sum.of_lane(place >= w ? lane - w : lane);
        if (place >= w) sum.join(other);
    }
    if (!__all_sync(WHOLE_WARP, sum.down == sum.up && double_is_finite(sum.up)))
        return any_lanes_before(mine, width, all);
    scan_state before;
    before.clear(), all->clear();
    all->sum.word[0] = __shfl_sync(WHOLE_WARP, sum.up, (int)(lane | (width - 1)));
    const double last = __shfl_sync(WHOLE_WARP, sum.up, (int)(place ? lane - 1 : lane));
    if (place) before.sum.word[0] = last;
    return before;
}

/* Room for what the warps of a block come to: each by itself, then those before it, and all of its group. */
template <unsigned WARPS> struct scan_room { scan_state before[WARPS], all[WARPS]; };

/* The same of threads; those of a group are some lanes of a warp, or some warps. By whole blocks, which wait for each
 * other before they come again. */
template <unsigned WARPS>
static __device__ __forceinline__ scan_state states_before(const scan_state &mine, unsigned threads,
                                                           scan_room<WARPS> &room, scan_state *all) {
    const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    scan_state before = lanes_before(mine, min(threads, WARP_LANES), all);
    if (threads <= WARP) return before;
    if (lane == 0) room.all[warp] = *all;
    __syncthreads();
    if (warp == 0) {
        scan_state of_group, of_warp;
        of_warp.clear();
        if (lane < WARPS) of_warp = room.all[lane];
        const scan_state before_it = lanes_before(of_warp, threads / WARP, &of_group);
        if (lane < WARPS) room.before[lane] = before_it, room.all[lane] = of_group;
    }
    __syncthreads();
    scan_state now = room.before[warp];
    now.merge(before);
    *all = room.all[warp];
    return now;
}

/* --------------------------------------------------------------------------------------------------------- rounding */

/* The result where there were NaN or infinities. */
template <class Job> static __device__ __forceinline__ uint64_t round_special(const Job &job, unsigned seen) {
    const unsigned both = SEEN_POSITIVE | SEEN_NEGATIVE;
    const bool is_nan = seen & SEEN_NAN || (seen & both) == both;
    return is_nan ? job.format.quiet_nan : infinity_bits(job.format, seen & SEEN_NEGATIVE ? job.format.sign : 0);
}

/* The result of a state, if it tells it. A sum of doubles that overflows on the way does not. */
template <class Job>
static __device__ __forceinline__ bool round_state(const Job &job, const scan_state &s, uint64_t *bits) {
    if (s.is_special()) {
        *bits = round_special(job, s.seen);
        return true;
    }
    if (s.sum.is_one_number() && s.sum.word[0] == 0) {
        const bool is_negative = bits_of_double(s.sum.word[0]) >> 63 || (s.seen && job.rounding == QUIRE_DOWNWARD);
        *bits = is_negative ? job.format.sign : 0;
        return true;
    }
    return round_exact(job, s.sum, 0, true, true, bits);
}

/* --------------------------------------------------------------------------------------------------- a few elements */

static __device__ __forceinline__ ends ends_of(const exact_sum<2> &s) {
    if (s.is_one_number()) return { s.word[0], s.word[0] }; /* a zero keeps its sign */
    return { add_down(s.word[0], s.down), add_up(s.word[0], s.up) };
}

/* A sum of numbers that are no doubles, for results of up to 24 bits. */
struct ends_prefix {
    typedef uint32_t result;
    static constexpr bool is_wide = false;
    ends s;

    __device__ __forceinline__ ends_prefix(const exact_sum<2> &start) : s(ends_of(start)) {}
    __device__ __forceinline__ void add(double x) { s.add(x); }
    /* To nearest, by a few instructions, if these tell it. */
    template <int PRECISION> __device__ __forceinline__ bool round(result *to) const {
        uint64_t bits;
        const bool is_told = round_ends_quickly(s.down, s.up, PRECISION, &bits);
        *to = (uint32_t)bits;
        return is_told;
    }
};

/* A sum of any. */
struct wide_prefix {
    typedef uint64_t result;
    static constexpr bool is_wide = true;
    exact_sum<2> s;

    __device__ __forceinline__ wide_prefix(const exact_sum<2> &start) : s(start) {}
    __device__ __forceinline__ void add(double x) { s.add(x); }
    template <int PRECISION> __device__ __forceinline__ bool round(result *to) const {
        if (PRECISION == 53) return round_exact_quickly(s, to);
        const ends e = ends_of(s);
        return double_is_finite(s.word[0]) && round_ends_quickly(e.down, e.up, PRECISION, to);
    }
};

#endif
