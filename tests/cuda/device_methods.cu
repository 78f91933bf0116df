/* device_methods.cu - sums by the methods of the canonical order: see device_calls.h. VARIANT is the last part of the
 * functions' names; with FEW few types are tried. */
#include "kernels_of.cuh"

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
    R result = R(), again;
    if constexpr (summers<WHO>::by_lanes) {
        result = again = sum_by<R, summers<WHO>::size, ALL>(STATE(), job.what, its.n, x, y);
    } else { /* twice, one behind the other in the same scratch */
        __shared__ quire::ordered_scratch<WHO, STATE> scratch;
#pragma unroll 1
        for (int turn = 0; turn < 2; turn++)
            again = result, result = sum_by<R, WHO, ALL>(scratch, job.what, its.n, x, y);
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
#ifdef FEW
#define METHODS(X) FEW_METHODS(X)
#else
#define METHODS(X) FEW_METHODS(X) MORE_METHODS(X)
#endif

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
