/* exact.cuh - exact sums on a GPU: warps take batches, add them to their windows and columns; blocks add up what
 * their warps have counted and hand it to the last block, which rounds. All of it is integers that commute, so nothing of
 * who did what can show.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_EXACT_CUH
#define QUIRE_CUDA_EXACT_CUH

#include "cuda/bulk.cuh"
#include "cuda/deliver.cuh"
#include "cuda/loose.cuh"

/* A warp at work. */
template <class Choice> struct exact_warp {
    exact_window<Choice> window;
    cell_total *total; /* of the warp's columns                                                                         */
    int64_t *limb;     /* where windows that move leave their counts                                                    */
    int thread, additions; /* to columns since they were emptied                                                        */
    bool used;             /* whether the columns were ever used                                                        */
    bool may_drop, loose;  /* whether bits may be dropped, and are from now on                                          */
    bool hard;             /* whether it has met what no window holds; what starts loose does not look                  */
    bool together;         /* whether that is done to several added together                                            */
    unsigned dropped;      /* batches of this lane that may have lost some                                              */
    unsigned saw;
};

/* Before a warp adds so many terms a lane to its columns. */
template <class Choice> static __device__ __forceinline__ void columns_prepare(exact_warp<Choice> &w, int terms) {
    typedef typename Choice::column Column;
    if (!w.used) {
        column_clear<Column, Choice::threads>();
        for (int k = w.thread; k < Column::cells; k += WARP) w.total[k] = { 0, 0 };
        w.used = true;
    }
    if (w.additions + terms * Column::of_term > Column::additions) {
        w.saw |= columns_flush<Column, Choice::threads>(w.total);
        w.additions = 0;
    }
    w.additions += terms * Column::of_term;
}

/* Fewer elements than a batch has, by the whole warp. */
template <class Choice, class Format, class Term>
static __device__ __noinline__ unsigned few_elements(const typename Format::element *x, const typename Format::element *y,
                                                     int n, int thread) {
    unsigned saw = 0;
#pragma unroll 1
    for (int i = thread; i < n; i += WARP) {
        const typename Format::real a = decode(Format(), x[i]), b = Term::is_pair ? decode(Format(), y[i]) : a;
        saw |= column_add_any<typename Choice::column, Term>(a, b);
    }
    return saw;
}

/* Before a warp adds so many numbers a lane to its window. */
template <class Choice> static __device__ __forceinline__ void window_prepare(exact_warp<Choice> &w, int terms, int shrunk) {
    if (w.window.additions + terms > 1 << WINDOW_HEADROOM) {
        w.window.read();
        if (w.window.readings >= READINGS) w.window.deposit(w.limb, w.thread, shrunk);
    }
    w.window.additions += terms;
}

/* A batch, by way of the window. Where no window holds such batches, and bits may be dropped, they are from this one on. */
template <class Choice, class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ void window_first(exact_warp<Choice> &w, const batch_of<Format, E, PACKS> &b) {
    constexpr int shrunk = term_as_double<Format, Term>::shrunk;
    auto &window = w.window;
    if (window.slow > 0) {
        window.slow--;
        columns_prepare(w, E * PACKS);
        w.saw |= column_batch<Choice, Format, Term>(b.forgotten(), w.saw);
        return;
    }
    if (!window.limit) {
        const uint32_t first = Choice::fits ? 0 : batch_most<Format, Term>(b.forgotten());
        window.place(Choice::fits ? Choice::fixed_top - shrunk
                                  : window.top_for((uint32_t)warp_max(first < INFINITE_WORD ? (int)first : 0),
                                                   Choice::least - shrunk, Choice::bins));
    }
    window_prepare(w, E * PACKS, shrunk);
    auto before = window.bin;
    uint32_t most;
    const bool left =
        window_batch<Choice, Format, Term>(window.bin, b, window_unit(window.top, Choice::bins - 1) + shrunk, most);
    const bool large = most >= INFINITE_WORD || (!Choice::fits && most >= window.limit);
    /* whether the lane's column takes all of the batch */
    const bool whole = large || (left && (!Choice::rests || Choice::streams == 2 || !double_is_finite(window.bin.at[0][0])));
    if (!(w.saw & SAW_OTHER) && !whole) w.saw |= signs_of_batch<Term>(b, !same_bins(window.bin, before));
    if (!__any_sync(WHOLE_WARP, whole || left)) return;
    const int better = Choice::fits ? window.top
                                    : window.better_top(whole || left, most < INFINITE_WORD ? most : 0,
                                                        Choice::least - shrunk, Choice::bins);
    w.hard = w.hard || better == NO_WINDOW;
    const bool gives_up = Choice::loose && better == NO_WINDOW && w.may_drop;
    if (__any_sync(WHOLE_WARP, whole || !gives_up)) columns_prepare(w, E * PACKS);
    if (whole) {
        window.bin = before;
        w.saw |= column_batch<Choice, Format, Term>(b.forgotten(), w.saw);
    } else if (left && !gives_up) {
        column_rests<Choice, Format, Term>(before, b);
    } else if (left) {
        w.dropped += Choice::loose == LOOSE_TOTALS ? Choice::lane_terms : 1; /* here, too, term by term                   */
    }
    __syncwarp();
    if (gives_up) {
        if (Choice::streams > 1) window.deposit(w.limb, w.thread, shrunk); /* what is loose has one */
        w.loose = true;
    } else if (!Choice::fits) {
        window.learn(better, w.limb, w.thread, shrunk);
    }
}

