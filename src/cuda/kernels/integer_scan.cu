/* integer_scan.cu - running sums of integers on a device, of all types alike: totals of stretches, these added up, then
 * each stretch again from where it starts. Some neighbouring lanes of a warp share a stretch, of which they take a row
 * of as many elements at a time. Sums have 128 bits, which none leaves, so that every result is told.
 *
 * SPDX-License-Identifier: MIT
 */
#include "accumulator/integers.h"
#include "cuda/device/warp.cuh"
#include "cuda/kernels/calls.cuh"
#include "cuda/kernels/scan_tile.cuh"
#include "cuda/thread/elements.cuh"
#include "cuda/thread/round_number.cuh"

/* ------------------------------------------------------------------------------------------------------------- sums */

/* The sum of some elements, in two's complement, and whether one of them was not zero. */
struct integer_prefix {
    uint64_t low, high;
    unsigned seen;

    __device__ __forceinline__ void add(const integer_prefix &other) {
        low += other.low;
        high += other.high + (low < other.low);
        seen |= other.seen;
    }
    /* That of another lane; by a whole warp. */
    __device__ __forceinline__ integer_prefix of_lane(unsigned lane) const {
        return { __shfl_sync(WHOLE_WARP, low, (int)lane), __shfl_sync(WHOLE_WARP, high, (int)lane),
                 __shfl_sync(WHOLE_WARP, seen, (int)lane) };
    }
};

static_assert(sizeof(integer_prefix) * SCAN_STATES <= sizeof(vectors_workspace::place), "a state for each stretch");

static __device__ __forceinline__ integer_prefix *states_of(const scan_job &job) {
    return (integer_prefix *)job.workspace->place;
}

/* For each lane the sum of *start and of what the lanes before it in its group have; *start becomes that of all of the
 * group. threads: of a group, a power of two. By a whole warp. */
static __device__ __forceinline__ integer_prefix lanes_before(const integer_prefix &mine, unsigned threads,
                                                              integer_prefix *start) {
    const unsigned lane = threadIdx.x % WARP, place = lane & (threads - 1);
    integer_prefix sum = mine;
    for (unsigned w = 1; w < threads; w *= 2) {
        const integer_prefix other = sum.of_lane(place >= w ? lane - w : lane);
        if (place >= w) sum.add(other);
    }
    const integer_prefix all = sum.of_lane(lane | (threads - 1)), with_last = sum.of_lane(place ? lane - 1 : lane);
    integer_prefix before = *start;
    if (place) before.add(with_last);
    start->add(all);
    return before;
}

/* -------------------------------------------------------------------------------------------------------- stretches */

/* Stretch number u of all, those of the same number in all vectors being neighbours. In elements and results: where
 * the vector stands, and which of it are the stretch's. Where there is none of this number last is 0. */
struct integer_stretch {
    ptrdiff_t x, results;
    size_t first, last;
    integer_prefix *state;

    __device__ __forceinline__ integer_stretch(const scan_job &job, size_t u)
        : x(0), results(0), first(0), last(0), state(NULL) {
        if (u >= job.vectors * job.stretches) return;
        const size_t vector = u % job.vectors, number = u / job.vectors;
        x = vector_offset(job.x.layout, vector), results = vector_offset(job.results.layout, vector);
        first = number * job.stretch, last = min(first + job.stretch, job.x.layout.n);
        state = states_of(job) + vector * job.stretches + number;
    }
};

/* The elements from k on of some rows that are threads apart, 0 beyond the last, as terms of the sum. */
static __device__ __forceinline__ void load_rows(const scan_job &job, const integer_stretch &s, size_t k,
                                                 integer_prefix (&term)[INTEGER_SCAN_LOADS]) {
    const bool is_signed = job.type != QUIRE_UINT64;
    uint64_t bits[INTEGER_SCAN_LOADS];
#pragma unroll
    for (int i = 0; i < INTEGER_SCAN_LOADS; i++, k += job.threads)
        bits[i] = k < s.last ? bits_at(job.x.memory, job.x.log_size, s.x + (ptrdiff_t)k * job.x.layout.stride) : 0;
#pragma unroll
    for (int i = 0; i < INTEGER_SCAN_LOADS; i++) {
        const uint64_t value = integer_of_bits(job.type, bits[i]);
        const bool turns = job.magnitude && is_signed && value >> 63;
        term[i] = { turns ? 0 - value : value, turns ? 0 : sign_word(value, is_signed), value != 0 };
    }
}

