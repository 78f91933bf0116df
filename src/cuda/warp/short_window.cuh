/* short_window.cuh - a warp's sum in an exact sum of a short array: its window (method/window.h), and what does not fit
 * it.
 *
 * There is a window from the start, which holds what is neither large nor small: where all is so nothing is to be found
 * out first. It has two bins, which take the sum of what a lane has of a batch: one addition an element, and four. A
 * batch that they do not hold moves the window, or goes to columns. Bins are read once, in the end.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_WARP_SHORT_WINDOW_CUH
#define QUIRE_CUDA_WARP_SHORT_WINDOW_CUH

#include "cuda/device/multiply.cuh"
#include "cuda/warp/batch_bins.cuh"
#include "cuda/warp/column_totals.cuh"
#include "cuda/warp/short_choice.cuh"
#include "cuda/warp/short_extent.cuh"

#define SHORT_CHAINS 4
#define SHORT_ROOM 2 /* binades left free above the first batch, if there are more */

/* A warp's window: elements below 2^top, multiples of 2^unit, which is the second bin's. */
struct short_window {
    double bin[2];
    int top, unit;
    uint32_t limit, floor[2]; /* of upper bits: what fits, one bin or two */
    bool counted;             /* whether it has been used */
    bool moved;               /* whether another window before it has been used */
    bool other;               /* whether there was something other than -0 */
    int columns;  /* terms of a lane that columns have taken since they were emptied; 0: they are not in use */
    unsigned saw; /* what those have seen, of this lane */
};

static __device__ __forceinline__ double bin_start(int unit) {
    return double_of_bits((uint64_t)(unit + 52 + 1023) << 52 | 0x8000000000000);
}

template <class Choice, class Format>
static __device__ __forceinline__ void window_at(short_window &w, int top, int shrunk) {
    w.top = top;
    w.unit = Choice::last_unit(top);
    w.bin[0] = bin_start(window_unit(top, 0) - shrunk);
    w.bin[1] = bin_start(w.unit - shrunk);
    w.counted = false;
    if (!Choice::fits) {
        w.limit = upper<Format>::limit(top - Choice::free_top);
        w.floor[0] = upper<Format>::floor(window_unit(top, 0));
        w.floor[1] = upper<Format>::floor(w.unit);
    }
}

template <class Choice, class Format> static __device__ __forceinline__ short_window open_window(int shrunk) {
    short_window w;
    window_at<Choice, Format>(w, Choice::first_window, shrunk);
    w.moved = w.other = false;
    w.columns = 0, w.saw = 0;
    return w;
}

/* What the bins of a warp's windows have counted, all lanes together. */
template <class Choice> struct alignas(Choice::counts * sizeof(int64_t)) window_counts { int64_t of[Choice::counts]; };

/* Of a warp, which has a window. */
template <class Choice>
static __device__ __forceinline__ window_counts<Choice> counts_of(const short_window &w, int shrunk) {
    window_counts<Choice> count;
#pragma unroll
    for (int k = 0; k < Choice::counts; k++)
        count.of[k] = warp_sum_units<2>(
            (int64_t)window_count_f64(w.bin[k], bin_start((k ? w.unit : window_unit(w.top, 0)) - shrunk)));
    return count;
}

/* As a sum, if they are of windows below 2^top, the last bin of which has that unit. */
template <class Choice>
static __device__ __forceinline__ fixed_sum sum_of_counts(const window_counts<Choice> &count, int top, int unit) {
    const int first_unit = window_unit(top, 0);
    if constexpr (Choice::counts == 1)
        return { count.of[0], first_unit, 0 };
    else
        return { ((__int128)count.of[0] << (first_unit - unit)) + count.of[1], unit, 0 };
}

/* Adds a sum to that of the windows before; to limbs if the units differ. By a whole warp. */
static __device__ __noinline__ void retire_sum(fixed_sum *before, bool first, fixed_sum sum, int64_t *limb) {
    if (threadIdx.x % WARP == 0) {
        if (first)
            *before = sum;
        else if (before->unit == sum.unit)
            before->units += sum.units;
        else
            limbs_add_units(limb, sum.units, sum.unit), before->flags = FIXED_LIMBS;
    }
    __syncwarp();
}

