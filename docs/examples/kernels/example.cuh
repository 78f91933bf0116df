/* example.cuh - what the examples of quire/device.cuh share: device memory, what is tried, times, how many results
 * differ, and the table that a program prints. */
#ifndef QUIRE_EXAMPLE_CUH
#define QUIRE_EXAMPLE_CUH

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include <cuda_runtime.h>
#include <quire/device.cuh>
#include <quire/quire.h>

static void must(cudaError_t error, const char *what) {
    if (!error) return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    exit(1);
}
static void must(quire_status status, const char *what) {
    if (!status) return;
    fprintf(stderr, "%s: %s\n", what, quire_status_string(status));
    exit(1);
}

/* The program's exit status: 0, unless something that must be equal is not. */
static int verdict = 0;
static void expect(bool is_so, const char *what) {
    if (is_so) return;
    printf("WRONG: %s\n", what);
    verdict = 1;
}

/* Pseudo-random numbers, normal enough: sums of four uniform ones from -1 to 1. */
template <class T> static __global__ void fill_kernel(T *x, size_t n, uint64_t seed) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        uint64_t z = (i + (seed << 40)) * 0x9e3779b97f4a7c15u;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        float sum = 0;
        for (int k = 0; k < 4; k++) sum += (float)(int16_t)(z >> 16 * k) / 32768;
        x[i] = T(sum * 1.2345678f);
    }
}

/* An array in device memory; of pseudo-random numbers, if it gets a seed. */
template <class T> struct device_array {
    T *at;
    explicit device_array(size_t count) { must(cudaMalloc((void **)&at, count * sizeof(T)), "cudaMalloc"); }
    device_array(size_t count, uint64_t seed) : device_array(count) {
        fill_kernel<<<1024, 256>>>(at, count, seed);
        must(cudaGetLastError(), "fill_kernel");
    }
    ~device_array() { cudaFree(at); }
    device_array(const device_array &) = delete;
    operator T *() const { return at; }
};

/* Every bit is 1: what a kernel does not write is seen. */
template <class T> static void forget(T *device, size_t count) {
    must(cudaMemset(device, 0xff, count * sizeof(T)), "cudaMemset");
}

/* Bits of device memory, to be compared. */
template <class T> static std::string bits_of(const T *device, size_t count) {
    std::string bits(count * sizeof(T), 0);
    must(cudaMemcpy(&bits[0], device, bits.size(), cudaMemcpyDeviceToHost), "a kernel");
    return bits;
}

/* Milliseconds, the median of nine runs. */
template <class Run> static float time_of(const Run &run) {
    std::vector<float> times;
    cudaEvent_t begin, end;
    must(cudaEventCreate(&begin), "cudaEventCreate");
    must(cudaEventCreate(&end), "cudaEventCreate");
    for (int i = 0; i < 12; i++) {
        float time;
        must(cudaEventRecord(begin), "cudaEventRecord");
        run();
        must(cudaGetLastError(), "a launch");
        must(cudaEventRecord(end), "cudaEventRecord");
        must(cudaEventSynchronize(end), "a kernel");
        must(cudaEventElapsedTime(&time, begin, end), "cudaEventElapsedTime");
        if (i > 2) times.push_back(time);
    }
    cudaEventDestroy(begin), cudaEventDestroy(end);
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

/* Of a kernel over all launches that are tried: the best time, and the different results. */
struct outcome {
    float best = 1e30f;
    std::set<std::string> results;
};

/* The results for the first 100 rows, of "width" numbers each, in batches of 1 to 100. run(first, end) launches the
 * kernel for rows first to end - 1. */
template <class R, class Run> static void try_batches(outcome *o, int rows, R *result, int width, const Run &run) {
    const int some = std::min(rows, 100);
    for (int batch = 1; batch <= 100; batch++) {
        forget(result, (size_t)some * width);
        for (int first = 0; first < some; first += batch) run(first, std::min(first + batch, some));
        must(cudaGetLastError(), "a launch");
        o->results.insert(bits_of(result, (size_t)some * width));
    }
}

/* What a type is called, here and in the library. */
template <class T> struct type_of;
template <> struct type_of<__half> {
    static constexpr const char *name = "half";
    static constexpr quire_type type = QUIRE_F16;
};
template <> struct type_of<__nv_bfloat16> {
    static constexpr const char *name = "bfloat16";
    static constexpr quire_type type = QUIRE_BF16;
};
template <> struct type_of<float> {
    static constexpr const char *name = "float";
    static constexpr quire_type type = QUIRE_F32;
};

/* Calls run(element, n) with an element of each type and each n. */
template <class Run> static void each_type(std::initializer_list<int> ns, const Run &run) {
    for (int n : ns) run(__half(), n);
    for (int n : ns) run(__nv_bfloat16(), n);
    for (int n : ns) run(0.0f, n);
}

static void print_head(const char *title, size_t elements, const char *launches) {
    printf("%s, %zu elements; results of %s\n%-20s %-8s %8s %9s %9s %6s %8s %8s\n%-20s %-8s %8s %9s %9s %6s %8s %8s\n",
           title, elements, launches, "", "", "", "exact", "float", "", "results", "results", "", "type", "n", "ms",
           "ms", "ratio", "in float", "exact");
}
static void print_line(const char *what, const char *type, int n, const outcome &exact, const outcome &in_float) {
    printf("%-20s %-8s %8d %9.3f %9.3f %6.3f %8zu %8zu\n", what, type, n, exact.best, in_float.best,
           exact.best / in_float.best, in_float.results.size(), exact.results.size());
    expect(exact.results.size() == 1, "results that depend on the launch");
}

/* Compares what a kernel has found with the library's results of the same vectors, on the device. T: the type of the
 * elements; y is read for products alone. */
template <class T>
static void expect_reduction(quire_context *context, quire_operation operation, const quire_layout &x_layout,
                             const T *x, const quire_layout &y_layout, const T *y, const float *found,
                             const char *what) {
    const size_t count = x_layout.outer * x_layout.inner;
    device_array<float> expected(count);
    quire_reduction reduction = {};
    reduction.operation = operation, reduction.type = type_of<T>::type, reduction.result_type = QUIRE_F32;
    must(quire_reduce(context, &reduction, &x_layout, x, &y_layout, y, expected), "quire_reduce");
    must(cudaDeviceSynchronize(), "quire_reduce");
    expect(bits_of(found, count) == bits_of(expected.at, count), what);
}
template <class T>
static void expect_reduction(quire_context *context, quire_operation operation, const quire_layout &layout, const T *x,
                             const T *y, const float *found, const char *what) {
    expect_reduction(context, operation, layout, x, layout, y, found, what);
}

/* 2 to the power that the command gives, or else to this one. */
static size_t elements_of(int count, char **argument, int exponent) {
    return (size_t)1 << (count > 1 ? std::min(30, std::max(20, atoi(argument[1]))) : exponent);
}

#endif
