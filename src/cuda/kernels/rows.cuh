/* rows.cuh - exact sums of rows, many at once. What it cannot tell it marks, for marked.cuh.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_KERNELS_ROWS_CUH
#define QUIRE_CUDA_KERNELS_ROWS_CUH

#include "cuda/grid/grid_warps.cuh"
#include "cuda/grid/row_finish.cuh"
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
__global__ void __launch_bounds__(ROWS_THREADS, ROWS_BLOCKS) rows_kernel(const __grid_constant__ vectors_job job) {
#if QUIRE_HAS_BULK
    typedef row_sums<Format, TERMS> sums_of_row;
    constexpr bool has_pairs = TERMS == ROW_PRODUCTS;
    extern __shared__ __align__(ROWS_CHUNK) unsigned char shared[];
    warp_stages &stages = ((warp_stages *)shared)[threadIdx.x / WARP];
    const unsigned lane = threadIdx.x % WARP;
    const unsigned threads = job.threads, rows = WARP / threads, row = lane / threads, thread = lane % threads;
    const unsigned row_bytes =
        job.pieces == 1 ? (unsigned)job.at.x_layout.n * (unsigned)sizeof(typename Format::element) : 0;
    const unsigned steps = row_bytes / (threads * ROWS_CHUNK);
    const unsigned rotation = threads < WARP && steps > 1 ? row % steps * threads * ROWS_CHUNK : 0;
    /* In as many turns as threads share a row a warp has 32 rows, of which a lane finishes one; between the rows of two
     * turns lie those of the other warps. */
    const size_t all = job.vectors * job.parts, ahead = warps_of_grid() * job.rows_of_item;
    const row_lane finishes(lane, threads);
    size_t finished = warp_of_grid() * job.rows_of_item + finishes.turn * ahead + finishes.row;
    unsigned turn = 0;
    row_stream<Format, has_pairs> stream(job, stages, warp_of_grid(), warps_of_grid(), lane);
    row_item next = { 0, 0 };
    row_words<sums_of_row> mine;
    sums_of_row sums;
    sums.clear();
    stages.open(lane);
    unsigned done = 0;
    do {
        const row_item now = next;
        next = stream.start();
        if (!now.is_there()) continue;
        const unsigned char *data = stages.data[done % ROWS_STAGES], *x = data + now.offset_x(), *y = x;
        if (has_pairs && job.is_pair) y = data + ROWS_STAGE / 2 + now.offset_y();
        stages.wait(done % ROWS_STAGES, done / ROWS_STAGES);
        const unsigned bytes = now.length() * (unsigned)sizeof(typename Format::element);
        const bool is_aligned = are_aligned(x, y, threads < WARP ? row_bytes : 0);
        for (unsigned first = 0; first < now.rows; first += rows) {
            const unsigned at = (first + row) * row_bytes;
            if (first + row < now.rows)
                add_row(sums, x + at, y + at, bytes, thread, threads, is_aligned, rotation, job.magnitude);
            if (job.pieces > 1) sums.close();
            if (!now.ends_rows()) break;
            __syncwarp();
            mine.take(sums, finishes, turn);
            sums.clear();
            if (++turn < threads && next.is_there()) break;
            if (finishes.turn < turn && finished + first < all)
                finish_or_leave<sums_of_row, TERMS>(job, finished + first, mine.word, mine.width);
            turn = 0;
        }
        if (now.ends_rows() && turn == 0) finished += threads * ahead;
        __syncwarp();
        done++;
    } while (next.is_there());
    stages.close(lane);
#endif
}

#endif
