/* short_extent.cuh - the magnitudes of the elements of a batch, in an exact sum of a short array.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_WARP_SHORT_EXTENT_CUH
#define QUIRE_CUDA_WARP_SHORT_EXTENT_CUH

#include "cuda/thread/batch.cuh"

/* Of the elements of a lane, upper bits of |x|: the greatest, and the least that is not zero, less 1 (or more than
 * any). */
struct lane_extent {
    uint32_t most, least;
};

/* Of the elements of a warp that are not zero: the greatest is below 2^top, and all are multiples of 2^low; special if
 * Inf or NaN is among them. */
struct warp_extent {
    int top, low;
    bool special;
};

/* A batch of any number of loads is completed by elements that are -0: to a power of two of them, so that few places
 * need be asked whether it ends there; or, if there are more batches, to all that one may have. */
static __host__ __device__ constexpr bool may_end_before(int load) { return load && (load & (load - 1)) == 0; }

/* Whether a batch ends before such a load, if it may. */
template <int E, class Batch> static __device__ __forceinline__ bool is_beyond(const Batch &b, int load) {
    return may_end_before(load) && b.count <= load * WARP * E;
}

/* Calls use(load) for the loads that a batch has. */
template <class Format, int E, int PACKS, class Use>
static __device__ __forceinline__ void each_load(const batch_of<Format, E, PACKS> &b, Use use) {
    int left = b.count / (WARP * E);
    b.each_pack([&](const batch_of<Format, E, 1> &one) {
        if (left-- > 0) use(one);
    });
}

/* How an element's upper bits, of which there are 32 at most, are made: bits that are lost, bits below the exponent. */
template <class Format> struct upper {
    static constexpr format_description f = Format::description;
    static constexpr int lost = sizeof(typename Format::element) == 8 ? 32 : 0, stored = f.precision - 1 - lost;
    static constexpr uint32_t infinity = (uint32_t)(f.infinity >> lost);
    /* Twice as much, so without a sign; not zero unless x is. A product, for which there are other units than for the
     * comparisons that follow. */
    static __device__ __forceinline__ uint32_t twice(typename Format::element x) {
        if constexpr (lost) {
            const uint64_t all = bits_of_double(x);
            return ((uint32_t)(all >> 32) | min((uint32_t)all, 1)) * 2;
        } else {
            return bits_of_float(x) * 2;
        }
    }
    /* Those of what is below 2^top are less than this; and finite. */
    static __device__ __forceinline__ uint32_t limit(int top) {
        return min((uint32_t)(top - f.least_exponent - f.precision + 2) << stored, infinity);
    }
    /* Those of multiples of 2^unit that are not zero, less 1, are no less than this. */
    static __device__ __forceinline__ uint32_t floor(int unit) {
        return unit > f.least_exponent ? ((uint32_t)(unit - f.least_exponent + 1) << stored) - 1 : 0;
    }
};

/* Of elements of 16 bits, two at a time, as twice their bits: what the lower one's sign leaves there is lost in the
 * end. */
template <class Term, class Format, int E, int PACKS>
static __device__ __forceinline__ lane_extent extent_of_pairs(const batch_of<Format, E, PACKS> &b) {
    constexpr uint32_t minus_one = 0xfffefffe;
    uint32_t most = 0, least = ~0u;
#pragma unroll
    for (int k = 0; k < PACKS; k++) {
        if (is_beyond<E>(b, k)) break;
#pragma unroll
        for (int i = 0; i < 4; i += 2) {
            const uint32_t one = b.x[k].word[i] * 2, two = b.x[k].word[i + 1] * 2;
            most = __vimax3_u16x2(most, one, two);
            least = __viaddmin_u16x2(one, minus_one, __viaddmin_u16x2(two, minus_one, least));
            if (Term::is_pair) most = __vimax3_u16x2(most, b.y[k].word[i] * 2, b.y[k].word[i + 1] * 2);
        }
    }
    return { max(most >> 16, most & 0xffff) >> 1, min(least >> 16, least & 0xffff) >> 1 };
}

template <class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ lane_extent extent_of_lane(const batch_of<Format, E, PACKS> &b) {
    if constexpr (sizeof(typename Format::element) == 2) {
        return extent_of_pairs<Term>(b);
    } else {
        static_assert(E % 2 == 0, "two at a time");
        lane_extent x = { 0, ~0u }; /* of twice the bits */
        uint32_t before = 0;
#pragma unroll
        for (int i = 0; i < E * PACKS; i++) {
            if (i % E == 0 && is_beyond<E>(b, i / E)) break;
            const uint32_t bits = upper<Format>::twice(b.x[i / E][i % E]);
            if (i % 2) x.most = __vimax3_u32(x.most, before, bits);
            x.least = __viaddmin_u32(bits, ~0u, x.least);
            before = bits;
        }
        return { x.most >> 1, x.least >> 1 };
    }
}

/* Whether the elements of a lane are near enough to each other for their sum to be a double. */
template <class Choice, class Format> static __device__ __forceinline__ bool is_near(lane_extent x) {
    const int most = (int)(x.most >> upper<Format>::stored), least = (int)((x.least + 1) >> upper<Format>::stored);
    return !x.most || most - least <= Choice::spare;
}

template <class Format> static __device__ __forceinline__ warp_extent extent_of_warp(lane_extent x) {
    constexpr format_description f = Format::description;
    const uint32_t most = (uint32_t)warp_max((int)x.most);
    const uint32_t least = (uint32_t)-warp_max(-(int)min(x.least, (uint32_t)INT_MAX)) + 1;
    const int top = max((int)(most >> upper<Format>::stored), 1), low = max((int)(least >> upper<Format>::stored), 1);
    return { f.least_exponent + top - 1 + f.precision, f.least_exponent + low - 1, most >= upper<Format>::infinity };
}

#endif
