/* rows.cuh - exact sums of rows, many at once. What it cannot tell it marks, for marked.cuh.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_KERNELS_ROWS_CUH
#define QUIRE_CUDA_KERNELS_ROWS_CUH

#include "cuda/grid/row_finish.cuh"
#include "cuda/kernels/grid_warps.cuh"
#include "cuda/warp/row_stream.cuh"

/* The result of a row, or what a part of it has come to. */
template <class Sums, row_terms TERMS>
static __device__ __forceinline__ void finish_or_leave(const vectors_job &job, size_t v, const double *word,
                                                       const double *width) {
    if (job.parts == 1)
        finish_row<Sums, TERMS>(job, v, job.at.x_layout.n, word, width);
    else
        store_part<Sums>(*job.workspace, v, word, width);
}

template <class Format, row_terms TERMS>
__global__ void __launch_bounds__(VECTORS_THREADS, ROWS_BLOCKS) rows_kernel(const __grid_constant__ vectors_job job) {
#if QUIRE_HAS_BULK
    typedef row_sums<Format, TERMS> sums_of_row;
    constexpr bool has_pairs = TERMS == ROW_PRODUCTS;
    extern __shared__ __align__(ROWS_CHUNK) unsigned char shared[];
    warp_stages &stages = ((warp_stages *)shared)[threadIdx.x / WARP];
    const int lane = threadIdx.x % WARP;
    const unsigned threads = job.threads, row = lane / threads, thread = lane % threads;
    const unsigned row_bytes =
        job.pieces == 1 ? (unsigned)job.at.x_layout.n * (unsigned)sizeof(typename Format::element) : 0;
    const unsigned steps = row_bytes / (threads * ROWS_CHUNK);
    const unsigned rotation = threads < WARP && steps > 1 ? row % steps * threads * ROWS_CHUNK : 0;
    row_cursor<Format> now(job, warp_of_grid());
    row_words<sums_of_row> mine;
    sums_of_row sums;
    sums.clear();
    stages.open(lane);
    if (now.is_there(job)) now.template fetch<has_pairs>(job, stages, 0, lane);
    for (unsigned count = 0; now.is_there(job); count++) {
        const unsigned stage = count % ROWS_STAGES;
        row_cursor<Format> next = now;
        next.advance(job);
        if (next.is_there(job)) next.template fetch<has_pairs>(job, stages, (count + 1) % ROWS_STAGES, lane);
        stages.wait(stage, count / ROWS_STAGES);
        const unsigned char *x = stages.data[stage] + chunk_offset(now.x), *y = x;
        if (has_pairs && job.is_pair) y = stages.data[stage] + ROWS_STAGE / 2 + chunk_offset(now.y);
        const unsigned bytes = now.length(job) * (unsigned)sizeof(typename Format::element), rows = now.rows(job);
        const bool is_aligned = are_aligned(x, y, threads < WARP ? row_bytes : 0);
        for (unsigned first = 0; first < rows; first += WARP / threads) {
            const unsigned at = (first + row) * row_bytes;
            if (first + row < rows)
                add_row(sums, x + at, y + at, bytes, thread, threads, is_aligned, rotation, job.magnitude);
            if (job.pieces > 1) sums.close();
            if (!now.ends_rows(job)) break;
            __syncwarp();
            mine.take(sums, threads, now.turn, lane);
            sums.clear();
            if (now.ends_unit(job) || threads == 1) {
                const size_t v = now.row - (size_t)now.turn * (WARP / threads) + first + lane;
                if ((unsigned)lane < WARP / threads * (now.turn + 1) && v < job.vectors * job.parts)
                    finish_or_leave<sums_of_row, TERMS>(job, v, mine.word, mine.width);
            }
        }
        __syncwarp();
        now = next;
    }
#endif
}

#endif
