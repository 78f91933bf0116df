/* histogram.cu - a histogram of weights: each weight is added to the bin of its key, by whichever thread comes first.
 * Atomic additions of floats give other bits in every run; those into quire_accumulators give the correctly rounded
 * sum of each bin, always: the bits of quire_reduce_by_key.
 *
 *     nvcc -O3 -std=c++17 -arch=native histogram.cu -o histogram $(pkg-config --cflags --libs quire) && ./histogram
 */
#include "example.cuh"

enum { BINS = 1000, BLOCKS = 1024 };

static __device__ void add(quire_accumulator *bin, float x) { quire::atomic_add(bin, x); }
static __device__ void add(float *bin, float x) { atomicAdd(bin, x); }

template <class T, class Bin>
static __global__ void __launch_bounds__(1024) fill_bins(const T *weight, const int *key, size_t n, Bin *bin) {
    for (size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x; k < n; k += (size_t)gridDim.x * blockDim.x)
        add(&bin[key[k]], (float)weight[k]);
}
static __global__ void make_keys(int *key, size_t n) {
    for (size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x; k < n; k += (size_t)gridDim.x * blockDim.x)
        key[k] = (int)(k * 2654435761u % BINS);
}

/* The best time of all weights in one batch, by blocks of 32 to 1024 threads; and the results of 1 to 100 batches.
 * finish() makes the result of the bins. */
template <class T, class Bin, class Finish>
static outcome try_bins(const T *weight, const int *key, size_t n, Bin *bin, float *result, const Finish &finish) {
    outcome o;
    for (int threads : { 32, 64, 96, 128, 256, 512, 768, 1024 }) {
        const auto run = [&](int batches) {
            const size_t batch = (n + batches - 1) / batches;
            cudaMemsetAsync(bin, 0, BINS * sizeof *bin);
            for (size_t k = 0; k < n; k += batch)
                fill_bins<<<BLOCKS, threads>>>(weight + k, key + k, std::min(batch, n - k), bin);
            finish();
        };
        o.best = std::min(o.best, time_of([&] { run(1); }));
        for (int batches = 1; batches <= 100; batches++) {
            run(batches);
            must(cudaGetLastError(), "fill_bins");
            o.results.insert(bits_of(result, BINS));
        }
    }
    return o;
}

/* The library's sums by key, of weights in the same memory. */
static void expect_sums_by_key(quire_context *context, const quire_reduction &sum, size_t n, const int *key,
                               const void *weight, const float *found) {
    const quire_layout all = quire_strided(n, 1);
    const size_t size = quire_by_key_workspace(context, &sum, BINS, QUIRE_I32, &all);
    device_array<float> expected(BINS);
    device_array<char> workspace(size);
    must(quire_reduce_by_key(context, &sum, BINS, QUIRE_I32, key, &all, weight, NULL, NULL, expected, NULL, workspace,
                             size),
         "quire_reduce_by_key");
    must(cudaDeviceSynchronize(), "quire_reduce_by_key");
    expect(bits_of(found, BINS) == bits_of(expected.at, BINS), "bins");
}

template <class T> static void try_type(quire_context *context, int n) {
    device_array<T> weight(n, 1);
    device_array<int> key(n);
    device_array<float> result(BINS);
    device_array<quire_accumulator> bin(BINS);
    quire_reduction sum = {};
    sum.type = type_of<T>::type, sum.result_type = QUIRE_F32;
    make_keys<<<BLOCKS, 256>>>(key, n);
    const outcome in_float = try_bins(weight.at, key, n, result.at, result, [] {});
    forget(result.at, BINS);
    const outcome exact = try_bins(weight.at, key, n, bin.at, result, [&] {
        must(quire_finish_many(context, &sum, BINS, bin, NULL, result), "quire_finish_many");
    });
    print_line("histogram", type_of<T>::name, n, exact, in_float);
    expect_sums_by_key(context, sum, n, key, weight, result);
}

int main(int count, char **argument) {
    const size_t elements = elements_of(count, argument, 22);
    quire_context *context;
    must(quire_open_cuda(&context, 0, NULL), "quire_open_cuda");
    print_head("Histogram of weights in 1000 bins", elements, "1 to 100 batches, by blocks of 32 to 1024 threads");
    each_type({ (int)elements }, [&](auto x, int n) { try_type<decltype(x)>(context, n); });
    quire_close(context);
    return verdict;
}
