/* scaled_parts.cuh - parts of a vector of doubles, each in a scale of its own (warp/scaled_sum.cuh), brought together.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_GRID_SCALED_PARTS_CUH
#define QUIRE_CUDA_GRID_SCALED_PARTS_CUH

#include <limits.h>

#include "cuda/grid/scaled_finish.cuh"
#include "cuda/grid/vectors_parts.cuh"

#define SPECIAL_PART INT_MIN /* the exponent of a part that has terms that are not finite: word[0] is their sum */

template <row_terms TERMS>
static __device__ __forceinline__ void store_scaled_part(part_state *place, const scaled_total &t) {
    const bool is_special = t.special != 0;
    store_totals_of_part<TERMS == ROW_MOMENTS>(place, t.sum, t.squares);
    if (is_special) place->word[0] = t.special;
    place->exponent = is_special ? SPECIAL_PART : t.exponent;
}

/* Adds a part's words times 2^down, down <= 0. Below 2^SCALE_LEAST nothing is left of it. */
template <int WORDS>
static __device__ __forceinline__ void add_scaled_words(exact_sum<WORDS> &sum, const double *word, const double *width,
                                                        int down) {
    const double factor = down < SCALE_LEAST ? 0 : power_of_two(down), back = power_of_two(-max(down, SCALE_LEAST));
    const double its_width = __ldcg(width), scaled_width = its_width * factor;
    bool has_lost = scaled_width * back != its_width;
    for (int i = 0; i < WORDS; i++) {
        const double number = __ldcg(&word[i]), scaled = number * factor;
        has_lost |= scaled * back != number;
        sum.add_word(i, scaled);
    }
    sum.widen(scaled_width, 0);
    if (has_lost) sum.widen(SCALED_LOSS, SCALED_LOSS);
}

/* The total of all parts; by a whole warp, in its first lane. */
template <class Format, row_terms TERMS>
static __device__ __noinline__ scaled_total total_of_scaled_parts(const part_state *place, unsigned parts, int lane) {
    typedef exact_agent<Format, TERMS == ROW_PRODUCTS> agent;
    exact_sum_of<Format, TERMS == ROW_PRODUCTS> sum;
    exact_sum_of<Format, true> squares;
    scaled_total t = { 0, SPECIAL_PART, {}, {} };
    sum.clear(), squares.clear();
    for (unsigned p = lane; p < parts; p += WARP) {
        const int exponent = __ldcg(&place[p].exponent);
        if (exponent == SPECIAL_PART) t.special += __ldcg(&place[p].word[0]);
        t.exponent = max(t.exponent, exponent);
    }
    t.exponent = warp_max(t.exponent);
    for (unsigned lanes = WARP / 2; lanes; lanes /= 2) t.special += __shfl_xor_sync(WHOLE_WARP, t.special, lanes);
    if (t.special != 0) return t;
    for (unsigned p = lane; p < parts; p += WARP) {
        const int down = __ldcg(&place[p].exponent) - t.exponent;
        add_scaled_words(sum, place[p].word, &place[p].width[0], down);
        if constexpr (TERMS == ROW_MOMENTS)
            add_scaled_words(squares, place[p].word + PART_SQUARES, &place[p].width[1], 2 * down);
    }
    t.sum = agent::merged(sum, WARP);
    if (TERMS == ROW_MOMENTS) t.squares = exact_agent<Format, true>::merged(squares, WARP);
    return t;
}

#endif
