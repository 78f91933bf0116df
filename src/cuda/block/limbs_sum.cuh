/* limbs_sum.cuh - all bits of a sum, by a block that has some parts of an array: its warps take them in turn. What a
 * thread has of a part is a few doubles, if these hold it exactly; else the part goes to limbs term by term.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_BLOCK_LIMBS_SUM_CUH
#define QUIRE_CUDA_BLOCK_LIMBS_SUM_CUH

#include "accumulator/limbs.h"
#include "cuda/group/row_sum.cuh"
#include "cuda/thread/chunk.cuh"
#include "cuda/thread/range_sums.cuh"

/* ------------------------------------------------------------------------------------------------- a thread's limbs */

#define OWN_LIMBS_BYTES (40u << 10) /* of a block, at most */
#define OWN_LIMBS_ROOM (208u << 10) /* of a multiprocessor */
#define OWN_LIMBS_THREADS 768       /* and as many threads, at most */
#define OWN_LIMBS_SUM 16            /* sums of up to 2^this terms are added, too */
#define PIECE_BITS 24               /* of a piece, at most */

/* Numbers of BITS bits as pieces of "bits" bits. */
template <int BITS> struct term_pieces {
    static constexpr int count = (BITS + PIECE_BITS - 1) / PIECE_BITS, bits = (BITS + count - 1) / count;
};

/* An exact sum of any terms of a format: limbs in shared memory, of which each thread has its own, 32 bits apart and 64
 * wide, over the range of exponents that the format's terms have. Nothing is rounded, and a term costs the same
 * whatever it is.
 *
 * A term is cut into pieces, each of which is shifted by up to 31 bits into one limb: two of a term at most into the
 * same one. Limbs must be eased when FULL terms have been added. */
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

/* ---------------------------------------------------------------------------------------------------- a block's sum */

#define TERMS_AHEAD 8 /* elements of a thread that are loaded together */

/* What a thread has seen of terms, beside the limbs. */
enum { SAW_NONZERO = 1, SAW_POSITIVE_ZERO = 2, SAW_NAN = 4, SAW_POSITIVE_INFINITY = 8, SAW_NEGATIVE_INFINITY = 16 };

/* Whether a number is neither subnormal, nor infinite or NaN, nor 0. */
static __device__ __forceinline__ bool is_normal(float x) { return (bits_of_float(x) >> 23 & 0xff) - 1 < 0xfe; }
static __device__ __forceinline__ bool is_normal(double x) {
    return ((uint32_t)__double2hiint(x) >> 20 & 0x7ff) - 1 < 0x7fe;
}

/* Adds the term of any two elements, or of one. */
template <class Format, bool PRODUCT, class Limbs>
static __device__ __noinline__ unsigned add_any_term(typename Format::real x, typename Format::real y, bool magnitude) {
    typedef element_term<Format, PRODUCT> term;
    if (!double_is_finite(x) || !double_is_finite(y)) {
        const double value = term::value(x, y, magnitude);
        return SAW_NONZERO | (double_is_nan(value) ? SAW_NAN
                              : value > 0          ? SAW_POSITIVE_INFINITY
                                                   : SAW_NEGATIVE_INFINITY);
    }
    if (x == 0 || y == 0) return bits_of_double(term::value(x, y, magnitude)) >> 63 ? 0 : SAW_POSITIVE_ZERO;
    if constexpr (PRODUCT && exact_terms<Format, false>::is_double)
        Limbs::add_long_product(x, y);
    else
        Limbs::add_number(PRODUCT ? (double)x * (double)y : (double)term::value(x, y, magnitude));
    return SAW_NONZERO;
}

/* And of normal ones. */
template <class Format, bool PRODUCT, class Limbs>
static __device__ __forceinline__ void add_normal_term(typename Format::real x, typename Format::real y,
                                                       bool magnitude) {
    if constexpr (!exact_terms<Format, false>::is_double) {
        if constexpr (PRODUCT)
            Limbs::add_float_product(x, y);
        else
            Limbs::add_float(magnitude ? abs_f32(x) : x);
    } else {
        if constexpr (PRODUCT)
            Limbs::add_long_product(x, y);
        else
            Limbs::add_normal(magnitude ? abs_f64(x) : x);
    }
}

