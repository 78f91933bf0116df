/* layer_norm.cu - LayerNorm and its gradients, whose sums, means and variances are correctly rounded: y = z * w + b
 * with z = (x - mean) * f and f = 1 / sqrt(variance + eps); dx = f * (g - sum(g) / n - z * sum(g z) / n) with g = w *
 * dy, by rows; dw = sum(dy * z) and db = sum(dy), by columns over the batch. Mean and variance come from one pass. In
 * float, y and dx depend on how many threads share a row, dw and db on how blocks share the batch; here nothing does.
 *
 *     nvcc -O3 -std=c++17 -arch=native layer_norm.cu -o layer_norm $(pkg-config --cflags --libs quire) && ./layer_norm
 */
#include <quire/device.cuh>

#include "column_sums.cuh"

typedef quire::mean_and_variance<float> mean_and_variance;

/* The sums of elements and of their squares, in float; or exact, which is a state of both. */
template <class T> struct float_moments {
    float_sum<1> numbers;
    float_sum<2> squares;
    __device__ void add(T x) { numbers.add((float)x), squares.add_product((float)x, (float)x); }
};
template <class T> struct exact_moments : quire::moments<T, float> {};

/* Of warps each row has a scratch, of which some lanes may do the work of none. */
template <int THREADS> struct moments_by {
    typedef std::conditional_t<shared_by<THREADS>::is_block, quire::block_moments_scratch<shared_by<THREADS>::block>,
                               quire::warp_moments_scratch>
        scratch;
};

template <int THREADS, class T>
static __device__ mean_and_variance moments_of_row(const float_moments<T> &mine, const T *, int n) {
    const float mean = in_float<THREADS>(mine.numbers.sum, float_sum<1>::join()) / n,
                square = in_float<THREADS>(mine.squares.sum, float_sum<2>::join()) / n;
    return { mean, fmaxf(square - mean * mean, 0) };
}
template <int THREADS, class T>
static __device__ mean_and_variance moments_of_row(const exact_moments<T> &mine, const T *row, int n) {
    __shared__ typename moments_by<THREADS>::scratch scratch[shared_by<THREADS>::scratches];
    const auto x = [row](size_t k) { return row[k]; };
    if constexpr (shared_by<THREADS>::is_block)
        return quire::block_moments_finish(scratch[0], mine, n, x);
    else
        return quire::warp_moments_finish<THREADS>(scratch[threadIdx.x / 32], mine, n, x);
}

template <class T, int THREADS, class Sums>
static __global__ void __launch_bounds__(shared_by<THREADS>::block, shared_by<THREADS>::blocks)
    forward(const T *x, const T *w, const T *b, T *y, int rows, int n, float eps, mean_and_variance *moments) {
    const int r = blockIdx.x * shared_by<THREADS>::rows + threadIdx.x / THREADS;
    const T *row = x + (size_t)min(r, rows - 1) * n;
    Sums mine;
#pragma unroll 4
    for (int c = threadIdx.x % THREADS; c < n / chunk<T>::count; c += THREADS) {
        const chunk<T> xs = chunk_at(row, c);
        for (int i = 0; i < xs.count; i++) mine.add(xs.of[i]);
    }
    const mean_and_variance of = moments_of_row<THREADS>(mine, row, n);
    if (r >= rows) return;
    const float f = 1 / sqrtf(of.variance + eps);
#pragma unroll 2
    for (int c = threadIdx.x % THREADS; c < n / chunk<T>::count; c += THREADS) {
        chunk<T> xs = chunk_at(row, c), ws = chunk_at(w, c), bs = chunk_at(b, c);
        for (int i = 0; i < xs.count; i++)
            xs.of[i] = T(((float)xs.of[i] - of.mean) * f * (float)ws.of[i] + (float)bs.of[i]);
        ((chunk<T> *)(y + (size_t)r * n))[c] = xs;
    }
    if (threadIdx.x % THREADS == 0) moments[r] = of;
}

/* (x - mean) * f, the same bits wherever it is computed. */
static __device__ float normal(float x, float mean, float f) { return __fmul_rn(__fsub_rn(x, mean), f); }

static __global__ void factors(const mean_and_variance *moments, int rows, float eps, float *mean, float *factor) {
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) mean[r] = moments[r].mean, factor[r] = 1 / sqrtf(moments[r].variance + eps);
}

