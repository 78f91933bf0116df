/* batch.cuh - what a warp takes at a time: its loads, its terms as doubles, and their way into the bins of a window.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_BATCH_CUH
#define QUIRE_CUDA_BATCH_CUH

#include <limits.h>

#include <type_traits>

#include "cuda/column.cuh"
#include "cuda/policy.h"
#include "cuda/window.cuh"

#define BFLOAT16_ROOT ((63u + 127) << 7) /* the bits of 2^63: the squares of what is below are floats */
#define PAIR_LIMIT (0x7f00u << 13) /* magnitude_words, as of moved bits, of bfloat16 two of which are a finite float    */
#define UNDERFLOW_WORD (64u << 20) /* the error of a product of at least 2^-959 is exact                             */

/* What a sum that is known but for a little (method/ball.h) makes of a batch that no window holds; loose.cuh. */
enum loose_way {
    LOOSE_NEVER,
    LOOSE_TERMS, /* adds term by term, and drops what the last bin rounds away                                           */
    LOOSE_TOTALS /* adds the terms, none of which is negative, to one double, and that to the bins                       */
};
#define LOOSE_BINS 2
#define LANE_TERM_BITS 6 /* a lane's batch has 2^6 terms at most */

/* What follows from the choices. */
template <class Format, class Term, exact_kind KIND> struct exact_choice {
    typedef typename Format::element element;
    typedef typename Format::real real;
    static constexpr bool is_product = Term::is_product, is_double = sizeof(real) == 8;
    static constexpr bool is_half = sizeof(element) == 2 && Format::description.precision == 11;
    static constexpr bool is_bfloat16 = sizeof(element) == 2 && !is_half;
    static constexpr bool windowed = !is_bfloat16 || !Term::is_pair; /* or columns alone                                   */
    static constexpr bool fits = is_half;                            /* one window, always                                */
    static constexpr bool rests = !is_bfloat16 || !is_product;       /* or a lane's batch is in the window, or in columns */
    static constexpr bool loose_only = KIND == EXACT_LOOSE_ONLY;
    static constexpr int streams = is_double && is_product && !loose_only ? 2 : 1;
    static constexpr int bins = is_half && !is_product ? 1 : 2;
    /* No term has bits below 2^least; or, of squares of bfloat16, none that is computed in float. */
    static constexpr int least =
        is_bfloat16 && is_product ? -126 : Format::description.least_exponent * (is_product && !is_double ? 2 : 1);
    static constexpr int fixed_top = is_product ? 32 : 16;
    static constexpr bool is_short = KIND <= EXACT_SPREAD, is_narrow = sizeof(element) == 2;
    static constexpr bool is_positive = std::is_same<Term, magnitude_term>::value || std::is_same<Term, square_term>::value;
    static constexpr bool always_strict = is_short || !windowed || (fits && !(is_product && is_positive));
    static constexpr loose_way loose = always_strict ? LOOSE_NEVER : is_narrow && is_positive ? LOOSE_TOTALS : LOOSE_TERMS;
    static constexpr int kept_bins = loose ? LOOSE_BINS : bins; /* that a window has, strict or loose                     */
    static constexpr bool may_add_together = loose == LOOSE_TERMS && is_bfloat16;
    static constexpr int factor_lowered = is_double && loose ? is_product ? 520 : 64 : 0;
    static constexpr int lowered = factor_lowered * (is_product ? 2 : 1);
    static constexpr exact_policy policy =
        exact_policy_of({ (int)sizeof(element), is_half, is_product, Term::is_pair, KIND });
    static constexpr int threads = policy.threads;
    template <int E> static constexpr int packs = E == 1 ? 8 : policy.vectors;
    static constexpr int vector_terms = policy.vectors * 16 / (int)sizeof(element);
    static constexpr int lane_terms = vector_terms < 8 ? 8 : vector_terms; /* of a batch, at most                         */
    /* Elements of a lane's batch with so many binades between them, at most, add up to a double exactly; 0: never asked. */
    static constexpr int spare =
        !is_product && !is_half && !is_double ? 53 - Format::description.precision - LANE_TERM_BITS : 0;
    /* And neighbours to floats. */
    static constexpr int pair_spare = spare && is_bfloat16 ? 24 - Format::description.precision - 1 : 0;
    static constexpr int column_threads = KIND == EXACT_FEW ? 0 : threads; /* 0: as many as the block has */
    static_assert(lane_terms <= 1 << LANE_TERM_BITS, "the sum of a lane's batch may not be a double");
    /* So many halves of the last bin's unit a lane loses of a batch, or of a move, at most (loose.cuh). */
    static constexpr int loss = loose == LOOSE_TOTALS ? 2 : is_double ? 2 * lane_terms : lane_terms;
    typedef std::conditional_t<
        is_double, integer_column<column_threads, is_product ? 2 * -1074 : -1074, is_product ? 2 * 1024 : 1024>,
        std::conditional_t<
            is_half || sizeof(element) == 4,
            std::conditional_t<is_product && !is_half, product_column<column_threads, 48>, float_column<column_threads>>,
            std::conditional_t<is_product,
                               std::conditional_t<Term::is_pair, product_column<column_threads, 16>,
                                                  bfloat16_square_column<column_threads>>,
                               bfloat16_column<column_threads>>>>
        any_column;
    typedef std::conditional_t<loose_only, no_column, any_column> column;
    typedef typename column::cell cell;
    /* Bytes of shared memory of a block: the columns, and the totals of its warps. */
    static constexpr unsigned column_size = column::cells * sizeof(cell) * threads;
    static constexpr unsigned shared = column_size + column::cells * sizeof(cell_total) * (threads / WARP);
    static_assert(shared <= EXACT_SHARED, "a block has more shared memory than the smallest device");
};

