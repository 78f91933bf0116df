/* multiply.cuh - products that the multiplier is to compute.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_DEVICE_MULTIPLY_CUH
#define QUIRE_CUDA_DEVICE_MULTIPLY_CUH

#include <stdint.h>

/* All 64 bits of x * FACTOR, by one instruction. Of a power of two the compiler makes shifts, one for each word. */
template <int FACTOR> static __device__ __forceinline__ int64_t multiply_wide(int x) {
    int64_t product;
    asm("mul.wide.s32 %0, %1, %2;" : "=l"(product) : "r"(x), "n"(FACTOR));
    return product;
}

#endif