/* A batch, of which bits may be dropped. The window moves up where it must; what is not finite sends the warp to its
 * columns. */
template <class Choice, class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ void loose_first(exact_warp<Choice> &w, const batch_of<Format, E, PACKS> &same) {
    constexpr int shrunk = term_as_double<Format, Term>::shrunk;
    constexpr bool totals = Choice::loose == LOOSE_TOTALS;
    auto &window = w.window;
    double total = 0;
    if constexpr (totals) total = loose_total<Choice, Format, Term>(same);
    int top;
    if constexpr (totals)
        top = total == 0 ? ALL_ZERO : top_of_word(magnitude_word(total));
    else
        top = loose_need<Choice, Format, Term>(same);
    const batch_of<Format, E, PACKS> b = same.forgotten();
    if (__any_sync(WHOLE_WARP, top > (window.limit ? window.top : NO_WINDOW))) {
        const int greatest = warp_max(top);
        if (greatest != NOT_FINITE) w.dropped += window.raise(loose_top(greatest));
    }
    if (window.limit) window_prepare(w, totals ? 1 : E * PACKS, shrunk);
    const auto before = window.bin;
    if constexpr (totals)
        window_add_f64(window.bin.at[0], LOOSE_BINS, total);
    else
        loose_add<Choice, Format, Term>(window.bin.at[0], b, window.top, w.together);
    if (__any_sync(WHOLE_WARP, top == NOT_FINITE || !double_is_finite(window.bin.at[0][0]))) {
        window.bin = before;
        columns_prepare(w, E * PACKS);
        w.saw |= column_batch<Choice, Format, Term>(b.forgotten(), w.saw);
        __syncwarp();
    } else if (top != ALL_ZERO) {
        w.saw |= SAW_OTHER;
        w.dropped++;
    } else if (!(w.saw & SAW_OTHER)) {
        w.saw |= signs_of_batch<Term>(b, false);
    }
}

template <class Choice, class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ void warp_batch(exact_warp<Choice> &w, const batch_of<Format, E, PACKS> &b) {
    if (Choice::loose && w.loose) {
        if constexpr (Choice::loose) loose_first<Choice, Format, Term>(w, b);
    } else if constexpr (Choice::windowed) {
        window_first<Choice, Format, Term>(w, b);
    } else {
        columns_prepare(w, E * PACKS);
        w.saw |= column_batch<Choice, Format, Term>(b, w.saw);
    }
}

/* The batches of a warp: first, first + step, ... so many. */
struct warp_turns {
    size_t first;
    unsigned step, count;
};

static __device__ __forceinline__ size_t shares_of(size_t n, size_t share) { return n / share + (n % share != 0); }

static __device__ __forceinline__ warp_turns turns_below(size_t first, unsigned step, size_t end) {
    return { first, step, first < end ? (unsigned)((end - 1 - first) / step) + 1 : 0u };
}

/* In turn with all warps of the grid, the first first, or the last. */
static __device__ __forceinline__ warp_turns turns_of_grid(size_t batches, bool last_first) {
    const unsigned warps = blockDim.x / WARP * gridDim.x, warp = threadIdx.x / WARP * gridDim.x + blockIdx.x;
    return turns_below(last_first ? warps - 1 - warp : warp, warps, batches);
}

/* In turn with those of the block, which has a piece of them. */
static __device__ __forceinline__ warp_turns turns_of_piece(size_t batches, const cuda_job &job) {
    const unsigned warps = blockDim.x / WARP, warp = threadIdx.x / WARP;
    size_t begin = (size_t)job.run * min(blockIdx.x, job.whole), run = job.run;
    if (blockIdx.x >= job.whole) {
        const unsigned block = blockIdx.x - job.whole, halved = min(block / job.step, job.halvings - 1);
        run >>= halved + 1;
        begin += (size_t)job.step * (job.run - (job.run >> halved)) + run * (block - halved * job.step);
    }
    return turns_below(begin + warp, warps, min(begin + run, batches));
}