template <class Format, int E, int PACKS> struct batch_of {
    pack<Format, E> x[PACKS], y[PACKS]; /* y of pairs alone                                                             */
    int count;                          /* how many elements there are; the others are such that their term is -0        */

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
    asm volatile("" : "+l"(p));
    if (Term::is_pair) asm volatile("" : "+l"(q));
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

/* A term as a double, times 2^-shrunk: 16-bit elements are made doubles by moving their bits, since the conversion unit does
 * not keep up with them and others; it leaves the exponent short by a constant. Not for Inf and NaN. */
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
        const int bits = (int)(x << 16) >> missing; /* the sign, copied so many times, and the rest in its place */
        return __hiloint2double(cut_out(bits), 0);
    }
};

/* A product of halves is a float, and so is the square of a bfloat16 that is neither large nor small. Here the conversion
 * unit does it: moving two words of bits costs three instructions. */
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
static __device__ __forceinline__ void batch_parts(const batch_of<Format, E, PACKS> &b, int i, double (&part)[STREAMS]) {
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

/* The greatest |x| (and |y|) of a batch of 16-bit elements, as bits. */
template <class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ uint32_t narrow_most(const batch_of<Format, E, PACKS> &b) {
    uint32_t two = 0;
    if constexpr (E == 1) {
#pragma unroll
        for (int k = 0; k < PACKS; k++)
            two = max(two, max((uint32_t)b.x[k][0] & 0x7fff, Term::is_pair ? (uint32_t)b.y[k][0] & 0x7fff : 0));
    } else {
#pragma unroll
        for (int k = 0; k < PACKS; k++)
#pragma unroll
            for (int i = 0; i < 4; i += 2) {
                two = __vimax3_u16x2(two, b.x[k].word[i] & 0x7fff7fff, b.x[k].word[i + 1] & 0x7fff7fff);
                if (Term::is_pair) two = __vimax3_u16x2(two, b.y[k].word[i] & 0x7fff7fff, b.y[k].word[i + 1] & 0x7fff7fff);
            }
    }
    return max(two >> 16, two & 0xffff);
}

/* The least |x| > 0 of a batch of 16-bit elements, as bits; 2^16 if there is none. */
template <class Format, int E, int PACKS>
static __device__ __forceinline__ uint32_t narrow_least(const batch_of<Format, E, PACKS> &b) {
    uint32_t two = 0xffffffff; /* of bits - 1: zeros become the greatest number */
#pragma unroll
    for (int k = 0; k < PACKS; k++)
        if constexpr (E == 1) {
            two = min(two, (((uint32_t)b.x[k][0] & 0x7fff) - 1) & 0xffff);
        } else {
#pragma unroll
            for (int i = 0; i < 4; i++) two = __viaddmin_u16x2(b.x[k].word[i] & 0x7fff7fff, 0xffffffff, two);
        }
    return (E == 1 ? min(two, 0xffffu) : min(two >> 16, two & 0xffff)) + 1;
}

/* The greatest and the least magnitude of a lane's floats, as bits, twice; the least but for zeros, and less one. */
struct float_span {
    uint32_t greatest, least;
};

template <int E, int PACKS> static __device__ __forceinline__ float_span span_of(const batch_of<float_format, E, PACKS> &b) {
    float_span span = { 0, ~0u };
#pragma unroll
    for (int i = 0; i < PACKS * E; i++) {
        const uint32_t bits = bits_of_float(b.x[i / E][i % E]) << 1;
        span.greatest = max(span.greatest, bits);
        span.least = __viaddmin_u32(bits, ~0u, span.least);
    }
    return span;
}

/* Something that is at least the magnitude_word of every term of a batch, and INFINITE_WORD if Inf or NaN is among them: of
 * squares of floats NaN may be missed, products of doubles may overflow to it. */
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
            greatest = float_of_bits(span_of(b).greatest >> 1); /* which is asked for anyway */
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

/* ------------------------------------------------------------------------------------------------------- into windows */

/* By how many binades the elements of a lane's batch that are not zero differ; more than any do if their sum may be no
 * multiple of 2^unit. */
template <class Choice, class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ int batch_span(const batch_of<Format, E, PACKS> &b, int unit) {
    constexpr int stored = Format::description.precision - 1, least_unit = Format::description.least_exponent;
    int most, least; /* exponent fields: numbers are multiples of 2^(field - 1 + least_unit), or of that with field 1 */
    if constexpr (sizeof(typename Format::element) == 2) {
        most = (int)(narrow_most<Format, Term>(b) >> stored), least = (int)(narrow_least(b) >> stored);
    } else {
        const float_span span = span_of(b);
        most = (int)(span.greatest >> (stored + 1)), least = (int)(span.least >> (stored + 1));
    }
    return least - 1 + least_unit >= unit || least_unit >= unit ? most - least : INT_MAX;
}

template <class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ double batch_total(const batch_of<Format, E, PACKS> &b) {
    double total[2] = { 0, 0 };
#pragma unroll
    for (int i = 0; i < E * PACKS; i++) {
        double part[1];
        batch_parts<Format, Term>(b, i, part);
        total[i % 2] = total[i % 2] + part[0];
    }
    return total[0] + total[1];
}

/* The same by way of floats, which the sums of two neighbours are: of bfloat16. */
template <class Choice, class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ double total_of_pairs(const batch_of<Format, E, PACKS> &b) {
    constexpr uint32_t kept = Choice::is_positive ? 0x7fff7fff : 0xffffffff;
    double total[2] = { 0, 0 };
#pragma unroll
    for (int k = 0; k < PACKS; k++)
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const uint32_t two = b.x[k].word[i] & kept;
            total[i % 2] = total[i % 2] + (double)(float_of_bits(two << 16) + float_of_bits(two & 0xffff0000));
        }
    return (total[0] + total[1]) * power_of_two(-term_as_double<Format, Term>::shrunk);
}

