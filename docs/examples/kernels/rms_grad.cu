/* rms_grad.cu - the gradients of RMSNorm, y = x * w * f with f = 1 / sqrt(mean(x^2) + eps), whose sums are
 * correctly rounded: of the inputs, dx = f * (g - x * f^2 * sum(g x) / n) with g = w * dy, by rows; and of the weights,
 * dw = sum(dy * (x f)), by columns over the batch. In float, dx depends on how many threads share a row, and dw on how
 * blocks share the batch; here neither does.
 *
 *     nvcc -O3 -std=c++17 -arch=native rms_grad.cu -o rms_grad $(pkg-config --cflags --libs quire) && ./rms_grad
 */
#include "column_sums.cuh"

/* The factor f of each row, by a block. */
template <class T> static __global__ void __launch_bounds__(256) factors(const T *x, int n, float eps, float *factor) {
    __shared__ quire::block_scratch<256> scratch;
    const T *row = x + (size_t)blockIdx.x * n;
    const float sum = quire::block_sumsq<float>(scratch, n, [=](size_t k) { return row[k]; });
    if (threadIdx.x == 0) factor[blockIdx.x] = 1 / sqrtf(sum / n + eps);
}

/* Of rows first to end - 1, whose sums of products are kept, too. */
template <class T, int THREADS, class Sum>
static __global__ void __launch_bounds__(shared_by<THREADS>::block, shared_by<THREADS>::blocks)
    inputs(const T *x, const T *w, const T *dy, const float *factor, T *dx, int first, int end, int n, float *dots) {
    typedef shared_by<THREADS> by;
    __shared__ typename by::scratch scratch[by::scratches];
    const int r = first + blockIdx.x * by::rows + threadIdx.x / THREADS, own = min(r, end - 1);
    const T *row = x + (size_t)own * n, *of = dy + (size_t)own * n;
    Sum mine;
#pragma unroll 2
    for (int c = threadIdx.x % THREADS; c < n / chunk<T>::count; c += THREADS) {
        const chunk<T> xs = chunk_at(row, c), ws = chunk_at(w, c), dys = chunk_at(of, c);
        for (int i = 0; i < xs.count; i++)
            mine.add_product(__fmul_rn((float)ws.of[i], (float)dys.of[i]), (float)xs.of[i]);
    }
    const float dot = sum_of_row<THREADS, quire::terms::products>(
        scratch, mine, n, [=](size_t k) { return __fmul_rn((float)w[k], (float)of[k]); },
        [=](size_t k) { return (float)row[k]; });
    if (r >= end) return; /* lanes whose block has no such row have done the last one's */
    const float f = factor[r], less = -dot * (f * f / n);
#pragma unroll 2
    for (int c = threadIdx.x % THREADS; c < n / chunk<T>::count; c += THREADS) {
        chunk<T> xs = chunk_at(row, c), ws = chunk_at(w, c), dys = chunk_at(of, c);
        for (int i = 0; i < xs.count; i++)
            xs.of[i] = T(f * fmaf((float)xs.of[i], less, __fmul_rn((float)ws.of[i], (float)dys.of[i])));
        ((chunk<T> *)(dx + (size_t)r * n))[c] = xs;
    }
    if (threadIdx.x % THREADS == 0) dots[r] = dot;
}

/* dy and x f, of which the gradients of the weights are the products' sums. */
template <class T> struct weight_terms {
    static constexpr int count = chunk<T>::count;
    const T *dy, *input;
    const float *factor;
    int n;
    __device__ float x(size_t r, int c) const { return (float)dy[r * n + c]; }
    __device__ float y(size_t r, int c) const { return __fmul_rn((float)input[r * n + c], factor[r]); }
    template <class Sum> __device__ void add(Sum (&sum)[count], size_t r, int c) const {
        const chunk<T> dys = chunk_at(dy + r * n + c, 0), xs = chunk_at(input + r * n + c, 0);
        const float f = factor[r];
        for (int i = 0; i < count; i++) sum[i].add_product((float)dys.of[i], __fmul_rn((float)xs.of[i], f));
    }
};

/* The factors as arrays of floats, for the library's own sums. */
template <class T>
static __global__ void store_factors(weight_terms<T> terms, const T *w, float *of_x, float *of_y, float *g, float *in) {
    const size_t r = blockIdx.x;
    for (int c = threadIdx.x; c < terms.n; c += blockDim.x) {
        const size_t i = r * terms.n + c;
        of_x[i] = terms.x(r, c), of_y[i] = terms.y(r, c);
        g[i] = __fmul_rn((float)w[c], of_x[i]), in[i] = (float)terms.input[i];
    }
}

template <class T> static void try_type(quire_context *context, size_t elements, int n) {
    const int rows = (int)(elements / n);
    device_array<T> x(elements, 1), w(n, 7), dy(elements, 99), dx(elements);
    device_array<float> factor(rows), dots(rows), dw(n);
    factors<T><<<rows, 256>>>(x, n, 1e-6f, factor);
    const auto outcome_of = [&](auto sum) {
        return try_rows<T>(rows, n, dx.at, n, [&](auto threads, int first, int end) {
            typedef shared_by<threads> by;
            inputs<T, threads, decltype(sum)>
                <<<by::grid(end - first), by::block>>>(x, w, dy, factor, dx, first, end, n, dots);
        });
    };
    const outcome in_float = outcome_of(float_sum<0>()), exact = outcome_of(exact_sum<0>());
    print_line("gradient of inputs", type_of<T>::name, n, exact, in_float);

    const weight_terms<T> terms = { dy, x, factor, n };
    const outcome columns_in_float = try_columns<float_column>(terms, rows, n, dw),
                  columns_exact = try_columns<exact_column>(terms, rows, n, dw);
    print_line("gradient of weights", type_of<T>::name, n, columns_exact, columns_in_float);

    device_array<float> of_x(elements), of_y(elements), g(elements), in(elements);
    store_factors<T><<<rows, 256>>>(terms, w, of_x, of_y, g, in);
    expect_reduction<float>(context, QUIRE_DOT, quire_columns(rows, n, n), of_x, of_y, dw, "gradients of weights");
    expect_reduction<float>(context, QUIRE_DOT, quire_rows(rows, n, n), g, in, dots, "sums of rows");
}

int main(int count, char **argument) {
    const size_t elements = elements_of(count, argument, 26);
    quire_context *context;
    must(quire_open_cuda(&context, 0, NULL), "quire_open_cuda");
    print_head("Gradients of RMSNorm", elements, GRADIENT_LAUNCHES);
    each_type({ 128, 1024, 4096, 16384 }, [&](auto x, int n) { try_type<decltype(x)>(context, elements, n); });
    quire_close(context);
    return verdict;
}
