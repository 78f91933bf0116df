/* rms_grad.cu - the gradients of RMSNorm, y = x * w * f with f = 1 / sqrt(mean(x^2) + eps), whose sums are
 * correctly rounded: of the inputs, dx = f * (g - x * f^2 * sum(g x) / n) with g = w * dy, by rows; and of the weights,
 * dw = sum(dy * (x f)), by columns over the batch. In float, dx depends on how many threads share a row, and dw on how
 * blocks share the batch; here neither does.
 *
 *     nvcc -O3 -std=c++17 -arch=native rms_grad.cu -o rms_grad $(pkg-config --cflags --libs quire) && ./rms_grad
 */
#include <quire/device.cuh>

#include "column_sums.cuh"

/* The factor f of each row, by a block. */
template <class T> static __global__ void __launch_bounds__(256) factors(const T *x, int n, float eps, float *factor) {
    __shared__ quire::block_scratch<256> scratch;
    const T *row = x + (size_t)blockIdx.x * n;
    const float sum = quire::block_sumsq<float>(scratch, n, [=](size_t k) { return row[k]; });
    if (threadIdx.x == 0) factor[blockIdx.x] = 1 / sqrtf(sum / n + eps);
}

template <class T, int THREADS, class Sum>
static __global__ void __launch_bounds__(shared_by<THREADS>::block, shared_by<THREADS>::blocks)
    inputs(const T *x, const T *w, const T *dy, const float *factor, T *dx, int rows, int n, float *dots) {
    typedef shared_by<THREADS> by;
    __shared__ typename by::scratch scratch[by::scratches];
    const int r = blockIdx.x * by::rows + threadIdx.x / THREADS, own = min(r, rows - 1);
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
    if (r >= rows) return; /* lanes whose block has no such row have done the last one's */
    const float f = factor[r], less = dot * (f * f / n);
#pragma unroll 2
    for (int c = threadIdx.x % THREADS; c < n / chunk<T>::count; c += THREADS) {
        chunk<T> xs = chunk_at(row, c), ws = chunk_at(w, c), dys = chunk_at(of, c);
        for (int i = 0; i < xs.count; i++)
            xs.of[i] = T(f * ((float)ws.of[i] * (float)dys.of[i] - (float)xs.of[i] * less));
        ((chunk<T> *)(dx + (size_t)r * n))[c] = xs;
    }
    if (threadIdx.x % THREADS == 0) dots[r] = dot;
}

/* dy and x f, of which the gradients of the weights are the products' sums. */
template <class T> struct weight_terms {
    static constexpr int count = 16 / (int)sizeof(T);
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
static __global__ void store_factors(weight_terms<T> terms, const T *w, int rows, float *of_x, float *of_y, float *g,
                                     float *in) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < (size_t)rows * terms.n;
         i += (size_t)gridDim.x * blockDim.x) {
        const size_t r = i / terms.n, c = i % terms.n;
        of_x[i] = terms.x(r, (int)c), of_y[i] = terms.y(r, (int)c);
        g[i] = __fmul_rn((float)w[c], of_x[i]), in[i] = (float)terms.input[i];
    }
}

template <class Sum, class T>
static outcome try_inputs(const T *x, const T *w, const T *dy, const float *factor, T *dx, int rows, int n,
                          float *dots) {
    return try_rows(dx, n, rows, [=](auto threads, int batch) {
        typedef shared_by<threads> by;
        inputs<T, threads, Sum><<<(batch + by::rows - 1) / by::rows, by::block>>>(x, w, dy, factor, dx, batch, n, dots);
    });
}

template <class T> static void try_type(quire_context *context, const char *name, size_t elements, int n) {
    const int rows = (int)(elements / n);
    T *x = device_random<T>(elements), *w = device_random<T>(n, 7), *dy = device_random<T>(elements, 99),
      *dx = device_new<T>(elements);
    float *factor = device_new<float>(rows), *dots = device_new<float>(rows), *dw = device_new<float>(n);
    void *part = device_new<exact_column>((size_t)64 * n);
    factors<T><<<rows, 256>>>(x, n, 1e-6f, factor);
    printf("%s, %d rows of %d:\n", name, rows, n);

    const outcome rows_in_float = try_inputs<float_sum<>>(x, w, dy, factor, dx, rows, n, dots),
                  rows_exact = try_inputs<exact_sum<>>(x, w, dy, factor, dx, rows, n, dots);
    print_outcomes("gradient of inputs:", rows_in_float, rows_exact);
    inputs<T, 256, exact_sum<>><<<rows, 256>>>(x, w, dy, factor, dx, rows, n, dots);

    const weight_terms<T> terms = { dy, x, factor, n };
    const outcome columns_in_float = try_columns<float_column>(terms, rows, n, part, dw),
                  columns_exact = try_columns<exact_column>(terms, rows, n, part, dw);
    print_outcomes("gradient of weights:", columns_in_float, columns_exact);

    float *array[4], *expected = device_new<float>(std::max(rows, n));
    for (float *&one : array) one = device_new<float>(elements);
    store_factors<<<1024, 256>>>(terms, w, rows, array[0], array[1], array[2], array[3]);
    expect_dot(context, quire_columns(rows, n, n), array[0], array[1], dw, expected, n, "gradients of weights");
    expect_dot(context, quire_rows(rows, n, n), array[2], array[3], dots, expected, rows, "sums of rows");
    for (float *one : array) cudaFree(one);
    for (void *one : { (void *)x, (void *)w, (void *)dy, (void *)dx, (void *)factor, (void *)dots, (void *)dw, part,
                       (void *)expected })
        cudaFree(one);
}

int main(int count, char **argument) {
    const size_t elements = (size_t)1 << (count > 1 ? atoi(argument[1]) : 26);
    quire_context *context;
    must(quire_open_cuda(&context, 0, NULL), "quire_open_cuda");
    printf(
        "Gradients of RMSNorm, %zu elements. Results: of a row in 100 batch sizes by 32 to 1024 threads; of weights by "
        "48 ways to share the batch\n",
        elements);
    for (int n : { 1024, 4096, 16384 }) {
        try_type<__half>(context, "half", elements, n);
        try_type<__nv_bfloat16>(context, "bfloat16", elements, n);
        try_type<float>(context, "float", elements, n);
    }
    quire_close(context);
    return verdict;
}