/* Adds the terms of a batch to the lane's bins, by way of one sum if that does; answers whether something was left over, and
 * batch_most. unit: the exponent of the last bin's. */
template <class Choice, class Format, class Term, int E, int PACKS, class Bins>
static __device__ __forceinline__ bool window_batch(Bins &bin, const batch_of<Format, E, PACKS> &b, int unit,
                                                    uint32_t &most) {
    constexpr bool narrow = sizeof(typename Format::element) == 2; /* what is left over shows in the least magnitude      */
    constexpr bool apart = narrow || (!Choice::is_double && !Term::is_pair);
    most = apart ? batch_most<Format, Term>(b) : 0;
    if constexpr (Choice::spare > 0) {
        const int span = batch_span<Choice, Format, Term>(b, unit);
        if (__all_sync(WHOLE_WARP, span <= Choice::spare)) {
            double total;
            if (Choice::pair_spare && __all_sync(WHOLE_WARP, span <= Choice::pair_spare && most < PAIR_LIMIT))
                total = total_of_pairs<Choice, Format, Term>(b);
            else
                total = batch_total<Format, Term>(b);
            window_add_f64(bin.at[0], Choice::bins, total);
            return false;
        }
    }
    int rest_high = 0, rest_low = 0;
    bool left = false;
    if constexpr (narrow && !Choice::fits) {
        /* the exponent field of the least normal numbers that, or whose squares, the unit divides */
        const int field = (Term::is_product ? (unit + 1) >> 1 : unit) - Format::description.least_exponent + 1;
        left = field > 1 && narrow_least(b) < (uint32_t)field << (Format::description.precision - 1);
    }
#pragma unroll
    for (int i = 0; i < E * PACKS; i++) {
        if (Choice::is_short && i && i % E == 0 && i / E * WARP * E >= b.count) break;
        double part[Choice::streams];
        batch_parts<Format, Term>(b, i, part);
        if (!apart) most = max(most, magnitude_word(part[0]));
        left |= underflows<Format, Term>(b, i, part[0]);
#pragma unroll
        for (int s = 0; s < Choice::streams; s++) {
            auto &bins = bin.at[s];
            if constexpr (narrow) {
                window_add_f64(bins, Choice::bins, part[s]);
            } else {
                const double rest = window_extract(bins, Choice::bins, part[s]);
                rest_high |= __double2hiint(rest);
                rest_low |= __double2loint(rest);
            }
        }
    }
    return left || ((rest_high & 0x7fffffff) | rest_low) != 0; /* a rest of -0 is none */
}

