/* gather_cluster.cuh - a short sum's grid as one cluster (compute capability 9.0 on): blocks that see each other's
 * shared memory. What they publish there arrives 0.7 us before what goes by global memory (gather.cuh).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_GRID_GATHER_CLUSTER_CUH
#define QUIRE_CUDA_GRID_GATHER_CLUSTER_CUH

#include "cuda/device/cluster.cuh"
#include "cuda/grid/gather_exact.cuh"

/* The last block's: what the others publish there, and the barrier that counts its bytes. */
struct cluster_memory {
    fixed_state of[CLUSTER_BLOCKS];
    uint64_t there;
};

/* To be called by all threads, before anything that takes time. */
static __device__ __forceinline__ void start_cluster(cluster_memory &memory) {
#if QUIRE_HAS_BULK
    const unsigned last = gridDim.x - 1;
    const bool opens = blockIdx.x == last && threadIdx.x == 0;
    if (opens) {
        barrier_open(&memory.there, 1);
        barriers_are_open();
    }
    __syncwarp();
    if (opens) barrier_expect(&memory.there, last * (unsigned)sizeof *memory.of);
    __syncwarp();
    __cluster_barrier_arrive_relaxed();
#endif
}

/* Publishes the sum of a block, or, in the last, gathers the sums of all, and their limbs if there are any; by the
 * first warp of each. room: as for gather_by_warp. */
template <class Memory>
static __device__ __forceinline__ fixed_sum gather_in_cluster(const cuda_job &job, fixed_sum sum, int room,
                                                              cluster_memory &memory, Memory &own, int thread) {
#if QUIRE_HAS_BULK
    const int last = (int)gridDim.x - 1, block = (int)blockIdx.x;
    const fixed_state its = state_of(sum);
    __cluster_barrier_wait(); /* all have started, so that there is a memory to store in */
    if (block < last) {
        if (sum.flags & FIXED_LIMBS) __threadfence();
        __syncwarp();
        if (thread == 0) store_in_cluster(its.word, &memory.of[block], &memory.there, (unsigned)last);
        return sum;
    }
    barrier_wait_for_cluster(&memory.there);
    __syncwarp();
    if (thread == 0) barrier_close(&memory.there);
    const fixed_state nothing = identity<fixed_state>();
    sum = sum_of_states<1>({ { thread < last    ? memory.of[thread]
                               : thread == last ? its
                                                : nothing } },
                           room, own.rest.limb);
    if (sum.flags & FIXED_LIMBS) gather_limbs(own.rest, job.workspace->sum, thread);
#endif
    return sum;
}

#endif
