/* warp_stretch.cuh - elements that stand side by side, copied to a warp's shared memory as they stand, by chunks of 16
 * bytes: what stands beside them is not read. They know no grid.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_WARP_WARP_STRETCH_CUH
#define QUIRE_CUDA_WARP_WARP_STRETCH_CUH

#include "cuda/group/staged.cuh"

/* Starts to copy n elements, as far behind a chunk's begin as they are there; answers where the first will be. */
template <class Element>
static __device__ __forceinline__ const Element *start_copy(unsigned char *room, const Element *x, unsigned n,
                                                            unsigned lane) {
    const whole_chunks<Element> whole(x, n);
    const unsigned before = (unsigned)whole.before, behind = (unsigned)whole.behind, count = (unsigned)whole.count;
    Element *const to = (Element *)(room + (uintptr_t)x % ROWS_CHUNK);
    copy_chunks<WARP>((uint4 *)(to + before), (const uint4 *)(x + before), count, lane);
    if (lane < before) to[lane] = x[lane];
    if (lane < behind) to[n - behind + lane] = x[n - behind + lane];
    return to;
}

/* Elements of one array, or of two. */
template <class Format, bool PAIR> struct warp_stretch {
    const typename Format::element *x, *y;

    /* n from "from" on, in rooms of so many bytes, one for each array, when all lanes have been here. */
    __device__ __forceinline__ warp_stretch(unsigned char *rooms, unsigned bytes, const row_place<Format, PAIR> &from,
                                            unsigned n, unsigned lane) {
        __syncwarp(); /* those before may still be read */
        x = start_copy(rooms, from.x, n, lane);
        y = PAIR ? start_copy(rooms + bytes, from.y, n, lane) : x;
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncwarp();
    }
    /* Adds n of them, from the k-th on. */
    template <class Sums> __device__ __forceinline__ void add(Sums &to, unsigned k, unsigned n, bool magnitude) const {
        add_staged<Format, PAIR>(to, x + k, y + k, n, magnitude);
    }
};

#endif