/* Where a vector stands: its elements, and how far each is from the next. */
template <class Format> struct limbs_vector {
    vector_view<Format> x, y;
    size_t n;
};

/* Terms of n elements, one by one, to eased limbs, which they are again then; answers what it saw. By a whole warp. */
template <class Format, bool PRODUCT, class Limbs>
static __device__ __noinline__ unsigned add_terms_to_limbs(const limbs_vector<Format> &v, size_t from, unsigned n,
                                                           bool magnitude) {
    typedef typename Format::element element;
    constexpr unsigned AHEAD = PRODUCT ? TERMS_AHEAD / 2 : TERMS_AHEAD;
    const element *x = v.x.x + (ptrdiff_t)from * v.x.stride, *y = v.y.x + (ptrdiff_t)from * v.y.stride;
    unsigned saw = 0, added = 0;
    for (unsigned k = threadIdx.x % WARP; k < n; k += AHEAD * WARP) {
        element a[AHEAD], b[PRODUCT ? AHEAD : 1];
        bool are_normal = k + (AHEAD - 1) * WARP < n;
#pragma unroll
        for (unsigned i = 0; i < AHEAD; i++) {
            const ptrdiff_t at = (ptrdiff_t)(k + i * WARP);
            a[i] = k + i * WARP < n ? x[at * v.x.stride] : zero_element<Format>(true);
            if constexpr (PRODUCT) b[i] = k + i * WARP < n ? y[at * v.y.stride] : a[i];
        }
        auto first = [&](unsigned i) { return decode(Format(), a[i]); };
        auto second = [&](unsigned i) {
            if constexpr (PRODUCT)
                return decode(Format(), b[i]);
            else
                return first(i);
        };
#pragma unroll
        for (unsigned i = 0; i < AHEAD; i++)
            are_normal = are_normal && is_normal(first(i)) && (!PRODUCT || is_normal(second(i)));
        if (added + AHEAD > Limbs::FULL) Limbs::ease(), added = 0;
        added += AHEAD;
        if (are_normal) {
#pragma unroll
            for (unsigned i = 0; i < AHEAD; i++)
                add_normal_term<Format, PRODUCT, Limbs>(first(i), second(i), magnitude);
            saw |= SAW_NONZERO;
        } else {
#pragma unroll
            for (unsigned i = 0; i < AHEAD; i++)
                if (k + i * WARP < n) saw |= add_any_term<Format, PRODUCT, Limbs>(first(i), second(i), magnitude);
        }
    }
    Limbs::ease();
    return saw;
}

/* The terms of the parts of a block, or their squares; answers what it saw. By the warps of the block that have limbs.
 */
template <class Format, bool PRODUCT, bool PAIR, class Limbs>
static __device__ __forceinline__ unsigned add_parts(const vectors_job &job, const limbs_vector<Format> &v,
                                                     size_t block, size_t blocks) {
    constexpr int WORDS = PRODUCT && exact_terms<Format, false>::is_double ? 3 : 2;
    typedef range_sums<Format, PRODUCT ? ROW_PRODUCTS : ROW_NUMBERS, long_sum<WORDS>> sums;
    constexpr size_t WARPS = Limbs::THREADS / WARP;
    const bool has_words = !job.few_doubles && v.x.stride == 1 && v.y.stride == 1;
    unsigned saw = 0, added = 0;
    for (size_t unit = block * WARPS + threadIdx.x / WARP; unit * job.part < v.n; unit += blocks * WARPS) {
        const size_t begin = unit * job.part, here = min(v.n - begin, job.part);
        if (added + WORDS > Limbs::FULL) Limbs::ease(), added = 0;
        const sums total = sum_of_row<sums, group_loads(PAIR), true>(
            row_place<Format, PAIR>{ v.x.x + begin, PAIR ? v.y.x + begin : v.y.x }, has_words ? here : 0, job.magnitude,
            threadIdx.x % WARP, WARP);
        const long_sum<WORDS> s = PRODUCT ? total.products : total.numbers;
        const bool are_words = s.width() == 0 && bits_of_double(s.word(0)) != 0; /* -0: there was nothing else */
        if (has_words && __all_sync(WHOLE_WARP, are_words)) {
            if (s.word(0) != 0) saw |= SAW_NONZERO;
            for (int i = 0; i < WORDS; i++) Limbs::add_number(s.word(i));
            added += WORDS;
        } else {
            if (added) Limbs::ease(), added = 0;
            saw |= add_terms_to_limbs<Format, PRODUCT, Limbs>(v, begin, (unsigned)here, job.magnitude);
        }
    }
    return saw;
}

