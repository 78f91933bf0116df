/* guess.cuh - whether sums of doubles are likely to leave their range on the way, by a look at some elements, the same
 * for every block: then a first reading would be for nothing, and kernels/scaled.cu, or by_element.cuh, which multiply
 * by a power of two, begin at once. What they come to is as exact as without.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_GRID_GUESS_CUH
#define QUIRE_CUDA_GRID_GUESS_CUH

#include "cuda/grid/grid_warps.cuh"
#include "cuda/grid/marks.cuh"

/* Exponents of the greatest terms from which on sums may overflow, and of terms that are too small. Variances end in a
 * ball, which is for numbers from BALL_LEAST to BALL_GREATEST. */
template <row_terms TERMS> constexpr int guess_most = TERMS == ROW_MOMENTS ? 370 : TERMS == ROW_PRODUCTS ? 990 : 900;
template <row_terms TERMS>
constexpr int guess_least = TERMS == ROW_MOMENTS    ? -380
                            : TERMS == ROW_PRODUCTS ? -800
                                                    : -1100;

static __device__ __forceinline__ int exponent_of(double x) {
    return (int)((uint32_t)__double2hiint(x) >> 20 & 0x7ff) - 1023;
}

/* Of rows, of one array, or of two, by a whole block of THREADS; each looks at one element, far from the others'. */
template <unsigned THREADS, row_terms TERMS, bool PAIR>
static __device__ __noinline__ bool leaves_range(const vectors_job &job) {
    const size_t n = job.at.x_layout.n, all = job.vectors * n, i = (all / THREADS | 1) * threadIdx.x, v = i / n,
                 k = i % n;
    double a = 0, b = 0;
    if (i < all) {
        a = ((const double *)job.at.x)[(ptrdiff_t)v * job.at.x_layout.outer_stride + (ptrdiff_t)k];
        b = PAIR ? ((const double *)job.at.y)[(ptrdiff_t)v * job.at.y_layout.outer_stride + (ptrdiff_t)k] : a;
    }
    const int exponent = exponent_of(a) + (TERMS == ROW_NUMBERS ? 0 : exponent_of(b));
    const bool is_there = a != 0 && b != 0;
    const int great = __syncthreads_count(is_there && exponent >= guess_most<TERMS>);
    if (great * n >= THREADS) return true; /* so that a row has one */
    return !__syncthreads_or(is_there && exponent >= guess_least<TERMS>) && __syncthreads_or(is_there);
}

/* Marks all results, more than can be listed; by all blocks. */
static __device__ __noinline__ void mark_all(const vectors_job &job) {
    for (size_t v = blockIdx.x * (size_t)blockDim.x + threadIdx.x; v < job.vectors; v += gridDim.x * (size_t)blockDim.x)
        format_store(mark_of(job.format), job.format.size, result_at(job, v));
    if (blockIdx.x == 0 && threadIdx.x == 0) job.workspace->marked = MARKED_LISTED;
}

#endif
