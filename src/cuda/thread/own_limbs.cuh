/* own_limbs.cuh - an exact sum of any terms of a format: limbs in shared memory, of which each thread has its own, 32
 * bits apart and 64 wide, over the range of exponents that the format's terms have. Nothing is rounded, and a term
 * costs the same whatever it is.
 *
 * A term is cut into pieces, each of which is shifted by up to 31 bits into one limb: two of a term at most into the
 * same one. Limbs must be eased when FULL terms have been added.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_OWN_LIMBS_CUH
#define QUIRE_CUDA_THREAD_OWN_LIMBS_CUH

#include "accumulator/limbs.h"
#include "cuda/thread/exact_terms.cuh"

#define OWN_LIMBS_BYTES (40u << 10) /* of a block, at most */
#define OWN_LIMBS_ROOM (208u << 10) /* of a multiprocessor */
#define OWN_LIMBS_THREADS 768       /* and as many threads, at most */
#define OWN_LIMBS_SUM 16            /* sums of up to 2^this terms are added, too */
#define PIECE_BITS 24               /* of a piece, at most */

/* Numbers of BITS bits as pieces of "bits" bits. */
template <int BITS> struct term_pieces {
    static constexpr int count = (BITS + PIECE_BITS - 1) / PIECE_BITS, bits = (BITS + count - 1) / count;
};

