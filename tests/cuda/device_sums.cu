/* device_sums.cu - see device_sums.h. VARIANT is the last part of the functions' names; with FEW few types are tried.
 *
 * The header of the library that is tried comes first, so that it must stand alone. */
#include <quire/device.cuh>

#include <cuda_runtime.h>

#include "block_shape.cuh"
#include "device_sums.h"

#define PASTE(a, b) a##_##b
#define NAME(a, b) PASTE(a, b)

template <class R> static __device__ unsigned long long bits_of(const R &result) {
    unsigned long long bits = 0;
    memcpy(&bits, &result, sizeof result);
    return bits;
}

/* The operation, by some lanes or by a block. */
#define SUM_BY(who, SIZE)                                                                                              \
    switch ((int)what.operation) {                                                                                     \
    case QUIRE_SUM: return quire::who##_sum<R, SIZE>(scratch, n, x, what.rounding);                                    \
    case QUIRE_ASUM: return quire::who##_asum<R, SIZE>(scratch, n, x, what.rounding);                                  \
    case QUIRE_SUMSQ: return quire::who##_sumsq<R, SIZE>(scratch, n, x, what.rounding);                                \
    case QUIRE_NRM2: return quire::who##_nrm2<R, SIZE>(scratch, n, x, what.rounding);                                  \
    case QUIRE_MEAN: return quire::who##_mean<R, SIZE>(scratch, n, x, what.rounding);                                  \
    default: return quire::who##_dot<R, SIZE>(scratch, n, x, y, what.rounding);                                        \
    }
template <class R, int LANES, class X, class Y>
static __device__ R sum_by(quire::warp_scratch &scratch, const quire_reduction &what, size_t n, X x, Y y) {
    SUM_BY(warp, LANES)
}
template <class R, int THREADS, class X, class Y>
static __device__ R sum_by(quire::block_scratch<THREADS> &scratch, const quire_reduction &what, size_t n, X x, Y y) {
    SUM_BY(block, THREADS)
}

/* The same of terms that the threads add up themselves, each those of a stretch. */
#define FINISH_BY(who, SIZE, terms_of, how)                                                                            \
    return quire::who##_finish<quire::terms::terms_of, SIZE>(scratch, mine, n, quire::finish::how, x, y, what.rounding)
#define FINISH_ANY_BY(who, SIZE)                                                                                       \
    switch ((int)what.operation) {                                                                                     \
    case QUIRE_SUM: FINISH_BY(who, SIZE, elements, keep);                                                              \
    case QUIRE_ASUM: FINISH_BY(who, SIZE, magnitudes, keep);                                                           \
    case QUIRE_SUMSQ: FINISH_BY(who, SIZE, squares, keep);                                                             \
    case QUIRE_NRM2: FINISH_BY(who, SIZE, squares, root);                                                              \
    case QUIRE_MEAN: FINISH_BY(who, SIZE, elements, mean);                                                             \
    default: FINISH_BY(who, SIZE, products, keep);                                                                     \
    }
template <int LANES, class T, class R, class X, class Y>
static __device__ R finish_by(quire::warp_scratch &scratch, const quire_reduction &what, const quire::exact<T, R> &mine,
                              size_t n, X x, Y y) {
    FINISH_ANY_BY(warp, LANES)
}
template <int THREADS, class T, class R, class X, class Y>
static __device__ R finish_by(quire::block_scratch<THREADS> &scratch, const quire_reduction &what,
                              const quire::exact<T, R> &mine, size_t n, X x, Y y) {
    FINISH_ANY_BY(block, THREADS)
}
template <class T, class R>
static __device__ void add_by(quire::exact<T, R> &sum, const quire_reduction &what, T x, T y) {
    switch ((int)what.operation) {
    case QUIRE_ASUM: sum.add_magnitude(x); break;
    case QUIRE_SUMSQ:
    case QUIRE_NRM2: sum.add_product(x, x); break;
    case QUIRE_DOT: sum.add_product(x, y); break;
    default: sum.add(x); break;
    }
}

/* Who sums a vector: a block of so many threads; or, below 0, so many lanes of a block of three warps. */
template <int WHO> struct summers {
    typedef std::conditional_t < WHO < 0, quire::warp_scratch, quire::block_scratch<WHO<0 ? 1 : WHO>> scratch;
    static constexpr int size = WHO < 0 ? -WHO : WHO, threads = WHO < 0 ? 96 : WHO, scratches = WHO < 0 ? 3 : 1,
                         vectors = threads / size;
};

