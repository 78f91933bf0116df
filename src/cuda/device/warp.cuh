/* warp.cuh - how many threads a warp has, and what they find out together by one instruction, where there is one.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_DEVICE_WARP_CUH
#define QUIRE_CUDA_DEVICE_WARP_CUH

#define WARP 32
constexpr unsigned WARP_LANES = WARP;
#define WHOLE_WARP 0xffffffffu

/* The number of this lane, whatever the shape of the block. */
static __device__ __forceinline__ unsigned lane_of_warp() {
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

static __device__ __forceinline__ int warp_max(int x) {
#if __CUDA_ARCH__ >= 800
    return __reduce_max_sync(WHOLE_WARP, x);
#else
    for (int w = WARP / 2; w; w /= 2) x = max(x, __shfl_xor_sync(WHOLE_WARP, x, w));
    return x;
#endif
}

static __device__ __forceinline__ int warp_sum(int x) {
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(WHOLE_WARP, x);
#else
    for (int w = WARP / 2; w; w /= 2) x += __shfl_xor_sync(WHOLE_WARP, x, w);
    return x;
#endif
}

#endif
