/* exact.cuh - exact sums on a GPU: warps take batches, add them to their windows and columns; blocks add up what
 * their warps have counted and publish it; the last block gathers, and rounds. All of it is integers that commute, so
 * nothing of who did what can show.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_KERNELS_EXACT_CUH
#define QUIRE_CUDA_KERNELS_EXACT_CUH

#include "cuda/block/exact_warp.cuh"
#include "cuda/device/bulk.cuh"
#include "cuda/device/registers.cuh"
#include "cuda/device/special_registers.cuh"
#include "cuda/grid/finish.cuh"
#include "cuda/grid/gather_radius.cuh"
#include "cuda/grid/shares.cuh"

/* Batches of n elements, share elements or the last of them each: the next is always under way while one is added.
 * FULL: all are full, and of shares. */
template <class Choice, class Format, class Term, int E, int PACKS, bool FULL>
static __device__ __forceinline__ void warp_batches(exact_warp<Choice> &w, const typename Format::element *x,
                                                    const typename Format::element *y, size_t n, size_t share,
                                                    warp_turns turns, const cuda_job &job) {
    batch_of<Format, E, PACKS> now, next;
    auto load = [&] {
        const size_t at = turns.next * share;
        next.count = n - at < share ? (int)(n - at) : (int)share;
        if (FULL)
            load_full_batch<Format, Term>(next, x + at, y + at, w.thread);
        else
            load_some_batch<Format, Term>(next, x + at, y + at, w.thread, next.count);
    };
    if (turns.next < turns.end) load();
    while (turns.next < turns.end) {
        now = next;
        turns.next += warps_in_turn<FULL>(job);
        if (turns.next < turns.end) load();
        warp_batch<Choice, Format, Term>(w, job, now);
    }
}

/* The arrays from the first element on that is aligned. */
template <class Format> struct aligned_arrays {
    const typename Format::element *x, *y;
    size_t n, head; /* elements from there on, and before */
};

template <class Format, int E>
static __device__ __forceinline__ aligned_arrays<Format> aligned_arrays_of(const void *x, const void *y, size_t n) {
    typedef typename Format::element element;
    const size_t before = E == 1 ? 0 : (size_t)(-(uintptr_t)x % 16) / sizeof(element), head = before < n ? before : n;
    return { (const element *)x + head, (const element *)y + head, n - head, head };
}

/* Elements before the first that is aligned, fewer than a load has, by the first warp. */
template <class Choice, class Format, class Term, int E>
static __device__ __forceinline__ void first_elements(exact_warp<Choice> &w, const cuda_job &job, int count) {
    typedef typename Format::element element;
    if constexpr (Choice::approximate_only) {
        batch_of<Format, E, 1> b;
        b.count = count;
        load_some_batch<Format, Term>(b, (const element *)job.x, (const element *)job.y, w.thread, count);
        warp_batch<Choice, Format, Term>(w, job, b);
    } else {
        columns_prepare(w, 1);
        w.saw |= few_elements<Choice, Format, Term>((const element *)job.x, (const element *)job.y, count, w.thread);
    }
}

/* Of a long array full batches first, and what is left a load at a time, by the last warps. A spread one has shares of
 * a batch or less. */
template <class Choice, class Format, class Term, int E>
static __device__ __forceinline__ void warp_elements(exact_warp<Choice> &w, const cuda_job &job) {
    constexpr int PACKS = Choice::template packs<E>, BATCH = WARP * E * PACKS;
    const aligned_arrays<Format> a = aligned_arrays_of<Format, E>(job.x, job.y, job.n);
    if constexpr (!Choice::is_long) {
        const size_t share = job.shares.elements_per_turn;
        warp_batches<Choice, Format, Term, E, PACKS, false>(w, a.x, a.y, a.n, share,
                                                            turns_of_grid(shares_of(a.n, share)), job);
    } else {
        const unsigned batches = (unsigned)(a.n / BATCH);
        warp_batches<Choice, Format, Term, E, PACKS, true>(
            w, a.x, a.y, a.n, BATCH, has_pieces(job) ? turns_of_piece(batches, job) : turns_of_grid(batches), job);
        const void *x = job.x;
        size_t n = job.n;
        make_opaque(x, n); /* nothing of them is kept over the batches */
        const aligned_arrays<Format> b = aligned_arrays_of<Format, E>(x, job.y, n);
        const size_t full = b.n / BATCH * BATCH;
        warp_batches<Choice, Format, Term, E, 1, false>(w, b.x + full, b.y + full, b.n - full, WARP * E,
                                                        turns_from_last(shares_of(b.n - full, WARP * E), job), job);
    }
}

/* The last block's: gathers the sums of all, and finishes. batch: elements of a warp's. By all threads; out of line, so
 * that no other block keeps anything for it. */
