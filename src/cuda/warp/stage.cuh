/* stage.cuh - stages in a warp's shared memory, which fill while the warp works on another one. What is in a stage stands as
 * far from a chunk's begin as in memory. Copies are the copy engine's where there is one (compute capability 9.0), else
 * asynchronous ones of single chunks, or (before 8.0) plain ones.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_WARP_STAGE_CUH
#define QUIRE_CUDA_WARP_STAGE_CUH

#include <cuda_pipeline.h>

#include "cuda/bulk.cuh"
#include "cuda/kernels/vectors_job.h"
#include "cuda/total.cuh"

/* Elements from begin to end, which are within low to high, where all may be read. */
template <class Element> struct memory_piece {
    const Element *begin, *end, *low, *high;
};

static __device__ __forceinline__ unsigned chunk_offset(const void *p) { return (unsigned)((uintptr_t)p % ROWS_CHUNK); }

struct warp_stages {
    alignas(ROWS_CHUNK) unsigned char data[ROWS_STAGES][ROWS_STAGE];
    uint64_t filled[ROWS_STAGES]; /* barriers */

    /* These are for a whole warp. Before all others. */
    __device__ __forceinline__ void open(int lane) {
#if QUIRE_HAS_BULK
        if (lane < ROWS_STAGES) barrier_open(&filled[lane], 1);
        barriers_are_open();
        __syncwarp();
#else
        (void)lane;
#endif
    }

    /* Starts to copy chunks, so many bytes, for which expect_bytes has been called. */
    __device__ __forceinline__ void copy_chunks(unsigned stage, unsigned char *to, const unsigned char *from,
                                                unsigned bytes, int lane) {
#if QUIRE_HAS_BULK
        if (lane == 0 && bytes) copy_bulk(to, from, bytes, &filled[stage]);
#else
        (void)stage;
        for (unsigned at = (unsigned)lane * ROWS_CHUNK; at < bytes; at += WARP * ROWS_CHUNK)
            __pipeline_memcpy_async(to + at, from + at, ROWS_CHUNK);
#endif
    }
    __device__ __forceinline__ void expect_bytes(unsigned stage, unsigned bytes, int lane) {
#if QUIRE_HAS_BULK
        if (lane == 0) barrier_expect(&filled[stage], bytes);
#else
        (void)stage, (void)bytes, (void)lane;
#endif
    }
    /* Behind the last copy to a stage. */
    static __device__ __forceinline__ void commit() {
#if !QUIRE_HAS_BULK
        __pipeline_commit();
#endif
    }
    /* Until what was copied to the stage is there. round: how often it has been filled before. */
    __device__ __forceinline__ void wait(unsigned stage, unsigned round) {
#if QUIRE_HAS_BULK
        barrier_wait(&filled[stage], round & 1);
#else
        (void)stage, (void)round;
        __pipeline_wait_prior(ROWS_STAGES - 1);
#endif
        __syncwarp();
    }
};

/* What to copy of a piece: whole chunks, if they all may be read; else those within it, and elements at both ends. */
template <class Element> struct piece_copy {
    const unsigned char *from;
    unsigned bytes;
    bool has_ends;

    __device__ __forceinline__ explicit piece_copy(const memory_piece<Element> &p) {
        const uintptr_t mask = ROWS_CHUNK - 1;
        uintptr_t first = (uintptr_t)p.begin & ~mask, last = ((uintptr_t)p.end + mask) & ~mask;
        has_ends = first < (uintptr_t)p.low || last > (uintptr_t)p.high;
        if (has_ends) first = ((uintptr_t)p.begin + mask) & ~mask, last = (uintptr_t)p.end & ~mask;
        from = (const unsigned char *)first;
        bytes = last > first ? (unsigned)(last - first) : 0;
    }
    /* Elements before and behind the chunks; to: where the chunk that holds the first element stands. */
    __device__ __forceinline__ void copy_ends(const memory_piece<Element> &p, unsigned char *to, int lane) const {
        const unsigned char *base = (const unsigned char *)p.begin - chunk_offset(p.begin);
        const Element *end_of_head = bytes ? (const Element *)from : p.end, *tail = bytes ? (const Element *)(from + bytes) : p.end;
        for (const Element *e = p.begin + lane; e < end_of_head; e += WARP)
            *(Element *)(to + ((const unsigned char *)e - base)) = *e;
        for (const Element *e = tail + lane; e < p.end; e += WARP) *(Element *)(to + ((const unsigned char *)e - base)) = *e;
    }
    __device__ __forceinline__ void start(warp_stages &stages, unsigned stage, const memory_piece<Element> &p,
                                          unsigned char *to, int lane) const {
        const unsigned char *base = (const unsigned char *)p.begin - chunk_offset(p.begin);
        stages.copy_chunks(stage, to + (from - base), from, bytes, lane);
        if (has_ends) {
            copy_ends(p, to, lane);
#if QUIRE_HAS_BULK
            writes_before_copies(); /* of a later item to the same stage */
#endif
            __syncwarp();
        }
    }
};

#endif
