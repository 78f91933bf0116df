/* layer_norm.cu - LayerNorm whose means and variances are correctly rounded: y = (x - mean) * f * w + b with f = 1 /
 * sqrt(variance + eps). Both come from one pass over the row, which 8 lanes to 1024 threads share. In float the bits
 * depend on how many; here they do not.
 *
 *     nvcc -O3 -std=c++17 -arch=native layer_norm.cu -o layer_norm $(pkg-config --cflags --libs quire) && ./layer_norm
 */
#include "rows.cuh"

typedef quire::mean_and_variance<float> mean_and_variance;

/* The sums of elements and of their squares, in float; or exact, which is a state of both. */
template <class T> struct float_moments {
    float_sum<0> numbers;
    float_sum<1> squares;
    __device__ void add(T x) { numbers.add((float)x), squares.add_product((float)x, (float)x); }
};
template <class T> struct exact_moments : quire::moments<T, float> {};

/* A block has a scratch, or each of its warps. */
template <int THREADS>
using moments_scratch =
    std::conditional_t<shared_by<THREADS>::is_block, quire::block_moments_scratch<shared_by<THREADS>::block>,
                       quire::warp_moments_scratch>;

template <int THREADS, class T>
static __device__ mean_and_variance moments_of_row(const float_moments<T> &mine, const T *, int n) {
    const float mean = in_float<THREADS>(mine.numbers.sum, float_sum<0>::join()) / n,
                square = in_float<THREADS>(mine.squares.sum, float_sum<1>::join()) / n;
    return { mean, fmaxf(square - mean * mean, 0) };
}
template <int THREADS, class T>
static __device__ mean_and_variance moments_of_row(const exact_moments<T> &mine, const T *row, int n) {
    __shared__ moments_scratch<THREADS> scratch[shared_by<THREADS>::scratches];
    const auto x = [row](size_t k) { return row[k]; }; /* for what is not decided at once */
    if constexpr (shared_by<THREADS>::is_block)
        return quire::block_moments_finish(scratch[0], mine, n, x);
    else
        return quire::warp_moments_finish<THREADS>(scratch[threadIdx.x / 32], mine, n, x);
}

/* Rows first to end - 1, whose means and variances are kept, too. There is shared memory for so many blocks. */
template <class T, int THREADS, class Sums>
static __global__ void __launch_bounds__(shared_by<THREADS>::block, 1024 / shared_by<THREADS>::block)
    layer_norm(const T *x, const T *w, const T *b, T *y, int first, int end, int n, float eps, float *mean,
               float *variance) {
    const int r = first + blockIdx.x * shared_by<THREADS>::rows + threadIdx.x / THREADS, chunks = n / chunk<T>::count;
    const T *row = x + (size_t)min(r, end - 1) * n; /* lanes that have no row do the last one's */
    Sums mine;
#pragma unroll 4
    for (int c = threadIdx.x % THREADS; c < chunks; c += THREADS) {
        const chunk<T> xs = chunk_at(row, c);
        for (int i = 0; i < xs.count; i++) mine.add(xs.of[i]);
    }
    const mean_and_variance of = moments_of_row<THREADS>(mine, row, n);
    if (r >= end) return;
    const float f = 1 / sqrtf(of.variance + eps);
#pragma unroll 2
    for (int c = threadIdx.x % THREADS; c < chunks; c += THREADS) {
        chunk<T> xs = chunk_at(row, c), ws = chunk_at(w, c), bs = chunk_at(b, c);
        for (int i = 0; i < xs.count; i++)
            xs.of[i] = T(fmaf(((float)xs.of[i] - of.mean) * f, (float)ws.of[i], (float)bs.of[i]));
        ((chunk<T> *)(y + (size_t)r * n))[c] = xs;
    }
    if (threadIdx.x % THREADS == 0) mean[r] = of.mean, variance[r] = of.variance;
}

template <class T> static void try_type(quire_context *context, size_t elements, int n) {
    const int rows = (int)(elements / n);
    device_array<T> x(elements, 1), w(n, 7), b(n, 8), y(elements);
    device_array<float> mean(rows), variance(rows);
    const auto outcome_of = [&](auto sums) {
        return try_rows<T>(rows, n, y.at, n, [&](auto threads, int first, int end) {
            typedef shared_by<threads> by;
            layer_norm<T, threads, decltype(sums)>
                <<<by::grid(end - first), by::block>>>(x, w, b, y, first, end, n, 1e-5f, mean, variance);
        });
    };
    const outcome in_float = outcome_of(float_moments<T>()), exact = outcome_of(exact_moments<T>());
    print_line("LayerNorm", type_of<T>::name, n, exact, in_float);
    expect_reduction<T>(context, QUIRE_MEAN, quire_rows(rows, n, n), x, nullptr, mean, "means");
    expect_reduction<T>(context, QUIRE_VARIANCE, quire_rows(rows, n, n), x, nullptr, variance, "variances");
}

int main(int count, char **argument) {
    const size_t elements = elements_of(count, argument, 26);
    quire_context *context;
    must(quire_open_cuda(&context, 0, NULL), "quire_open_cuda");
    print_head("LayerNorm", elements, ROW_LAUNCHES);
    each_type({ 128, 1024, 4096, 16384 }, [&](auto x, int n) { try_type<decltype(x)>(context, elements, n); });
    quire_close(context);
    return verdict;
}
