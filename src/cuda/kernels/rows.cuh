/* rows.cuh - exact sums of rows, many at once. What it cannot tell it marks, for marked.cuh.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_KERNELS_ROWS_CUH
#define QUIRE_CUDA_KERNELS_ROWS_CUH

#include "cuda/grid/row_finish.cuh"
#include "cuda/kernels/grid_warps.cuh"
#include "cuda/warp/row_stream.cuh"

/* Starts to copy an item; y stands in the second half of a stage. */
template <class Format, row_terms TERMS>
static __device__ __forceinline__ void fetch_item(const vectors_job &job, const row_item &item, unsigned char *stage,
                                                  int lane) {
    piece_of<Format>(job, item, job.at.x, job.at.x_layout).fetch(stage, lane);
    if (TERMS == ROW_PRODUCTS && job.is_pair)
        piece_of<Format>(job, item, job.at.y, job.at.y_layout).fetch(stage + ROWS_STAGE / 2, lane);
}

/* Adds an item that has arrived. */
template <class Format, row_terms TERMS>
static __device__ __forceinline__ void take_item(row_sums<Format, TERMS> &sums, const vectors_job &job,
                                                 const row_item &item, const unsigned char *stage, int lane) {
    const unsigned char *x = stage + piece_of<Format>(job, item, job.at.x, job.at.x_layout).offset(), *y = x;
    if (TERMS == ROW_PRODUCTS && job.is_pair)
        y = stage + ROWS_STAGE / 2 + piece_of<Format>(job, item, job.at.y, job.at.y_layout).offset();
    add_item(sums, job, extent_of_item(job, item), x, y, lane);
}

template <class Format, row_terms TERMS>
__global__ void __launch_bounds__(VECTORS_THREADS, ROWS_BLOCKS) rows_kernel(const __grid_constant__ vectors_job job) {
    typedef row_sums<Format, TERMS> row_sums_of;
    __shared__ __align__(ROWS_CHUNK) unsigned char stages[VECTORS_THREADS / WARP][2][ROWS_STAGE];
    const int lane = threadIdx.x % WARP;
    unsigned char(&stage)[2][ROWS_STAGE] = stages[threadIdx.x / WARP];
    const unsigned rows = WARP / job.threads;
    row_item item = { warp_of_grid(), 0, 0 };
    row_sums_of sums;
    double mine[row_sums_of::words] = {};
    bool is_known = false;
    sums.clear();
    if (item.is_there(job)) fetch_item<Format, TERMS>(job, item, stage[0], lane);
    __pipeline_commit();
    for (unsigned side = 0; item.is_there(job); side ^= 1) {
        const row_item next = item.next(job, warps_of_grid());
        if (next.is_there(job)) fetch_item<Format, TERMS>(job, next, stage[side ^ 1], lane);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncwarp();
        take_item(sums, job, item, stage[side], lane);
        __syncwarp();
        if (item.ends_rows(job)) {
            sums.merge(job.threads);
            const int from = (lane % rows) * job.threads;
            const bool is_mine = lane / rows == item.turn, is_exact = __shfl_sync(WHOLE_WARP, (int)sums.is_exact(), from);
            for (int i = 0; i < row_sums_of::words; i++) {
                const double word = __shfl_sync(WHOLE_WARP, sums.word(i), from);
                if (is_mine) mine[i] = word;
            }
            if (is_mine) is_known = is_exact;
            sums.clear();
        }
        if (item.ends_bundle(job)) {
            const size_t v = item.bundle * job.turns * rows + lane;
            if ((unsigned)lane < rows * job.turns && v < job.vectors)
                finish_row<row_sums_of, TERMS>(job, v, job.at.x_layout.n, mine, is_known);
            __syncwarp();
        }
        item = next;
    }
}

#endif
