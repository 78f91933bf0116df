/* cluster.cuh - a short sum's grid as one cluster (compute capability 9.0 on): blocks that see each other's shared memory.
 * What they hand over there arrives 0.7 us before what goes by global memory (gather.cuh).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_GRID_CLUSTER_CUH
#define QUIRE_CUDA_GRID_CLUSTER_CUH

#include "cuda/grid/fixed_gather.cuh"

/* The last block's: what the others store there, and the barrier that counts its bytes. */
struct cluster_memory {
    fixed_state of[CLUSTER_BLOCKS];
    uint64_t there;
};

#if QUIRE_HAS_BULK

/* Stores a sum in the memory of another block, whose barrier counts it. Nobody waits. */
static __device__ __forceinline__ void store_there(fixed_state s, fixed_state *to, uint64_t *barrier, unsigned block) {
    asm volatile("{\n"
                 ".reg .b32 to, barrier;\n"
                 "mapa.shared::cluster.u32 to, %0, %2;\n"
                 "mapa.shared::cluster.u32 barrier, %1, %2;\n"
                 "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b64 [to], {%3, %4}, [barrier];\n"
                 "}" ::"r"(shared_address(to)),
                 "r"(shared_address(barrier)), "r"(block), "l"(s.word[0]), "l"(s.word[1])
                 : "memory");
}

/* Waits for the end of the first phase, and for what other blocks have done before. */
static __device__ __forceinline__ void wait_for_cluster(uint64_t *barrier) {
    unsigned done;
    do
        asm volatile("{\n"
                     ".reg .pred done;\n"
                     "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%1], 0;\n"
                     "selp.u32 %0, 1, 0, done;\n"
                     "}"
                     : "=r"(done)
                     : "r"(shared_address(barrier))
                     : "memory");
    while (!done);
}

#endif

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

/* The sum of all blocks, and their limbs if there are any, in the last block; by the first warp of each. room: as for
 * gather_by_one. */
template <class Memory>
static __device__ __forceinline__ fixed_sum gather_cluster(const cuda_job &job, fixed_sum sum, int room,
                                                           cluster_memory &memory, Memory &own, int thread) {
#if QUIRE_HAS_BULK
    const int last = (int)gridDim.x - 1, block = (int)blockIdx.x;
    const fixed_state its = state_of(sum);
    __cluster_barrier_wait(); /* all have started, so that there is a memory to store in */
    if (block < last) {
        if (sum.flags & FIXED_LIMBS) __threadfence();
        __syncwarp();
        if (thread == 0) store_there(its, &memory.of[block], &memory.there, (unsigned)last);
        return sum;
    }
    wait_for_cluster(&memory.there);
    const fixed_state nothing = identity<fixed_state>();
    sum = sum_of_states<1>({ { thread < last ? memory.of[thread] : thread == last ? its : nothing } }, room, own.rest.limb);
    if (sum.flags & FIXED_LIMBS) take_limbs(own.rest, job.workspace->sum, thread);
#endif
    return sum;
}

#endif
