/* exact_warp.cuh - a warp of a block that adds up an array exactly: its batches go to its window, or to its lanes'
 * columns, and what windows that move have counted to the block's limbs.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_BLOCK_EXACT_WARP_CUH
#define QUIRE_CUDA_BLOCK_EXACT_WARP_CUH

#include "cuda/block/counts.cuh"
#include "cuda/warp/batch_bins.cuh"
#include "cuda/warp/column_totals.cuh"

/* How often a limb of the workspace is added to without a carry. A warp deposits its bins when its window moves, once
 * when it gives up, and at its end; and each READINGS readings, for which all warps together take 2^24 elements. A
 * block adds its sum and the totals of its columns once. Each of these adds less than 16 pieces to a limb: of up to two
 * streams of two bins, low and high, of neighbouring cells, or three of an integer. */
#define DEPOSIT_PIECES 16
static_assert((uint64_t)LANE_GROUPS * (1024 / WARP) * (MOVES + 3) * DEPOSIT_PIECES < (uint64_t)1 << 29,
              "moves and ends alone are half of what limbs take");
static_assert(READINGS * ((size_t)1 << WINDOW_HEADROOM) * WARP / DEPOSIT_PIECES >= (size_t)1 << 20,
              "readings of 2^49 elements, more than any memory has, are the other half");

/* A warp at work. What is rarely asked, and can be found again, is not kept: registers are scarce. */
template <class Choice> struct exact_warp {
    exact_window<Choice> window;
    int thread, additions; /* of a lane to columns since they were emptied */
    bool approximate;      /* whether bits are dropped from now on */
    unsigned dropped;      /* batches of this lane that may have lost some */
    unsigned saw;          /* see column.cuh */
};

/* Where windows that move leave their counts. */
template <class Choice>
static __device__ __forceinline__ limbs_of_warp limbs_of_block(const cuda_job &job, int thread, int shrunk) {
    return { rest_of_block(job, &counts_of_block<Choice>().rest)->limb, thread, shrunk };
}

/* Before a warp adds terms to its columns, that number a lane. */
template <class Choice> static __device__ __forceinline__ void columns_prepare(exact_warp<Choice> &w, int terms) {
    column_use use = { w.additions, w.saw };
    columns_prepare<Choice>(use, totals_of_warp<Choice>(), terms);
    w.additions = use.additions, w.saw = use.saw;
}

/* Fewer elements than a batch has, by the whole warp. */
template <class Choice, class Format, class Term>
static __device__ __noinline__ unsigned few_elements(const typename Format::element *x,
                                                     const typename Format::element *y, int n, int thread) {
    unsigned saw = 0;
#pragma unroll 1
    for (int i = thread; i < n; i += WARP) {
        const typename Format::real a = decode(Format(), x[i]), b = Term::is_pair ? decode(Format(), y[i]) : a;
        saw |= column_add_any<typename Choice::column, Term>(a, b);
    }
    return saw;
}

/* Before a warp adds terms to its window, that number a lane. */
template <class Choice>
static __device__ __forceinline__ void window_prepare(exact_warp<Choice> &w, const cuda_job &job, int terms,
                                                      int shrunk) {
    if (w.window.additions + terms > 1 << WINDOW_HEADROOM) {
        w.window.read();
        if (w.window.readings >= READINGS >> Choice::reading_bits) {
            w.window.deposit(limbs_of_block<Choice>(job, w.thread, shrunk));
            w.saw |= WARP_DEPOSITED;
        }
    }
    w.window.additions += terms;
}

/* Adds a lane's batch to the first USED bins of floats; answers whether it has moved one. */
template <int USED, class Format, class Term, class Floats, int E, int PACKS>
static __device__ __forceinline__ bool add_terms(Floats &floats, const batch_of<Format, E, PACKS> &b) {
    return floats.template add<E * PACKS, USED>(
        [&](float *bin, int i) { add_float_term<USED, Format, Term>(bin, b, i); });
}

/* The same of sums of two, which are floats. */
template <int USED, class Format, class Term, class Floats, int E, int PACKS>
static __device__ __forceinline__ bool add_pairs(Floats &floats, const batch_of<Format, E, PACKS> &b) {
    return floats.template add<E * PACKS / 2, USED>([&](float *bin, int i) {
        window_add_f32(bin, USED, float_term<Format, Term>(b, 2 * i) + float_term<Format, Term>(b, 2 * i + 1));
    });
}

