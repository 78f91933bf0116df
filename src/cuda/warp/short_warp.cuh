/* short_warp.cuh - a warp that adds up what it has of a short array exactly: its batches go to its window
 * (eager_window.cuh), or to its lanes' columns.
 *
 * The bins take the sum of what a lane has of a batch: one addition an element, and four. A batch that they do not hold
 * moves the window, or goes to columns.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_WARP_SHORT_WARP_CUH
#define QUIRE_CUDA_WARP_SHORT_WARP_CUH

#include "cuda/device/multiply.cuh"
#include "cuda/warp/batch_bins.cuh"
#include "cuda/warp/column_totals.cuh"
#include "cuda/warp/eager_window.cuh"

#define SHORT_CHAINS 4

/* A warp at work. */
template <class Choice, class Format, class Term> struct short_warp {
    eager_window<Choice, Format, Term> window;
    column_use columns;
    bool other; /* whether there was something other than -0 */
};

/* A float, times 2^-shrunk: as narrow_as_double, with bits for both words, which a product moves. */
template <class Term> struct moved_float : narrow_as_double<Term, 8> {
    typedef narrow_as_double<Term, 8> narrow;
    static __device__ __forceinline__ double of(float x, float) {
        const int64_t bits = multiply_wide<1 << (32 - narrow::missing)>((int)bits_of_float(x));
        return __hiloint2double(narrow::cut_out((int)(bits >> 32)), (int)bits);
    }
};

/* A narrow element, times 2^-shrunk. */
template <class Format, class Term> struct moved_term : term_as_double<Format, Term> {};
template <class Term> struct moved_term<float_format, Term> : moved_float<Term> {};

/* The sum of a lane's batch, if that is a double: several chains of additions, as each has to wait for the one before
 * it. Half of the narrow elements are made doubles by moving their bits, half by the conversion unit, which takes eight
 * clocks for a warp's: so both are at work. */
template <class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ double total_of_lane(const batch_of<Format, E, PACKS> &b) {
    static_assert(E >= SHORT_CHAINS, "a load has fewer elements");
    typedef moved_term<Format, Term> moved;
    constexpr bool moves = !Term::is_product;
    constexpr int shrunk = term_as_double<Format, Term>::shrunk;
    double sum[SHORT_CHAINS];
#pragma unroll
    for (int i = 0; i < E * PACKS; i++) {
        if (i >= SHORT_CHAINS && i % E == 0 && is_beyond<E>(b, i / E)) break;
        double part[1];
        if (!moves)
            batch_parts<Format, Term, 1>(b, i, part);
        else if (i % SHORT_CHAINS < 2)
            part[0] = Term::value(decode(Format(), b.x[i / E][i % E]), 0.0f);
        else
            part[0] = moved::of(b.x[i / E][i % E], 0);
        sum[i % SHORT_CHAINS] = i < SHORT_CHAINS ? part[0] : sum[i % SHORT_CHAINS] + part[0];
    }
    if (!moves) return (sum[0] + sum[1]) + (sum[2] + sum[3]);
    return (sum[0] + sum[1]) * power_of_two(-shrunk) + (sum[2] + sum[3]) * power_of_two(moved::shrunk - shrunk);
}

/* Adds a batch to the bins, element by element. */
template <class Format, class Term, int BINS, int E, int PACKS>
static __device__ __forceinline__ void add_to_bins(window_bins<1, BINS> &bins, const batch_of<Format, E, PACKS> &b) {
#pragma unroll
    for (int i = 0; i < E * PACKS; i++) {
        if (i % E == 0 && is_beyond<E>(b, i / E)) break;
        double part[1];
        batch_parts<Format, Term, 1>(b, i, part);
        window_add_f64(bins.at[0], BINS, part[0]);
    }
}

/* A load by way of columns, whatever it is. */
template <class Choice, class Format, class Term, int E>
static __device__ __noinline__ column_use add_to_columns(batch_of<Format, E, 1> b, cell_total *total,
                                                         column_use columns) {
    columns_prepare<Choice>(columns, total, E);
    columns.saw = column_batch<Choice, Format, Term>(b, columns.saw);
    return columns;
}

/* Adds what a lane has of a batch to bins of a window; answers whether they hold that, and else has added nonsense: who
 * asks first has to wait. moves: whether the lane has what is not zero. The sum of a lane's batch is a double if the
 * first bin holds all of it, or if its elements are near each other. */
