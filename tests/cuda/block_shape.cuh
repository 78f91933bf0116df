/* block_shape.cuh - blocks of two and three dimensions, for kernels that promise any shape. */
#ifndef QUIRE_TESTS_BLOCK_SHAPE_CUH
#define QUIRE_TESTS_BLOCK_SHAPE_CUH

/* So many threads in as many dimensions as they can be shared out to: 96 are 8 x 3 x 4, 33 are 11 x 3, 1000 are 50 x 5
 * x 4. */
static inline dim3 block_of(unsigned threads) {
    const unsigned z = threads % 4 ? 1 : 4, rest = threads / z, y = rest % 3 == 0 ? 3 : rest % 5 == 0 ? 5 : 1;
    return dim3(rest / y, y, z);
}

/* The number of this thread in its block, by which CUDA makes warps: x counts fastest. */
static __device__ __forceinline__ unsigned thread_of_block() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

#endif
