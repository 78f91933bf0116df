/* speed.cu - how fast the CUDA backend is, as shares of what the memory gives: the ceiling is the best of a few kernels
 * that only read, 16 bytes at a time, in the same run. Buffers are rotated, so that nothing of a large array is in a cache;
 * every figure is a median. Writes a table, and knows nothing of right and wrong: tests/ does.
 *
 *     speed [GiB of an array, default 4] [substring of the cases wanted]
 *
 * SPDX-License-Identifier: MIT
 */
#include <cub/device/device_reduce.cuh>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#include <quire/quire.h>

static void must(cudaError_t e, const char *what) {
    if (e) fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e)), exit(1);
}
#define CUDA(call) must(call, #call)
static void must(quire_status s, const char *what) {
    if (s) fprintf(stderr, "%s: %s\n", what, quire_status_string(s)), exit(1);
}
#define QUIRE(call) must(call, #call)

/* ------------------------------------------------------------------------------------------------------------ the data */

enum family { UNIFORM, NORMAL, ALL_EXPONENTS, SUBNORMAL, FAMILIES };
static const char *const family_names[] = { "uniform", "normal", "all exponents", "subnormal" };

static __device__ uint64_t hash(uint64_t i) {
    i += 0x9e3779b97f4a7c15;
    i = (i ^ i >> 30) * 0xbf58476d1ce4e5b9;
    i = (i ^ i >> 27) * 0x94d049bb133111eb;
    return i ^ i >> 31;
}

static __device__ double ordinary(family f, uint64_t h) {
    const double u = ((h >> 11) + 0.5) * 0x1p-53;
    if (f == UNIFORM) return 2 * u - 1;
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * (double)(h & 0xffffff) * 0x1p-24);
}

static __device__ uint64_t odd_bits(family f, uint64_t h, int bits, int fraction) {
    const uint64_t sign = (uint64_t)1 << (bits - 1), exponent = ((uint64_t)1 << (bits - 1 - fraction)) - 1;
    const uint64_t fields = h & (((uint64_t)1 << fraction) - 1);
    if (f == SUBNORMAL) return fields | (h & sign);
    return fields | ((h >> 32) % exponent) << fraction | (h >> 8 & sign);
}

static __global__ void fill(family f, quire_type type, size_t n, void *x, uint64_t seed) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        const uint64_t h = hash(i * 4 + seed);
        const bool is = f == UNIFORM || f == NORMAL;
        if (type == QUIRE_F16) {
            if (is) ((__half *)x)[i] = __double2half(ordinary(f, h));
            else ((uint16_t *)x)[i] = (uint16_t)odd_bits(f, h, 16, 10);
        } else if (type == QUIRE_BF16) {
            if (is) ((__nv_bfloat16 *)x)[i] = __double2bfloat16(ordinary(f, h));
            else ((uint16_t *)x)[i] = (uint16_t)odd_bits(f, h, 16, 7);
        } else if (type == QUIRE_F32) {
            if (is) ((float *)x)[i] = (float)ordinary(f, h);
            else ((uint32_t *)x)[i] = (uint32_t)odd_bits(f, h, 32, 23);
        } else {
            if (is) ((double *)x)[i] = ordinary(f, h);
            else ((uint64_t *)x)[i] = odd_bits(f, h, 64, 52);
        }
    }
}

/* ---------------------------------------------------------------------------------------------------------- the ceiling */

template <int LOADS> static __global__ void read_all(const uint4 *x, size_t n, unsigned *out) {
    unsigned sum = 0;
    const size_t step = (size_t)gridDim.x * blockDim.x;
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    for (; i + (LOADS - 1) * step < n; i += LOADS * step) {
        uint4 v[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; k++) v[k] = x[i + k * step];
#pragma unroll
        for (int k = 0; k < LOADS; k++) sum ^= v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;
    }
    for (; i < n; i += step) sum ^= x[i].x ^ x[i].w;
    if (sum == 0x12345678) *out = sum;
}

