/* exact_choice.cuh - what follows from a format, a term and what an exact kernel is for.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_EXACT_CHOICE_CUH
#define QUIRE_CUDA_THREAD_EXACT_CHOICE_CUH

#include <type_traits>

#include "cuda/device/warp.cuh"
#include "cuda/policy.h"
#include "cuda/thread/column.cuh"
#include "cuda/thread/float_bins.cuh"

/* What a sum that is known but for a little (method/ball.h) makes of a batch that no window holds; approximate.cuh. */
enum approximate_way {
    APPROXIMATE_NEVER,
    APPROXIMATE_TERMS, /* adds term by term, and drops what the last bin rounds away */
    APPROXIMATE_TOTALS /* adds the terms, none of which is negative, to one double, and that to the bins */
};
#define APPROXIMATE_BINS 2
#define LANE_TERM_BITS 6 /* a lane's batch has 2^6 terms at most */

/* What follows from the choices. */
template <class Format, class Term, exact_kind KIND> struct exact_choice {
    typedef typename Format::element element;
    typedef typename Format::real real;
    static constexpr bool is_product = Term::is_product, is_double = sizeof(real) == 8;
    static constexpr bool is_half = sizeof(element) == 2 && Format::description.precision == 11;
    static constexpr bool is_bfloat16 = sizeof(element) == 2 && Format::description.precision == 8;
    static_assert(sizeof(element) != 2 || is_half || is_bfloat16, "what windows hold of this format is not known");
    static constexpr bool windowed = !is_bfloat16 || !Term::is_pair; /* or no double is in a window */
    static constexpr bool fits = is_half;                            /* one window, always */
    static constexpr bool rests = !is_bfloat16 || !is_product; /* or a lane's batch is in the window, or in columns */
    static constexpr bool approximate_only = KIND == EXACT_APPROXIMATE_ONLY;
    static constexpr int streams = is_double && is_product && !approximate_only ? 2 : 1;
    static constexpr int bins = is_half && !is_product ? 1 : 2;
    /* No term has bits below 2^least; or, of squares of bfloat16, none that is computed in float. */
    static constexpr int least =
        is_bfloat16 && is_product ? -126 : Format::description.least_exponent * (is_product && !is_double ? 2 : 1);
    static constexpr int fixed_top = is_product ? 32 : 16;
    static constexpr bool is_long = KIND > EXACT_SPREAD, is_narrow = sizeof(element) == 2;
    static constexpr bool is_positive =
        std::is_same<Term, magnitude_term>::value || std::is_same<Term, square_term>::value;
    static constexpr bool never_approximate = !is_long || !windowed || (fits && !(is_product && is_positive));
    static constexpr bool has_totals = is_positive && (is_narrow || (approximate_only && !is_double));
    static constexpr approximate_way approximate = never_approximate ? APPROXIMATE_NEVER
                                                   : has_totals      ? APPROXIMATE_TOTALS
                                                                     : APPROXIMATE_TERMS;
    static constexpr int kept_bins = approximate ? APPROXIMATE_BINS : bins; /* that a window has, approximate or not */
    static constexpr bool may_add_together = approximate == APPROXIMATE_TERMS && is_bfloat16;
    static constexpr int factor_lowered = is_double && approximate ? is_product ? 520 : 64 : 0;
    static constexpr int lowered = factor_lowered * (is_product ? 2 : 1);
    static constexpr exact_case of_kind = { (int)sizeof(element), is_half, is_product, Term::is_pair, KIND };
    static constexpr exact_policy policy = exact_policy_of(of_kind);
    static constexpr bool quicker_by_doubles = exact_is_quicker_by_doubles(of_kind);
    static constexpr int threads = policy.threads;
    template <int E> static constexpr int packs = E == 1 ? 8 : policy.vectors;
    static constexpr int vector_terms = policy.vectors * 16 / (int)sizeof(element);
    static constexpr int lane_terms = vector_terms < 8 ? 8 : vector_terms; /* of a batch, at most */
    /* Bins of floats that a batch is tried in first (float_bins.cuh): as many as ordinary numbers need; 0: none. Of
     * squares of 16 bits some batches need one more. A product of floats is two terms. */
    static constexpr int float_streams = is_product && !product_is_float<Format> ? 2 : 1;
    static constexpr int float_spare = is_product && !Term::is_pair && product_is_float<Format>;
    static constexpr int float_count = !exact_adds_floats(of_kind) ? 0 : is_narrow && !is_product ? 2 : 3 + float_spare;
    typedef float_bins<lane_terms, float_count, float_spare, float_streams> floats;
    static constexpr bool adds_pairs = is_bfloat16 && !is_product;
    static constexpr bool counts = windowed || float_count; /* in a window */
    /* The terms that an addition to a window may be of, as a power of two. */
    static constexpr int reading_bits = float_count ? LANE_TERM_BITS : 0;
    static constexpr int column_threads = KIND == EXACT_SHORT ? 0 : threads; /* 0: as many as the block has */
    static_assert(lane_terms <= 1 << LANE_TERM_BITS, "the sum of a lane's batch may not be a double");
    /* How many halves of the last bin's unit a lane loses of a batch, or of a move, at most (approximate.cuh). */
    static constexpr int loss = approximate == APPROXIMATE_TOTALS ? 2 : is_double ? 2 * lane_terms : lane_terms;
    typedef std::conditional_t<
        is_double, integer_column<column_threads, is_product ? 2 * -1074 : -1074, is_product ? 2 * 1024 : 1024>,
        std::conditional_t<is_half || sizeof(element) == 4,
                           std::conditional_t<is_product && !is_half, product_column<column_threads, 48>,
                                              float_column<column_threads>>,
                           std::conditional_t<is_product,
                                              std::conditional_t<Term::is_pair, product_column<column_threads, 16>,
                                                                 bfloat16_square_column<column_threads>>,
                                              bfloat16_column<column_threads>>>>
        any_column;
    typedef std::conditional_t<approximate_only, no_column, any_column> column;
    typedef typename column::cell cell;
    static constexpr bool columns_fill = true; /* they may have to be emptied before the end */
    /* Bytes of shared memory of a block: the columns, and the totals of its warps. */
    static constexpr unsigned column_size = column::cells * sizeof(cell) * threads;
    static constexpr unsigned shared = column_size + column::cells * sizeof(cell_total) * (threads / WARP);
    static_assert(shared <= EXACT_SHARED, "a block has more shared memory than the smallest device");
};

#endif
