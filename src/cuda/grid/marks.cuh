/* marks.cuh - results that a first kernel does not know are marked, by a NaN that is no result, and found by a second
 * one. So the first has none of the slow ways, nor the registers and the shared memory that they take.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_GRID_MARKS_CUH
#define QUIRE_CUDA_GRID_MARKS_CUH

#include "cuda/grid/vectors_finish.cuh"

/* Results are canonical NaNs, whose sign is clear. */
static __device__ __forceinline__ uint64_t mark_of(const format_description &format) {
    return format.quiet_nan | format.sign;
}

/* Once the list is full no more are counted. */
static __device__ __forceinline__ void mark_result(const vectors_job &job, size_t v) {
    vectors_workspace &w = *job.workspace;
    format_store(mark_of(job.format), job.format.size, result_at(job, v));
    if (*(volatile unsigned *)&w.marked >= MARKED_LISTED) return;
    const unsigned at = atomicAdd(&w.marked, 1u);
    if (at < MARKED_LISTED) w.marked_vector[at] = v;
}

static __device__ __forceinline__ bool is_marked(const vectors_job &job, size_t v) {
    const void *at = result_at(job, v);
    uint64_t bits = 0;
    switch (job.format.size) {
    case 1: bits = *(const volatile uint8_t *)at; break;
    case 2: bits = *(const volatile uint16_t *)at; break;
    case 4: bits = *(const volatile uint32_t *)at; break;
    case 8: bits = *(const volatile uint64_t *)at; break;
    default: break;
    }
    return bits == mark_of(job.format);
}

#endif