template <class Choice>
static __device__ __noinline__ void finish_last_block(const cuda_job &job, block_counts<Choice> &block,
                                                      unsigned batch) {
    const int warp = threadIdx.x / WARP, thread = threadIdx.x % WARP;
    fixed_sum own = FIXED_NOTHING;
    if (warp == 0) own = block.own;
    const unsigned users = users_of_workspace(job);
    const fixed_sum sum = gather_sums(job, own, room_for(job.n), block);
    if (warp) return;
    ball_radius radius = BALL_EXACT;
    if constexpr (Choice::approximate) {
        if (thread == 0 && job.pass == PASS_AGAIN) job.workspace->undecided = 0;
        update_hint(job, sum, thread);
        radius = gather_radius(job, sum, block, batch, thread);
    }
    finish<Choice>(job, sum, radius, &block.rest, thread);
    leave_workspace(job, users, thread);
}

/* Publishes the sum of a block, or, in the last, gathers all; after every warp has stored its counts, and a barrier. By
 * all threads. */
template <class Choice>
static __device__ __forceinline__ void gather_and_finish(const cuda_job &job, block_counts<Choice> &block,
                                                         const cell_total *total, unsigned batch, int warp, int thread,
                                                         int shrunk) {
    const unsigned number = block_number();
    const bool is_last = number == gridDim.x - 1;
    if (warp == 0) {
        fixed_sum sum = sum_of_block(block, total, rest_of_block(job, &block.rest), gridDim.x > 1, thread, shrunk);
        if constexpr (Choice::approximate) {
            const bool wide =
                __any_sync(WHOLE_WARP, thread < (int)blockDim.x / WARP && (block.saw[thread] & WARP_WIDE));
            const ball_radius radius = block_radius(job, block, thread, shrunk);
            publish_radius<Choice>(job, sum, radius, wide, thread);
            if (is_last && thread == 0) block.own_radius = radius;
        }
        if (is_last && thread == 0) block.own = sum;
        if (!is_last) publish_sum(places_of(job), number, sum, thread);
        __syncwarp();
    }
    if (is_last) finish_last_block<Choice>(job, block, batch);
}

template <class Format, class Term, int E, exact_kind KIND>
__global__ void __launch_bounds__((exact_choice<Format, Term, KIND>::threads),
                                  (exact_choice<Format, Term, KIND>::policy.blocks))
    exact_kernel(const __grid_constant__ cuda_job job) {
    typedef exact_choice<Format, Term, KIND> Choice;
    if (job.pass != PASS_ALL_BITS)
        let_later_work_start(); /* all blocks of this kernel have started then: those of the next are not in their way
                                 */
    after_earlier_work();
    if (job.pass == PASS_AGAIN && !*(volatile unsigned *)&job.workspace->undecided) return;
    enter_workspace(job);
    block_counts<Choice> &block = counts_of_block<Choice>();
    static_assert(Choice::shared + sizeof block + exact_window<Choice>::memory <= SHARED_MEMORY,
                  "more than any block may have");
    const unsigned warp = threadIdx.x / WARP;
    exact_warp<Choice> w;
    w.window.open();
    w.thread = threadIdx.x % WARP;
    w.additions = 0, w.saw = 0, w.dropped = 0;
    w.approximate = job.pass == PASS_APPROXIMATE && block_number() % WIDE_EVERY;
    if (block_number() == gridDim.x - 1) {
        clear_accumulator(block.rest);
        if (threadIdx.x == 0) block.dropped_unit = NO_UNIT;
    }
    __syncthreads();

    if (warp == 0 && block_number() == 0) { /* elements before the first that is aligned */
        const int head = (int)aligned_arrays_of<Format, E>(job.x, job.y, job.n).head;
        if (head) first_elements<Choice, Format, Term, E>(w, job, head);
    }
    warp_elements<Choice, Format, Term, E>(w, job);
    let_later_work_start();

    if (Choice::counts) store_counts<Choice>(block, w.window, w.dropped, warp, w.thread);
    if constexpr (!Choice::approximate_only)
        if (w.saw & WARP_USED) w.saw |= columns_flush<typename Choice::column>(totals_of_warp<Choice>());
    w.saw = warp_or(w.saw);
    if (w.thread == 0) block.saw[warp] = w.saw;
    if (Choice::approximate && (w.saw & WARP_WIDE) && w.thread == 0)
        *(volatile unsigned *)&job.workspace->wide = 1; /* what no window holds goes to limbs, too: see update_hint */
    __syncthreads();
    gather_and_finish(job, block, totals_of_block<Choice>(), WARP * E * Choice::template packs<E>, (int)warp, w.thread,
                      term_as_double<Format, Term>::shrunk);
}

#endif
