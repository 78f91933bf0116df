/* device_moments.cu - means and variances: see device_calls.h. VARIANT and FEW as in device_methods.cu. */
#include "kernels_of.cuh"

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
        moment_by<summers<WHO>::size>(of_block[WHO < 0 ? thread_of_block() / 32 : 0], job.what, mine, its.n, x, &wrong);
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

template <class T, class R> static int start_moments(const device_sums_job *job) {
#define START(WHO) LAUNCH(WHO, moments_kernel<T, R, WHO>)
    switch (job->who) { MOMENTS_WHO(START) }
    if constexpr (std::is_same_v<T, float> && std::is_same_v<R, float>) switch (job->who) {
            FLOATS_MOMENTS_WHO(START)
        }
#undef START
    return -1;
}

#ifdef FEW
#define MOMENTS(X) FEW_MOMENTS(X)
#else
#define MOMENTS(X) FEW_MOMENTS(X) MORE_MOMENTS(X)
#endif

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
