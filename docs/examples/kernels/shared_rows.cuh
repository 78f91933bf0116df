/* shared_rows.cuh - rows that 8 lanes to 1024 threads share, and what becomes of trying all of these. */
#ifndef QUIRE_SHARED_ROWS_CUH
#define QUIRE_SHARED_ROWS_CUH

#include <type_traits>

#include <quire/device.cuh>

#include "example.cuh"

/* Who sums a row: THREADS of them, neighbours; a block has one row, or as many as 256 threads are for. Launch bounds
 * keep the registers of a kernel few: what rarely is called for, to decide a sum, would take more. */
template <int THREADS> struct shared_by {
    static constexpr bool is_block = THREADS > 32;
    static constexpr int block = is_block ? THREADS : 256, rows = block / THREADS;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
    static constexpr int blocks = 1024 / block; /* of a multiprocessor */
#else
    static constexpr int blocks = 1536 / block;
#endif
    typedef std::conditional_t<is_block, quire::block_scratch<block>, quire::warp_scratch> scratch;
    static constexpr int scratches = is_block ? 1 : block / 32;
};

/* What the threads' numbers become, two by two, for all of them: in the order of these threads. A kernel calls this
 * with one "join" once, for the memory is used again without a barrier. */
template <int THREADS, class Join> static __device__ float in_float(float x, const Join &join) {
    for (int apart = min(THREADS, 32) / 2; apart; apart /= 2) x = join(x, __shfl_xor_sync(0xffffffffu, x, apart));
    if constexpr (THREADS > 32) {
        __shared__ float of_warp[THREADS / 32];
        if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = x;
        __syncthreads();
        x = of_warp[threadIdx.x % (THREADS / 32)];
        for (int apart = THREADS / 64; apart; apart /= 2) x = join(x, __shfl_xor_sync(0xffffffffu, x, apart));
    }
    return x;
}

struct outcome {
    float best = 1e30f;
    std::set<std::string> results;
};

#endif
