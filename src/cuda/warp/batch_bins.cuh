/* batch_bins.cuh - a batch's way into the bins of a window, or into columns.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_WARP_BATCH_BINS_CUH
#define QUIRE_CUDA_WARP_BATCH_BINS_CUH

#include "cuda/thread/batch.cuh"
#include "cuda/thread/exact_choice.cuh"

/* ----------------------------------------------------------------------------------------------------- into windows */

/* Adds the terms of a batch to the lane's bins, by way of one sum if that does; answers whether something was left
 * over, and batch_most. unit: the exponent of the last bin's. */
template <class Choice, class Format, class Term, int E, int PACKS, class Bins>
static __device__ __forceinline__ bool window_batch(Bins &bin, const batch_of<Format, E, PACKS> &b, int unit,
                                                    uint32_t &most) {
    constexpr bool narrow = sizeof(typename Format::element) == 2; /* what is left over shows in the least magnitude */
    constexpr bool apart = narrow || (!Choice::is_double && !Term::is_pair);
    most = apart ? batch_most<Format, Term>(b) : 0;
    int rest_high = 0, rest_low = 0;
    bool left = false;
    if constexpr (narrow && !Choice::fits) {
        /* the exponent field of the least normal numbers that, or whose squares, the unit divides */
        const int field = (Term::is_product ? (unit + 1) >> 1 : unit) - Format::description.least_exponent + 1;
        left = field > 1 && narrow_least<Format>(b.x) < (uint32_t)field << (Format::description.precision - 1);
    }
#pragma unroll
    for (int i = 0; i < E * PACKS; i++) {
        if (!Choice::is_long && i && i % E == 0 && i / E * WARP * E >= b.count) break;
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

/* Whether any term of a batch, which moved the bins or not, is something other than -0: these do not tell zeros apart.
 */
template <class Term, class Format, int E, int PACKS>
static __device__ __forceinline__ unsigned signs_of_batch(const batch_of<Format, E, PACKS> &b, bool moved) {
    if (!Term::is_pair && Term::value(-1.0f, -1.0f) > 0) return SAW_OTHER; /* magnitudes and squares are no -0 */
    bool other = moved;
#pragma unroll
    for (int k = 0; k < PACKS; k++) /* negative products that do not move a bin are -0 */
        other |= Term::is_pair ? b.x[k].has_equal_sign(b.y[k]) : b.x[k].is_other();
    return other ? SAW_OTHER : 0;
}

/* ----------------------------------------------------------------------------------------------------- into columns */

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
        if (!Choice::is_long && i && i % E == 0 && i / E * WARP * E >= b.count) break;
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