template <class Format, bool PRODUCT> struct own_limbs {
    typedef exact_terms<Format, PRODUCT> terms;
    static constexpr int precision = terms::precision < 53 ? terms::precision : 53; /* of what is added at once */
    /* Of the accumulator's limbs those from FIRST on. A number that is added as a double has zeros below its least bit,
     * up to 52, which have a place, too; numbers and products of doubles have none. */
    static constexpr int zeros = terms::is_double ? 0 : 52;
    static constexpr int least = terms::least * terms::factors - zeros - LIMB_LEAST_EXPONENT,
                         greatest = terms::greatest * terms::factors + OWN_LIMBS_SUM - LIMB_LEAST_EXPONENT;
    static constexpr int FIRST = least / LIMB_BITS;
    static constexpr int END = greatest / LIMB_BITS + 2;
    static constexpr int COUNT = (END < QUIRE_ACCUMULATOR_LIMBS ? END : QUIRE_ACCUMULATOR_LIMBS) - FIRST;

    /* As many threads as there is room for, a power of two. */
    static constexpr unsigned threads(unsigned of = 256) {
        return of == WARP || of * COUNT * sizeof(int64_t) <= OWN_LIMBS_BYTES ? of : threads(of / 2);
    }
    static constexpr unsigned THREADS = threads();
    static constexpr unsigned room = OWN_LIMBS_ROOM / (THREADS * COUNT * sizeof(int64_t)),
                              BLOCKS = room * THREADS < OWN_LIMBS_THREADS ? room : OWN_LIMBS_THREADS / THREADS;

    /* An eased limb is below 2^33. */
    static constexpr int widest = terms::is_double ? term_pieces<53>::bits : PIECE_BITS; /* floats are one piece */
    static constexpr unsigned FULL = 1u << (62 - LIMB_BITS - widest);
    static_assert(2 * (int64_t)FULL * ((int64_t)((1 << widest) - 1) << (LIMB_BITS - 1)) <=
                      INT64_MAX - ((int64_t)1 << (LIMB_BITS + 1)),
                  "a limb overflows before it is eased");

    /* Limb i of this thread. */
    static __device__ __forceinline__ int64_t &limb(unsigned i) {
        __shared__ int64_t room[COUNT * THREADS];
        return room[i * THREADS + threadIdx.x];
    }
    /* Of limb i of a thread what is below its 32 bits, and what the limb below has above its own. */
    static __device__ __forceinline__ int64_t eased(int i, unsigned thread) {
        const int64_t *own = &limb(0) - threadIdx.x + thread, from_below = i ? own[(i - 1) * THREADS] >> LIMB_BITS : 0;
        return (i < COUNT - 1 ? own[i * THREADS] & LIMB_MASK : own[i * THREADS]) + from_below;
    }
    static __device__ __forceinline__ void clear() {
#pragma unroll 1
        for (int i = 0; i < COUNT; i++) limb(i) = 0;
    }
    static __device__ __noinline__ void ease() {
#pragma unroll 1
        for (int i = COUNT - 1; i >= 0; i--) limb(i) = eased(i, threadIdx.x);
    }

    /* A piece, times 2^place of the first limb's units; sign: 0, or -1 to take it away. */
    static __device__ __forceinline__ void add_piece(uint32_t piece, unsigned place, int sign) {
        const int x = ((int)piece ^ sign) - sign;
        const uint32_t low = (uint32_t)x << place % LIMB_BITS,
                       high = __funnelshift_l((uint32_t)x, (uint32_t)(x >> 31), place);
        limb(place / LIMB_BITS) += (int64_t)((uint64_t)high << 32 | low);
    }
    /* m of BITS bits, likewise. */
    template <int BITS> static __device__ __forceinline__ void add(uint64_t m, unsigned place, int sign) {
        constexpr int count = term_pieces<BITS>::count, bits = term_pieces<BITS>::bits;
#pragma unroll
        for (int i = 0; i < count; i++, place += bits, m >>= bits)
            add_piece(i < count - 1 ? (uint32_t)m & ((1u << bits) - 1) : (uint32_t)m, place, sign);
    }
    static __device__ __forceinline__ unsigned place_of(int q) {
        return (unsigned)(q - LIMB_LEAST_EXPONENT - FIRST * LIMB_BITS);
    }
    /* Of normal floats: one's term, or the product of two. */
    static __device__ __forceinline__ void add_float(float x) {
        const uint32_t bits = bits_of_float(x);
        add_piece((bits & 0x7fffff) | 0x800000, (bits >> 23 & 0xff) + place_of(-150), (int)bits >> 31);
    }
    static __device__ __forceinline__ void add_float_product(float x, float y) {
        constexpr int zeros_of_one = 24 - Format::description.precision; /* at least, below its bits */
        const uint32_t a = bits_of_float(x), b = bits_of_float(y);
        const uint64_t m =
            (uint64_t)(((a & 0x7fffff) | 0x800000) >> zeros_of_one) * (((b & 0x7fffff) | 0x800000) >> zeros_of_one);
        add<2 * Format::description.precision>(
            m, (a >> 23 & 0xff) + (b >> 23 & 0xff) + place_of(2 * (zeros_of_one - 150)), (int)(a ^ b) >> 31);
    }
    /* A normal double. */
    static __device__ __forceinline__ void add_normal(double x) {
        const uint32_t high = (uint32_t)__double2hiint(x), low = (uint32_t)__double2loint(x);
        add<53>((uint64_t)((high & 0xfffff) | 0x100000) << 32 | low, (high >> 20 & 0x7ff) + place_of(-1075),
                (int)high >> 31);
    }
    /* A finite number. */
    static __device__ __forceinline__ void add_number(double x) {
        int64_t m;
        int q;
        double_decompose(x, &m, &q);
        if (m) add<53>((uint64_t)(m < 0 ? -m : m), place_of(q), m < 0 ? -1 : 0);
    }
    static __device__ __forceinline__ void add_long_product(double x, double y) {
        const product_pieces p = multiply_doubles(x, y);
        const int sign = p.is_negative ? -1 : 0;
        add<53>(p.lower, place_of(p.q), sign);
        add<53>(p.upper, place_of(p.q) + 53, sign);
    }

    /* What the threads of a block have, added to an accumulator that other blocks add to as well: of 2^8 threads less
     * than 2^41 to a limb. By a whole block. */
    static __device__ __forceinline__ void add_to(quire_accumulator *to) {
        __syncthreads();
        for (int i = (int)threadIdx.x; i < COUNT && threadIdx.x < THREADS; i += (int)THREADS) {
            int64_t sum = 0;
#pragma unroll 4
            for (unsigned t = 0; t < THREADS; t++) sum += eased(i, (t + threadIdx.x) % THREADS);
            if (sum) atomicAdd((unsigned long long *)&to->limb[FIRST + i], (unsigned long long)sum);
        }
        __syncthreads();
    }
};

#endif
