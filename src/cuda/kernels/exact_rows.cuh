/* exact_rows.cuh - exact sums of rows: vectors whose elements stand side by side, or parts of long ones. A group of
 * threads of a warp has a row, or several whose loads are under way together; short rows that stand side by side and
 * begin anywhere pass through a block's shared memory; elements at any stride are loaded one by one; and long segments
 * have whole blocks. What two ends do not tell the warp does again by wider sums; what these cannot tell, either, is
 * left to a second kernel (by_element.cuh, exact_limbs.cuh).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_KERNELS_EXACT_ROWS_CUH
#define QUIRE_CUDA_KERNELS_EXACT_ROWS_CUH

#include "cuda/block/block_sums.cuh"
#include "cuda/block/stretch.cuh"
#include "cuda/grid/records.cuh"
#include "cuda/grid/sums_finish.cuh"
#include "cuda/grid/vector_source.cuh"
#include "cuda/group/row_sum.cuh"
#include "cuda/warp/segment_turns.cuh"

/* Rows that a warp, or a block, has: those of bundles first, first + step, ..., each of so many rows side by side. */
struct row_share {
    size_t first, step, rows;

    __device__ __forceinline__ size_t row(size_t i) const { return (i / rows * step + first) * rows + i % rows; }
};

/* Sum: what rows are added up in at first. PAIR: the terms are products of two arrays; else of an array with itself, or
 * no products. */
