/* short_load.cuh - how an exact sum of a short array loads: a batch at a time.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_WARP_SHORT_LOAD_CUH
#define QUIRE_CUDA_WARP_SHORT_LOAD_CUH

#include "cuda/device/bulk.cuh"
#include "cuda/device/registers.cuh"
#include "cuda/warp/short_extent.cuh"

/* What a warp takes: of a grid's stretches one after the other, so that all blocks read near each other. x and y lie
 * where the lane's first load is from; there skip elements before the array may be, so that loads are from multiples of
 * 16 bytes. All but these two are the same in all lanes. */
template <class Format> struct short_share {
    const typename Format::element *x, *y;
    int skip, left; /* elements from the first load on: those before the array; all until its end */
    int size, step; /* of a batch; from one to the next */

    __device__ __forceinline__ void advance() { x += step, y += step, left -= step, skip = 0; }
    /* Prefetches the first batch; by the whole warp. */
    template <class Term> __device__ __forceinline__ void prefetch_share(int thread) const {
        constexpr int SIZE = sizeof(typename Format::element), LINE = 128 / SIZE;
        const int there = thread * (LINE - vector_elements<Format>);
        if (thread * LINE >= min(size, left)) return;
        prefetch(x + there);
        if (Term::is_pair) prefetch(y + there);
    }
    /* In registers: a compiler that knows where they come from computes them again and again. */
    __device__ __forceinline__ void keep() {
        make_opaque(skip, left, step, size, x);
        y = opaque(y);
    }
};

/* A load at an end of the array; out of line, as it is rare and long. */
template <class Format>
static __device__ __noinline__ pack<Format, vector_elements<Format>> part_of_pack(const typename Format::element *p,
                                                                                  int from, int count, uint32_t upper) {
    pack<Format, vector_elements<Format>> some;
    some.load_part(p, from, count, upper);
    return some;
}

/* What the lane has in loads that are not all there, of elements from there to there; x, or y. */
template <class Format, int PACKS>
static __device__ __forceinline__ void load_ends(pack<Format, vector_elements<Format>> (&b)[PACKS],
                                                 const typename Format::element *x, int from, int to, uint32_t upper) {
    constexpr int E = vector_elements<Format>, STEP = WARP * E;
    const int last = to / STEP, there = to % STEP;
    if (from > 0) b[0] = part_of_pack<Format>(x, from, to, upper);
    if (there <= 0 || there >= E || (from > 0 && !last)) return;
    const auto end = part_of_pack<Format>(x + last * STEP, 0, there, upper);
#pragma unroll
    for (int k = 0; k < PACKS; k++)
        if (k == last) b[k] = end;
}

/* Loads of a batch that are there: all of them. WHOLE: what is not is -0, up to the last; else see may_end_before. */
template <class Format, class Term, bool WHOLE, int E, int PACKS>
static __device__ __forceinline__ void load_whole(batch_of<Format, E, PACKS> &b, const short_share<Format> &share) {
    constexpr int STEP = WARP * E;
    const bool is_full = share.size == PACKS * STEP; /* most often: nothing need be asked then */
#pragma unroll
    for (int k = 0; k < PACKS; k++) {
        if (!WHOLE && !is_full && is_beyond<E>(b, k)) break;
        if (is_full || k == 0 || (!WHOLE && may_end_before(k)) || share.size > k * STEP) {
            b.x[k].load(share.x + k * STEP);
            if (Term::is_pair) b.y[k].load(share.y + k * STEP);
        } else {
            b.x[k].fill(0x80);
            if (Term::is_pair) b.y[k].fill(0);
        }
    }
}

/* The same where the array ends. */
template <class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ void load_rest(batch_of<Format, E, PACKS> &b, const short_share<Format> &share,
                                                 int thread) {
    constexpr int STEP = WARP * E;
    const int from = share.skip - thread * E, to = min(share.left, share.size) - thread * E;
#pragma unroll
    for (int k = 0; k < PACKS; k++) {
        b.x[k].fill(0x80);
        if (Term::is_pair) b.y[k].fill(0);
        if ((k || from <= 0) && k * STEP + E <= to) {
            b.x[k].load(share.x + k * STEP);
            if (Term::is_pair) b.y[k].load(share.y + k * STEP);
        }
    }
    if (share.skip == 0 && share.left % E == 0) return;
    load_ends<Format>(b.x, share.x, from, to, 0x80);
    if (Term::is_pair) load_ends<Format>(b.y, share.y, from, to, 0);
}

template <class Format, class Term, bool WHOLE, int E, int PACKS>
static __device__ __forceinline__ void load_batch(batch_of<Format, E, PACKS> &b, const short_share<Format> &share,
                                                  int thread) {
    b.count = share.size;
    if (share.skip == 0 && share.left >= share.size)
        load_whole<Format, Term, WHOLE>(b, share);
    else
        load_rest<Format, Term>(b, share, thread);
}

#endif
