/* direct.cuh - the methods of the canonical order on arrays of any length and alignment: threads load into registers.
 *
 * A thread owns E neighbouring lanes of a tile, the elements that it loads together: 256 / E threads take a tile, and a
 * block takes E tiles a step (or fewer: short arrays). All loads of a thread's 16 rows (8, of two arrays) are under way
 * before the first is used: a short sum waits for memory once.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_KERNELS_DIRECT_CUH
#define QUIRE_CUDA_KERNELS_DIRECT_CUH

#include "cuda/grid/gather_ordered.cuh"
#include "cuda/thread/bounds.cuh"

/* 8 bytes of elements that are loaded together; see pack. */
template <class Format, int E> struct short_pack {
    typedef typename Format::element element;
    uint32_t word[2];

    __device__ __forceinline__ void load(const element *p) {
        const uint2 bytes = __ldcs((const uint2 *)p);
        word[0] = bytes.x, word[1] = bytes.y;
    }
    __device__ __forceinline__ element operator[](int i) const { return element_of_words<element>(word, i); }
};

/* What a thread loads together: 16 bytes, but no more than 4 elements, since a short sum also waits for the additions.
 */
template <class Format> constexpr int direct_elements = vector_elements<Format> < 4 ? vector_elements<Format> : 4;
template <class Format, int E>
using direct_pack =
    std::conditional_t<E == 4 && sizeof(typename Format::element) == 2, short_pack<Format, E>, pack<Format, E>>;

/* Adds rows 0 ... ROWS - 1 of a tile to a thread's lanes; p and q: its first elements; n: how many elements there are
 * from there to the end of the array, if that is within these rows, which is when WHOLE is false. pays: see bounds.cuh.
 */
template <class Format, class Term, class Method, int E, int ROWS, bool WHOLE>
static __device__ __forceinline__ void add_rows(lane_state<Method, typename Format::real> (&lane)[E],
                                                const typename Format::element *p, const typename Format::element *q,
                                                int n, bool &pays) {
    const int rows = WHOLE ? ROWS : n < E ? 0 : (n - E) / ORDER_LANES + 1; /* with all E elements */
    direct_pack<Format, E> x[ROWS], y[ROWS];
#pragma unroll
    for (int row = 0; row < ROWS; row++) {
        if (row >= rows) continue;
        x[row].load(p + row * ORDER_LANES);
        if (Term::is_pair) y[row].load(q + row * ORDER_LANES);
    }
    if constexpr (WHOLE && adds_by_bounds<Format, Term, Method>) {
        add_rows_by_bounds<Format, Term>(lane, x, pays);
    } else {
#pragma unroll
        for (int row = 0; row < ROWS; row++) {
            if (row >= rows) continue;
#pragma unroll
            for (int e = 0; e < E; e++)
                add_term<Format, Term>(lane[e], x[row][e], Term::is_pair ? y[row][e] : x[row][e]);
        }
#pragma unroll
        for (int e = 0; !WHOLE && e < E - 1; e++) {
            const int at = rows * ORDER_LANES + e;
            if (at < n) add_term<Format, Term>(lane[e], p[at], Term::is_pair ? q[at] : p[at]);
        }
    }
}

/* A thread's lanes of a tile, of whose elements n from p (and q) on are left, if they are fewer. */
template <class Format, class Term, class Method, int E>
static __device__ __forceinline__ void add_lanes(lane_state<Method, typename Format::real> (&lane)[E],
                                                 const typename Format::element *p, const typename Format::element *q,
                                                 size_t n, size_t tile, bool &pays) {
    constexpr int ROWS = Term::is_pair ? ORDER_ROWS / 2 : ORDER_ROWS, STEP = ROWS * ORDER_LANES;
    const unsigned steps = (unsigned)(tile / STEP);
#pragma unroll 1
    for (unsigned step = 0; step < steps && n; step++, p += STEP, q += STEP) {
        if (n >= STEP - ORDER_LANES + E) /* the thread's elements of the last row are there */
            add_rows<Format, Term, Method, E, ROWS, true>(lane, p, q, STEP, pays);
        else
            add_rows<Format, Term, Method, E, ROWS, false>(lane, p, q, (int)n, pays);
        n = n > STEP ? n - STEP : 0;
    }
}

/* Prefetches the block's tiles, up to 128 bytes a thread. */
template <class element> static __device__ __forceinline__ void prefetch_tiles(const cuda_job &job, bool is_pair) {
    const size_t mine = job.shares.units_per_block * job.tile, at = threadIdx.x * (128 / sizeof(element));
    const size_t first = blockIdx.x * mine + at;
    if (at >= mine || first >= job.n) return;
    prefetch((const element *)job.x + first);
    if (is_pair) prefetch((const element *)job.y + first);
}

template <class Format, class Term, class Method, int E>
__global__ void __launch_bounds__(DIRECT_THREADS, (adds_by_bounds<Format, Term, Method> ? DIRECT_BLOCKS : 0))
    direct_kernel(const __grid_constant__ cuda_job job) {
    typedef typename Format::element element;
    typedef lane_state<Method, typename Format::real> state;
    constexpr unsigned TILE_THREADS = ORDER_LANES / E, TILES = DIRECT_THREADS / TILE_THREADS; /* of a tile; of a step */
    __shared__ state lanes[TILES][ORDER_LANES], totals[TILES];
    __shared__ tree_counter<state> counter;
    __shared__ gather_memory<state> memory;
    if (job.ahead) prefetch_tiles<element>(job, Term::is_pair);
    after_earlier_work();
    enter_workspace(job);

    const unsigned tiles = blockDim.x / TILE_THREADS, mine = threadIdx.x / TILE_THREADS;
    const unsigned first_lane = threadIdx.x % TILE_THREADS * E;
    const unsigned warp = threadIdx.x / WARP, steps = job.shares.units_per_block / tiles;
    const int thread = threadIdx.x % WARP;
    size_t at = ((size_t)blockIdx.x * job.shares.units_per_block + mine) * job.tile + first_lane;
    unsigned step = 0;
    bool pays = true;
    state total = identity<state>();
    for (; step < steps && (size_t)(blockIdx.x * (size_t)job.shares.units_per_block + step * tiles) * job.tile < job.n;
         step++, at += tiles * job.tile) {
        state lane[E];
        for (int e = 0; e < E; e++) lane[e] = identity<state>();
        if (at < job.n)
            add_lanes<Format, Term, Method, E>(lane, (const element *)job.x + at, (const element *)job.y + at,
                                               job.n - at, job.tile, pays);
        if (step) {
            __syncthreads(); /* the lanes of the step before have been merged */
            if (warp == 0) {
                total = warp_tree((unsigned)thread < tiles ? totals[thread] : identity<state>(), tiles);
                if (thread == 0) counter_add(counter, step - 1, total);
            }
        }
        for (int e = 0; e < E; e++) lanes[mine][first_lane + e] = lane[e];
        __syncthreads();
        if (warp < tiles) {
            total = tile_total(lanes[warp], thread);
            if (thread == 0) totals[warp] = total;
        }
    }
    let_later_work_start();
    if (tiles > 1 && step) {
        __syncthreads();
        if (warp == 0) total = warp_tree((unsigned)thread < tiles ? totals[thread] : identity<state>(), tiles);
    }
    if (step > 1 && threadIdx.x == 0) {
        counter_add(counter, step - 1, total);
        total = counter_total(counter, step);
    }
    gather_and_finish(job, total, blockDim.x / WARP, memory);
}

#endif
