/* scan_state.cuh - what a running sum has come to: an exact sum in a few doubles (exact_sum.cuh), and what is to be
 * known of its terms. Blocks bring states together; from one of them on a thread adds a few elements, by the ends of
 * the sum where these tell results (ends.cuh).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_SCAN_STATE_CUH
#define QUIRE_CUDA_THREAD_SCAN_STATE_CUH

#include "cuda/thread/round_ends.cuh"
#include "cuda/thread/round_exact.cuh"

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
        scan_state other;
        other.sum.word[0] = __shfl_sync(WHOLE_WARP, sum.word[0], (int)lane);
        other.sum.down = __shfl_sync(WHOLE_WARP, sum.down, (int)lane);
        other.sum.up = __shfl_sync(WHOLE_WARP, sum.up, (int)lane);
        other.seen = __shfl_sync(WHOLE_WARP, seen, (int)lane);
        return other;
    }
};

/* Of each thread's state the sum of those before it in its group of neighbours, a power of two; and of all of these. By
 * whole blocks; room: a state for each warp. */
static __device__ __forceinline__ scan_state states_before(scan_state mine, unsigned threads, scan_state *room,
                                                           scan_state *all) {
    const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, width = min(threads, WARP_LANES),
                   place = lane % width;
    for (unsigned w = 1; w < width; w *= 2) {
        const scan_state other = mine.of_lane(place >= w ? lane - w : lane);
        if (place >= w) mine.merge(other);
    }
    scan_state before = mine.of_lane(place ? lane - 1 : lane);
    if (place == 0) before.clear();
    *all = mine.of_lane(lane | (width - 1));
    if (threads <= WARP) return before;
    const unsigned warps = threads / WARP, first = warp / warps * warps;
    const scan_state of_warp = before;
    if (lane == 0) room[warp] = *all;
    __syncthreads();
    before.clear(), all->clear();
    for (unsigned i = first; i < first + warps; i++) {
        if (i == warp) before = *all;
        all->merge(room[i]);
    }
    before.merge(of_warp);
    __syncthreads();
    return before;
}

/* ---------------------------------------------------------------------------------------------------------- rounding
 */

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

/* ------------------------------------------------------------------------------------------------------ a few elements
 */

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
