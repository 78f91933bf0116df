/* layer_grad.cu - the gradients of LayerNorm, y = z * w + b with z = (x - mean) * f and f = 1 / sqrt(variance + eps),
 * whose sums, means and variances are correctly rounded: dx = f * (g - sum(g) / n - z * sum(g z) / n) with g = w * dy,
 * by rows; dw = sum(dy * z) and db = sum(dy), by columns over the batch. In float, dx depends on how many threads share
 * a row, dw and db on how blocks share the batch; here nothing does.
 *
 *     nvcc -O3 -std=c++17 -arch=native layer_grad.cu -o layer_grad $(pkg-config --cflags --libs quire) && ./layer_grad
 */
#include "column_sums.cuh"

/* The mean and the factor f of each row, by a block. */
template <class T>
static __global__ void __launch_bounds__(256) factors(const T *x, int n, float eps, float *mean, float *factor) {
    __shared__ quire::block_moments_scratch<256> scratch;
    const T *row = x + (size_t)blockIdx.x * n;
    const auto both = quire::block_moments<float>(scratch, n, [=](size_t k) { return row[k]; });
    if (threadIdx.x == 0) mean[blockIdx.x] = both.mean, factor[blockIdx.x] = 1 / sqrtf(both.variance + eps);
}

/* (x - mean) * f, the same bits wherever it is computed. */
static __device__ float normal(float x, float mean, float f) { return __fmul_rn(__fsub_rn(x, mean), f); }

/* Of rows first to end - 1, whose sums are kept, too. Sum: a float_sum or an exact_sum. Two of them take registers. */
template <class T, int THREADS, template <int> class Sum>
static __global__ void __launch_bounds__(shared_by<THREADS>::block, 1024 / shared_by<THREADS>::block)
    inputs(const T *x, const T *w, const T *dy, const float *means, const float *factor, T *dx, int first, int end,
           int n, float *sums, float *dots) {
    typedef shared_by<THREADS> by;
    __shared__ typename by::scratch scratch[by::scratches];
    const int r = first + blockIdx.x * by::rows + threadIdx.x / THREADS, own = min(r, end - 1);
    const T *row = x + (size_t)own * n, *of = dy + (size_t)own * n;
    const float mean = means[own], f = factor[own];
    Sum<0> numbers;
    Sum<1> products;
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
    if (r >= end) return; /* lanes whose block has no such row have done the last one's */
    const float less = -sum / n, by_z = -dot / n;
#pragma unroll 2
    for (int c = threadIdx.x % THREADS; c < n / chunk<T>::count; c += THREADS) {
        chunk<T> xs = chunk_at(row, c), ws = chunk_at(w, c), dys = chunk_at(of, c);
        for (int i = 0; i < xs.count; i++) {
            const float own_g = __fmul_rn((float)ws.of[i], (float)dys.of[i]);
            xs.of[i] = T(f * fmaf(normal((float)xs.of[i], mean, f), by_z, own_g + less));
        }
        ((chunk<T> *)(dx + (size_t)r * n))[c] = xs;
    }
    if (threadIdx.x % THREADS == 0) sums[r] = sum, dots[r] = dot;
}

/* dy and z, whose products' sums are the gradients of the weights; and dy alone, times 1, for those of b. */
template <class T, bool IS_BIAS> struct weight_terms {
    static constexpr int count = chunk<T>::count;
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
static __global__ void store_factors(weight_terms<T, false> terms, const T *w, float *dy, float *z, float *g) {
    const size_t r = blockIdx.x;
    for (int c = threadIdx.x; c < terms.n; c += blockDim.x) {
        const size_t i = r * terms.n + c;
        dy[i] = terms.x(r, c), z[i] = terms.y(r, c), g[i] = __fmul_rn((float)w[c], dy[i]);
    }
}

template <class T> struct layer {
    const int rows, n;
    device_array<T> x, w, dy, dx;
    device_array<float> mean, factor, sums, dots, dw, db;

    layer(size_t elements, int of_row)
        : rows((int)(elements / of_row)), n(of_row), x(elements, 1), w(n, 7), dy(elements, 99), dx(elements),
          mean(rows), factor(rows), sums(rows), dots(rows), dw(n), db(n) {
        factors<T><<<rows, 256>>>(x, n, 1e-5f, mean, factor);
    }
    template <template <int> class Sum> outcome inputs_outcome() {
        return try_rows<T>(rows, n, dx.at, n, [&](auto threads, int first, int end) {
            typedef shared_by<threads> by;
            inputs<T, threads, Sum>
                <<<by::grid(end - first), by::block>>>(x, w, dy, mean, factor, dx, first, end, n, sums, dots);
        });
    }
    template <bool IS_BIAS> void try_weights(const char *what, float *result) {
        const weight_terms<T, IS_BIAS> terms = { dy, x, mean, factor, n };
        const outcome in_float = try_columns<float_column>(terms, rows, n, result),
                      exact = try_columns<exact_column>(terms, rows, n, result);
        print_line(what, type_of<T>::name, n, exact, in_float);
    }
    void compare(quire_context *context) {
        const quire_layout by_row = quire_rows(rows, n, n), by_column = quire_columns(rows, n, n);
        const size_t elements = (size_t)rows * n;
        device_array<float> dys(elements), z(elements), g(elements);
        store_factors<T><<<rows, 256>>>({ dy, x, mean, factor, n }, w, dys, z, g);
        expect_reduction<float>(context, QUIRE_SUM, by_row, g, nullptr, sums, "sums of rows");
        expect_reduction<float>(context, QUIRE_DOT, by_row, g, z, dots, "sums of products of rows");
        expect_reduction<float>(context, QUIRE_DOT, by_column, dys, z, dw, "gradients of weights");
        expect_reduction<float>(context, QUIRE_SUM, by_column, dys, nullptr, db, "gradients of b");
    }
};

template <class T> static void try_type(quire_context *context, size_t elements, int n) {
    layer<T> of(elements, n);
    const outcome in_float = of.template inputs_outcome<float_sum>(), exact = of.template inputs_outcome<exact_sum>();
    print_line("gradient of inputs", type_of<T>::name, n, exact, in_float);
    of.template try_weights<false>("gradient of weights", of.dw);
    of.template try_weights<true>("gradient of b", of.db);
    of.compare(context);
}

int main(int count, char **argument) {
    const size_t elements = elements_of(count, argument, 26);
    quire_context *context;
    must(quire_open_cuda(&context, 0, NULL), "quire_open_cuda");
    print_head("Gradients of LayerNorm", elements, GRADIENT_LAUNCHES);
    each_type({ 128, 1024, 4096, 16384 }, [&](auto x, int n) { try_type<decltype(x)>(context, elements, n); });
    quire_close(context);
    return verdict;
}
