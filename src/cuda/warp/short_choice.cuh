/* short_choice.cuh - what follows from a format and a term for exact sums of short arrays.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_WARP_SHORT_CHOICE_CUH
#define QUIRE_CUDA_WARP_SHORT_CHOICE_CUH

#include "cuda/thread/bins.cuh"
#include "cuda/thread/exact_choice.cuh"
#include "cuda/warp/fixed_state.cuh"

/* The least number of bits b so that n is no more than 2^(b + from). */
static constexpr int bits_above(size_t n, int from) {
    int b = 0;
    while (n > (size_t)1 << (b + from)) b++;
    return b;
}

/* What follows from the choices. */
template <class Format, class Term, bool MANY> struct short_choice : exact_choice<Format, Term, EXACT_SHORT> {
    typedef exact_choice<Format, Term, EXACT_SHORT> Choice;
    static constexpr int arrays = Term::is_pair ? 2 : 1;
    static constexpr bool many = MANY, is_wide = sizeof(typename Format::element) == 8,
                          is_narrow = sizeof(typename Format::element) == 2;
    static constexpr int E = vector_elements<Format>, packs = (is_narrow || MANY ? 1 : 2) * SHORT_LOADS / arrays;
    /* Threads, if a block may have as much shared memory; half or a quarter of them if not. */
    static constexpr int parts = is_wide ? 4 : 2, threads = parts * Choice::threads;
    static constexpr int batches = MANY ? SHORT_BATCHES : 1;
    static constexpr int least = Format::description.least_exponent * (Choice::is_product ? 2 : 1);
    static constexpr int precision = Format::description.precision * (Choice::is_product ? 2 : 1);
    /* One window holds all there is, or it is placed by what is seen; the first bin may be enough, or not. */
    static constexpr bool one_is_all = Choice::fits && WINDOW_RANGE(1) >= Choice::fixed_top - least;
    static constexpr bool one_is_enough = one_is_all || (!Choice::fits && WINDOW_RANGE(1) >= precision);
    /* How many numbers a warp has in the end; and a block's shared memory. */
    static constexpr int counts = one_is_all ? 1 : 2, pieces = one_is_all ? 3 : 4; /* those in PIECE_BITS */
    static constexpr unsigned shared = parts * Choice::shared;
    /* The binades there may be between elements of a lane's batch for their sum to be a double exactly. */
    static constexpr int spare = 53 - precision - LANE_TERM_BITS;
    static_assert(packs * E <= 1 << LANE_TERM_BITS, "the sum of a batch may not be a double");
    /* Products of other formats have more bits than two bins hold of ordinary data. */
    static constexpr bool is_there = !Choice::is_product || Choice::fits;
    static constexpr int additions = batches * packs * E;
    static constexpr bool columns_fill = MANY;
    static_assert(columns_fill || additions * Choice::column::of_term <= Choice::column::additions, "they overflow");
    /* How many binades are left free below a window's top, and by how many its second bin's unit is larger (a fixed one
     * has no need of that), where bins take more than 2^WINDOW_HEADROOM additions: each may leave half a unit of the
     * first bin to the second, however small it is. */
    static constexpr int free_top = bits_above(additions, WINDOW_HEADROOM);
    static constexpr int fixed_window = Choice::fixed_top + free_top;
    static_assert(!is_there || !Choice::fits || fixed_window <= least + WINDOW_RANGE(one_is_all ? 1 : 2),
                  "it does not fit");
    /* What the first bin of such a window leaves is at most 2^(51 - room) units of the second's. */
    static constexpr bool has_rests = Choice::fits && !one_is_all;
    static constexpr int room = has_rests ? 52 + least + WINDOW_RANGE(1) - fixed_window : WINDOW_HEADROOM + free_top;
    static_assert(!is_there || additions <= 1 << room, "they fill the second bin");
    /* The window that is tried first is below 2^guess, which holds what is neither large nor small without looking. */
    static constexpr int guess = precision > 24 ? 7 : precision > 8 ? 4 : 16;
    static constexpr int unit_step = precision > 24 ? 4 : MANY ? 12 : 14, top_step = precision > 24 ? 4 : 8;
    static constexpr int first_window = Choice::fits ? fixed_window : guess;
    /* The elements, below 2^87 units each, that a grid sums up; a unit may be a step too large. */
    static constexpr size_t elements = (size_t)SHORT_BLOCKS * threads * additions;
    static_assert(bits_above(elements, 0) + WINDOW_RANGE(2) + unit_step < 127, "integers of 128 bits are too small");
    static_assert(bits_above(elements / SHORT_BLOCKS, 0) + WINDOW_RANGE(2) < FIXED_BITS, "and what a block publishes");
    /* The unit that a warp counts in if its elements are below 2^top: from a coarse grid, so that warps mostly agree.
     */
    static __host__ __device__ __forceinline__ constexpr int unit_for(int top) {
        const int above = top + free_top - WINDOW_RANGE(2) - least;
        return least + (above > 0 ? (above + unit_step - 1) / unit_step * unit_step : 0);
    }
    /* The unit of a window's last bin. */
    static __host__ __device__ __forceinline__ constexpr int last_unit(int top) {
        return Choice::fits ? least : unit_for(top);
    }
};

#endif
