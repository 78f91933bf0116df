/* kernels_of.cuh - what device_methods.cu and device_moments.cu share. The header of the library that is tried comes
 * first, so that it must stand alone. */
#ifndef QUIRE_TESTS_KERNELS_OF_CUH
#define QUIRE_TESTS_KERNELS_OF_CUH

#include <quire/device.cuh>

#include <cuda_runtime.h>

#include "block_shape.cuh"
#include "device_calls.h"

#define PASTE(a, b) a##_##b
#define NAME(a, b) PASTE(a, b)

/* Who sums a vector: a block of so many threads; or, below 0, so many lanes of a block of three warps. */
template <int WHO> struct summers {
    static constexpr bool by_lanes = WHO < 0;
    static constexpr int size = WHO < 0 ? -WHO : WHO, threads = WHO < 0 ? 96 : WHO, vectors = threads / size;
};

/* The vectors of a block, one for each of its summers; where there is no vector for some lanes these have an empty one.
 */
template <class T, int WHO> struct share_of {
    size_t v, thread, n;
    bool is_there;
    const T *px, *py;

    __device__ explicit share_of(const device_sums_job &job)
        : v((size_t)blockIdx.x * summers<WHO>::vectors + thread_of_block() / summers<WHO>::size),
          thread(thread_of_block() % summers<WHO>::size), n(v < job.vectors ? job.n : 0), is_there(v < job.vectors),
          px((const T *)job.x + v * n), py((const T *)job.y + v * n) {}
};

template <class R> static __device__ unsigned long long bits_of(const R &result) {
    unsigned long long bits = 0;
    memcpy(&bits, &result, sizeof result);
    return bits;
}
template <class R> static __device__ bool differ(const R &a, const R &b) { return bits_of(a) != bits_of(b); }

/* The last thread stores the result, and all of them say what theirs is. wrong: whether two ways differ. */
template <class R>
static __device__ void store(const device_sums_job &job, size_t v, bool is_last, const R &result, bool wrong) {
    if (is_last) memcpy((R *)job.results + v, &result, sizeof result);
    if (wrong) atomicOr(&job.other[v], 1u);
    atomicAdd((unsigned long long *)&job.sums[v], bits_of(result));
}

#define LAUNCH(WHO, ...)                                                                                               \
    case WHO: {                                                                                                        \
        const unsigned blocks = (unsigned)((job->vectors + summers<WHO>::vectors - 1) / summers<WHO>::vectors);        \
        __VA_ARGS__<<<blocks, block_of(summers<WHO>::threads)>>>(*job);                                                \
        return cudaGetLastError();                                                                                     \
    }
#define IS(type_of, result_of) (job->what.type == type_of && job->what.result_type == result_of)

#endif
