/* batch.cuh - what a warp takes at a time: its loads, its terms as doubles, and their magnitudes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_BATCH_CUH
#define QUIRE_CUDA_THREAD_BATCH_CUH

#include "cuda/device/registers.cuh"
#include "cuda/device/warp.cuh"
#include "cuda/thread/bins.cuh"
#include "cuda/thread/choices.cuh"
#include "cuda/thread/float_bins.cuh"

#define BFLOAT16_ROOT ((63u + 127) << 7) /* the bits of 2^63: the squares of what is below are floats */
#define UNDERFLOW_WORD (64u << 20)       /* the error of a product of at least 2^-959 is exact */

template <class Format, int E, int PACKS> struct batch_of {
    pack<Format, E> x[PACKS], y[PACKS]; /* y of pairs alone */
    int count;                          /* how many elements there are; the others are such that their term is -0 */

    /* Calls use(load) for one load after the other: a loop, for what is rare, keeps the code short. */
    template <class Use> __device__ __forceinline__ void each_pack(Use use) const {
        batch_of b = forgotten();
#pragma unroll 1
        for (int k = 0; k < PACKS; k++) {
            batch_of<Format, E, 1> one;
            one.x[0] = b.x[0], one.y[0] = b.y[0], one.count = b.count;
            use(one);
#pragma unroll
            for (int i = 1; i < PACKS; i++) b.x[i - 1] = b.x[i], b.y[i - 1] = b.y[i];
        }
    }
    __device__ __forceinline__ batch_of forgotten() const {
        batch_of b = *this;
        for (int k = 0; k < PACKS; k++) b.x[k].forget(), b.y[k].forget();
        return b;
    }
};

template <class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ void load_full_batch(batch_of<Format, E, PACKS> &b, const typename Format::element *x,
                                                       const typename Format::element *y, int thread) {
    const typename Format::element *p = x + thread * E, *q = y + thread * E;
    /* one address, and offsets: a compiler that knows more computes an address a load */
    p = opaque(p);
    if (Term::is_pair) q = opaque(q);
#pragma unroll
    for (int k = 0; k < PACKS; k++) {
        b.x[k].load(p + k * WARP * E);
        if (Term::is_pair) b.y[k].load(q + k * WARP * E);
    }
}

/* The first count elements of a batch. */
template <class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ void load_some_batch(batch_of<Format, E, PACKS> &b, const typename Format::element *x,
                                                       const typename Format::element *y, int thread, int count) {
#pragma unroll
    for (int k = 0; k < PACKS; k++) {
        const int at = (k * WARP + thread) * E;
        b.x[k].load_some(x + at, count - at, 0x80);
        if (Term::is_pair) b.y[k].load_some(y + at, count - at, 0);
    }
}

/* ------------------------------------------------------------------------------------------------- terms as doubles */

/* A term as a double, times 2^-shrunk: 16-bit elements are made doubles by moving their bits, since the conversion unit
 * does not keep up with them and others; it leaves the exponent short by a constant. Not for Inf and NaN. */
template <class Format, class Term> struct term_as_double {
    typedef typename Format::real real;
    static constexpr int shrunk = 0;
    static __device__ __forceinline__ double of(typename Format::element x, typename Format::element y) {
        const real a = decode(Format(), x), b = Term::is_pair ? decode(Format(), y) : a;
        return Term::value((double)a, (double)b);
    }
};

template <class Term, int EXPONENT_BITS> struct narrow_as_double {
    static constexpr int missing = 11 - EXPONENT_BITS, shrunk = 1023 - (1 << (EXPONENT_BITS - 1)) + 1;
    static constexpr int kept = 0x7fffffff >> missing; /* of the upper word, but for a sign that is wanted */
    static __device__ __forceinline__ int cut_out(int upper) {
        return upper & (Term::value(-1.0f, 0.0f) > 0 ? kept : kept | (int)0x80000000);
    }
    static __device__ __forceinline__ double of(uint32_t x, uint32_t) {
        const int bits =
            (int)(x << 16) >> missing; /* the sign, copied into the missing bits, and the rest in its place */
        return __hiloint2double(cut_out(bits), 0);
    }
};

/* A product of halves is a float, and so is the square of a bfloat16 that is neither large nor small. Here the
 * conversion unit does it: moving two words of bits costs three instructions. */
template <class Format> struct product_as_double {
    static constexpr int shrunk = 0;
    static __device__ __forceinline__ double of(typename Format::element x, typename Format::element y) {
        return decode(Format(), x) * decode(Format(), y);
    }
};
template <> struct term_as_double<half_format, identity_term> : narrow_as_double<identity_term, 5> {};
template <> struct term_as_double<half_format, magnitude_term> : narrow_as_double<magnitude_term, 5> {};
template <> struct term_as_double<bfloat16_format, identity_term> : narrow_as_double<identity_term, 8> {};
template <> struct term_as_double<bfloat16_format, magnitude_term> : narrow_as_double<magnitude_term, 8> {};
template <> struct term_as_double<half_format, product_term> : product_as_double<half_format> {};
template <> struct term_as_double<half_format, square_term> : product_as_double<half_format> {};
template <> struct term_as_double<bfloat16_format, square_term> : product_as_double<bfloat16_format> {};

