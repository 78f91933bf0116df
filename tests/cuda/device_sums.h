/* device_sums.h - kernels of the tests' own that sum by quire/device.cuh. One file, compiled twice: as a careful user
 * would, and with --use_fast_math and -fmad=true as C++20. */
#ifndef QUIRE_TESTS_DEVICE_SUMS_H
#define QUIRE_TESTS_DEVICE_SUMS_H

#include <quire/quire.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Who sums a vector: a block of so many threads; or, below 0, so many lanes of a warp. The second list is tried with
 * floats alone. */
#define ALL_WHO(X) X(-32) X(33) X(256)
#define FLOATS_WHO(X) X(-1) X(-8) X(-16) X(1) X(32) X(1000) X(1024)

/* How terms come to an accumulator: one by one, as sums of threads, or by blocks. */
enum { ATOMIC_ELEMENTS, ATOMIC_SUMS, ATOMIC_BLOCKS, ATOMIC_WAYS };

typedef struct {
    quire_reduction what; /* exact; types and operation as the table in device_sums.cu has them */
    int who;
    size_t vectors, n;
    const void *x, *y; /* vectors of n elements, one behind the other; in device memory, as all here */
    void *results;
    /* Of each vector: by collectives, not 0 if a thread had two results, and the sum of all threads' results' bits; by
     * states, 1 if it is decided. */
    unsigned *other;
    uint64_t *sums;
    unsigned *flags;
} device_sums_job;

/* All answer a cudaError_t, or -1 where the table has no such kernel. By collectives; by the states of threads alone,
 * merged in any order (seed), by warps; of doubles x[k] * y[k], computed in the kernel, by threads; and one vector by
 * many blocks into an accumulator. */
#define DEVICE_SUMS(name)                                                                                              \
    int device_sums_##name(const device_sums_job *job);                                                                \
    int device_states_##name(const device_sums_job *job, unsigned seed);                                               \
    int device_computed_##name(const device_sums_job *job);                                                            \
    int device_accumulate_##name(const device_sums_job *job, int way, quire_accumulator *sum);
DEVICE_SUMS(careful)
DEVICE_SUMS(fast)

#ifdef __cplusplus
}
#endif

#endif