/* -------------------------------------------------------------------------------------------------------- the stopwatch */

static cudaStream_t stream;

/* The median time of a launch in seconds; work(i) queues launch number i. */
static double median(int turns, const std::function<void(int)> &work) {
    cudaEvent_t begin, end;
    CUDA(cudaEventCreate(&begin));
    CUDA(cudaEventCreate(&end));
    std::vector<float> times;
    for (int i = -2; i < turns; i++) {
        CUDA(cudaEventRecord(begin, stream));
        work(i + 2);
        CUDA(cudaEventRecord(end, stream));
        CUDA(cudaEventSynchronize(end));
        float ms;
        CUDA(cudaEventElapsedTime(&ms, begin, end));
        if (i >= 0) times.push_back(ms);
    }
    CUDA(cudaEventDestroy(begin));
    CUDA(cudaEventDestroy(end));
    std::sort(times.begin(), times.end());
    return times[times.size() / 2] * 1e-3;
}

/* The time of one of many launches in a graph: no host in the way. */
static double in_graph(int launches, const std::function<void(int)> &work) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < launches; i++) work(i);
    CUDA(cudaStreamEndCapture(stream, &graph));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    const double t = median(15, [&](int) { CUDA(cudaGraphLaunch(exec, stream)); });
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
    return t / launches;
}

/* ------------------------------------------------------------------------------------------------------------ the cases */

#define BUFFERS 4
static unsigned char *buffer[BUFFERS];
static size_t bytes;
static unsigned char *result;
static quire_context *context;
static const char *wanted = "";

static double ceiling(void) {
    double best = 1e9;
    int processors;
    CUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
    for (int blocks = 4; blocks <= 8; blocks += 2)
        for (int threads = 256; threads <= 512; threads *= 2) {
            if (threads * blocks > 2048) continue;
            best = std::min(best, median(9, [&](int i) {
                read_all<4><<<processors * blocks, threads, 0, stream>>>((uint4 *)buffer[i % BUFFERS], bytes / 16, (unsigned *)result);
            }));
            best = std::min(best, median(9, [&](int i) {
                read_all<8><<<processors * blocks, threads, 0, stream>>>((uint4 *)buffer[i % BUFFERS], bytes / 16, (unsigned *)result);
            }));
        }
    return best;
}

static const char *const type_names[] = { "", "half", "bfloat16", "float", "double" };
static const char *const method_names[] = { "", "exact", "kahan", "pairwise", "plain" };
static const size_t type_sizes[] = { 0, 2, 2, 4, 8 };

static void fill_all(family f, quire_type type) {
    for (int b = 0; b < BUFFERS; b++) fill<<<2048, 256, 0, stream>>>(f, type, bytes / type_sizes[type], buffer[b], 77 * b);
    CUDA(cudaStreamSynchronize(stream));
}

typedef quire_status reduction(quire_context *, quire_type, size_t, const void *, quire_method, quire_type, void *);

static void large(family f, quire_type type, const char *name, reduction *reduce, quire_method method, double best) {
    char text[100];
    snprintf(text, sizeof text, "%s %s %s %s", type_names[type], method_names[method], name, family_names[f]);
    if (!strstr(text, wanted)) return;
    const size_t n = bytes / type_sizes[type];
    double t;
    if (reduce) t = median(9, [&](int i) { QUIRE(reduce(context, type, n, buffer[i % BUFFERS], method, type, result)); });
    else
        t = median(9, [&](int i) {
            QUIRE(quire_dot(context, type, n / 2, buffer[i % BUFFERS], buffer[i % BUFFERS] + bytes / 2, method, type, result));
        });
    printf("%-44s %9.1f us %6.3f of the ceiling\n", text, t * 1e6, best / t);
    fflush(stdout);
}

struct add_floats {
    __device__ float operator()(float a, float b) const { return a + b; }
};