/* Every vector twice, one after the other in the same scratch: by a collective alone, and by sums of threads. Where
 * there is no vector for some lanes these have an empty one. */
template <class T, class R, int WHO>
static __global__ void __launch_bounds__(summers<WHO>::threads) sums_kernel(device_sums_job job) {
    typedef summers<WHO> by;
    __shared__ typename by::scratch of_block[by::scratches];
    typename by::scratch &scratch = of_block[WHO < 0 ? thread_of_block() / 32 : 0];
    const size_t v = (size_t)blockIdx.x * by::vectors + thread_of_block() / by::size,
                 thread = thread_of_block() % by::size;
    const bool is_there = v < job.vectors;
    const size_t n = is_there ? job.n : 0, share = (n + by::size - 1) / by::size;
    const T *px = (const T *)job.x + v * n, *py = (const T *)job.y + v * n;
    const auto x = [px](size_t k) { return px[k]; };
    const auto y = [py](size_t k) { return py[k]; };
    const R result = sum_by<R, by::size>(scratch, job.what, n, x, y);
    quire::exact<T, R> mine;
    for (size_t k = thread * share; k < min((thread + 1) * share, n); k++) add_by(mine, job.what, x(k), y(k));
    const R again = finish_by<by::size>(scratch, job.what, mine, n, x, y);
    if (!is_there) return;
    if (thread == by::size - 1) memcpy((R *)job.results + v, &result, sizeof result);
    atomicOr(&job.other[v],
             (unsigned)(bits_of(result) ^ bits_of(again)) | (unsigned)(bits_of(result) >> 32 ^ bits_of(again) >> 32));
    atomicAdd((unsigned long long *)&job.sums[v], bits_of(result));
}

/* A warp a vector; which lane has which element, and who merges with whom, follows from the seed. */
template <class T, class R> static __global__ void states_kernel(device_sums_job job, unsigned seed) {
    const size_t v = blockIdx.x, n = job.n;
    const unsigned lane = threadIdx.x;
    const T *x = (const T *)job.x + v * n, *y = (const T *)job.y + v * n;
    quire::exact<T, R> sum, other;
    for (size_t k = 0; k < n; k++) {
        if (((unsigned)k * 2654435761u + seed) >> 16 & 1 ? k % 32 != lane : k / 7 % 32 != lane) continue;
        add_by((k ^ seed) & 2 ? sum : other, job.what, x[k], y[k]);
    }
    sum.merge(other);
    for (unsigned apart = 1; apart < 32; apart *= 2) {
        const quire::exact<T, R> above = sum.from_above(0xffffffffu, apart);
        if (lane % (2 * apart) == 0) sum.merge(above);
    }
    if (lane) return;
    R result;
    memset(&result, 0x5a, sizeof result);
    job.flags[v] = sum.value(&result, job.what.rounding,
                             job.what.operation == QUIRE_NRM2   ? quire::finish::root
                             : job.what.operation == QUIRE_MEAN ? quire::finish::mean
                                                                : quire::finish::keep,
                             n);
    memcpy((R *)job.results + v, &result, sizeof result);
}

/* Elements that are products of the caller's, rounded to double: a compiler that may contract must not look through
 * them. A thread a vector. */
static __global__ void computed_kernel(device_sums_job job) {
    const size_t v = blockIdx.x * (size_t)blockDim.x + threadIdx.x, n = job.n;
    if (v >= job.vectors) return;
    const double *x = (const double *)job.x + v * n, *y = (const double *)job.y + v * n;
    quire::exact<double> sum;
    for (size_t k = 0; k < n; k++) sum.add(x[k] * y[k]);
    double result = 0;
    job.flags[v] = sum.value(&result, job.what.rounding);
    ((double *)job.results)[v] = result;
}

template <class T> static __global__ void accumulate_kernel(device_sums_job job, int way, quire_accumulator *to) {
    constexpr int threads = 96, share = 1000; /* elements of a block */
    __shared__ quire::block_scratch<threads> scratch;
    const size_t begin = (size_t)blockIdx.x * share, n = min((size_t)share, job.n - begin);
    const T *px = (const T *)job.x + begin, *py = (const T *)job.y + begin;
    const auto x = [px](size_t k) { return px[k]; };
    const auto y = [py](size_t k) { return py[k]; };
    const bool is_dot = job.what.operation == QUIRE_DOT;
    const auto add = [&](size_t k) {
        if (is_dot)
            quire::atomic_add_product(to, x(k), y(k));
        else
            quire::atomic_add(to, x(k));
    };
    if (way == ATOMIC_BLOCKS) {
        if (is_dot)
            quire::block_accumulate_products(scratch, to, n, x, y);
        else
            quire::block_accumulate(scratch, to, n, x);
    } else if (way == ATOMIC_SUMS) {
        quire::exact<T, double> sum;
        for (size_t k = thread_of_block(); k < n; k += threads)
            if (is_dot)
                sum.add_product(x(k), y(k));
            else
                sum.add(x(k));
        const size_t mine = (n + threads - 1 - thread_of_block()) / threads;
        if (!quire::atomic_add(to, sum, mine))
            for (size_t k = thread_of_block(); k < n; k += threads) add(k);
    } else {
        for (size_t k = thread_of_block(); k < n; k += threads) add(k);
    }
}