/* The parts of term i of a batch: itself, or the rounded product and its error. */
template <class Format, class Term, int STREAMS, int E, int PACKS>
static __device__ __forceinline__ void batch_parts(const batch_of<Format, E, PACKS> &b, int i,
                                                   double (&part)[STREAMS]) {
    const auto x = b.x[i / E][i % E], y = Term::is_pair ? b.y[i / E][i % E] : x;
    part[0] = term_as_double<Format, Term>::of(x, y);
    if constexpr (STREAMS == 2) part[1] = Term::error(x, y, part[0]);
}

/* Whether a product of doubles may have lost bits below the least double. */
template <class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ bool underflows(const batch_of<Format, E, PACKS> &b, int i, double product) {
    if constexpr (sizeof(typename Format::element) < 8 || !Term::is_product)
        return false;
    else
        return magnitude_word(product) < UNDERFLOW_WORD && b.x[i / E][i % E] != 0 &&
               (!Term::is_pair || b.y[i / E][i % E] != 0);
}

/* ------------------------------------------------------------------------------------------------------- magnitudes */

static __device__ __forceinline__ uint64_t element_bits(float x) { return bits_of_float(x); }
static __device__ __forceinline__ uint64_t element_bits(double x) { return bits_of_double(x); }

/* The greatest |x| of loads of 16-bit elements, as bits. */
template <class Format, int E, int PACKS>
static __device__ __forceinline__ uint32_t narrow_most(const pack<Format, E> (&x)[PACKS]) {
    uint32_t two = 0;
#pragma unroll
    for (int k = 0; k < PACKS; k++)
        if constexpr (E == 1) {
            two = max(two, (uint32_t)x[k][0] & 0x7fff);
        } else {
#pragma unroll
            for (int i = 0; i < 4; i += 2)
                two = __vimax3_u16x2(two, x[k].word[i] & 0x7fff7fff, x[k].word[i + 1] & 0x7fff7fff);
        }
    return max(two >> 16, two & 0xffff);
}

/* And of |y|. */
template <class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ uint32_t narrow_most(const batch_of<Format, E, PACKS> &b) {
    return Term::is_pair ? max(narrow_most<Format>(b.x), narrow_most<Format>(b.y)) : narrow_most<Format>(b.x);
}

/* The least |x| > 0 of loads of 16-bit elements, as bits; 2^16 if there is none. */
template <class Format, int E, int PACKS>
static __device__ __forceinline__ uint32_t narrow_least(const pack<Format, E> (&x)[PACKS]) {
    uint32_t two = 0xffffffff; /* of bits - 1: zeros become the greatest number */
#pragma unroll
    for (int k = 0; k < PACKS; k++)
        if constexpr (E == 1) {
            two = min(two, (((uint32_t)x[k][0] & 0x7fff) - 1) & 0xffff);
        } else {
#pragma unroll
            for (int i = 0; i < 4; i++) two = __viaddmin_u16x2(x[k].word[i] & 0x7fff7fff, 0xffffffff, two);
        }
    return (E == 1 ? min(two, 0xffffu) : min(two >> 16, two & 0xffff)) + 1;
}

/* The greatest and the least magnitude of a lane's floats, as bits, twice; the least but for zeros, and less one. */
struct float_span {
    uint32_t greatest, least;
};

template <int E, int PACKS>
static __device__ __forceinline__ float_span span_of(const pack<float_format, E> (&x)[PACKS]) {
    float_span span = { 0, ~0u };
#pragma unroll
    for (int i = 0; i < PACKS * E; i++) {
        const uint32_t bits = bits_of_float(x[i / E][i % E]) << 1;
        span.greatest = max(span.greatest, bits);
        span.least = __viaddmin_u32(bits, ~0u, span.least);
    }
    return span;
}

/* Numbers of an exponent field are multiples of 2^this. */
template <class Format> static __device__ __forceinline__ int low_of_field(int field) {
    return max(field, 1) - 1 + Format::description.least_exponent;
}

