/* rms_norm.cu - RMSNorm whose sum of squares is correctly rounded: y = x * w / sqrt(mean(x^2) + eps). A row is shared
 * by 8 lanes to 1024 threads. The same kernel with a sum in float has other bits for every number of threads; this one
 * has the same for all.
 *
 *     nvcc -O3 -std=c++17 -arch=native rms_norm.cu -o rms_norm $(pkg-config --cflags --libs quire) && ./rms_norm
 */
#include <quire/device.cuh>

#include "example.cuh"
#include "shared_rows.cuh"

/* 16 bytes of elements, loaded at once. */
template <class T> struct alignas(16) chunk {
    static constexpr int count = 16 / (int)sizeof(T);
    T of[count];
};

/* What is added up in float, or exactly. */
struct float_sum {
    float sum = 0;
    template <class T> __device__ void add_product(T x, T y) { sum += (float)x * (float)y; }
};
struct add_floats {
    __device__ float operator()(float x, float y) const { return x + y; }
};

/* The sum of squares of a row of n elements, of which each thread has added its share to mine. */
template <int THREADS, class T> static __device__ float squares_of(const float_sum &mine, const T *, int) {
    return in_float<THREADS>(mine.sum, add_floats());
}
template <int THREADS, class T>
static __device__ float squares_of(const quire::exact<T, float> &mine, const T *row, int n) {
    typedef shared_by<THREADS> by;
    __shared__ typename by::scratch scratch[by::scratches];
    const auto element = [row](size_t k) { return row[k]; }; /* for a sum that is not decided at once */
    if constexpr (by::is_block)
        return quire::block_finish<quire::terms::squares>(scratch[0], mine, n, quire::finish::keep, element, element);
    else
        return quire::warp_finish<quire::terms::squares, THREADS>(scratch[threadIdx.x / 32], mine, n,
                                                                  quire::finish::keep, element, element);
}

template <class T, int THREADS, class Sum>
static __global__ void __launch_bounds__(shared_by<THREADS>::block, shared_by<THREADS>::blocks)
    rms_norm(const T *x, const T *w, T *y, int rows, int n, float eps, float *squares) {
    typedef chunk<T> chunk;
    const int r = blockIdx.x * shared_by<THREADS>::rows + threadIdx.x / THREADS, chunks = n / chunk::count;
    const T *row = x + (size_t)r * n;
    if (r >= rows) return; /* rows are a multiple of a block's here */
    Sum mine;
#pragma unroll 4
    for (int c = threadIdx.x % THREADS; c < chunks; c += THREADS) {
        const chunk some = ((const chunk *)row)[c];
        for (int i = 0; i < chunk::count; i++) mine.add_product(some.of[i], some.of[i]);
    }
    const float sum = squares_of<THREADS>(mine, row, n), factor = rsqrtf(sum / n + eps);
#pragma unroll 4
    for (int c = threadIdx.x % THREADS; c < chunks; c += THREADS) {
        chunk some = ((const chunk *)row)[c], by = ((const chunk *)w)[c];
        for (int i = 0; i < chunk::count; i++) some.of[i] = T((float)some.of[i] * factor * (float)by.of[i]);
        ((chunk *)(y + (size_t)r * n))[c] = some;
    }
    if (threadIdx.x % THREADS == 0) squares[r] = sum;
}

/* By so many threads a row, if there are chunks for half of them. */
template <int THREADS, class Sum, class T>
static void try_one(outcome *o, const T *x, const T *w, T *y, size_t rows, int n, float *squares) {
    typedef shared_by<THREADS> by;
    if (n / chunk<T>::count * 2 < THREADS) return;
    const float time = time_of([&] {
        rms_norm<T, THREADS, Sum><<<(unsigned)(rows / by::rows), by::block>>>(x, w, y, (int)rows, n, 1e-6f, squares);
    });
    must(cudaGetLastError(), "rms_norm");
    o->best = std::min(o->best, time);
    o->results.insert(bits_of(y, std::min(rows, (size_t)1000) * n));
}
template <class Sum, class T> static outcome try_all(const T *x, const T *w, T *y, size_t rows, int n, float *squares) {
    outcome o;
    try_one<8, Sum>(&o, x, w, y, rows, n, squares), try_one<16, Sum>(&o, x, w, y, rows, n, squares);
    try_one<32, Sum>(&o, x, w, y, rows, n, squares), try_one<128, Sum>(&o, x, w, y, rows, n, squares);
    try_one<256, Sum>(&o, x, w, y, rows, n, squares), try_one<512, Sum>(&o, x, w, y, rows, n, squares);
    try_one<1024, Sum>(&o, x, w, y, rows, n, squares);
    return o;
}

template <class T> static void try_type(const char *name, quire_type type, size_t elements) {
    T *x = device_random<T>(elements), *w = device_random<T>(16384, 7), *y = device_new<T>(elements);
    float *squares = device_new<float>(elements / 128), *expected = device_new<float>(elements / 128);
    quire_context *context;
    must(quire_open_cuda(&context, 0, NULL), "quire_open_cuda");
    for (int n : { 128, 1024, 4096, 16384 }) {
        const size_t rows = elements / n;
        const outcome in_float = try_all<float_sum>(x, w, y, rows, n, squares),
                      exact = try_all<quire::exact<T, float>>(x, w, y, rows, n, squares);
        const quire_layout l = quire_rows(rows, n, n);
        quire_reduction what = {};
        what.operation = QUIRE_SUMSQ, what.type = type, what.result_type = QUIRE_F32;
        must(quire_reduce(context, &what, &l, x, NULL, NULL, expected), "quire_reduce");
        must(cudaDeviceSynchronize(), "quire_reduce");
        expect(bits_of(squares, rows) == bits_of(expected, rows), "sums of squares that quire_reduce has otherwise");
        expect(exact.results.size() == 1, "results that depend on the number of threads");
        printf("%s, rows of %5d: float %.3f ms, %zu results; exact %.3f ms, %zu result; ratio %.3f\n", name, n,
               in_float.best, in_float.results.size(), exact.best, exact.results.size(), exact.best / in_float.best);
    }
    quire_close(context);
    cudaFree(x), cudaFree(w), cudaFree(y), cudaFree(squares), cudaFree(expected);
}

int main(int count, char **argument) {
    const size_t elements = (size_t)1 << (count > 1 ? atoi(argument[1]) : 27);
    printf("RMSNorm of %zu elements; the best of 8 to 1024 threads a row\n", elements);
    try_type<__half>("half", QUIRE_F16, elements);
    try_type<__nv_bfloat16>("bfloat16", QUIRE_BF16, elements);
    try_type<float>("float", QUIRE_F32, elements);
    return verdict;
}
