/* vector_source.cuh - which vectors of a job a kernel takes: all, those whose results are marked, or those that have
 * been put aside.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_GRID_VECTOR_SOURCE_CUH
#define QUIRE_CUDA_GRID_VECTOR_SOURCE_CUH

#include "cuda/grid/grid_warps.cuh"
#include "cuda/grid/marks.cuh"

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
