/* device_methods.cu - see device_methods.h. VARIANT is the last part of the functions' names; with FEW few types are
 * tried. */
#include <quire/device.cuh>

#include <cuda_runtime.h>

#include "device_methods.h"

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
        : v((size_t)blockIdx.x * summers<WHO>::vectors + threadIdx.x / summers<WHO>::size),
          thread(threadIdx.x % summers<WHO>::size), n(v < job.vectors ? job.n : 0), is_there(v < job.vectors),
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

/* ---------------------------------------------------------------------------------------------------- the methods */

#define SUM_BY(who, SIZE)                                                                                              \
    switch ((int)what.operation) {                                                                                     \
    case QUIRE_SUM: return quire::who##_sum<R, SIZE>(by, n, x, what.rounding);                                         \
    case QUIRE_NRM2: return quire::who##_nrm2<R, SIZE>(by, n, x, what.rounding);                                       \
    case QUIRE_DOT: return quire::who##_dot<R, SIZE>(by, n, x, y, what.rounding);                                      \
    }                                                                                                                  \
    if constexpr (ALL) switch ((int)what.operation) {                                                                  \
        case QUIRE_ASUM: return quire::who##_asum<R, SIZE>(by, n, x, what.rounding);                                   \
        case QUIRE_SUMSQ: return quire::who##_sumsq<R, SIZE>(by, n, x, what.rounding);                                 \
        case QUIRE_MEAN: return quire::who##_mean<R, SIZE>(by, n, x, what.rounding);                                   \
        }                                                                                                              \
    return R();
template <class R, int LANES, bool ALL, class METHOD, class T, class X, class Y>
static __device__ R sum_by(const quire::ordered<METHOD, T> &by, const quire_reduction &what, size_t n, X x, Y y) {
    SUM_BY(warp, LANES)
}
template <class R, int THREADS, bool ALL, class STATE, class X, class Y>
static __device__ R sum_by(quire::ordered_scratch<THREADS, STATE> &by, const quire_reduction &what, size_t n, X x,
                           Y y) {
    SUM_BY(block, THREADS)
}

template <class STATE, class T, class R, int WHO, bool ALL>
static __global__ void __launch_bounds__(summers<WHO>::threads) methods_kernel(device_sums_job job) {
    const share_of<T, WHO> its(job);
    const auto x = [its](size_t k) { return its.px[k]; };
    const auto y = [its](size_t k) { return its.py[k]; };
    R result, again;
    if constexpr (summers<WHO>::by_lanes) {
        result = again = sum_by<R, summers<WHO>::size, ALL>(STATE(), job.what, its.n, x, y);
    } else { /* twice, one behind the other in the same scratch */
        __shared__ quire::ordered_scratch<WHO, STATE> scratch;
        result = sum_by<R, WHO, ALL>(scratch, job.what, its.n, x, y);
        again = sum_by<R, WHO, ALL>(scratch, job.what, its.n, x, y);
    }
    if (its.is_there) store(job, its.v, its.thread == summers<WHO>::size - 1, result, differ(result, again));
}

/* docs/order.md by hand, of a vector of one tile: a lane a thread, which are merged in shared memory. */
template <class STATE, class T, class R> static __global__ void order_kernel(device_sums_job job) {
    __shared__ unsigned char room[256][sizeof(STATE)];
    const share_of<T, 256> its(job);
    const size_t n = its.n;
    STATE s;
    for (size_t k = its.thread; k < n; k += 256) switch ((int)job.what.operation) {
        case QUIRE_ASUM: s.add_magnitude(its.px[k]); break;
        case QUIRE_SUMSQ:
        case QUIRE_NRM2: s.add_product(its.px[k], its.px[k]); break;
        case QUIRE_DOT: s.add_product(its.px[k], its.py[k]); break;
        default: s.add(its.px[k]); break;
        }
    for (unsigned w = 128; w; w /= 2) {
        memcpy(room[its.thread], &s, sizeof s);
        __syncthreads();
        if (its.thread < w) {
            STATE other;
            memcpy((void *)&other, room[its.thread + w], sizeof other);
            s.merge(other);
        }
        __syncthreads();
    }
    if (its.thread) return;
    R result;
    job.flags[its.v] = s.value(&result, job.what.rounding,
                               job.what.operation == QUIRE_NRM2   ? quire::finish::root
                               : job.what.operation == QUIRE_MEAN ? quire::finish::mean
                                                                  : quire::finish::keep,
                               n);
    memcpy((R *)job.results + its.v, &result, sizeof result);
}

/* --------------------------------------------------------------------------------------------------- the variances */

