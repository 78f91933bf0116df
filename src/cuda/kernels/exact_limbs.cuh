/* exact_limbs.cuh - all bits of the exact sum of one array, for an accumulator, or for the result where
 * exact_array.cuh has not told it; or of long vectors whose results are marked. The last block of a vector to end has
 * the limbs of all.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_KERNELS_EXACT_LIMBS_CUH
#define QUIRE_CUDA_KERNELS_EXACT_LIMBS_CUH

#include "cuda/block/limbs_sum.cuh"
#include "cuda/device/early.cuh"
#include "cuda/grid/limbs_finish.cuh"
#include "cuda/grid/records.cuh"
#include "cuda/grid/tickets.cuh"
#include "cuda/grid/vector_source.cuh"
#include "cuda/thread/strided_vector.cuh"

/* Marked vectors, some blocks each. */
template <class Format, row_terms TERMS>
static __device__ __forceinline__ void marked_by_limbs(const vectors_job &job, limbs_end<TERMS> &end) {
    typedef const typename Format::element *pointer;
    const vector_source source(job);
    vectors_workspace &w = *job.workspace;
    const unsigned parts = source.parts();
    for (size_t unit = blockIdx.x; unit < source.count * parts; unit += gridDim.x) {
        const size_t i = unit / parts, number = source.number(job, i), slot = parts > 1 ? i : blockIdx.x;
        if (number >= job.vectors || !is_marked(job, number)) continue; /* scaled.cu may have told it */
        const strided_vector at = vector_of(job, number);
        const limbs_vector<Format> v = { { (pointer)job.at.x + at.x, at.x_step },
                                         { (pointer)(job.is_pair ? job.at.y : job.at.x) + (job.is_pair ? at.y : at.x),
                                           job.is_pair ? at.y_step : at.x_step },
                                         at.entries };
        sum_to_limbs<Format, TERMS>(job, v, &w.limbs[2 * slot], unit % parts, parts);
        if (is_last_of(&w.ended[slot], parts) && threadIdx.x < WARP) {
            take_limbs(end, &w.limbs[2 * slot], threadIdx.x);
            store_all_limbs<TERMS>(job, end, number, at.entries, (int)threadIdx.x);
        }
        __syncthreads();
    }
    source.forget(job);
}

template <class Format, row_terms TERMS>
__global__ void __launch_bounds__(limbs_of<Format, TERMS>::THREADS, limbs_of<Format, TERMS>::BLOCKS)
    exact_limbs_kernel(const __grid_constant__ vectors_job job) {
    __shared__ limbs_end<TERMS> end;
    vectors_workspace &w = *job.workspace;
    after_earlier_work();
    if (job.source == VECTORS_MARKED) return marked_by_limbs<Format, TERMS>(job, end);
    const bool is_first = job.accumulator || job.few_doubles; /* kernel of the call */
    if (is_first) {
        enter_workspace(w);
    } else if (!*(volatile unsigned *)&w.undecided) {
        if (blockIdx.x == 0 && threadIdx.x == 0) leave_workspace(job);
        return;
    }
    sum_to_limbs<Format, TERMS>(job, array_of<Format>(job), w.limbs, blockIdx.x, gridDim.x);
    if (!takes_last_ticket(job) || threadIdx.x >= WARP) return;
    take_limbs(end, w.limbs, threadIdx.x);
    store_all_limbs<TERMS>(job, end, 0, job.at.x_layout.n, (int)threadIdx.x);
    if (threadIdx.x == 0) {
        if (!is_first) w.undecided = 0;
        leave_workspace(job);
    }
}

#endif
