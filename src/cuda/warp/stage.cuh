/* stage.cuh - stages in a warp's shared memory, which the copy engine fills while the warp works on another one. What
 * is in a stage stands as far from a chunk's begin as in memory. For compute capability 9.0 and later.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_WARP_STAGE_CUH
#define QUIRE_CUDA_WARP_STAGE_CUH

#include "cuda/device/bulk.cuh"
#include "cuda/device/warp.cuh"
#include "cuda/kernels/vectors_job.h"

static __device__ __forceinline__ unsigned chunk_offset(const void *p) { return (unsigned)((uintptr_t)p % ROWS_CHUNK); }

#if QUIRE_HAS_BULK

/* Elements from begin to end, which are within low to high, where all may be read. */
template <class Element> struct memory_piece { const Element *begin, *end, *low, *high; };

struct warp_stages {
    alignas(ROWS_CHUNK) unsigned char data[ROWS_STAGES][ROWS_STAGE];
    uint64_t filled[ROWS_STAGES]; /* barriers */

    /* These are for a whole warp. Before all others. */
    __device__ __forceinline__ void open(int lane) {
        if (lane < ROWS_STAGES) barrier_open(&filled[lane], 1);
        barriers_are_open();
        __syncwarp();
    }
    /* After all others. */
    __device__ __forceinline__ void close(int lane) {
        __syncwarp();
        if (lane < ROWS_STAGES) barrier_close(&filled[lane]);
    }
    /* Until what was copied to the stage is there. round: how often it has been filled before. */
    __device__ __forceinline__ void wait(unsigned stage, unsigned round) {
        barrier_wait(&filled[stage], round & 1);
        __syncwarp();
    }
};

/* Copies elements to where they stand behind "to" as they do behind base. By a whole warp. */
template <class Element>
static __device__ __noinline__ void copy_elements(const Element *begin, const Element *end, const unsigned char *base,
                                                  unsigned char *to, int lane) {
    for (const Element *e = begin + lane; e < end; e += WARP) *(Element *)(to + ((const unsigned char *)e - base)) = *e;
    accesses_before_copies(); /* of a later item to the same stage */
    __syncwarp();
}

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
    /* The elements beside these chunks. By a whole warp. */
    __device__ __forceinline__ void copy_edges(const memory_piece<Element> &p, unsigned char *to, int lane) const {
        const unsigned char *base = (const unsigned char *)p.begin - chunk_offset(p.begin);
        if (!has_ends) return;
        copy_elements(p.begin, bytes ? (const Element *)from : p.end, base, to, lane);
        if (bytes) copy_elements((const Element *)(from + bytes), p.end, base, to, lane);
    }
};

#endif
#endif
