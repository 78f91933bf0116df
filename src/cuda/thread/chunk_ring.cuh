/* chunk_ring.cuh - chunks of 16 bytes on their way from memory to a thread, through places in shared memory that are its
 * own: many are under way at once, and none takes a register. No other thread sees them, so that nothing waits for one.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_CHUNK_RING_CUH
#define QUIRE_CUDA_THREAD_CHUNK_RING_CUH

#include <cuda_pipeline_primitives.h>

#include "cuda/thread/elements.cuh"

/* Of STAGES batches of BATCH chunks each. */
template <int STAGES, int BATCH> class chunk_ring {
    static_assert((STAGES & (STAGES - 1)) == 0, "a batch's stage is found by a mask");
    uint4 *own;
    unsigned threads;

    __device__ __forceinline__ uint4 *place(size_t batch, int i) const {
        return own + ((unsigned)(batch % STAGES) * BATCH + (unsigned)i) * threads;
    }

  public:
    static constexpr int stages = STAGES;

    /* room: of STAGES * BATCH chunks of each of a block's threads. */
    __device__ __forceinline__ chunk_ring(uint4 *room, unsigned block_threads)
        : own(room + threadIdx.x), threads(block_threads) {}

    /* Starts to copy a batch, whose chunks stand "apart" bytes from each other. */
    __device__ __forceinline__ void start(size_t batch, const unsigned char *from, ptrdiff_t apart) const {
#pragma unroll
        for (int i = 0; i < BATCH; i++) __pipeline_memcpy_async(place(batch, i), from + i * apart, sizeof(uint4));
    }
    /* Chunk i of a batch that has come. */
    __device__ __forceinline__ const unsigned char *chunk(size_t batch, int i) const {
        return (const unsigned char *)place(batch, i);
    }
};

#endif