/* Sum: a float_sum or an exact_sum, with memory of its own for each number. */
template <class T, int THREADS, template <int> class Sum>
static __global__ void __launch_bounds__(shared_by<THREADS>::block, shared_by<THREADS>::blocks)
    backward(const T *x, const T *w, const T *dy, const float *means, const float *factor, T *dx, int rows, int n,
             float *sums, float *dots) {
    typedef shared_by<THREADS> by;
    __shared__ typename by::scratch scratch[by::scratches];
    const int r = blockIdx.x * by::rows + threadIdx.x / THREADS, own = min(r, rows - 1);
    const T *row = x + (size_t)own * n, *of = dy + (size_t)own * n;
    const float mean = means[own], f = factor[own];
    Sum<1> numbers;
    Sum<2> products;
#pragma unroll 2
    for (int c = threadIdx.x % THREADS; c < n / chunk<T>::count; c += THREADS) {
        const chunk<T> xs = chunk_at(row, c), ws = chunk_at(w, c), dys = chunk_at(of, c);
        for (int i = 0; i < xs.count; i++) {
            const float g = __fmul_rn((float)ws.of[i], (float)dys.of[i]);
            numbers.add(g), products.add_product(g, normal((float)xs.of[i], mean, f));
        }
    }
    const auto g = [=](size_t k) { return __fmul_rn((float)w[k], (float)of[k]); };
    const auto z = [=](size_t k) { return normal((float)row[k], mean, f); };
    const float sum = sum_of_row<THREADS, quire::terms::elements>(scratch, numbers, n, g, z),
                dot = sum_of_row<THREADS, quire::terms::products>(scratch, products, n, g, z);
    if (r >= rows) return;
    const float less = sum / n, by_z = dot / n;
#pragma unroll 2
    for (int c = threadIdx.x % THREADS; c < n / chunk<T>::count; c += THREADS) {
        chunk<T> xs = chunk_at(row, c), ws = chunk_at(w, c), dys = chunk_at(of, c);
        for (int i = 0; i < xs.count; i++)
            xs.of[i] = T(f * ((float)ws.of[i] * (float)dys.of[i] - less - normal((float)xs.of[i], mean, f) * by_z));
        ((chunk<T> *)(dx + (size_t)r * n))[c] = xs;
    }
    if (threadIdx.x % THREADS == 0) sums[r] = sum, dots[r] = dot;
}

/* dy and z, whose products' sums are the gradients of the weights; and dy alone, times 1, for those of b. */
template <class T, bool IS_BIAS> struct weight_terms {
    static constexpr int count = 16 / (int)sizeof(T);
    const T *dy, *input;
    const float *mean, *factor;
    int n;
    __device__ float x(size_t r, int c) const { return (float)dy[r * n + c]; }
    __device__ float y(size_t r, int c) const {
        return IS_BIAS ? 1.0f : normal((float)input[r * n + c], mean[r], factor[r]);
    }
    template <class Sum> __device__ void add(Sum (&sum)[count], size_t r, int c) const {
        const chunk<T> dys = chunk_at(dy + r * n + c, 0);
        if constexpr (IS_BIAS) {
            for (int i = 0; i < count; i++) sum[i].add((float)dys.of[i]);
        } else {
            const chunk<T> xs = chunk_at(input + r * n + c, 0);
            const float m = mean[r], f = factor[r];
            for (int i = 0; i < count; i++) sum[i].add_product((float)dys.of[i], normal((float)xs.of[i], m, f));
        }
    }
};

/* The factors as arrays of floats, for the library's own sums. */
template <class T>
static __global__ void store_factors(weight_terms<T, false> terms, const T *w, int rows, float *dy, float *z,
                                     float *g) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < (size_t)rows * terms.n;
         i += (size_t)gridDim.x * blockDim.x) {
        const size_t r = i / terms.n, c = i % terms.n;
        dy[i] = terms.x(r, (int)c), z[i] = terms.y(r, (int)c), g[i] = __fmul_rn((float)w[c], dy[i]);
    }
}

/* Compares moments with the library's. */
template <class T>
static void expect_moments(quire_context *context, quire_type type, const T *x, size_t rows, int n, const float *mean,
                           const mean_and_variance *moments, float *expected) {
    const quire_layout l = quire_rows(rows, n, n);
    quire_reduction what = {};
    what.operation = QUIRE_MEAN, what.type = type, what.result_type = QUIRE_F32;
    must(quire_reduce(context, &what, &l, x, NULL, NULL, expected), "quire_reduce");
    must(cudaDeviceSynchronize(), "quire_reduce");
    expect(bits_of(mean, rows) == bits_of(expected, rows), "means");
    what.operation = QUIRE_VARIANCE;
    must(quire_reduce(context, &what, &l, x, NULL, NULL, expected), "quire_reduce");
    must(cudaDeviceSynchronize(), "quire_reduce");
    const std::string all = bits_of(moments, rows), of = bits_of(expected, rows);
    bool is_so = true;
    for (size_t r = 0; r < rows; r++) is_so &= !memcmp(&all[r * 8 + 4], &of[r * 4], 4);
    expect(is_so, "variances");
}