/* What a block has seen, in an accumulator that other blocks write to as well. By a whole block. */
static __device__ __forceinline__ void add_seen(quire_accumulator *to, unsigned saw) {
    unsigned all = 0;
    for (unsigned bit = SAW_NONZERO; bit <= SAW_NEGATIVE_INFINITY; bit *= 2)
        if (__syncthreads_or(saw & bit)) all |= bit;
    auto set = [](int64_t &flag, int64_t value) { atomicOr((unsigned long long *)&flag, (unsigned long long)value); };
    if (threadIdx.x) return;
    if (all & SAW_NAN) set(to->nan, 1);
    if (all & SAW_POSITIVE_INFINITY) set(to->positive_infinity, 1);
    if (all & SAW_NEGATIVE_INFINITY) set(to->negative_infinity, 1);
    if (all & (SAW_NONZERO | SAW_POSITIVE_ZERO)) set(to->other, all & SAW_NONZERO ? OTHER_NONZERO : 1);
}

/* The sum of all terms of a block, or of their squares, to an accumulator that others add to as well. By a block that
 * has at least as many threads as limbs are for. */
template <class Format, bool PRODUCT, class Limbs>
static __device__ __forceinline__ void add_block(const vectors_job &job, const limbs_vector<Format> &v,
                                                 quire_accumulator *to, size_t block, size_t blocks) {
    unsigned saw = 0;
    if (threadIdx.x < Limbs::THREADS) {
        Limbs::clear();
        saw = PRODUCT && job.is_pair ? add_parts<Format, PRODUCT, PRODUCT, Limbs>(job, v, block, blocks)
                                     : add_parts<Format, PRODUCT, false, Limbs>(job, v, block, blocks);
    }
    Limbs::add_to(to);
    add_seen(to, saw);
}

template <class Format, row_terms TERMS>
using limbs_of = own_limbs<Format, TERMS != ROW_NUMBERS>; /* those of squares hold numbers, too */

/* All that a block of so many has of a vector, to two accumulators: numbers to the first, products, or squares, to the
 * second. */
template <class Format, row_terms TERMS>
static __device__ __forceinline__ void sum_to_limbs(const vectors_job &job, const limbs_vector<Format> &v,
                                                    quire_accumulator *to, size_t block, size_t blocks) {
    if constexpr (TERMS != ROW_PRODUCTS)
        add_block<Format, false, limbs_of<Format, TERMS>>(job, v, &to[0], block, blocks);
    if constexpr (TERMS != ROW_NUMBERS) add_block<Format, true, limbs_of<Format, TERMS>>(job, v, &to[1], block, blocks);
}

/* The one array of a job. */
template <class Format> static __device__ __forceinline__ limbs_vector<Format> array_of(const vectors_job &job) {
    typedef const typename Format::element *pointer;
    return { { (pointer)job.at.x, 1 }, { (pointer)(job.is_pair ? job.at.y : job.at.x), 1 }, job.at.x_layout.n };
}

#endif