template <class Format, row_terms TERMS, class Sum, bool PAIR> struct exact_rows {
    typedef typename Format::element element;
    typedef row_place<Format, PAIR> place;
    typedef range_sums<Format, TERMS, Sum> sums;
    typedef range_sums<Format, TERMS, long_sum<2>> wide_sums;
    static constexpr bool has_ends = has_two_ends<Sum>;
    static constexpr int E = chunk_elements<Format>, LOADS = group_loads(TERMS == ROW_MOMENTS || PAIR),
                         LOADS_AGAIN = GROUPS_LOADS / 2;

    static __device__ __forceinline__ place row_at(const vectors_job &job, size_t v) {
        return { (const element *)job.at.x + (ptrdiff_t)v * job.at.x_layout.outer_stride,
                 PAIR ? (const element *)job.at.y + (ptrdiff_t)v * job.at.y_layout.outer_stride : NULL };
    }

    /* The same of any vector of a layout: from an element of it on. */
    static __device__ __forceinline__ place vector_from(const vectors_job &job, size_t v, size_t element) {
        const quire_layout &l = job.at.x_layout, &m = job.at.y_layout;
        if (!job.is_strided) return row_at(job, v).moved(element);
        const ptrdiff_t i = (ptrdiff_t)(v / l.inner), j = (ptrdiff_t)(v % l.inner), k = (ptrdiff_t)element;
        return { (const typename Format::element *)job.at.x + i * l.outer_stride + j * l.inner_stride + k * l.stride,
                 PAIR ? (const typename Format::element *)job.at.y + i * m.outer_stride + j * m.inner_stride +
                            k * m.stride
                      : NULL };
    }
    template <class Sums, int AHEAD, bool ALL>
    static __device__ __forceinline__ Sums sum_from(const vectors_job &job, const place &at, size_t n, unsigned thread,
                                                    unsigned threads) {
        if (job.is_strided)
            return sum_of_strided<Sums>(at, job.at.x_layout.stride, job.at.y_layout.stride, n, job.magnitude, thread,
                                        threads);
        return sum_of_row<Sums, AHEAD, ALL>(at, n, job.magnitude, thread, threads);
    }

    /* Rows of a group of threads that are under way together, of SLOTS chunks of a thread. */
    static __device__ constexpr unsigned at_once(int slots) { /* sums take registers, too */
        return slots == 1 ? LOADS / 2 : LOADS / slots;
    }

    static __device__ __forceinline__ void store_or_mark(const vectors_job &job, size_t v, vector_totals<TERMS> t) {
        if (!store_totals<Format, TERMS>(job, v, job.at.x_layout.n, t.sum, t.squares)) mark_result(job, v);
    }
    /* Row v, from its sum; none of a number beyond. By whole warps. What is mostly done is done without a call, which
     * would save registers in memory. */
    static __device__ __forceinline__ void store(const vectors_job &job, size_t v, const sums &sum) {
        __syncwarp();
        if constexpr (has_ends) {
            if (v < job.vectors && !store_quickly(job, v, sum)) finish_range(job, v, sum);
        } else if constexpr (exact_terms<Format, false>::is_double) {
            vector_totals<TERMS> t = totals_of(sum);
            if (v < job.vectors && !store_totals_here<Format, TERMS>(job, v, job.at.x_layout.n, t.sum, t.squares))
                mark_result(job, v);
        } else {
            if (v < job.vectors) store_or_mark(job, v, totals_of(sum));
        }
        __syncwarp();
    }
    static __device__ __noinline__ void store_last(const vectors_job &job, size_t v, const sums &sum) {
        store(job, v, sum);
    }

    /* The marked rows of a share, when all of them are done, 32 at a time, every so manieth of these. Not as they are
     * met: a call among the loads of other rows takes registers from all of these. */
    static __device__ __noinline__ void again(const vectors_job &job, const row_share share, unsigned number,
                                              unsigned every) {
        const int lane = threadIdx.x % WARP;
        for (size_t i = number * WARP + lane;; i += every * WARP) {
            const size_t v = share.row(i);
            if (!__any_sync(WHOLE_WARP, v < job.vectors)) break;
            const bool is_mine = v < job.vectors && is_marked(job, v);
            const unsigned found = __ballot_sync(WHOLE_WARP, is_mine),
                           threads = threads_again(__popc(found), job.at.x_layout.n, LOADS_AGAIN * E);
            vector_totals<TERMS> mine = {};
            each_marked(found, threads, v, mine, [&](size_t number, bool is_there, unsigned thread) {
                wide_sums s = sum_from<wide_sums, LOADS_AGAIN, false>(
                    job, vector_from(job, number, 0), is_there ? job.at.x_layout.n : 0, thread, threads);
                s.merge(threads);
                return totals_of(s);
            });
            if (is_mine) store_or_mark(job, v, mine);
            __syncwarp();
        }
    }

    /* Rows of whole chunks, of which a thread has SLOTS at most: as many rows at once as loads are under way. */
    template <int SLOTS> static __device__ __forceinline__ void together(const vectors_job &job) {
        constexpr unsigned AT_ONCE = at_once(SLOTS);
        const unsigned lane = threadIdx.x % WARP, threads = job.threads, rows = WARP / threads, thread = lane % threads,
                       bundle = AT_ONCE * rows;
        const unsigned chunks = (unsigned)(job.at.x_layout.n / E);
        const ptrdiff_t step_x = (ptrdiff_t)rows * job.at.x_layout.outer_stride,
                        step_y = (ptrdiff_t)rows * job.at.y_layout.outer_stride;
        auto finish = [&](size_t v, const sums &sum) { store(job, v, sum); };
        kept_rows<sums> kept;
        for (size_t first = warp_of_grid() * bundle; first < job.vectors; first += warps_of_grid() * bundle) {
            const size_t v = first + lane / threads;
            const unsigned left = v < job.vectors ? (unsigned)min(job.vectors - v, (size_t)bundle) : 0;
            const place at = row_at(job, v).moved(thread * E);
            row_chunks<Format, PAIR, AT_ONCE * SLOTS> chunk;
            sums total[AT_ONCE];
#pragma unroll
            for (unsigned u = 0; u < AT_ONCE; u++)
#pragma unroll
                for (unsigned s = 0; s < SLOTS; s++) {
                    const place from = { at.x + u * step_x + s * threads * E,
                                         PAIR ? at.y + u * step_y + s * threads * E : at.y };
                    chunk.load(u * SLOTS + s, from, u * rows < left && thread + s * threads < chunks);
                }
#pragma unroll
            for (unsigned u = 0; u < AT_ONCE; u++) {
                total[u].clear();
#pragma unroll
                for (unsigned s = 0; s < SLOTS; s++) chunk.add(total[u], u * SLOTS + s, job.magnitude);
            }
            __syncwarp();
#pragma unroll 1
            for (unsigned bit = threads / 2; bit; bit /= 2)
#pragma unroll
                for (unsigned u = 0; u < AT_ONCE; u++) total[u].merge_across(bit);
            kept.take(total, v, rows, thread, threads, finish);
        }
        kept.end([&](size_t v, const sums &sum) { store_last(job, v, sum); });
        if (has_ends && *has_marked()) again(job, { warp_of_grid(), warps_of_grid(), bundle }, 0, 1);
    }

    /* Rows of any length, or parts of them, however they begin. */
    static __device__ __forceinline__ void one_by_one(const vectors_job &job) {
        const unsigned lane = threadIdx.x % WARP, threads = job.threads, rows = WARP / threads, thread = lane % threads;
        const size_t units = job.vectors * job.parts;
        auto finish = [&](size_t v, const sums &sum) { store(job, v, sum); };
        kept_rows<sums> kept;
        for (size_t first = warp_of_grid() * rows; first < units; first += warps_of_grid() * rows) {
            /* A thread that has a column alone has neighbours of it beside it. */
            const size_t unit = first + lane / threads, by = threads == 1 ? job.vectors : job.parts,
                         whole = job.parts == 1 ? unit : unit / by, rest = job.parts == 1 ? 0 : unit - whole * by,
                         v = threads == 1 && job.parts > 1 ? rest : whole,
                         part = threads == 1 && job.parts > 1 ? whole : rest, from = part * job.part,
                         n = job.parts == 1 ? job.at.x_layout.n : min(job.at.x_layout.n - from, job.part);
            sums total[1] = { sum_from<sums, LOADS, true>(job, vector_from(job, v, from), unit < units ? n : 0, thread,
                                                          threads) };
            __syncwarp();
#pragma unroll 1
            for (unsigned bit = threads / 2; bit; bit /= 2) total[0].merge_across(bit);
            if (job.parts == 1)
                kept.take(total, v, 0, thread, threads, finish);
            else if (thread == 0 && unit < units)
                store_part(*job.workspace, v * job.parts + part, total[0]);
        }
        kept.end([&](size_t v, const sums &sum) { store_last(job, v, sum); });
        if (has_ends && *has_marked()) again(job, { warp_of_grid(), warps_of_grid(), rows }, 0, 1);
    }

    /* Short rows side by side, by way of shared memory. A group has one at a time, its threads as many elements each,
     * an odd number, so that they read different banks. */
    static __device__ __forceinline__ void staged(const vectors_job &job) {
        const unsigned threads = job.threads, log = 31 - __clz((int)threads), groups = GROUPS_THREADS >> log,
                       thread = threadIdx.x & (threads - 1), group = threadIdx.x >> log;
        const unsigned n = (unsigned)job.at.x_layout.n, share = share_of<Format>(n, log), from = min(thread * share, n),
                       count = min(n - from, share);
        const size_t step = gridDim.x * (size_t)job.rows_of_item;
        auto finish = [&](size_t v, const sums &sum) { store(job, v, sum); };
        kept_rows<sums> kept;
        for (size_t first = blockIdx.x * (size_t)job.rows_of_item; first < job.vectors; first += step) {
            const unsigned here = (unsigned)min(job.vectors - first, (size_t)job.rows_of_item);
            const stretch<Format, PAIR> rows(row_at(job, 0), first * n, (first + here) * n, job.vectors * n);
            for (unsigned row = group; row - group < here; row += groups) {
                sums total[1];
                total[0].clear();
                if (row < here) rows.add(total[0], row * n + from, count, job.magnitude);
                __syncwarp();
#pragma unroll 1
                for (unsigned bit = threads / 2; bit; bit /= 2) total[0].merge_across(bit);
                kept.take(total, row < here ? first + row : NO_ROW, 0, thread, threads, finish);
            }
            __syncthreads();
        }
        kept.end([&](size_t v, const sums &sum) { store_last(job, v, sum); });
        if (__syncthreads_or(has_ends && *has_marked()))
            again(job, { blockIdx.x, gridDim.x, job.rows_of_item }, threadIdx.x / WARP, GROUPS_THREADS / WARP);
    }

    /* Segments that have been put aside, by blocks: those of a segment leave records, and the last of them brings these
     * together. */
    static __device__ __forceinline__ void aside(const vectors_job &job) {
        const vector_source source(job);
        vectors_workspace &w = *job.workspace;
        const size_t most = source.count < gridDim.x && source.count ? gridDim.x / source.count : 1;
        for (size_t unit = blockIdx.x; unit < source.count * most; unit += gridDim.x) {
            const size_t slot = unit / most, number = source.list[slot];
            const segment_place its(job, number, true);
            const unsigned parts = (unsigned)min(most, its.n() / ASIDE_PART_LEAST + 1), part = (unsigned)(unit % most);
            const size_t each = (its.n() / parts / ROWS_LINE + 1) * ROWS_LINE, first = min(part * each, its.n());
            if (part >= parts) continue;
            sums total =
                sum_of_row<sums, LOADS, true>(arrays_from<Format, PAIR>(job, its.begin + (int64_t)first),
                                              min(its.n() - first, each), job.magnitude, threadIdx.x, GROUPS_THREADS);
            total = sum_of_block<GROUPS_THREADS>(total);
            if (parts > 1) {
                if (threadIdx.x == 0) store_record(&w.place[unit], total);
                if (!is_last_of(&w.ended[slot], parts)) continue;
                sum_of_records<GROUPS_THREADS>(total, &w.place[slot * most], parts);
            }
            if (threadIdx.x == 0) finish_sums(job, terms_of_vector<TERMS>(job, its.n()), number, total);
        }
        source.forget(job);
    }

    static __device__ __forceinline__ void all(const vectors_job &job) {
        if (job.shape == ROWS_ASIDE) return aside(job);
        if constexpr (has_ends) {
            *has_marked() = false;
            __syncwarp();
        }
        if (job.shape == ROWS_ONE_BY_ONE)
            one_by_one(job);
        else if (job.shape == ROWS_STAGED)
            staged(job);
        else if (job.slots == 1)
            together<1>(job);
        else if (job.slots == 2)
            together<2>(job);
        else
            together<GROUPS_SLOTS>(job);
    }
};

/* Two ends come first, but of doubles, and mostly of results that are doubles. */
template <class Format, row_terms TERMS, class Sum, bool PAIR>
__global__ void __launch_bounds__(GROUPS_THREADS, has_two_ends<Sum> ? GROUPS_BLOCKS : GROUPS_WIDE_BLOCKS)
    exact_rows_kernel(const __grid_constant__ vectors_job job) {
    exact_rows<Format, TERMS, Sum, PAIR>::all(job);
}

#endif
