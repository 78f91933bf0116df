/* marked.cuh - the results that a first kernel has marked, or all of a job's: a vector a warp, by the slow ways.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_KERNELS_MARKED_CUH
#define QUIRE_CUDA_KERNELS_MARKED_CUH

#include "cuda/grid/row_finish.cuh"
#include "cuda/kernels/grid_warps.cuh"
#include "operation/moments.h"

/* A warp's shared memory. */
template <row_terms TERMS> struct marked_room {
    warp_cells cells;
};
template <> struct marked_room<ROW_MOMENTS> {
    warp_cells cells, squares;
    accumulated_moment_room moment;
};

/* The first lane's total, in all of them: lanes may have different words of the same sum. */
static __device__ __forceinline__ vector_total total_of_first(vector_total t) {
    for (int i = 0; i < VECTORS_WORDS; i++) t.word[i] = __shfl_sync(WHOLE_WARP, t.word[i], 0);
    t.is_known = __shfl_sync(WHOLE_WARP, (int)t.is_known, 0);
    return t;
}

/* The sum of a vector's numbers or products. */
template <class Format, row_terms TERMS>
static __device__ __forceinline__ void sum_marked(const vectors_job &job, marked_room<TERMS> &room, size_t v, int lane) {
    constexpr bool is_product = TERMS == ROW_PRODUCTS;
    typedef exact_agent<Format, is_product> agent;
    const vector_pair<Format> at = vector_at<Format>(job.at, job.vectors, v);
    vector_total t = total_of_first(agent::consume(at, 0, at.n, job.rows, job.magnitude, lane, WARP));
    if (t.is_known && !needs_terms(job, t)) {
        if (lane == 0) store_vector<agent>(job, v, at.n, t.word);
        __syncwarp();
    } else {
        sum_by_cells<Format, is_product>(job, room.cells, v, lane);
    }
}

/* A vector's sum or that of its squares as an accumulator: from the few doubles of a total, or else by cells. */
template <class Format, bool PRODUCT>
static __device__ __forceinline__ void fill_cells(const vectors_job &job, warp_cells &cells, const vector_pair<Format> &at,
                                                  const vector_total &t, int lane) {
    cells.clear(lane);
    if (t.is_known) {
        if (lane < VECTORS_WORDS) cells.add_double(t.word[lane]);
        cells.empty(lane);
    } else {
        add_by_cells<Format, PRODUCT>(cells, at.x, at.x, 0, at.n, job.magnitude, lane);
    }
    if (lane == 0) cells.sum.count = (int64_t)at.n;
    __syncwarp();
}

/* As row_sums say it. */
template <int NUMBERS, int SQUARES> struct moment_words {
    static constexpr int number_words = NUMBERS, words = NUMBERS + SQUARES;
};

/* The same of a variance, by integers where no ball decides. */
template <class Format>
static __device__ __forceinline__ void moment_marked(const vectors_job &job, marked_room<ROW_MOMENTS> &room, size_t v,
                                                     int lane) {
    typedef exact_agent<Format, false> numbers;
    typedef exact_agent<Format, true> squares;
    typedef moment_words<numbers::words, squares::words> both;
    vector_pair<Format> at = vector_at<Format>(job.at, job.vectors, v);
    at.y = at.x;
    const vector_total s = total_of_first(numbers::consume(at, 0, at.n, job.rows, false, lane, WARP));
    const vector_total q = total_of_first(squares::consume(at, 0, at.n, job.rows, false, lane, WARP));
    double word[both::words];
    for (int i = 0; i < both::words; i++) word[i] = i < numbers::words ? s.word[i] : q.word[i - numbers::words];
    bool is_stored = s.is_known && q.is_known && at.n;
    if (is_stored && lane == 0) is_stored = store_moment<both>(job, v, at.n, word);
    if (__shfl_sync(WHOLE_WARP, (int)is_stored, 0)) return;
    fill_cells<Format, false>(job, room.cells, at, s, lane);
    fill_cells<Format, true>(job, room.squares, at, q, lane);
    if (lane == 0)
        format_store(accumulated_moments_round(&room.cells.sum, &room.squares.sum, job.finish, job.correction, job.format,
                                               job.rounding, &room.moment),
                     job.format.size, result_at(job, v));
    __syncwarp();
}

template <class Format, row_terms TERMS>
static __device__ __forceinline__ void one_marked(const vectors_job &job, marked_room<TERMS> &room, size_t v, int lane) {
    if constexpr (TERMS == ROW_MOMENTS)
        moment_marked<Format>(job, room, v, lane);
    else
        sum_marked<Format, TERMS>(job, room, v, lane);
}

/* job.takes_all: nothing has been marked. The last block to end forgets what was. */
template <class Format, row_terms TERMS>
__global__ void __launch_bounds__(MARKED_THREADS) marked_kernel(const __grid_constant__ vectors_job job) {
    __shared__ marked_room<TERMS> rooms[MARKED_THREADS / WARP];
    marked_room<TERMS> &room = rooms[threadIdx.x / WARP];
    vectors_workspace &w = *job.workspace;
    const int lane = threadIdx.x % WARP;
    const size_t marked = job.takes_all ? job.vectors : *(volatile unsigned *)&w.marked;
    if (!marked) return;
    if (job.takes_all || marked <= MARKED_LISTED) {
        for (size_t i = warp_of_grid(); i < marked; i += warps_of_grid())
            one_marked<Format, TERMS>(job, room, job.takes_all ? i : w.marked_vector[i], lane);
    } else {
        for (size_t first = warp_of_grid() * WARP; first < job.vectors; first += warps_of_grid() * WARP) {
            const bool is = first + lane < job.vectors && is_marked(job, first + lane);
            for (unsigned left = __ballot_sync(WHOLE_WARP, is); left; left &= left - 1)
                one_marked<Format, TERMS>(job, room, first + (unsigned)__ffs((int)left) - 1, lane);
        }
    }
    if (!job.takes_all && is_last_block(&w.ended[ENDED_MARKED])) w.ended[ENDED_MARKED] = 0, w.marked = 0;
}

#endif