/* Whether any term of a batch, which moved the bins or not, is something other than -0: these do not tell zeros apart. */
template <class Term, class Format, int E, int PACKS>
static __device__ __forceinline__ unsigned signs_of_batch(const batch_of<Format, E, PACKS> &b, bool moved) {
    if (!Term::is_pair && Term::value(-1.0f, -1.0f) > 0) return SAW_OTHER; /* magnitudes and squares are no -0            */
    bool other = moved;
#pragma unroll
    for (int k = 0; k < PACKS; k++) /* negative products that do not move a bin are -0                                  */
        other |= Term::is_pair ? b.x[k].has_equal_sign(b.y[k]) : b.x[k].is_other();
    return other ? SAW_OTHER : 0;
}

/* ------------------------------------------------------------------------------------------------------- into columns */

/* Adds all terms of a batch to the lane's column. */
template <class Choice, class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ unsigned column_batch(const batch_of<Format, E, PACKS> &b, unsigned saw) {
    typedef typename Choice::column Column;
    if ((!Column::knows_zero && !(saw & SAW_OTHER)) || batch_is_special<Format, Term>(b)) {
        b.each_pack([&](const batch_of<Format, E, 1> &one) {
#pragma unroll
            for (int i = 0; i < E; i++) {
                const auto x = decode(Format(), one.x[0][i]);
                saw |= column_add_any<Column, Term>(x, Term::is_pair ? decode(Format(), one.y[0][i]) : x);
            }
        });
        return saw;
    }
#pragma unroll
    for (int i = 0; i < E * PACKS; i++) {
        if (Choice::is_short && i && i % E == 0 && i / E * WARP * E >= b.count) break;
        const auto x = decode(Format(), b.x[i / E][i % E]), y = Term::is_pair ? decode(Format(), b.y[i / E][i % E]) : x;
        Column::template add<Term>(x, y);
    }
    return saw;
}

/* What Inf and NaN among the elements of one array's batch say of the sum. */
template <class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ unsigned specials_of_batch(const batch_of<Format, E, PACKS> &b) {
    unsigned saw = 0;
    b.each_pack([&](const batch_of<Format, E, 1> &one) {
#pragma unroll
        for (int i = 0; i < E; i++) {
            const double x = decode(Format(), one.x[0][i]);
            if (!double_is_finite(x)) saw |= seen(Term::value(x, x));
        }
    });
    return saw;
}

/* Adds to the lane's column what a batch leaves over beyond bins that stood so before it. */
template <class Choice, class Format, class Term, int E, int PACKS, class Bins>
static __device__ __forceinline__ void column_rests(Bins &before, const batch_of<Format, E, PACKS> &b) {
    b.each_pack([&](const batch_of<Format, E, 1> &one) {
#pragma unroll
        for (int i = 0; i < E; i++) {
            double part[Choice::streams];
            batch_parts<Format, Term>(one, i, part);
#pragma unroll
            for (int s = 0; s < Choice::streams; s++) {
                const double rest = window_extract(before.at[s], Choice::kept_bins, part[s]);
                if (rest != 0) Choice::column::add_rest(rest, term_as_double<Format, Term>::shrunk);
            }
        }
    });
}

#endif
