/* short_load.cuh - how an exact sum of a short array loads: one batch by way of registers; or many by way of a ring in
 * shared memory, in which every thread has slots of its own, so that nobody waits for another.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_SHORT_LOAD_CUH
#define QUIRE_CUDA_SHORT_LOAD_CUH

#include "cuda/short_window.cuh"

/* The elements of a lane. x and y lie where the first load of the block's first warp is for it; there skip elements before
 * the array may be, of the first block, so that loads are from multiples of 16 bytes. A warp takes one piece of the block's
 * after the other, size elements each. */
template <class Format> struct short_share {
    const typename Format::element *x, *y;
    int skip, end; /* the block's elements are from skip to end */
    int size, step;
    /* In registers: a compiler that knows where they come from computes them again and again. */
    __device__ __forceinline__ void keep() {
        asm volatile("" : "+r"(skip), "+r"(end), "+r"(step), "+l"(x));
        asm volatile("" : "+l"(y));
    }
};

template <class Format>
static __device__ __forceinline__ short_share<Format> share_of_lane(const cuda_job &job, int thread) {
    typedef typename Format::element element;
    constexpr int E = vector_elements<Format>;
    const int skip = (int)((uintptr_t)job.x % 16 / sizeof(element)), size = (int)job.run * WARP * E;
    const size_t first = blockIdx.x * job.share, end = job.n + skip;
    const size_t at = first + (size_t)(thread * E) - (size_t)skip;
    return { (const element *)job.x + at,
             (const element *)job.y + at,
             blockIdx.x ? 0 : skip,
             end > first ? (int)min(end - first, job.share) : 0,
             size,
             size * (int)(blockDim.x / WARP) };
}

/* A load at an end of the array. */
template <class Format>
static __device__ __noinline__ pack<Format, vector_elements<Format>> part_of_pack(const typename Format::element *p,
                                                                                  int from, int count, uint32_t upper) {
    pack<Format, vector_elements<Format>> some;
    some.load_part(p, from, count, upper);
    return some;
}

/* The batch from the block's element number at on. */
template <class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ void load_batch(batch_of<Format, E, PACKS> &b, const short_share<Format> &share, int at) {
    const typename Format::element *x = share.x + at, *y = share.y + at;
    if (at >= share.skip && at + share.size <= share.end) {
        b.count = share.size;
#pragma unroll
        for (int k = 0; k < PACKS; k++) {
            if (k == 0 || share.size >= (k == 1 ? 2 : PACKS) * WARP * E) {
                b.x[k].load(x + k * WARP * E);
                if (Term::is_pair) b.y[k].load(y + k * WARP * E);
            } else {
                b.x[k].fill(0x80);
                if (Term::is_pair) b.y[k].fill(0);
            }
        }
    } else {
        b.count = share.size;
#pragma unroll
        for (int k = 0; k < PACKS; k++) {
            const int to = k * WARP * E, from = at + to + (int)threadIdx.x % WARP * E,
                      end = to < share.size ? share.end : from;
            b.x[k] = part_of_pack<Format>(x + to, share.skip - from, end - from, 0x80);
            if (Term::is_pair) b.y[k] = part_of_pack<Format>(y + to, share.skip - from, end - from, 0);
        }
    }
}

/* ---------------------------------------------------------------------------------------------------------- the ring */

/* A thread's place in shared memory, as a number: 16 bytes to it and from it. */
static __device__ __forceinline__ void put_words(unsigned to, const uint32_t (&word)[4]) {
    asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(word[0]), "r"(word[1]), "r"(word[2]), "r"(word[3])
                 : "memory");
}

static __device__ __forceinline__ void get_words(uint32_t (&word)[4], unsigned from) {
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
                 : "r"(from)
                 : "memory");
}

/* Copies 16 bytes there on the way (compute capability 8.0), as part of the next group of the thread. */
static __device__ __forceinline__ void copy_ahead(unsigned to, const void *from) {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
#else
    const uint4 bytes = __ldcs((const uint4 *)from);
    put_words(to, { bytes.x, bytes.y, bytes.z, bytes.w });
#endif
}

static __device__ __forceinline__ void close_group(void) {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* Until no more than so many groups of the thread are under way. */
template <int GROUPS> static __device__ __forceinline__ void wait_for_groups(void) {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(GROUPS) : "memory");
#endif
}

/* The threads' slots, each for a batch. */
template <class Choice> struct short_ring {
    static constexpr int packs = Choice::shape.packs, slots = Choice::shape.slots;
    static constexpr unsigned pack_size = 16 * Choice::threads, array_size = pack_size * packs,
                              slot_size = array_size * Choice::arrays, size = slot_size * slots;
};

/* Starts the batch from the block's element number at on. slot: the thread's place in it. */
template <class Ring, class Format, class Term, int E>
static __device__ __forceinline__ void start_batch(unsigned slot, const short_share<Format> &share, int at) {
    constexpr int PACKS = Ring::packs, SIZE = PACKS * WARP * E;
    if (at < share.end) {
        const typename Format::element *x = share.x + at, *y = share.y + at;
        if (at >= share.skip && at + SIZE <= share.end) {
#pragma unroll
            for (int k = 0; k < PACKS; k++) {
                copy_ahead(slot + k * Ring::pack_size, x + k * WARP * E);
                if (Term::is_pair) copy_ahead(slot + Ring::array_size + k * Ring::pack_size, y + k * WARP * E);
            }
        } else {
#pragma unroll 1
            for (int k = 0; k < PACKS; k++) {
                const int to = k * WARP * E, from = at + to + (int)threadIdx.x % WARP * E;
                put_words(slot + k * Ring::pack_size,
                          part_of_pack<Format>(x + to, share.skip - from, share.end - from, 0x80).word);
                if (Term::is_pair)
                    put_words(slot + Ring::array_size + k * Ring::pack_size,
                              part_of_pack<Format>(y + to, share.skip - from, share.end - from, 0).word);
            }
        }
    }
    close_group();
}

template <class Ring, class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ void take_batch(batch_of<Format, E, PACKS> &b, unsigned slot) {
    b.count = PACKS * WARP * E;
#pragma unroll
    for (int k = 0; k < PACKS; k++) {
        get_words(b.x[k].word, slot + k * Ring::pack_size);
        if (Term::is_pair) get_words(b.y[k].word, slot + Ring::array_size + k * Ring::pack_size);
    }
}

#endif