template <class T> struct layer {
    T *x, *w, *b, *dy, *y;
    float *mean, *factor, *sums, *dots, *dw, *expected, *array[3];
    mean_and_variance *moments;
    int rows, n;

    layer(size_t elements, int of_row) : rows((int)(elements / of_row)), n(of_row) {
        const size_t most = std::max(rows, n);
        x = device_random<T>(elements), dy = device_random<T>(elements, 99), y = device_new<T>(elements);
        w = device_random<T>(n, 7), b = device_random<T>(n, 8);
        for (float **one : { &mean, &factor, &sums, &dots, &dw, &expected }) *one = device_new<float>(most);
        for (float *&one : array) one = device_new<float>(elements);
        moments = device_new<mean_and_variance>(rows);
    }
    ~layer() {
        for (void *one : { (void *)x, (void *)w, (void *)b, (void *)dy, (void *)y, (void *)moments }) cudaFree(one);
        for (float *one : { mean, factor, sums, dots, dw, expected, array[0], array[1], array[2] }) cudaFree(one);
    }
    template <class Sums> outcome forwards() {
        return try_rows(y, n, rows, [&](auto threads, int batch) {
            typedef shared_by<threads> by;
            forward<T, threads, Sums>
                <<<(batch + by::rows - 1) / by::rows, by::block>>>(x, w, b, y, batch, n, 1e-5f, moments);
        });
    }
    template <template <int> class Sum> outcome backwards() {
        return try_rows(y, n, rows, [&](auto threads, int batch) {
            typedef shared_by<threads> by;
            backward<T, threads, Sum>
                <<<(batch + by::rows - 1) / by::rows, by::block>>>(x, w, dy, mean, factor, y, batch, n, sums, dots);
        });
    }
};

template <class T>
static void try_type(quire_context *context, const char *name, quire_type type, size_t elements, int n) {
    layer<T> of(elements, n);
    void *part = device_new<exact_column>((size_t)64 * n);
    printf("%s, %d rows of %d:\n", name, of.rows, n);

    const outcome in_float = of.template forwards<float_moments<T>>(), exact = of.template forwards<exact_moments<T>>();
    print_outcomes("forward:", in_float, exact);
    forward<T, 256, exact_moments<T>><<<of.rows, 256>>>(of.x, of.w, of.b, of.y, of.rows, n, 1e-5f, of.moments);
    factors<<<(of.rows + 255) / 256, 256>>>(of.moments, of.rows, 1e-5f, of.mean, of.factor);
    expect_moments(context, type, of.x, of.rows, n, of.mean, of.moments, of.expected);

    const outcome back_in_float = of.template backwards<float_sum>(), back_exact = of.template backwards<exact_sum>();
    print_outcomes("gradient of inputs:", back_in_float, back_exact);
    backward<T, 256, exact_sum>
        <<<of.rows, 256>>>(of.x, of.w, of.dy, of.mean, of.factor, of.y, of.rows, n, of.sums, of.dots);

    const weight_terms<T, false> weights = { of.dy, of.x, of.mean, of.factor, n };
    const weight_terms<T, true> biases = { of.dy, of.x, of.mean, of.factor, n };
    store_factors<<<1024, 256>>>(weights, of.w, of.rows, of.array[0], of.array[1], of.array[2]);
    const quire_layout rows = quire_rows(of.rows, n, n), columns = quire_columns(of.rows, n, n);
    expect_dot(context, rows, of.array[2], of.array[1], of.dots, of.expected, of.rows, "sums of rows");
    const outcome weights_in_float = try_columns<float_column>(weights, of.rows, n, part, of.dw),
                  weights_exact = try_columns<exact_column>(weights, of.rows, n, part, of.dw);
    print_outcomes("gradient of weights:", weights_in_float, weights_exact);
    expect_dot(context, columns, of.array[0], of.array[1], of.dw, of.expected, n, "gradients of weights");
    const outcome biases_in_float = try_columns<float_column>(biases, of.rows, n, part, of.dw),
                  biases_exact = try_columns<exact_column>(biases, of.rows, n, part, of.dw);
    print_outcomes("gradient of b:", biases_in_float, biases_exact);
    cudaFree(part);
}

int main(int count, char **argument) {
    const size_t elements = (size_t)1 << (count > 1 ? atoi(argument[1]) : 26);
    quire_context *context;
    must(quire_open_cuda(&context, 0, NULL), "quire_open_cuda");
    printf(
        "LayerNorm, %zu elements. Results: of a row in 100 batch sizes by 32 to 1024 threads; of weights by 48 ways to "
        "share the batch\n",
        elements);
    for (int n : { 1024, 4096, 16384 }) {
        try_type<__half>(context, "half", QUIRE_F16, elements, n);
        try_type<__nv_bfloat16>(context, "bfloat16", QUIRE_BF16, elements, n);
        try_type<float>(context, "float", QUIRE_F32, elements, n);
    }
    quire_close(context);
    return verdict;
}
