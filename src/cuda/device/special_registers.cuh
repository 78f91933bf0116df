/* special_registers.cuh - the numbers of blocks and threads, read anew at each call. The compiler keeps what the
 * variables of CUDA C++ tell, which costs a register, or two, and local memory where none is free.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_DEVICE_SPECIAL_REGISTERS_CUH
#define QUIRE_CUDA_DEVICE_SPECIAL_REGISTERS_CUH

static __device__ __forceinline__ unsigned block_number(void) {
    unsigned block;
    asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(block));
    return block;
}

static __device__ __forceinline__ unsigned blocks_of_grid(void) {
    unsigned blocks;
    asm volatile("mov.u32 %0, %%nctaid.x;" : "=r"(blocks));
    return blocks;
}

static __device__ __forceinline__ unsigned threads_of_block(void) {
    unsigned threads;
    asm volatile("mov.u32 %0, %%ntid.x;" : "=r"(threads));
    return threads;
}

#endif