/* Of the elements of loads, as terms. */
template <class Format, int E, int PACKS>
static __device__ __forceinline__ term_extent extent_of(const pack<Format, E> (&x)[PACKS]) {
    constexpr format_description f = Format::description;
    constexpr int stored = f.precision - 1;
    int most, least; /* exponent fields */
    if constexpr (sizeof(typename Format::element) == 2) {
        most = (int)(narrow_most<Format>(x) >> stored), least = (int)(narrow_least<Format>(x) >> stored);
    } else {
        const float_span span = span_of(x);
        most = (int)(span.greatest >> (stored + 1)), least = (int)(span.least >> (stored + 1));
    }
    const int top = most == (int)(f.infinity >> stored) ? NOT_A_FLOAT : low_of_field<Format>(most) + f.precision;
    return { top, low_of_field<Format>(least) };
}

/* Of its terms. A product of floats counts as two, the one that was rounded and its error; where a factor is subnormal
 * the first may have bits that only the second is expected to have: there is no window then. */
template <class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ term_extent extent_of_terms(const batch_of<Format, E, PACKS> &b) {
    const term_extent x = extent_of<Format>(b.x), y = Term::is_pair ? extent_of<Format>(b.y) : x;
    if (!Term::is_product) return x;
    const bool is_tiny = !product_is_float<Format> && min(x.low, y.low) == Format::description.least_exponent;
    return { x.top + y.top, is_tiny ? -NOT_A_FLOAT : x.low + y.low };
}

/* Element i of a batch as a term, a float. */
template <class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ float float_term(const batch_of<Format, E, PACKS> &b, int i) {
    const float x = decode(Format(), b.x[i / E][i % E]);
    return Term::value(x, x);
}

/* Adds term i of a batch to bins of floats, of an extent that these hold. A product that is a float goes to the first
 * without being computed apart. */
template <int BINS, class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ void add_float_term(float *bin, const batch_of<Format, E, PACKS> &b, int i) {
    const float x = decode(Format(), b.x[i / E][i % E]), y = Term::is_pair ? decode(Format(), b.y[i / E][i % E]) : x;
    if constexpr (!Term::is_product) {
        window_add_f32(bin, BINS, float_term<Format, Term>(b, i));
    } else if constexpr (!product_is_float<Format>) {
        const float product = x * y;
        window_add_f32(bin, BINS, product);
        window_add_f32(bin + BINS, BINS, __fmaf_rn(x, y, -product));
    } else {
        const float q = __fmaf_rn(x, y, bin[0]), taken = q - bin[0];
        bin[0] = q;
        window_add_f32(bin + 1, BINS - 1, __fmaf_rn(x, y, -taken));
    }
}

/* Something that is at least the magnitude_word of every term of a batch, and INFINITE_WORD if Inf or NaN is among
 * them: of squares of floats NaN may be missed, products of doubles may overflow to it. */
template <class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ uint32_t batch_most(const batch_of<Format, E, PACKS> &b) {
    typedef typename Format::element element;
    if constexpr (sizeof(element) == 2) {
        constexpr bool squares = Term::is_product && !Term::is_pair && Format::description.precision == 8;
        const uint32_t most = narrow_most<Format, Term>(b);
        if (most >= (squares ? BFLOAT16_ROOT : Format::description.infinity)) return INFINITE_WORD;
        if (!squares) return most << (20 + 1 - Format::description.precision);
        return magnitude_word((double)bfloat16_to_f32((bfloat16_element)most) *
                              (double)bfloat16_to_f32((bfloat16_element)most));
    } else if constexpr (sizeof(element) == 4 && !Term::is_pair) {
        float greatest = 0;
        if constexpr (Term::is_product) {
#pragma unroll
            for (int i = 0; i < PACKS * E; i++) greatest = fmaxf(greatest, fabsf(b.x[i / E][i % E]));
        } else {
            greatest = float_of_bits(span_of(b.x).greatest >> 1);
        }
        return magnitude_word(Term::value((double)greatest, (double)greatest));
    } else {
        uint32_t most = 0;
#pragma unroll
        for (int i = 0; i < PACKS * E; i++) {
            double part[1];
            batch_parts<Format, Term, 1>(b, i, part);
            most = max(most, magnitude_word(part[0]));
        }
        return most;
    }
}

/* Whether Inf or NaN is among the elements. */
template <class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ bool batch_is_special(const batch_of<Format, E, PACKS> &b) {
    typedef typename Format::element element;
    if constexpr (sizeof(element) == 2) {
        return narrow_most<Format, Term>(b) >= Format::description.infinity;
    } else {
        constexpr int lower = sizeof(element) * 8 - 32;
        uint32_t most = 0;
#pragma unroll
        for (int i = 0; i < PACKS * E; i++) {
            most = max(most, (uint32_t)(element_bits(b.x[i / E][i % E]) >> lower) & 0x7fffffff);
            if (Term::is_pair) most = max(most, (uint32_t)(element_bits(b.y[i / E][i % E]) >> lower) & 0x7fffffff);
        }
        return most >= (uint32_t)(Format::description.infinity >> lower);
    }
}

#endif
