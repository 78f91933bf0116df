/* arena.cu - hashed data, and loops that only read, 16 bytes at a time: the ceiling.
 *
 * SPDX-License-Identifier: MIT
 */
#include "arena.h"

#include <cstdint>

#include <cuda_fp16.h>

static __device__ uint64_t hash(uint64_t i) { /* splitmix64 [Steele, Lea, Flood 2014] */
    i += 0x9e3779b97f4a7c15;
    i = (i ^ i >> 30) * 0xbf58476d1ce4e5b9;
    i = (i ^ i >> 27) * 0x94d049bb133111eb;
    return i ^ i >> 31;
}

static __global__ void fill(size_t n, quire_type type, arena_data data, void *x) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        const double u = ((double)(hash(i) >> 11) + 0.5) * 0x1p-53, value = data == ARENA_SIGNED ? 2 * u - 1 : u;
        if (type == QUIRE_F16)
            ((__half *)x)[i] = __double2half(value);
        else
            ((float *)x)[i] = (float)value;
    }
}

int arena_fill(const arena *a, quire_type type, arena_data data) {
    fill<<<4096, 256>>>(a->bytes / (type == QUIRE_F16 ? 2 : 4), type, data, a->memory);
    const cudaError_t error = cudaGetLastError();
    return error ? error : cudaDeviceSynchronize();
}

int arena_pieces(const arena *a, size_t bytes) { return bytes && bytes < a->bytes ? (int)(a->bytes / bytes) : 1; }

const void *arena_piece(const arena *a, size_t bytes, int i) {
    return a->memory + (size_t)(i % arena_pieces(a, bytes)) * bytes;
}

template <int LOADS> static __global__ void read_all(size_t n, const uint4 *__restrict__ x, unsigned *sink) {
    unsigned sum = 0;
    const size_t stride = (size_t)gridDim.x * blockDim.x;
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    for (; i + (LOADS - 1) * stride < n; i += LOADS * stride) {
        uint4 v[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; k++) v[k] = x[i + k * stride];
#pragma unroll
        for (int k = 0; k < LOADS; k++) sum ^= v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;
    }
    for (; i < n; i += stride) sum ^= x[i].x ^ x[i].y ^ x[i].z ^ x[i].w;
    if (sum == 0x12345678) *sink = sum; /* so that nothing is optimised away */
}

int arena_read(int shape, size_t bytes, const void *x, void *sink, cudaStream_t stream) {
    static const struct {
        int threads, blocks;
    } grids[READ_SHAPES / 2] = { { 256, 8 }, { 512, 4 }, { 1024, 2 }, { 256, 4 }, { 256, 32 }, { 512, 32 } };
    int device, processors;
    cudaError_t error = cudaGetDevice(&device);
    if (!error) error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    if (error) return error;
    const int threads = grids[shape / 2].threads;
    const unsigned blocks = (unsigned)(grids[shape / 2].blocks * processors);
    if (shape % 2)
        read_all<8><<<blocks, threads, 0, stream>>>(bytes / 16, (const uint4 *)x, (unsigned *)sink);
    else
        read_all<4><<<blocks, threads, 0, stream>>>(bytes / 16, (const uint4 *)x, (unsigned *)sink);
    return cudaGetLastError();
}