/* Of one summer: both results together, after shares that are stretches, and each alone. */
#define MOMENT_BY(who, SIZE)                                                                                           \
    if (what.operation == QUIRE_STDDEV) return quire::who##_stddev<R, SIZE>(by, n, x, what.correction, what.rounding); \
    const quire::mean_and_variance<R> both = quire::who##_moments<R, SIZE>(by, n, x, what.correction, what.rounding),  \
                                      again = quire::who##_moments_finish<SIZE>(by, mine, n, x, what.correction,       \
                                                                                what.rounding);                        \
    *wrong = differ(both.mean, again.mean) | differ(both.variance, again.variance);                                    \
    if (what.operation == QUIRE_MEAN) return both.mean;                                                                \
    *wrong |= differ(both.variance, quire::who##_variance<R, SIZE>(by, n, x, what.correction, what.rounding));         \
    return both.variance;
template <int LANES, class T, class R, class X>
static __device__ R moment_by(quire::warp_moments_scratch &by, const quire_reduction &what,
                              const quire::moments<T, R> &mine, size_t n, X x, bool *wrong) {
    MOMENT_BY(warp, LANES)
}
template <int THREADS, class T, class R, class X>
static __device__ R moment_by(quire::block_moments_scratch<THREADS> &by, const quire_reduction &what,
                              const quire::moments<T, R> &mine, size_t n, X x, bool *wrong) {
    MOMENT_BY(block, THREADS)
}

template <class T, class R, int WHO>
static __global__ void __launch_bounds__(summers<WHO>::threads) moments_kernel(device_sums_job job) {
    typedef std::conditional_t < WHO < 0, quire::warp_moments_scratch,
        quire::block_moments_scratch<WHO<0 ? 1 : WHO>> scratch;
    __shared__ scratch of_block[WHO < 0 ? 3 : 1];
    const share_of<T, WHO> its(job);
    const size_t share = (its.n + summers<WHO>::size - 1) / summers<WHO>::size;
    const auto x = [its](size_t k) { return its.px[k]; };
    quire::moments<T, R> mine;
    for (size_t k = its.thread * share; k < min((its.thread + 1) * share, its.n); k++) mine.add(x(k));
    bool wrong = false;
    const R result =
        moment_by<summers<WHO>::size>(of_block[WHO < 0 ? threadIdx.x / 32 : 0], job.what, mine, its.n, x, &wrong);
    if (its.is_there) store(job, its.v, its.thread == summers<WHO>::size - 1, result, wrong);
}

/* A warp a vector; who has which element, and who merges with whom, follows from the seed. */
template <class T, class R> static __global__ void moment_states_kernel(device_sums_job job, unsigned seed) {
    const share_of<T, 32> its(job);
    quire::moments<T, R> sums;
    for (size_t k = 0; k < its.n; k++)
        if (((unsigned)k * 2654435761u + seed) >> 16 & 1 ? k % 32 == its.thread : k / 7 % 32 == its.thread)
            sums.add(its.px[k]);
    for (unsigned apart = 1; apart < 32; apart *= 2) {
        const quire::moments<T, R> above = sums.from_above(0xffffffffu, apart);
        if (its.thread % (2 * apart) == 0) sums.merge(above);
    }
    if (its.thread) return;
    R result;
    memset(&result, 0x5a, sizeof result);
    const quire_reduction &what = job.what;
    job.flags[its.v] = what.operation == QUIRE_MEAN     ? sums.mean(&result, its.n, what.rounding)
                       : what.operation == QUIRE_STDDEV ? sums.stddev(&result, its.n, what.correction, what.rounding)
                                                        : sums.variance(&result, its.n, what.correction, what.rounding);
    memcpy((R *)job.results + its.v, &result, sizeof result);
}

/* ------------------------------------------------------------------------------------------------------- the tables */

#define LAUNCH(WHO, ...)                                                                                               \
    case WHO: {                                                                                                        \
        const unsigned blocks = (unsigned)((job->vectors + summers<WHO>::vectors - 1) / summers<WHO>::vectors);        \
        __VA_ARGS__<<<blocks, summers<WHO>::threads>>>(*job);                                                          \
        return cudaGetLastError();                                                                                     \
    }
template <class STATE, class T, class R> static int start_method(const device_sums_job *job) {
    constexpr bool all = std::is_same_v<STATE, quire::kahan<float>> && std::is_same_v<R, float>;
#define START(WHO) LAUNCH(WHO, methods_kernel<STATE, T, R, WHO, all>)
    switch (job->who) { METHODS_WHO(START) }
    if constexpr (all) switch (job->who) {
            KAHANS_WHO(START)
        }
#undef START
    return -1;
}
template <class T, class R> static int start_moments(const device_sums_job *job) {
#define START(WHO) LAUNCH(WHO, moments_kernel<T, R, WHO>)
    switch (job->who) { MOMENTS_WHO(START) }
#undef START
    return -1;
}

#ifdef FEW
#define METHODS(X) FEW_METHODS(X)
#define MOMENTS(X) FEW_MOMENTS(X)
#else
#define METHODS(X) FEW_METHODS(X) MORE_METHODS(X)
#define MOMENTS(X) FEW_MOMENTS(X) MORE_MOMENTS(X)
#endif
#define IS(type_of, result_of) (job->what.type == type_of && job->what.result_type == result_of)

extern "C" int NAME(device_methods, VARIANT)(const device_sums_job *job) {
#define START(name, METHOD, T, type_of, R, result_of)                                                                  \
    if (job->what.method == METHOD && IS(type_of, result_of)) return start_method<quire::name<T>, T, R>(job);
    METHODS(START)
#undef START
    return -1;
}

extern "C" int NAME(device_order, VARIANT)(const device_sums_job *job) {
#define START(name, METHOD, T, type_of, R, result_of)                                                                  \
    if (job->what.method == METHOD && IS(type_of, result_of)) {                                                        \
        order_kernel<quire::name<T>, T, R><<<(unsigned)job->vectors, 256>>>(*job);                                     \
        return cudaGetLastError();                                                                                     \
    }
    METHODS(START)
#undef START
    return -1;
}

extern "C" int NAME(device_moments, VARIANT)(const device_sums_job *job) {
#define START(T, type_of, R, result_of)                                                                                \
    if (IS(type_of, result_of)) return start_moments<T, R>(job);
    MOMENTS(START)
#undef START
    return -1;
}

extern "C" int NAME(device_moment_states, VARIANT)(const device_sums_job *job, unsigned seed) {
#define START(T, type_of, R, result_of)                                                                                \
    if (IS(type_of, result_of)) {                                                                                      \
        moment_states_kernel<T, R><<<(unsigned)job->vectors, 32>>>(*job, seed);                                        \
        return cudaGetLastError();                                                                                     \
    }
    MOMENTS(START)
#undef START
    return -1;
}
