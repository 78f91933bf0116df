/* split_k.cu - a matrix times a vector, each row's product cut into slices for many blocks, which add to its sum in an
 * order that nobody controls. Atomic additions of floats give other bits in every run; those into quire_accumulators
 * give the correctly rounded result, always.
 *
 *     nvcc -O3 -std=c++17 -arch=native split_k.cu -o split_k $(pkg-config --cflags --libs quire) && ./split_k
 */
#include "example.cuh"

enum { THREADS = 256 };

/* A block takes a slice of a row. */
template <class T>
static __global__ void __launch_bounds__(THREADS)
    times_exact(const T *a, const T *x, int n, int slice, quire_accumulator *sum) {
    __shared__ quire::block_scratch<THREADS> scratch;
    const int begin = blockIdx.y * slice;
    const T *row = a + (size_t)blockIdx.x * n + begin, *part = x + begin;
    quire::block_accumulate_products(
        scratch, &sum[blockIdx.x], min(slice, n - begin), [=](size_t k) { return row[k]; },
        [=](size_t k) { return part[k]; });
}
template <class T>
static __global__ void __launch_bounds__(THREADS) times_in_float(const T *a, const T *x, int n, int slice, float *sum) {
    const int begin = blockIdx.y * slice;
    const T *row = a + (size_t)blockIdx.x * n + begin, *part = x + begin;
    float mine = 0;
#pragma unroll 4
    for (int k = threadIdx.x; k < min(slice, n - begin); k += THREADS) mine += (float)row[k] * (float)part[k];
    for (int apart = 16; apart; apart /= 2) mine += __shfl_down_sync(0xffffffffu, mine, apart);
    if (threadIdx.x % 32 == 0) atomicAdd(&sum[blockIdx.x], mine);
}

/* Slices of 1024 to 131072 elements: the best time, and the results. run(slice, first, end) launches it. */
template <class Run> static outcome try_slices(int rows, float *result, const Run &run) {
    outcome o;
    for (int slice = 1024; slice <= 131072; slice *= 2) {
        o.best = std::min(o.best, time_of([&] { run(slice, 0, rows); }));
        try_batches(&o, rows, result, 1, [&](int first, int end) { run(slice, first, end); });
    }
    return o;
}

template <class T> static void try_type(quire_context *context, size_t elements, int n) {
    const int rows = (int)(elements / n);
    device_array<T> a(elements, 1), x(n, 3);
    device_array<float> result(rows);
    device_array<quire_accumulator> sum(rows);
    quire_reduction dot = {};
    dot.operation = QUIRE_DOT, dot.type = type_of<T>::type, dot.result_type = QUIRE_F32;
    const outcome in_float = try_slices(rows, result, [&](int slice, int first, int end) {
        const dim3 grid(end - first, (n + slice - 1) / slice);
        cudaMemsetAsync(result + first, 0, (end - first) * sizeof(float));
        times_in_float<T><<<grid, THREADS>>>(a + (size_t)first * n, x, n, slice, result + first);
    });
    const outcome exact = try_slices(rows, result, [&](int slice, int first, int end) {
        const dim3 grid(end - first, (n + slice - 1) / slice);
        cudaMemsetAsync(sum + first, 0, (end - first) * sizeof(quire_accumulator));
        times_exact<T><<<grid, THREADS>>>(a + (size_t)first * n, x, n, slice, sum + first);
        must(quire_finish_many(context, &dot, end - first, sum + first, NULL, result + first), "quire_finish_many");
    });
    print_line("matrix times vector", type_of<T>::name, n, exact, in_float);
    expect_reduction<T>(context, QUIRE_DOT, quire_rows(rows, n, n), a, quire_rows(rows, n, 0), x, result, "products");
}

int main(int count, char **argument) {
    const size_t elements = elements_of(count, argument, 27);
    quire_context *context;
    must(quire_open_cuda(&context, 0, NULL), "quire_open_cuda");
    print_head("Split-K matrix times vector", elements,
               "100 rows in batches of 1 to 100, each cut into slices of 1024 to 131072");
    each_type({ 16384, 1 << 20 }, [&](auto x, int n) { try_type<decltype(x)>(context, elements, n); });
    quire_close(context);
    return verdict;
}
