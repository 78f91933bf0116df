/* keys_gpu.cu - what sums by key cost on a GPU, beside atomics and CUB's sort of the same run.
 *
 *     quire-bench-keys [ROWS_LOG2]
 *
 * 2^26 floats, or as many as told, in rows of 1, 16, 64 and 256, with keys of 64 bits. These are of 10, 10^4 and 10^7
 * groups (as far as there are rows for them), and of as many groups as rows; spread evenly, by a power law that gives
 * few groups most of the rows, evenly but in rising order, and all of one group. A line is a case; its columns are
 * medians of calls in milliseconds, timed between events, the caches warm as far as they hold the data:
 *
 * - exact, plain: quire_reduce_by_key
 * - order: quire_order_by_key alone
 * - segments: of keys in rising order, quire_reduce_gathered of the rows where they stand, whose offsets are there
 * - atomics: atomicAdd of each element, as index_add of other libraries does; results cleared before
 * - read: the same number of bytes copied on the device, keys and elements
 *
 * SPDX-License-Identifier: MIT
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#include <quire/quire.h>

#define CALLS 21

static void must(cudaError_t error, const char *what) {
    if (!error) return;
    fprintf(stderr, "quire-bench-keys: %s: %s\n", what, cudaGetErrorString(error));
    exit(1);
}

static void must(quire_status status, const char *what) {
    if (!status) return;
    fprintf(stderr, "quire-bench-keys: %s: %s\n", what, quire_status_string(status));
    exit(1);
}

/* A number from its index (Steele, Lea, Flood: splitmix64). */
static __device__ uint64_t mixed(uint64_t i) {
    i += 0x9e3779b97f4a7c15;
    i = (i ^ i >> 30) * 0xbf58476d1ce4e5b9;
    i = (i ^ i >> 27) * 0x94d049bb133111eb;
    return i ^ i >> 31;
}

static __global__ void fill_elements(float *x, size_t n) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += gridDim.x * (size_t)blockDim.x)
        x[i] = (float)(mixed(i) >> 40) * 0x1p-23f - 1;
}

enum spread { UNIFORM, POWER_LAW, SORTED, ONE_GROUP, SPREADS };
static const char *const SPREAD_NAMES[SPREADS] = { "uniform", "power law", "sorted", "one group" };

/* By the power law group g has about (g + 1)^(1/4) - g^(1/4) of the rows. */
static __device__ size_t key_of(spread how, size_t i, size_t n, size_t groups) {
    const double part = (double)(mixed(~i) >> 11) * 0x1p-53;
    switch (how) {
    case POWER_LAW: return (size_t)(part * part * part * part * (double)groups);
    case SORTED: return i / ((n + groups - 1) / groups);
    case ONE_GROUP: return groups - 1;
    default: return mixed(~i) % groups;
    }
}

static __global__ void fill_keys(spread how, int64_t *keys, size_t n, size_t groups) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += gridDim.x * (size_t)blockDim.x)
        keys[i] = (int64_t)key_of(how, i, n, groups);
}

static __global__ void add_atomically(const int64_t *keys, const float *x, size_t all, size_t width, float *results) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < all; i += gridDim.x * (size_t)blockDim.x)
        atomicAdd(&results[(size_t)keys[i / width] * width + i % width], x[i]);
}