/* A batch by way of floats, if they hold it; answers whether. It counts as one addition. */
template <class Choice, class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ bool add_floats(exact_warp<Choice> &w, const cuda_job &job,
                                                  const batch_of<Format, E, PACKS> &b) {
    constexpr int shrunk = term_as_double<Format, Term>::shrunk;
    constexpr int bins = Choice::float_count, usual = bins - Choice::float_spare;
    auto &floats = w.window.floats;
    const term_extent x = extent_of_terms<Format, Term>(b);
    if (!__all_sync(WHOLE_WARP, floats.hold(x, w.window.float_range(w.window.below))) &&
        !w.window.move_floats(x, shrunk))
        return false;
    window_prepare(w, job, 1, shrunk);
    const batch_of<Format, E, PACKS> same = b.forgotten();
    bool moved;
    if (Choice::adds_pairs && __all_sync(WHOLE_WARP, x.top + 1 - x.low <= 24))
        moved = add_pairs<bins, Format, Term>(floats, same);
    else if (usual == bins || __all_sync(WHOLE_WARP, floats.hold(x, Choice::floats::usual_range)))
        moved = add_terms<usual, Format, Term>(floats, same);
    else
        moved = add_terms<bins, Format, Term>(floats, same);
    if (!(w.saw & SAW_OTHER)) w.saw |= signs_of_batch<Term>(b, moved);
    return true;
}

/* Where a warp's first window belongs. */
template <class Choice, class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ int first_top(const batch_of<Format, E, PACKS> &b) {
    constexpr int shrunk = term_as_double<Format, Term>::shrunk;
    if constexpr (Choice::fits) return Choice::fixed_top - shrunk;
    if constexpr (!Choice::windowed) {
        const int top = extent_of_terms<Format, Term>(b).top;
        const bool is_finite = top < NOT_A_FLOAT / 2; /* or NOT_A_FLOAT and the top of the other factor */
        return warp_max(is_finite ? min(top, 100) : 2 * Format::description.least_exponent) + 16;
    }
    const uint32_t most = batch_most<Format, Term>(b.forgotten());
    return exact_window<Choice>::top_for((uint32_t)warp_max(most < INFINITE_WORD ? (int)most : 0),
                                         Choice::least - shrunk, Choice::bins);
}

/* A batch, by way of the window. Where no window holds such batches, and bits may be dropped, they are from the next
 * one on.
 */
template <class Choice, class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ void window_first(exact_warp<Choice> &w, const cuda_job &job,
                                                    const batch_of<Format, E, PACKS> &same) {
    constexpr int shrunk = term_as_double<Format, Term>::shrunk;
    auto &window = w.window;
    if (window.slow > 0) {
        window.slow--;
        columns_prepare(w, E * PACKS);
        w.saw |= column_batch<Choice, Format, Term>(same.forgotten(), w.saw);
        return;
    }
    if (!window.limit) window.place(first_top<Choice, Format, Term>(same));
    if constexpr (Choice::float_count && PACKS > 1)
        if (add_floats<Choice, Format, Term>(w, job, same)) {
            if (!Choice::windowed) window.be_quick();
            return;
        }
    const batch_of<Format, E, PACKS> b = same.forgotten();
    if constexpr (!Choice::windowed) {
        columns_prepare(w, E * PACKS);
        w.saw |= column_batch<Choice, Format, Term>(b, w.saw);
        __syncwarp();
        /* until the floats have held a batch the window follows: the first may have been zeros */
        const int better = window.floats.top == INT_MIN ? first_top<Choice, Format, Term>(b) : NO_WINDOW;
        if (better <= window.top || window.moves >= MOVES)
            window.be_slow();
        else if (window.learn(better, limbs_of_block<Choice>(job, w.thread, shrunk)))
            w.saw |= WARP_DEPOSITED;
        return;
    }
    window_prepare(w, job, E * PACKS, shrunk);
    auto before = window.bins(), bin = before;
    uint32_t most;
    const bool left =
        window_batch<Choice, Format, Term>(bin, b, window_unit(window.top, Choice::bins - 1) + shrunk, most);
    window.bins() = bin; /* here: a compiler that adds only what it needs has too few registers for it */
    const bool large = most >= INFINITE_WORD || (!Choice::fits && most >= window.limit);
    /* whether the lane's column takes all of the batch */
    const bool whole = large || (left && (!Choice::rests || Choice::streams == 2 || !double_is_finite(bin.at[0][0])));
    if (!(w.saw & SAW_OTHER) && !whole) w.saw |= signs_of_batch<Term>(b, !same_bins(bin, before));
    if (!__any_sync(WHOLE_WARP, whole || left)) return;
    const int better = Choice::fits ? window.top
                                    : window.better_top(whole || left, most < INFINITE_WORD ? most : 0,
                                                        Choice::least - shrunk, Choice::bins);
    if (Choice::approximate && better == NO_WINDOW) w.saw |= WARP_WIDE;
    const bool gives_up = Choice::approximate && better == NO_WINDOW && job.pass == PASS_APPROXIMATE;
    columns_prepare(w, E * PACKS);
    if (whole) {
        window.bins() = before;
        w.saw |= column_batch<Choice, Format, Term>(b.forgotten(), w.saw);
    } else if (left) {
        column_rests<Choice, Format, Term>(before, b);
    }
    __syncwarp();
    if (gives_up) {
        /* the next window is one of those that are approximate from the start, whose sums have its unit */
        window.deposit(limbs_of_block<Choice>(job, w.thread, shrunk));
        window.limit = 0;
        w.saw |= WARP_DEPOSITED;
        w.approximate = true;
    } else if (!Choice::fits) {
        if (window.learn(better, limbs_of_block<Choice>(job, w.thread, shrunk))) w.saw |= WARP_DEPOSITED;
    }
}

