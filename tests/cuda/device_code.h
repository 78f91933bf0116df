/* device_code.h - what the tests of the CUDA backend run on the device themselves. */
#ifndef QUIRE_TESTS_DEVICE_CODE_H
#define QUIRE_TESTS_DEVICE_CODE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* trap.cu: enqueues a kernel that traps, on the default stream; answers a cudaError_t. */
int launch_trap(void);

/* hog.cu: enqueues blocks that take so many threads, and bytes of shared memory, each. They count themselves in there,
 * and end when go is not 0; both are memory of the host. Answers a cudaError_t. */
int launch_hog(unsigned blocks, unsigned threads, unsigned shared, unsigned *there, const unsigned *go,
               struct CUstream_st *stream);

/* What an exhaustive check has found: how many results were wrong, and one of them. */
struct mistakes {
    unsigned long long checked, wrong;
    uint64_t x, y, found, expected;
    int type; /* of the result */
};

/* exhaustive.cu. These answer a cudaError_t; by_warp chooses who makes the total: a warp, as the kernels do, or one
 * thread.
 */
int check_pairs_of_halves(int by_warp, struct mistakes *mistakes);
int check_floats(int by_warp, struct mistakes *mistakes);

#ifdef __cplusplus
}
#endif

#endif
