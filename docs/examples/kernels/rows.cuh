/* rows.cuh - rows that 8 lanes to 1024 threads share: chunks of 16 bytes, sums over a row, in float or exact, and how
 * many results there are over sizes of blocks and of batches. */
#ifndef QUIRE_ROWS_CUH
#define QUIRE_ROWS_CUH

#include <type_traits>

#include "example.cuh"

/* 16 bytes of elements, loaded at once. */
template <class T> struct alignas(16) chunk {
    static constexpr int count = 16 / (int)sizeof(T);
    T of[count];
};
template <class T> static __device__ chunk<T> chunk_at(const T *row, int c) { return ((const chunk<T> *)row)[c]; }

/* Who sums a row: THREADS of them, neighbours; a block has one row, or as many as 256 threads are for. Launch bounds
 * keep the registers of a kernel few: what rarely is called for, to decide a sum, would take more. */
template <int THREADS> struct shared_by {
    static constexpr bool is_block = THREADS > 32;
    static constexpr int block = is_block ? THREADS : 256, rows = block / THREADS;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
    static constexpr int blocks = 1024 / block; /* of a multiprocessor */
#else
    static constexpr int blocks = 1536 / block;
#endif
    typedef std::conditional_t<is_block, quire::block_scratch<block>, quire::warp_scratch> scratch;
    static constexpr int scratches = is_block ? 1 : block / 32;
    static unsigned grid(int count) { return (unsigned)(count + rows - 1) / rows; } /* blocks for so many rows */
};

/* What the threads' numbers become, two by two, for all of them: in the order of these threads. A kernel calls this
 * with one "join" once, for the memory is used again without a barrier. */
template <int THREADS, class Join> static __device__ float in_float(float x, const Join &join) {
    for (int apart = min(THREADS, 32) / 2; apart; apart /= 2) x = join(x, __shfl_xor_sync(0xffffffffu, x, apart));
    if constexpr (THREADS > 32) {
        __shared__ float of_warp[THREADS / 32];
        if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = x;
        __syncthreads();
        x = of_warp[threadIdx.x % (THREADS / 32)];
        for (int apart = THREADS / 64; apart; apart /= 2) x = join(x, __shfl_xor_sync(0xffffffffu, x, apart));
    }
    return x;
}

/* A sum of elements, or of products, in float. NUMBER: several sums of a kernel have memory of their own. */
template <int NUMBER> struct float_sum {
    float sum = 0;
    __device__ void add(float x) { sum += x; }
    __device__ void add_product(float x, float y) { sum += x * y; }
    struct join {
        __device__ float operator()(float x, float y) const { return x + y; }
    };
};
template <int NUMBER> struct exact_sum : quire::exact<float> {};

/* The sum of a row of n terms, of which each thread has added its share to mine. x and y give the terms again; they
 * load, or compute by instructions that no compiler contracts, so that they give the same bits each time. */
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

static const char ROW_LAUNCHES[] = "100 rows in batches of 1 to 100, each shared by 8 to 1024 threads";

/* Calls run(threads) for the eight sizes that are tried, threads being a constant. */
template <class Run> static void each_size(const Run &run) {
    run(std::integral_constant<int, 8>()), run(std::integral_constant<int, 16>());
    run(std::integral_constant<int, 32>()), run(std::integral_constant<int, 64>());
    run(std::integral_constant<int, 128>()), run(std::integral_constant<int, 256>());
    run(std::integral_constant<int, 512>()), run(std::integral_constant<int, 1024>());
}

/* A kernel over rows of n elements of type T: the best time for all rows, of the sizes with chunks for half of their
 * threads; and the results of batches, by each size. run(threads, first, end) launches it. */
template <class T, class R, class Run> static outcome try_rows(int rows, int n, R *result, int width, const Run &run) {
    outcome o;
    each_size([&](auto threads) {
        if (n / chunk<T>::count * 2 >= threads) o.best = std::min(o.best, time_of([&] { run(threads, 0, rows); }));
        try_batches(&o, rows, result, width, [&](int first, int end) { run(threads, first, end); });
    });
    return o;
}

#endif