template <class Choice, class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ bool add_lane(window_bins<1, Choice::counts> &bins,
                                                eager_window<Choice, Format, Term> &window,
                                                const batch_of<Format, E, PACKS> &b, bool &moves) {
    bool fits;
    if constexpr (Choice::fits) {
        fits = extent_of_pairs<Term>(b).most < upper<Format>::infinity;
    } else {
        const lane_extent x = extent_of_lane<Format, Term>(b);
        const bool is_double = !Choice::one_is_enough || x.least >= window.floor[0] || is_near<Choice, Format>(x);
        fits = window.holds(x) && is_double;
        moves = x.most != 0;
    }
    if constexpr (Choice::one_is_all)
        bins.at[0][0] = bins.at[0][0] + total_of_lane<Format, Term>(b);
    else if constexpr (Choice::one_is_enough)
        window_add_f64(bins.at[0], 2, total_of_lane<Format, Term>(b));
    else
        add_to_bins<Format, Term>(bins, b);
    if (Choice::fits) moves = !same_bins(bins, window.bins());
    return fits;
}

/* The first loads of a batch. */
template <int LOADS, class Format, int E, int PACKS>
static __device__ __forceinline__ batch_of<Format, E, LOADS> first_loads(const batch_of<Format, E, PACKS> &b) {
    batch_of<Format, E, LOADS> some;
#pragma unroll
    for (int k = 0; k < LOADS; k++) some.x[k] = b.x[k], some.y[k] = b.y[k];
    some.count = LOADS * WARP * E;
    return some;
}

/* The same for a batch of LOADS loads, or of more, without asking in between whether it ends there. */
template <int LOADS, class Choice, class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ bool add_loads(window_bins<1, Choice::counts> &bins,
                                                 eager_window<Choice, Format, Term> &window,
                                                 const batch_of<Format, E, PACKS> &b, bool &moves) {
    if constexpr (LOADS < PACKS)
        if (b.count > LOADS * WARP * E) return add_loads<2 * LOADS>(bins, window, b, moves);
    return add_lane(bins, window, first_loads<LOADS>(b), moves);
}

/* Adds a batch to a window, if that holds it; answers whether. */
template <class Choice, class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ bool add_fitting(eager_window<Choice, Format, Term> &window,
                                                   const batch_of<Format, E, PACKS> &b, bool &moves) {
    constexpr int least = Choice::many ? PACKS : 1;
    window_bins<1, Choice::counts> bins = window.bins();
    const bool fits = add_loads<least>(bins, window, b, moves);
    if (!__all_sync(WHOLE_WARP, fits)) return false;
    window.bins() = bins;
    window.used = true;
    return true;
}

/* One that was not added so: element by element, to a window that is moved if need be; or to columns. */
template <class Choice, class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ void add_misfit(short_warp<Choice, Format, Term> &w,
                                                  const batch_of<Format, E, PACKS> &b, cell_total *total,
                                                  fixed_of_warp to) {
    if constexpr (!Choice::fits) {
        auto &window = w.window;
        const lane_extent x = extent_of_lane<Format, Term>(b);
        const bool special = __any_sync(WHOLE_WARP, x.most >= upper<Format>::infinity);
        if (__all_sync(WHOLE_WARP, window.holds(x)) || window.move(window.better_top(x, window.used, window.top), to)) {
            add_to_bins<Format, Term>(window.bins(), b);
            window.used = true;
            return;
        }
        if (Choice::many && (w.columns.saw & WARP_USED) && !special)
            w.columns.saw |= WARP_WIDE; /* not by one outlier */
    }
    each_load(b, [&](const batch_of<Format, E, 1> &one) {
        w.columns = add_to_columns<Choice, Format, Term>(one, total, w.columns);
    });
}

/* What is left to do with a batch that was added, or not: what does not fit, and zeros, which may have signs. */
template <class Choice, class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ void settle_batch(short_warp<Choice, Format, Term> &w,
                                                    const batch_of<Format, E, PACKS> &b, bool fits, bool moves,
                                                    cell_total *total, fixed_of_warp to) {
    if (!fits) add_misfit(w, b.forgotten(), total, to);
    if (w.other) return;
    w.other = __any_sync(WHOLE_WARP, moves && (fits || !Choice::fits));
    if (w.other) return;
    unsigned signs = 0;
    each_load(b, [&](const batch_of<Format, E, 1> &one) { signs |= signs_of_batch<Term>(one, false); });
    w.other = __any_sync(WHOLE_WARP, signs != 0);
}

#endif
