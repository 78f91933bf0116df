/* rms_norm.cu - RMSNorm whose sum of squares is correctly rounded: y = x * w / sqrt(mean(x^2) + eps). A row is shared
 * by 8 lanes to 1024 threads. The same kernel with a sum in float has other bits for every number of threads; this one
 * has the same for all.
 *
 *     nvcc -O3 -std=c++17 -arch=native rms_norm.cu -o rms_norm $(pkg-config --cflags --libs quire) && ./rms_norm
 */
#include "rows.cuh"

/* Rows first to end - 1, whose sums of squares are kept, too. */
template <class T, int THREADS, class Sum>
static __global__ void __launch_bounds__(shared_by<THREADS>::block, shared_by<THREADS>::blocks)
    rms_norm(const T *x, const T *w, T *y, int first, int end, int n, float eps, float *squares) {
    typedef shared_by<THREADS> by;
    __shared__ typename by::scratch scratch[by::scratches];
    const int r = first + blockIdx.x * by::rows + threadIdx.x / THREADS, chunks = n / chunk<T>::count;
    const T *row = x + (size_t)min(r, end - 1) * n; /* lanes that have no row do the last one's */
    Sum mine;
#pragma unroll 4
    for (int c = threadIdx.x % THREADS; c < chunks; c += THREADS) {
        const chunk<T> xs = chunk_at(row, c);
        for (int i = 0; i < xs.count; i++) mine.add_product((float)xs.of[i], (float)xs.of[i]);
    }
    const auto element = [row](size_t k) { return (float)row[k]; }; /* for a sum that is not decided at once */
    const float sum = sum_of_row<THREADS, quire::terms::squares>(scratch, mine, n, element, element);
    if (r >= end) return;
    const float factor = rsqrtf(sum / n + eps);
#pragma unroll 4
    for (int c = threadIdx.x % THREADS; c < chunks; c += THREADS) {
        chunk<T> xs = chunk_at(row, c), ws = chunk_at(w, c);
        for (int i = 0; i < xs.count; i++) xs.of[i] = T((float)xs.of[i] * factor * (float)ws.of[i]);
        ((chunk<T> *)(y + (size_t)r * n))[c] = xs;
    }
    if (threadIdx.x % THREADS == 0) squares[r] = sum;
}

template <class T> static void try_type(quire_context *context, size_t elements, int n) {
    const int rows = (int)(elements / n);
    device_array<T> x(elements, 1), w(n, 7), y(elements);
    device_array<float> squares(rows);
    const auto outcome_of = [&](auto sum) {
        return try_rows<T>(rows, n, y.at, n, [&](auto threads, int first, int end) {
            typedef shared_by<threads> by;
            rms_norm<T, threads, decltype(sum)>
                <<<by::grid(end - first), by::block>>>(x, w, y, first, end, n, 1e-6f, squares);
        });
    };
    const outcome in_float = outcome_of(float_sum<0>()), exact = outcome_of(exact_sum<0>());
    print_line("RMSNorm", type_of<T>::name, n, exact, in_float);
    expect_reduction<T>(context, QUIRE_SUMSQ, quire_rows(rows, n, n), x, nullptr, squares, "sums of squares");
}

int main(int count, char **argument) {
    const size_t elements = elements_of(count, argument, 27);
    quire_context *context;
    must(quire_open_cuda(&context, 0, NULL), "quire_open_cuda");
    print_head("RMSNorm", elements, ROW_LAUNCHES);
    each_type({ 128, 1024, 4096, 16384 }, [&](auto x, int n) { try_type<decltype(x)>(context, elements, n); });
    quire_close(context);
    return verdict;
}