/* Batches of n elements, share elements or the last of them each: the next is always under way while one is added. */
template <class Choice, class Format, class Term, int E, int PACKS, bool FULL>
static __device__ __forceinline__ void warp_batches(exact_warp<Choice> &w, const typename Format::element *x,
                                                    const typename Format::element *y, size_t n, size_t share,
                                                    warp_turns turns) {
    batch_of<Format, E, PACKS> now, next;
    size_t at = turns.first * share;
    auto load = [&] {
        next.count = n - at < share ? (int)(n - at) : (int)share;
        if (FULL)
            load_full_batch<Format, Term>(next, x + at, y + at, w.thread);
        else
            load_some_batch<Format, Term>(next, x + at, y + at, w.thread, next.count);
    };
    if (turns.count) load();
    for (; turns.count; turns.count--) {
        now = next;
        at += turns.step * share;
        if (turns.count > 1) load();
        warp_batch<Choice, Format, Term>(w, now);
    }
}

/* The elements from x and y on, which are aligned: of a long array full batches first, and what is left a load at a time, by
 * the last warps. */
template <class Choice, class Format, class Term, int E>
static __device__ __forceinline__ void warp_elements(exact_warp<Choice> &w, const typename Format::element *x,
                                                     const typename Format::element *y, size_t n, size_t share,
                                                     const cuda_job &job) {
    constexpr int PACKS = Choice::template packs<E>, BATCH = WARP * E * PACKS;
    if constexpr (Choice::is_short) {
        warp_batches<Choice, Format, Term, E, PACKS, false>(w, x, y, n, share, turns_of_grid(shares_of(n, share), false));
    } else {
        const size_t full = n / BATCH * BATCH;
        warp_batches<Choice, Format, Term, E, PACKS, true>(
            w, x, y, full, BATCH, job.run ? turns_of_piece(n / BATCH, job) : turns_of_grid(n / BATCH, false));
        warp_batches<Choice, Format, Term, E, 1, false>(w, x + full, y + full, n - full, WARP * E,
                                                        turns_of_grid(shares_of(n - full, WARP * E), true));
    }
}

template <class Format, class Term, int E, bool SHORT>
__global__ void __launch_bounds__((exact_choice<Format, Term, SHORT>::threads),
                                  (exact_choice<Format, Term, SHORT>::policy.blocks))
    exact_kernel(const __grid_constant__ cuda_job job) {
    typedef exact_choice<Format, Term, SHORT> Choice;
    typedef typename Choice::element element;
    if (job.pass != PASS_STRICT)
        let_later_work_start(); /* all blocks of this kernel have started then: those of the next are not in their way */
    after_earlier_work();
    if (job.pass == PASS_AGAIN && !*(volatile unsigned *)&job.workspace->undecided) return;
    __shared__ block_counts<Choice> block;
    static_assert(Choice::shared + sizeof block + exact_window<Choice>::memory <= SHARED_MEMORY,
                  "more than any block may have");
    cell_total *totals = (cell_total *)(column_bytes + Choice::column_size);
    const unsigned warp = threadIdx.x / WARP;
    exact_warp<Choice> w;
    w.window.open();
    w.total = totals + warp * Choice::column::cells;
    w.limb = rest_of_block(job, &block.rest)->limb;
    w.thread = threadIdx.x % WARP;
    w.additions = 0, w.used = false, w.saw = 0;
    w.may_drop = job.pass == PASS_LOOSE;
    w.loose = w.may_drop && (job.finish == FINISH_ROOT || blockIdx.x % HARD_EVERY), w.dropped = 0;
    w.hard = false;
    w.together = adds_together<Choice>(job);
    if (blockIdx.x == gridDim.x - 1) clear_accumulator(block.rest);
    __syncthreads();

    /* Elements before the first that is aligned are the first warp's. */
    const element *x = (const element *)job.x, *y = (const element *)job.y;
    size_t head = E == 1 ? 0 : (size_t)(-(uintptr_t)x % 16) / sizeof(element);
    if (head > job.n) head = job.n;
    if (head && warp == 0 && blockIdx.x == 0) {
        columns_prepare(w, 1);
        w.saw |= few_elements<Choice, Format, Term>(x, y, (int)head, w.thread);
    }
    warp_elements<Choice, Format, Term, E>(w, x + head, y + head, job.n - head, job.share, job);

    if (Choice::windowed) hand_over<Choice>(block, w.window, w.dropped, warp, w.thread);
    if (w.used) w.saw |= columns_flush<typename Choice::column, Choice::threads>(w.total);
    w.saw = warp_or(w.saw);
    if (w.thread == 0) block.saw[warp] = w.saw, block.used[warp] = w.used;
    if (Choice::loose && w.hard && w.thread == 0)
        *(volatile unsigned *)&job.workspace->hard = 1; /* what is hard goes to limbs, too: see take_hard */
    __syncthreads();
    deliver(job, block, totals, (int)warp, w.thread, term_as_double<Format, Term>::shrunk);
}

#endif
