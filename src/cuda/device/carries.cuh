/* carries.cuh - integers of several words, added by instructions that hand a carry on.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_DEVICE_CARRIES_CUH
#define QUIRE_CUDA_DEVICE_CARRIES_CUH

#include <stdint.h>

/* Three words of 64 bits, the least first. */
static __device__ __forceinline__ void add_three_words(uint64_t (&to)[3], uint64_t low, uint64_t middle,
                                                       uint64_t high) {
    asm("add.cc.u64 %0, %0, %3;\n\taddc.cc.u64 %1, %1, %4;\n\taddc.u64 %2, %2, %5;"
        : "+l"(to[0]), "+l"(to[1]), "+l"(to[2])
        : "l"(low), "l"(middle), "l"(high));
}

#endif