static __device__ __forceinline__ void store_result(const scan_job &job, ptrdiff_t at, const integer_prefix &sum) {
    const integer_sum all = { { sum.low, sum.high, sign_word(sum.high, true) } };
    void *const to = job.results.memory + at * ((ptrdiff_t)1 << job.results.log_size);
    if (job.is_int128)
        integer_store(&all, to);
    else
        format_store(round_total(job, integer_total(&all, sum.seen != 0), 0), job.format.size, to);
}

/* ---------------------------------------------------------------------------------------------------------- kernels */

/* Calls use(stretch, place) for the stretches that a thread shares: the same number of times in all threads of a block.
 */
template <class Use> static __device__ __forceinline__ void each_stretch(const scan_job &job, Use use) {
    const unsigned groups = SCAN_THREADS >> job.threads_log;
    const size_t all = job.vectors * job.stretches;
    for (size_t u = blockIdx.x * (size_t)groups; u < all; u += gridDim.x * (size_t)groups)
        use(integer_stretch(job, u + (threadIdx.x >> job.threads_log)), threadIdx.x & (job.threads - 1));
}

static __global__ void __launch_bounds__(SCAN_THREADS) integer_totals(const __grid_constant__ scan_job job) {
    each_stretch(job, [&](const integer_stretch &s, unsigned place) {
        integer_prefix mine = {}, all = {}, term[INTEGER_SCAN_LOADS];
        for (size_t k = s.first; k < s.last; k += INTEGER_SCAN_LOADS * job.threads) {
            load_rows(job, s, k + place, term);
#pragma unroll
            for (int i = 0; i < INTEGER_SCAN_LOADS; i++) mine.add(term[i]);
        }
        __syncwarp();
        lanes_before(mine, job.threads, &all);
        if (s.last && place == 0) *s.state = all;
    });
}

/* From totals to where stretches start; a warp a vector. */
static __global__ void __launch_bounds__(SCAN_THREADS) integer_starts(const __grid_constant__ scan_job job) {
    const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, warps = SCAN_THREADS / WARP;
    for (size_t v = blockIdx.x * (size_t)warps + warp; v < job.vectors; v += gridDim.x * (size_t)warps) {
        integer_prefix *const of = states_of(job) + v * job.stretches, start = {}, own[INTEGER_SCAN_LOADS];
        for (size_t from = 0; from < job.stretches; from += INTEGER_SCAN_LOADS * WARP) {
#pragma unroll
            for (int i = 0; i < INTEGER_SCAN_LOADS; i++) {
                const size_t k = from + i * WARP + lane;
                own[i] = {};
                if (k < job.stretches) own[i] = of[k];
            }
#pragma unroll
            for (int i = 0; i < INTEGER_SCAN_LOADS; i++) {
                const size_t k = from + i * WARP + lane;
                const integer_prefix before = lanes_before(own[i], WARP, &start);
                if (k < job.stretches) of[k] = before;
            }
        }
    }
}

/* Where results stand in the place of elements a thread has loaded those that it replaces, which no other one needs. */
static __global__ void __launch_bounds__(SCAN_THREADS) integer_stretches(const __grid_constant__ scan_job job) {
    const size_t length = min(job.stretch, job.x.layout.n); /* of a stretch, or less: as often for all of a warp */
    each_stretch(job, [&](const integer_stretch &s, unsigned place) {
        integer_prefix start = {}, term[INTEGER_SCAN_LOADS];
        if (job.stretches > 1 && s.last) start = *s.state;
        for (size_t done = 0; done < length; done += INTEGER_SCAN_LOADS * job.threads) {
            size_t k = s.first + done + place;
            load_rows(job, s, k, term);
#pragma unroll
            for (int i = 0; i < INTEGER_SCAN_LOADS; i++, k += job.threads) {
                integer_prefix sum = lanes_before(term[i], job.threads, &start);
                if (!job.exclusive) sum.add(term[i]);
                if (k < s.last) store_result(job, s.results + (ptrdiff_t)k * job.results.layout.stride, sum);
            }
        }
    });
}

/* --------------------------------------------------------------------------------------------------------- launches */

cudaError_t quire_cuda_scan_integers(const scan_job *job, cudaStream_t stream) {
    const unsigned warps = SCAN_THREADS / WARP;
    cudaError_t error = cudaSuccess;
    if (job->stretches > 1) {
        error = start_kernel(job->blocks, SCAN_THREADS, 0, stream, integer_totals, *job);
        if (!error)
            error = start_kernel((job->vectors + warps - 1) / warps, SCAN_THREADS, 0, stream, integer_starts, *job);
    }
    return error ? error : start_kernel(job->blocks, SCAN_THREADS, 0, stream, integer_stretches, *job);
}

cudaError_t quire_cuda_load_integer_scan() {
    return load_functions(
        { (const void *)integer_totals, (const void *)integer_starts, (const void *)integer_stretches });
}