/* The median of some calls, in milliseconds, but for the first two. */
template <class Call> static double time_of(Call call) {
    cudaEvent_t begin, end;
    std::vector<float> times;
    must(cudaEventCreate(&begin), "events");
    must(cudaEventCreate(&end), "events");
    for (int i = 0; i < CALLS + 2; i++) {
        float time;
        must(cudaEventRecord(begin), "events");
        call();
        must(cudaEventRecord(end), "events");
        must(cudaEventSynchronize(end), "a call");
        must(cudaEventElapsedTime(&time, begin, end), "events");
        if (i >= 2) times.push_back(time);
    }
    must(cudaEventDestroy(begin), "events");
    must(cudaEventDestroy(end), "events");
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

/* Memory of the device, until it is left. */
class memory {
    void *p;

  public:
    explicit memory(size_t bytes) : p(NULL) { must(cudaMalloc(&p, bytes), "memory"); }
    ~memory() { cudaFree(p); }
    memory(const memory &) = delete;
    template <class T> T *as() const { return (T *)p; }
};

static double time_by_key(quire_context *c, quire_method method, size_t groups, const int64_t *keys,
                          const quire_layout *rows, const float *x, float *results) {
    quire_reduction sum = {};
    sum.type = QUIRE_F32, sum.method = method;
    const size_t bytes = quire_by_key_workspace(c, &sum, groups, QUIRE_I64, rows);
    const memory workspace(bytes);
    return time_of([&] {
        must(quire_reduce_by_key(c, &sum, groups, QUIRE_I64, keys, rows, x, NULL, NULL, results, NULL,
                                 workspace.as<void>(), bytes),
             "quire_reduce_by_key");
    });
}

static double time_order(quire_context *c, size_t groups, const int64_t *keys, size_t n) {
    const size_t bytes = quire_order_workspace(c, groups, QUIRE_I64, n);
    const memory workspace(bytes), order(n * sizeof(int64_t)), offsets((groups + 1) * sizeof(int64_t));
    return time_of([&] {
        must(quire_order_by_key(c, groups, QUIRE_I64, n, keys, order.as<void>(), offsets.as<void>(),
                                workspace.as<void>(), bytes),
             "quire_order_by_key");
    });
}

/* What is left to do where offsets are known, and rows stand in their order. */
static double time_segments(quire_context *c, size_t groups, const int64_t *keys, const quire_layout *rows,
                            const float *x, float *results) {
    quire_reduction sum = {};
    sum.type = QUIRE_F32;
    const size_t bytes = quire_order_workspace(c, groups, QUIRE_I64, rows->n);
    const memory workspace(bytes), order(rows->n * sizeof(int64_t)), offsets((groups + 1) * sizeof(int64_t));
    must(quire_order_by_key(c, groups, QUIRE_I64, rows->n, keys, order.as<void>(), offsets.as<void>(),
                            workspace.as<void>(), bytes),
         "quire_order_by_key");
    return time_of([&] {
        must(quire_reduce_gathered(c, &sum, groups, QUIRE_I64, offsets.as<int64_t>(), offsets.as<int64_t>() + 1, NULL,
                                   rows, x, NULL, NULL, NULL, results),
             "quire_reduce_gathered");
    });
}

static void measure(quire_context *c, const float *x, size_t all, size_t width, size_t groups, spread how) {
    const size_t n = all / width, bytes = n * sizeof(int64_t) + all * sizeof(float);
    const quire_layout rows = width > 1 ? quire_columns(n, width, (ptrdiff_t)width) : quire_strided(n, 1);
    const memory keys(n * sizeof(int64_t)), results(groups * width * sizeof(float)), copy(bytes);
    fill_keys<<<4096, 256>>>(how, keys.as<int64_t>(), n, groups);
    const double exact = time_by_key(c, QUIRE_EXACT, groups, keys.as<int64_t>(), &rows, x, results.as<float>());
    const double plain = time_by_key(c, QUIRE_PLAIN, groups, keys.as<int64_t>(), &rows, x, results.as<float>());
    const double order = time_order(c, groups, keys.as<int64_t>(), n);
    const double atomics = time_of([&] {
        must(cudaMemsetAsync(results.as<void>(), 0, groups * width * sizeof(float)), "clearing");
        add_atomically<<<4096, 256>>>(keys.as<int64_t>(), x, n * width, width, results.as<float>());
        must(cudaGetLastError(), "atomics");
    });
    const double read = time_of([&] {
        must(cudaMemcpyAsync(copy.as<void>(), keys.as<void>(), n * sizeof(int64_t), cudaMemcpyDeviceToDevice), "copy");
        must(cudaMemcpyAsync(copy.as<char>() + n * sizeof(int64_t), x, all * sizeof(float), cudaMemcpyDeviceToDevice),
             "copy");
    });
    printf("%10zu rows of %3zu, %9zu groups, %-9s %9.3f %9.3f %9.3f %9.3f %9.3f", n, width, groups, SPREAD_NAMES[how],
           exact, plain, order, atomics, read);
    if (how == SORTED) printf(" %9.3f", time_segments(c, groups, keys.as<int64_t>(), &rows, x, results.as<float>()));
    printf("\n");
    fflush(stdout);
}

int main(int argc, char **argv) {
    const size_t all = (size_t)1 << (argc > 1 ? atoi(argv[1]) : 26);
    quire_context *c = NULL;
    must(quire_open_cuda(&c, 0, NULL), "quire_open_cuda");
    {
        const memory x(all * sizeof(float));
        fill_elements<<<4096, 256>>>(x.as<float>(), all);
        printf("%-54s %9s %9s %9s %9s %9s %9s\n", "milliseconds", "exact", "plain", "order", "atomics", "read",
               "segments");
        for (size_t width : { 1, 16, 64, 256 })
            for (size_t groups : { (size_t)10, (size_t)10000, (size_t)10000000, all / width })
                for (int how = 0; how < SPREADS; how++)
                    if (groups <= all / width) measure(c, x.as<float>(), all, width, groups, (spread)how);
    }
    quire_close(c);
    return 0;
}
