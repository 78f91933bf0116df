/* vector_source.cuh - the warps of a grid, and which vectors of a job a kernel takes: all, those whose results are
 * marked, or those that have been put aside.
 *
 * Results that a first kernel does not know are marked, by a NaN that is no result, and found by a second one. So the
 * first has none of the slow ways, nor the registers and the shared memory that they take.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_GRID_VECTOR_SOURCE_CUH
#define QUIRE_CUDA_GRID_VECTOR_SOURCE_CUH

#include "cuda/device/warp.cuh"
#include "cuda/grid/vectors_finish.cuh"

static __device__ __forceinline__ size_t warp_of_grid() {
    return (blockIdx.x * (size_t)blockDim.x + threadIdx.x) / WARP;
}
static __device__ __forceinline__ size_t warps_of_grid() { return gridDim.x * (size_t)blockDim.x / WARP; }

/* Items that the warps of a grid look at, a lane each: neighbours, if there are enough for all warps; else the lanes of
 * a warp are far apart, so that what is found is spread over the warps. */
class grid_items {
    size_t first, apart, step, count;
    int lane;

  public:
    __device__ __forceinline__ grid_items(size_t items, int of_lane) : count(items), lane(of_lane) {
        const bool is_dense = items >= warps_of_grid() * WARP;
        first = is_dense ? warp_of_grid() * WARP : warp_of_grid();
        apart = is_dense ? 1 : warps_of_grid();
        step = warps_of_grid() * WARP;
    }
    __device__ __forceinline__ bool are_there() const { return first < count; }
    __device__ __forceinline__ void advance() { first += step; }
    __device__ __forceinline__ size_t of_lane(unsigned l) const { return first + l * apart; }
    __device__ __forceinline__ size_t mine() const { return of_lane((unsigned)lane); }
};

/* Whether this is the last block of the grid to come here; by a whole block. */
static __device__ __forceinline__ bool is_last_block(unsigned *ended) {
    __syncthreads();
    return threadIdx.x == 0 && atomicAdd(ended, 1u) == gridDim.x - 1;
}

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

/* Of marked results all are looked at if the list has not had room for them. */
struct vector_source {
    size_t count;
    const size_t *list; /* or NULL */
    bool are_marked;

    __device__ __forceinline__ explicit vector_source(const vectors_job &job) : count(job.vectors), list(NULL) {
        const vectors_workspace &w = *job.workspace;
        const unsigned marked = job.source == VECTORS_MARKED ? *(volatile const unsigned *)&w.marked : 0;
        are_marked = job.source == VECTORS_MARKED;
        if (are_marked && marked < MARKED_LISTED) count = marked, list = w.marked_vector;
        if (job.source == VECTORS_ASIDE) {
            count = min(*(volatile const unsigned *)&w.long_segments, (unsigned)LONG_SEGMENTS);
            list = w.long_segment;
        }
    }
    /* The number of vector i of these; job.vectors: it is not wanted. */
    __device__ __forceinline__ size_t number(const vectors_job &job, size_t i) const {
        if (i >= count) return job.vectors;
        if (list) return list[i];
        return are_marked && !is_marked(job, i) ? job.vectors : i;
    }
    /* Blocks for each, where these are few. */
    __device__ __forceinline__ unsigned parts() const {
        return count < gridDim.x && count ? gridDim.x / (unsigned)count : 1;
    }
    /* By all blocks, when nothing more is wanted of it: the last one empties the list. */
    __device__ __forceinline__ void forget(const vectors_job &job) const {
        vectors_workspace &w = *job.workspace;
        if (job.source == VECTORS_ALL) return;
        unsigned *const ended = &w.ended[are_marked ? ENDED_MARKED : ENDED_SEGMENTS];
        if (is_last_block(ended)) *ended = 0, *(are_marked ? &w.marked : &w.long_segments) = 0;
    }
};

/* Puts a vector of so many elements, or more, aside while there is room; answers whether it did. Once the list is full
 * no more are counted: 2^32 of them would begin it anew. */
static __device__ __forceinline__ bool put_aside(const vectors_job &job, size_t v, size_t n, size_t least) {
    if (n < least || *(volatile unsigned *)&job.workspace->long_segments >= LONG_SEGMENTS) return false;
    const unsigned at = atomicAdd(&job.workspace->long_segments, 1u);
    if (at < LONG_SEGMENTS) job.workspace->long_segment[at] = v;
    return at < LONG_SEGMENTS;
}

#endif
