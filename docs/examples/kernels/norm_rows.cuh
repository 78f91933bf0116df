/* norm_rows.cuh - what the gradients of norms share: rows by chunks of 16 bytes, sums over a row, in float or exact,
 * and how many results there are over block sizes and batch sizes. */
#ifndef QUIRE_NORM_ROWS_CUH
#define QUIRE_NORM_ROWS_CUH

#include "shared_rows.cuh"

/* 16 bytes of elements, loaded at once. */
template <class T> struct alignas(16) chunk {
    static constexpr int count = 16 / (int)sizeof(T);
    T of[count];
};
template <class T> static __device__ chunk<T> chunk_at(const T *row, int c) { return ((const chunk<T> *)row)[c]; }

/* A sum of elements, or of products, in float. NUMBER: several sums of a kernel have memory of their own. */
template <int NUMBER = 0> struct float_sum {
    float sum = 0;
    __device__ void add(float x) { sum += x; }
    __device__ void add_product(float x, float y) { sum += x * y; }
    struct join {
        __device__ float operator()(float x, float y) const { return x + y; }
    };
};
template <int NUMBER = 0> struct exact_sum : quire::exact<float> {};

/* The sum of a row of n terms, of which each thread has added its share to mine. x and y give the terms again; they
 * load and use intrinsics, which no compiler contracts, so that they give the same bits each time. */
template <int THREADS, quire::terms TERMS, int NUMBER, class X, class Y>
static __device__ float sum_of_row(typename shared_by<THREADS>::scratch *, const float_sum<NUMBER> &mine, int,
                                   const X &, const Y &) {
    return in_float<THREADS>(mine.sum, typename float_sum<NUMBER>::join());
}
template <int THREADS, quire::terms TERMS, int NUMBER, class X, class Y>
static __device__ float sum_of_row(typename shared_by<THREADS>::scratch *scratch, const exact_sum<NUMBER> &mine, int n,
                                   const X &x, const Y &y) {
    if constexpr (shared_by<THREADS>::is_block)
        return quire::block_finish<TERMS>(*scratch, mine, n, quire::finish::keep, x, y);
    else
        return quire::warp_finish<TERMS, THREADS>(scratch[threadIdx.x / 32], mine, n, quire::finish::keep, x, y);
}

/* Calls run(threads) for the sizes that are tried, threads being a constant. */
template <class Run> static void each_size(const Run &run) {
    run(std::integral_constant<int, 32>()), run(std::integral_constant<int, 64>());
    run(std::integral_constant<int, 128>()), run(std::integral_constant<int, 256>());
    run(std::integral_constant<int, 512>()), run(std::integral_constant<int, 1024>());
}

/* A kernel over rows: its time for a whole batch, the best of all sizes, and the results for the first row alone, which
 * is in batches of 1 to 100 rows, by each size. run(threads, rows) launches it; count elements from result on are the
 * first row's. */
template <class T, class Run> static outcome try_rows(const T *result, size_t count, int rows, const Run &run) {
    outcome o;
    each_size([&](auto threads) {
        if ((int)(count * sizeof(T) / 16 * 2) < threads) return; /* chunks for less than half of them */
        o.best = std::min(o.best, time_of([&] { run(threads, rows); }));
        for (int batch = 1; batch <= 100 && batch <= rows; batch++) {
            run(threads, batch);
            must(cudaGetLastError(), "a kernel over rows");
            o.results.insert(bits_of(result, count));
        }
    });
    return o;
}

/* Compares sums of products that a kernel has made with those of the library, on the device. */
static void expect_dot(quire_context *context, const quire_layout &layout, const float *x, const float *y,
                       const float *found, float *expected, size_t count, const char *what) {
    quire_reduction dot = {};
    dot.operation = QUIRE_DOT, dot.type = dot.result_type = QUIRE_F32;
    must(quire_reduce(context, &dot, &layout, x, &layout, y, expected), "quire_reduce");
    must(cudaDeviceSynchronize(), "quire_reduce");
    expect(bits_of(found, count) == bits_of(expected, count), what);
}

static void print_outcomes(const char *what, const outcome &in_float, const outcome &exact) {
    printf("  %-22s float %.3f ms, %zu results; exact %.3f ms, %zu result; ratio %.3f\n", what, in_float.best,
           in_float.results.size(), exact.best, exact.results.size(), exact.best / in_float.best);
    expect(exact.results.size() == 1, "results that depend on the launch");
}

#endif