/* The same for what a window has counted; answers whether that was anything. */
template <class Choice>
static __device__ __noinline__ bool retire_window(fixed_sum *before, bool first, int64_t *limb,
                                                  window_counts<Choice> count, int top, int unit) {
    const fixed_sum sum = sum_of_counts<Choice>(count, top, unit);
    if (sum.units) retire_sum(before, first, sum, limb);
    return sum.units != 0;
}

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

/* Adds a batch to both bins, element by element. */
template <class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ void add_to_bins(double (&bin)[2], const batch_of<Format, E, PACKS> &b) {
#pragma unroll
    for (int i = 0; i < E * PACKS; i++) {
        if (i % E == 0 && is_beyond<E>(b, i / E)) break;
        double part[1];
        batch_parts<Format, Term, 1>(b, i, part);
        window_add_f64(bin, 2, part[0]);
    }
}

/* How many terms of a lane columns have taken once they have taken a load more, before which they may have to be
 * emptied. */
template <class Choice> static __device__ __forceinline__ int terms_after(int terms) {
    constexpr int more = Choice::E * Choice::column::of_term;
    static_assert(Choice::many || more * Choice::packs <= Choice::column::additions, "they must be emptied in between");
    return Choice::many && terms + more <= Choice::column::additions ? terms + more : more;
}

/* A load by way of columns, whatever it is, which have taken that number of terms; answers what has been seen. */
template <class Choice, class Format, class Term, int E>
static __device__ __noinline__ unsigned add_to_columns(batch_of<Format, E, 1> b, cell_total *total, int terms,
                                                       unsigned saw) {
    typedef typename Choice::column Column;
    if (!terms) {
        column_clear<Column>();
        for (int k = threadIdx.x % WARP; k < Column::cells; k += WARP) total[k] = { 0, 0 };
        __syncwarp();
    } else if (Choice::many && terms_after<Choice>(terms) <= terms) {
        saw |= columns_flush<Column>(total);
    }
    return column_batch<Choice, Format, Term>(b, saw);
}

/* Where a window belongs for a batch that the one below 2^top does not hold: on both, if that can be; or NO_WINDOW. If
 * there is room, on a multiple of top_step, so that the windows of neighbours mostly are alike. */
template <class Choice, class Format>
static __device__ __noinline__ int better_window(lane_extent of_lane, int room, bool counted, int top) {
    const warp_extent x = extent_of_warp<Format>(of_lane);
    const int lowest = Choice::least + max(window_range(1), Choice::precision);
    const int least = max(x.top + Choice::free_top + room, lowest),
              even = (least + Choice::top_step - 1) & -Choice::top_step;
    const int better = even <= WINDOW_GREATEST_TOP && x.low >= Choice::unit_for(even) ? even : least;
    const int both = max(better, top);
    if (x.special || better > WINDOW_GREATEST_TOP || x.low < Choice::unit_for(better)) return NO_WINDOW;
    return counted && x.low >= Choice::unit_for(both) ? both : better;
}

/* Moves a window to that top, if there is one; answers whether. before: the sum of the windows before. */
template <class Choice, class Format>
static __device__ __forceinline__ bool move_window(short_window &w, int top, int shrunk, fixed_sum *before,
                                                   int64_t *limb) {
    if (top == NO_WINDOW) return false;
    if (w.counted)
        w.moved |= retire_window<Choice>(before, !w.moved, limb, counts_of<Choice>(w, shrunk), w.top, w.unit);
    window_at<Choice, Format>(w, top, shrunk);
    return true;
}

/* Adds what a lane has of a batch to bins of a window; answers whether they hold that, and else has added nonsense: who
 * asks first has to wait. moves: whether the lane has what is not zero. The sum of a lane's batch is a double if the
 * first bin holds all of it, or if its elements are near each other. */