template <class T, class R, int WHO> static int start_sums(const device_sums_job *job) {
    typedef summers<WHO> by;
    const unsigned blocks = (unsigned)((job->vectors + by::vectors - 1) / by::vectors);
    sums_kernel<T, R, WHO><<<blocks, block_of(by::threads)>>>(*job);
    return cudaGetLastError();
}
#define START(WHO)                                                                                                     \
    case WHO: return start_sums<T, R, WHO>(job);
template <class T, class R> static int start_any(const device_sums_job *job) {
    switch (job->who) { ALL_WHO(START) }
    if constexpr (std::is_same_v<T, float> && std::is_same_v<R, float>) switch (job->who) {
            FLOATS_WHO(START)
        }
    return -1;
}
#undef START

/* The types that are tried, by careful users a few. */
#define FEW_PAIRS(X) X(float, QUIRE_F32, float, QUIRE_F32) X(double, QUIRE_F64, double, QUIRE_F64)
#ifdef FEW
#define PAIRS(X) FEW_PAIRS(X)
#else
#define PAIRS(X)                                                                                                       \
    FEW_PAIRS(X)                                                                                                       \
    X(__half, QUIRE_F16, __half, QUIRE_F16)                                                                            \
    X(__half, QUIRE_F16, double, QUIRE_F64)                                                                            \
    X(__nv_bfloat16, QUIRE_BF16, __nv_bfloat16, QUIRE_BF16)                                                            \
    X(float, QUIRE_F32, double, QUIRE_F64)                                                                             \
    X(float, QUIRE_F32, __nv_fp8_e4m3, QUIRE_E4M3)                                                                     \
    X(double, QUIRE_F64, __half, QUIRE_F16)                                                                            \
    X(__nv_fp8_e4m3, QUIRE_E4M3, __nv_fp8_e4m3, QUIRE_E4M3)                                                            \
    X(__nv_fp8_e5m2, QUIRE_E5M2, float, QUIRE_F32)
#endif

extern "C" int NAME(device_sums, VARIANT)(const device_sums_job *job) {
#define START(T, type_of, R, result_of)                                                                                \
    if (job->what.type == type_of && job->what.result_type == result_of) return start_any<T, R>(job);
    PAIRS(START)
#undef START
    return -1;
}

extern "C" int NAME(device_states, VARIANT)(const device_sums_job *job, unsigned seed) {
#define START(T, type_of, R, result_of)                                                                                \
    if (job->what.type == type_of && job->what.result_type == result_of) {                                             \
        states_kernel<T, R><<<(unsigned)job->vectors, 32>>>(*job, seed);                                               \
        return cudaGetLastError();                                                                                     \
    }
    PAIRS(START)
#undef START
    return -1;
}

extern "C" int NAME(device_computed, VARIANT)(const device_sums_job *job) {
    computed_kernel<<<(unsigned)((job->vectors + 63) / 64), 64>>>(*job);
    return cudaGetLastError();
}

extern "C" int NAME(device_accumulate, VARIANT)(const device_sums_job *job, int way, quire_accumulator *sum) {
    const unsigned blocks = (unsigned)((job->n + 999) / 1000);
#define START(T, type_of)                                                                                              \
    if (job->what.type == type_of) {                                                                                   \
        accumulate_kernel<T><<<blocks, block_of(96)>>>(*job, way, sum);                                                \
        return cudaGetLastError();                                                                                     \
    }
    START(__half, QUIRE_F16)
    START(__nv_bfloat16, QUIRE_BF16)
    START(float, QUIRE_F32)
    START(double, QUIRE_F64)
    START(__nv_fp8_e4m3, QUIRE_E4M3)
    START(__nv_fp8_e5m2, QUIRE_E5M2)
    return -1;
}
