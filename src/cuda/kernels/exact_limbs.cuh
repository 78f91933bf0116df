/* exact_limbs.cuh - all bits of the exact sum of one array, for an accumulator, or for the result where
 * exact_array.cuh has not told it. The last block to end has the limbs of all.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_KERNELS_EXACT_LIMBS_CUH
#define QUIRE_CUDA_KERNELS_EXACT_LIMBS_CUH

#include "cuda/block/limbs_sum.cuh"
#include "cuda/device/early.cuh"
#include "cuda/grid/limbs_finish.cuh"
#include "cuda/grid/tickets.cuh"

template <class Format, row_terms TERMS>
__global__ void __launch_bounds__(limbs_of<Format, TERMS>::THREADS, limbs_of<Format, TERMS>::BLOCKS)
    exact_limbs_kernel(const __grid_constant__ vectors_job job) {
    __shared__ limbs_end<TERMS> end;
    vectors_workspace &w = *job.workspace;
    after_earlier_work();
    const bool is_first = job.accumulator || job.few_doubles; /* kernel of the call */
    if (is_first) {
        enter_workspace(w);
    } else if (!*(volatile unsigned *)&w.undecided) {
        if (blockIdx.x == 0 && threadIdx.x == 0) leave_workspace(job);
        return;
    }
    sum_to_limbs<Format, TERMS>(job, w.limbs, blockIdx.x, gridDim.x);
    if (!takes_last_ticket(job) || threadIdx.x >= WARP) return;
    take_limbs(end, w.limbs, threadIdx.x);
    store_all_limbs<TERMS>(job, end, 0, job.at.x_layout.n, (int)threadIdx.x);
    if (threadIdx.x == 0) {
        if (!is_first) w.undecided = 0;
        leave_workspace(job);
    }
}

#endif
