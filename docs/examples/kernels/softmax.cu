/* softmax.cu - cross-entropy of a softmax, whose denominator is the correctly rounded sum of the exponentials: loss =
 * log(sum exp(x - max)) - (x[label] - max). A row is shared by 8 lanes to 1024 threads. A sum that is not decided at
 * once asks for the exponentials again, and must get the same bits: they are made by instructions that no compiler
 * contracts.
 *
 *     nvcc -O3 -std=c++17 -arch=native softmax.cu -o softmax $(pkg-config --cflags --libs quire) && ./softmax
 */
#include "rows.cuh"

struct greater_float {
    __device__ float operator()(float x, float y) const { return fmaxf(x, y); }
};

/* e^(x - greatest), as fast as the device has it, by 2 to a power. */
static __device__ float exponential(float x, float greatest) {
    float e;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(e) : "f"(__fmul_rn(__fsub_rn(x, greatest), 1.44269504f)));
    return e;
}

/* Rows first to end - 1, whose greatest numbers and sums of exponentials are kept, too. */
template <class T, int THREADS, class Sum>
static __global__ void __launch_bounds__(shared_by<THREADS>::block, shared_by<THREADS>::blocks)
    cross_entropy(const T *x, const int *label, int first, int end, int n, float *loss, float *greatest, float *sums) {
    typedef shared_by<THREADS> by;
    __shared__ typename by::scratch scratch[by::scratches];
    const int r = first + blockIdx.x * by::rows + threadIdx.x / THREADS, chunks = n / chunk<T>::count;
    const T *row = x + (size_t)min(r, end - 1) * n; /* lanes that have no row do the last one's */
    float mine = -INFINITY;
#pragma unroll 4
    for (int c = threadIdx.x % THREADS; c < chunks; c += THREADS) {
        const chunk<T> xs = chunk_at(row, c);
        for (int i = 0; i < xs.count; i++) mine = fmaxf(mine, (float)xs.of[i]);
    }
    const float most = in_float<THREADS>(mine, greater_float());
    Sum part;
#pragma unroll 4
    for (int c = threadIdx.x % THREADS; c < chunks; c += THREADS) {
        const chunk<T> xs = chunk_at(row, c);
        for (int i = 0; i < xs.count; i++) part.add(exponential((float)xs.of[i], most));
    }
    const auto element = [row, most](size_t k) { return exponential((float)row[k], most); };
    const float sum = sum_of_row<THREADS, quire::terms::elements>(scratch, part, n, element, element);
    if (r >= end || threadIdx.x % THREADS) return;
    loss[r] = logf(sum) - ((float)row[label[r]] - most);
    greatest[r] = most, sums[r] = sum;
}

/* The exponentials as an array, for the library's own sums. */
template <class T> static __global__ void store_exponentials(const T *x, const float *greatest, int n, float *e) {
    const size_t begin = (size_t)blockIdx.x * n;
    for (int k = threadIdx.x; k < n; k += blockDim.x)
        e[begin + k] = exponential((float)x[begin + k], greatest[blockIdx.x]);
}

static __global__ void make_labels(int *label, int rows, int n) {
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) label[r] = (int)(r * 2654435761u % n);
}

template <class T> static void try_type(quire_context *context, size_t elements, int n) {
    const int rows = (int)(elements / n);
    device_array<T> x(elements, 1);
    device_array<int> label(rows);
    device_array<float> loss(rows), greatest(rows), sums(rows), exponentials(elements);
    make_labels<<<(rows + 255) / 256, 256>>>(label, rows, n);
    const auto outcome_of = [&](auto sum) {
        return try_rows<T>(rows, n, loss.at, 1, [&](auto threads, int first, int end) {
            typedef shared_by<threads> by;
            cross_entropy<T, threads, decltype(sum)>
                <<<by::grid(end - first), by::block>>>(x, label, first, end, n, loss, greatest, sums);
        });
    };
    const outcome in_float = outcome_of(float_sum<0>()), exact = outcome_of(exact_sum<0>());
    print_line("cross-entropy", type_of<T>::name, n, exact, in_float);
    store_exponentials<T><<<rows, 256>>>(x, greatest, n, exponentials);
    expect_reduction<float>(context, QUIRE_SUM, quire_rows(rows, n, n), exponentials, nullptr, sums, "denominators");
}

int main(int count, char **argument) {
    const size_t elements = elements_of(count, argument, 27);
    quire_context *context;
    must(quire_open_cuda(&context, 0, NULL), "quire_open_cuda");
    print_head("Cross-entropy of a softmax", elements, ROW_LAUNCHES);
    each_type({ 128, 1024, 4096, 16384 }, [&](auto x, int n) { try_type<decltype(x)>(context, elements, n); });
    quire_close(context);
    return verdict;
}