template <class Choice, class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ bool add_lane(double (&bin)[2], const short_window &w,
                                                const batch_of<Format, E, PACKS> &b, bool &moves) {
    bool fits;
    if constexpr (Choice::fits) {
        fits = extent_of_pairs<Term>(b).most < upper<Format>::infinity;
    } else {
        const lane_extent x = extent_of_lane<Format, Term>(b);
        const bool is_double = !Choice::one_is_enough || x.least >= w.floor[0] || is_near<Choice, Format>(x);
        fits = x.most < w.limit && x.least >= w.floor[1] && is_double;
        moves = x.most != 0;
    }
    if constexpr (Choice::one_is_all)
        bin[0] = bin[0] + total_of_lane<Format, Term>(b);
    else if constexpr (Choice::one_is_enough)
        window_add_f64(bin, 2, total_of_lane<Format, Term>(b));
    else
        add_to_bins<Format, Term>(bin, b);
    if (Choice::fits) moves = bin[0] != w.bin[0] || (!Choice::one_is_all && bin[1] != w.bin[1]);
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
template <class Choice, class Format, class Term, int LOADS, int E, int PACKS>
static __device__ __forceinline__ bool add_loads(double (&bin)[2], const short_window &w,
                                                 const batch_of<Format, E, PACKS> &b, bool &moves) {
    if constexpr (LOADS < PACKS)
        if (b.count > LOADS * WARP * E) return add_loads<Choice, Format, Term, 2 * LOADS>(bin, w, b, moves);
    return add_lane<Choice, Format, Term>(bin, w, first_loads<LOADS>(b), moves);
}

/* Adds a batch to a window, if that holds it; answers whether. */
template <class Choice, class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ bool add_fitting(short_window &w, const batch_of<Format, E, PACKS> &b, bool &moves) {
    constexpr int least = Choice::many ? PACKS : 1;
    double bin[2] = { w.bin[0], w.bin[1] };
    const bool fits = add_loads<Choice, Format, Term, least>(bin, w, b, moves);
    if (!__all_sync(WHOLE_WARP, fits)) return false;
    w.bin[0] = bin[0], w.bin[1] = bin[1];
    w.counted = true;
    return true;
}

/* One that was not added so: element by element, to a window that is moved if need be; or to columns. room: binades
 * left free above it, if the window moves. */
template <class Choice, class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ void add_misfit(short_window &w, const batch_of<Format, E, PACKS> &b, int room,
                                                  cell_total *total, fixed_sum *before, int64_t *limb) {
    constexpr int shrunk = term_as_double<Format, Term>::shrunk;
    if constexpr (!Choice::fits) {
        const lane_extent x = extent_of_lane<Format, Term>(b);
        const bool special = __any_sync(WHOLE_WARP, x.most >= upper<Format>::infinity);
        if (__all_sync(WHOLE_WARP, x.most < w.limit && x.least >= w.floor[1]) ||
            move_window<Choice, Format>(w, better_window<Choice, Format>(x, room, w.counted, w.top), shrunk, before,
                                        limb)) {
            add_to_bins<Format, Term>(w.bin, b);
            w.counted = true;
            return;
        }
        if (Choice::many && w.columns && !special) w.saw |= WARP_WIDE; /* not by one outlier */
    }
    each_load(b, [&](const batch_of<Format, E, 1> &one) {
        w.saw = add_to_columns<Choice, Format, Term>(one, total, w.columns, w.saw);
        w.columns = terms_after<Choice>(w.columns);
    });
}

/* What is left to do with a batch that was added, or not: what does not fit, and zeros, which may have signs. */
template <class Choice, class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ void settle_batch(short_window &w, const batch_of<Format, E, PACKS> &b, bool fits,
                                                    bool moves, int room, cell_total *total, fixed_sum *before,
                                                    int64_t *limb) {
    if (!fits) add_misfit<Choice, Format, Term>(w, b.forgotten(), room, total, before, limb);
    if (w.other) return;
    w.other = __any_sync(WHOLE_WARP, moves && (fits || !Choice::fits));
    if (w.other) return;
    unsigned signs = 0;
    each_load(b, [&](const batch_of<Format, E, 1> &one) { signs |= signs_of_batch<Term>(one, false); });
    w.other = __any_sync(WHOLE_WARP, signs != 0);
}

#endif
