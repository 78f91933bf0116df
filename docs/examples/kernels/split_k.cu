/* split_k.cu - a matrix times a vector, each row's product cut over many blocks, and a histogram of weights: sums that
 * blocks add to in an order that nobody controls. Atomic additions of floats give other bits in every run; those into
 * quire_accumulators give the correctly rounded result, always.
 *
 *     nvcc -O3 -std=c++17 -arch=native split_k.cu -o split_k $(pkg-config --cflags --libs quire) && ./split_k
 */
#include <quire/device.cuh>

#include "example.cuh"

enum { THREADS = 256, SLICE = 8192 }; /* elements of a row that a block takes */

static __global__ void __launch_bounds__(THREADS)
    times_exact(const float *a, const float *x, int n, quire_accumulator *sum) {
    __shared__ quire::block_scratch<THREADS> scratch;
    const size_t begin = (size_t)blockIdx.x * SLICE;
    const float *row = a + (size_t)blockIdx.y * n + begin, *part = x + begin;
    quire::block_accumulate_products(
        scratch, &sum[blockIdx.y], min((size_t)SLICE, n - begin), [=](size_t k) { return row[k]; },
        [=](size_t k) { return part[k]; });
}
static __global__ void __launch_bounds__(THREADS) times_in_float(const float *a, const float *x, int n, float *sum) {
    const size_t begin = (size_t)blockIdx.x * SLICE;
    const float *row = a + (size_t)blockIdx.y * n + begin, *part = x + begin;
    float mine = 0;
    for (size_t k = threadIdx.x; k < min((size_t)SLICE, n - begin); k += THREADS) mine += row[k] * part[k];
    for (int apart = 16; apart; apart /= 2) mine += __shfl_down_sync(0xffffffffu, mine, apart);
    if (threadIdx.x % 32 == 0) atomicAdd(&sum[blockIdx.y], mine);
}

static __global__ void histogram_exact(const float *weight, size_t n, int bins, quire_accumulator *bin) {
    for (size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x; k < n; k += (size_t)gridDim.x * blockDim.x)
        quire::atomic_add(&bin[k * 2654435761u % bins], weight[k]);
}
static __global__ void histogram_in_float(const float *weight, size_t n, int bins, float *bin) {
    for (size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x; k < n; k += (size_t)gridDim.x * blockDim.x)
        atomicAdd(&bin[k * 2654435761u % bins], weight[k]);
}

/* Runs ten times, and says how many different results there were. */
template <class Run> static std::set<std::string> results_of(const float *result, size_t count, const Run &run) {
    std::set<std::string> results;
    for (int i = 0; i < 10; i++) {
        run();
        must(cudaDeviceSynchronize(), "a kernel");
        results.insert(bits_of(result, count));
    }
    return results;
}

int main(void) {
    const int rows = 64, n = 1 << 20, bins = 1000;
    float *a = device_random<float>((size_t)rows * n), *x = device_random<float>(n, 3);
    float *result = device_new<float>(bins), *expected = device_new<float>(bins);
    quire_accumulator *sum = device_new<quire_accumulator>(bins);
    quire_context *context;
    quire_reduction what = {};
    what.operation = QUIRE_DOT, what.type = what.result_type = QUIRE_F32;
    must(quire_open_cuda(&context, 0, NULL), "quire_open_cuda");

    const dim3 grid((n + SLICE - 1) / SLICE, rows);
    const auto product = [&] {
        cudaMemsetAsync(sum, 0, rows * sizeof *sum);
        times_exact<<<grid, THREADS>>>(a, x, n, sum);
        must(quire_finish_many(context, &what, rows, sum, NULL, result), "quire_finish_many");
    };
    const auto product_in_float = [&] {
        cudaMemsetAsync(result, 0, rows * sizeof *result);
        times_in_float<<<grid, THREADS>>>(a, x, n, result);
    };
    const size_t in_float = results_of(result, rows, product_in_float).size();
    const float time_in_float = time_of(product_in_float), time = time_of(product);
    const std::set<std::string> exact = results_of(result, rows, product);
    const quire_layout l = quire_rows(rows, n, n), same = quire_rows(rows, n, 0);
    must(quire_reduce(context, &what, &l, a, &same, x, expected), "quire_reduce");
    must(cudaDeviceSynchronize(), "quire_reduce");
    expect(exact.size() == 1 && *exact.begin() == bits_of(expected, rows), "products that quire_reduce has otherwise");
    printf("%d rows of %d times a vector: float %.3f ms, %zu results of 10 runs; exact %.3f ms, %zu result\n", rows, n,
           time_in_float, in_float, time, exact.size());

    what.operation = QUIRE_SUM;
    const size_t weights = (size_t)1 << 22;
    const auto histogram = [&] {
        cudaMemsetAsync(sum, 0, bins * sizeof *sum);
        histogram_exact<<<1024, THREADS>>>(a, weights, bins, sum);
        must(quire_finish_many(context, &what, bins, sum, NULL, result), "quire_finish_many");
    };
    const auto histogram_float = [&] {
        cudaMemsetAsync(result, 0, bins * sizeof *result);
        histogram_in_float<<<1024, THREADS>>>(a, weights, bins, result);
    };
    const size_t bins_in_float = results_of(result, bins, histogram_float).size();
    const float bins_time_in_float = time_of(histogram_float), bins_time = time_of(histogram);
    const size_t bins_exact = results_of(result, bins, histogram).size();
    expect(bins_exact == 1, "a histogram that differs from run to run");
    printf("%zu weights into %d bins: float %.3f ms, %zu results of 10 runs; exact %.3f ms, %zu result\n", weights,
           bins, bins_time_in_float, bins_in_float, bins_time, bins_exact);
    quire_close(context);
    return verdict;
}