static void small(quire_type type) {
    for (int e = 10; e <= 26; e += 2) {
        const size_t n = (size_t)1 << e, size = n * type_sizes[type];
        const int launches = e <= 20 ? 100 : 20;
        double warm[5], cold[5], cub[2];
        const size_t span = bytes / size * size;
        auto at = [&](int i, bool is_warm) { return buffer[0] + (is_warm ? 0 : (size_t)i * 7 * std::max(size, (size_t)1 << 20) % span / size * size); };
        for (int m = QUIRE_EXACT; m <= QUIRE_PLAIN; m++)
            for (int k = 0; k < 2; k++)
                (k ? warm : cold)[m] = in_graph(launches, [&](int i) {
                    QUIRE(quire_sum(context, type, n, at(i, k), (quire_method)m, type, result));
                });
        static void *scratch;
        size_t scratch_size = 1 << 24;
        if (!scratch) CUDA(cudaMalloc(&scratch, scratch_size));
        for (int k = 0; k < 2; k++)
            cub[k] = in_graph(launches, [&](int i) {
                if (type == QUIRE_F32) CUDA(cub::DeviceReduce::Sum(scratch, scratch_size, (float *)at(i, k), (float *)result, (int)n, stream));
                else CUDA(cub::DeviceReduce::Reduce(scratch, scratch_size, (__half *)at(i, k), (float *)result, (int)n,
                                                    add_floats(), 0.0f, stream));
            });
        printf("%-6s 2^%-2d us  exact %.2f %.2f  kahan %.2f %.2f  pairwise %.2f %.2f  plain %.2f %.2f  CUB %.2f %.2f (cold, warm)\n",
               type_names[type], e, cold[1] * 1e6, warm[1] * 1e6, cold[2] * 1e6, warm[2] * 1e6, cold[3] * 1e6, warm[3] * 1e6,
               cold[4] * 1e6, warm[4] * 1e6, cub[0] * 1e6, cub[1] * 1e6);
        fflush(stdout);
    }
}

int main(int argc, char **argv) {
    bytes = (size_t)((argc > 1 ? atof(argv[1]) : 4) * (1 << 30)) / 4096 * 4096;
    if (argc > 2) wanted = argv[2];
    CUDA(cudaStreamCreate(&stream));
    for (int b = 0; b < BUFFERS; b++) CUDA(cudaMalloc(&buffer[b], bytes));
    CUDA(cudaMalloc(&result, 256));
    QUIRE(quire_open_cuda(&context, 0, stream));
    fill_all(UNIFORM, QUIRE_F32);
    const double best = ceiling();
    cudaDeviceProp device;
    CUDA(cudaGetDeviceProperties(&device, 0));
    printf("%s, quire %s, arrays of %.2f GiB; ceiling %.1f us, %.0f GB/s\n", device.name, quire_version(),
           bytes / 1073741824.0, best * 1e6, bytes / best * 1e-9);
    for (int type = QUIRE_F16; type <= QUIRE_F64; type++) {
        const quire_type t = (quire_type)type;
        for (int f = NORMAL; f < FAMILIES; f++) {
            fill_all((family)f, t);
            large((family)f, t, "sum", quire_sum, QUIRE_EXACT, best);
            large((family)f, t, "nrm2", quire_nrm2, QUIRE_EXACT, best);
            if (f == NORMAL) large((family)f, t, "asum", quire_asum, QUIRE_EXACT, best);
            if (f == NORMAL || f == ALL_EXPONENTS) large((family)f, t, "dot", NULL, QUIRE_EXACT, best);
            if (f != NORMAL) continue;
            for (int m = QUIRE_KAHAN; m <= QUIRE_PLAIN; m++) {
                large((family)f, t, "sum", quire_sum, (quire_method)m, best);
                large((family)f, t, "dot", NULL, (quire_method)m, best);
            }
        }
    }
    if (strstr("small", wanted) || !strcmp(wanted, "small")) {
        fill_all(NORMAL, QUIRE_F32);
        small(QUIRE_F32);
        fill_all(NORMAL, QUIRE_F16);
        small(QUIRE_F16);
    }
    quire_close(context);
    return 0;
}