/* A batch, of which bits may be dropped. The window moves up where it must; what is not finite sends the warp to its
 * columns. */
template <class Choice, class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ void approximate_first(exact_warp<Choice> &w, const cuda_job &job,
                                                         const batch_of<Format, E, PACKS> &same) {
    constexpr int shrunk = term_as_double<Format, Term>::shrunk;
    constexpr bool totals = Choice::approximate == APPROXIMATE_TOTALS;
    auto &window = w.window;
    double total = 0;
    if constexpr (totals) total = approximate_total<Choice, Format, Term>(same);
    int top;
    if constexpr (totals)
        top = total == 0 ? ALL_ZERO : top_of_word(magnitude_word(total));
    else
        top = approximate_need<Choice, Format, Term>(same);
    const batch_of<Format, E, PACKS> b = same.forgotten();
    if (__any_sync(WHOLE_WARP, top > (window.limit ? window.top : NO_WINDOW))) {
        const int greatest = warp_max(top);
        if (greatest != NOT_FINITE) w.dropped += window.raise(approximate_top(greatest));
    }
    if (window.limit) window_prepare(w, job, totals ? 1 : E * PACKS, shrunk);
    auto bin = window.bins();
    if constexpr (totals)
        window_add_f64(bin.at[0], APPROXIMATE_BINS, total);
    else
        approximate_add<Choice, Format, Term>(bin.at[0], b, window.top, adds_together<Choice>(job));
    const bool fits = !__any_sync(WHOLE_WARP, top == NOT_FINITE || !double_is_finite(bin.at[0][0]));
    if (fits) window.bins() = bin;
    if (!fits) {
        if constexpr (Choice::approximate_only) {
            w.saw |= specials_of_batch<Format, Term>(b); /* beside which nothing shows in a sum of squares */
        } else {
            columns_prepare(w, E * PACKS);
            w.saw |= column_batch<Choice, Format, Term>(b.forgotten(), w.saw);
            __syncwarp();
        }
    } else if (top != ALL_ZERO) {
        w.saw |= SAW_OTHER;
        w.dropped++;
    } else if (!(w.saw & SAW_OTHER)) {
        w.saw |= signs_of_batch<Term>(b, false);
    }
}

template <class Choice, class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ void warp_batch(exact_warp<Choice> &w, const cuda_job &job,
                                                  const batch_of<Format, E, PACKS> &b) {
    if constexpr (Choice::approximate_only) {
        approximate_first<Choice, Format, Term>(w, job, b);
    } else if (Choice::approximate && w.approximate) {
        if constexpr (Choice::approximate) approximate_first<Choice, Format, Term>(w, job, b);
    } else if constexpr (Choice::counts) {
        window_first<Choice, Format, Term>(w, job, b);
    } else {
        columns_prepare(w, E * PACKS);
        w.saw |= column_batch<Choice, Format, Term>(b, w.saw);
    }
}

#endif
