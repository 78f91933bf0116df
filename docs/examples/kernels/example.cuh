/* example.cuh - what the examples of quire/device.cuh share: device memory, times, and how many results differ. */
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

/* Zeros in device memory, until the program ends. */
template <class T> static T *device_new(size_t count) {
    T *room;
    must(cudaMalloc((void **)&room, count * sizeof(T)), "cudaMalloc");
    must(cudaMemset(room, 0, count * sizeof(T)), "cudaMemset");
    return room;
}

/* Bits of device memory, to be compared. */
template <class T> static std::string bits_of(const T *device, size_t count) {
    std::string bits(count * sizeof(T), 0);
    must(cudaMemcpy(&bits[0], device, bits.size(), cudaMemcpyDeviceToHost), "cudaMemcpy");
    return bits;
}

/* Pseudo-random numbers, normal enough: sums of four uniform ones from -1 to 1. */
template <class T> static __global__ void fill_kernel(T *x, size_t n, uint64_t seed) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        uint64_t z = (i + seed) * 0x9e3779b97f4a7c15u;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        float sum = 0;
        for (int k = 0; k < 4; k++) sum += (float)(int16_t)(z >> 16 * k) / 32768;
        x[i] = T(sum * 1.2345678f);
    }
}
template <class T> static T *device_random(size_t n, uint64_t seed = 1) {
    T *x = device_new<T>(n);
    fill_kernel<<<1024, 256>>>(x, n, seed);
    must(cudaGetLastError(), "fill_kernel");
    return x;
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
        must(cudaEventRecord(end), "cudaEventRecord");
        must(cudaEventSynchronize(end), "the kernel");
        must(cudaEventElapsedTime(&time, begin, end), "cudaEventElapsedTime");
        if (i > 2) times.push_back(time);
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

/* The program's exit status: 0, unless something that must be equal is not. */
static int verdict = 0;
static void expect(bool is_so, const char *what) {
    if (is_so) return;
    printf("WRONG: %s\n", what);
    verdict = 1;
}

#endif
