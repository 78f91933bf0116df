/* softmax.cu - cross-entropy of a softmax, whose denominator is the correctly rounded sum of the exponentials: loss =
 * log(sum exp(x - max)) - (x[label] - max). A row is shared by 8 lanes to 1024 threads. Exponentials are stored in
 * shared memory as they are added up: a sum that is not decided at once asks for them again, and must get the same
 * bits.
 *
 *     nvcc -O3 -std=c++17 -arch=native softmax.cu -o softmax $(pkg-config --cflags --libs quire) && ./softmax
 */
#include <quire/device.cuh>

#include "example.cuh"
#include "shared_rows.cuh"

struct float_sum {
    float sum = 0;
    __device__ void add(float x) { sum += x; }
};

/* Not a lambda: the maximum and the sum have shared memory of their own. */
struct add_floats {
    __device__ float operator()(float x, float y) const { return x + y; }
};
struct greater_float {
    __device__ float operator()(float x, float y) const { return fmaxf(x, y); }
};

/* The sum of the exponentials e, n of them, of which each thread has added its share to mine. */
template <int THREADS> static __device__ float sum_of(const float_sum &mine, const float *, int) {
    return in_float<THREADS>(mine.sum, add_floats());
}
template <int THREADS> static __device__ float sum_of(const quire::exact<float> &mine, const float *e, int n) {
    typedef shared_by<THREADS> by;
    __shared__ typename by::scratch scratch[by::scratches];
    const auto element = [e](size_t k) { return e[k]; };
    if constexpr (by::is_block)
        return quire::block_finish<quire::terms::elements>(scratch[0], mine, n, quire::finish::keep, element, element);
    else
        return quire::warp_finish<quire::terms::elements, THREADS>(scratch[threadIdx.x / 32], mine, n,
                                                                   quire::finish::keep, element, element);
}

template <int THREADS, class Sum>
static __global__ void __launch_bounds__(shared_by<THREADS>::block, shared_by<THREADS>::blocks)
    cross_entropy(const float *x, const int *label, int n, float *loss) {
    extern __shared__ float exponentials[];
    const int own = threadIdx.x / THREADS, r = blockIdx.x * shared_by<THREADS>::rows + own;
    const float *row = x + (size_t)r * n;
    float *e = exponentials + own * n, greatest = -INFINITY;
    for (int k = threadIdx.x % THREADS; k < n; k += THREADS) greatest = fmaxf(greatest, row[k]);
    greatest = in_float<THREADS>(greatest, greater_float());
    Sum mine;
    for (int k = threadIdx.x % THREADS; k < n; k += THREADS) mine.add(e[k] = expf(row[k] - greatest));
    __syncwarp(); /* a warp's elements are there for all its lanes; a block has barriers of its own */
    const float sum = sum_of<THREADS>(mine, e, n);
    if (threadIdx.x % THREADS == 0) loss[r] = logf(sum) - (row[label[r]] - greatest);
}

template <int THREADS, class Sum>
static void try_one(outcome *o, const float *x, const int *label, size_t rows, int n, float *loss) {
    typedef shared_by<THREADS> by;
    const size_t bytes = (size_t)by::rows * n * sizeof(float);
    if (n * 2 < THREADS || bytes > 40000) return;
    const float time = time_of(
        [&] { cross_entropy<THREADS, Sum><<<(unsigned)(rows / by::rows), by::block, bytes>>>(x, label, n, loss); });
    must(cudaGetLastError(), "cross_entropy");
    o->best = std::min(o->best, time);
    o->results.insert(bits_of(loss, rows));
}
template <class Sum> static outcome try_all(const float *x, const int *label, size_t rows, int n, float *loss) {
    outcome o;
    try_one<8, Sum>(&o, x, label, rows, n, loss), try_one<16, Sum>(&o, x, label, rows, n, loss);
    try_one<32, Sum>(&o, x, label, rows, n, loss), try_one<128, Sum>(&o, x, label, rows, n, loss);
    try_one<256, Sum>(&o, x, label, rows, n, loss), try_one<512, Sum>(&o, x, label, rows, n, loss);
    try_one<1024, Sum>(&o, x, label, rows, n, loss);
    return o;
}

int main(int count, char **argument) {
    const size_t elements = (size_t)1 << (count > 1 ? atoi(argument[1]) : 27);
    float *x = device_random<float>(elements), *loss = device_new<float>(elements / 128);
    int *label = device_new<int>(elements / 128); /* all 0 */
    printf("Cross-entropy of %zu floats; the best of 8 to 1024 threads a row\n", elements);
    for (int n : { 128, 1024, 4096, 8192 }) {
        const outcome in_float = try_all<float_sum>(x, label, elements / n, n, loss),
                      exact = try_all<quire::exact<float>>(x, label, elements / n, n, loss);
        expect(exact.results.size() == 1, "results that depend on the number of threads");
        printf("rows of %5d: float %.3f ms, %zu results; exact %.3f ms, %zu result; ratio %.3f\n", n, in_float.best,
               in_float.results.size(), exact.best, exact.results.size(), exact.best / in_float.best);
    }
    return verdict;
}
