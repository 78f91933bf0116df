/* ordered_array.cuh - one array by the methods of the canonical order, whatever its length and alignment. Blocks take
 * groups of neighbouring tiles, subtrees of the order, in turn, and leave their states; then each takes a ticket, and
 * the last one merges all.
 *
 * A thread owns E neighbouring lanes of a tile, the elements that it loads together: 256 / E threads take a tile, and a
 * block takes E tiles a step (or fewer: short arrays). All loads of a thread's 16 rows (or 8) are under way before the
 * first is used: a short sum waits for memory once.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_KERNELS_ORDERED_ARRAY_CUH
#define QUIRE_CUDA_KERNELS_ORDERED_ARRAY_CUH

#include "cuda/device/early.cuh"
#include "cuda/device/warp.cuh"
#include "cuda/grid/tickets.cuh"
#include "cuda/thread/bounds.cuh"
#include "cuda/thread/lane_sums.cuh"

/* Thread i takes thread i + w of the warp; what threads from w on hold then is of no use. */
template <class Method, class Real>
static __device__ __forceinline__ void merge_down(lane_state<Method, Real> &s, int w) {
    lane_state<Method, Real> other;
    for (int i = 0; i < Method::words; i++) other.word[i] = __shfl_xor_sync(WHOLE_WARP, s.word[i], w);
    merge(s, other);
}

/* The tree over count neighbours, one a thread, in thread 0. */
template <class State> static __device__ __forceinline__ State warp_tree(State s, int count) {
    for (int w = 1; w < count; w *= 2) merge_down(s, w);
    return s;
}

/* The total of a tile from its lanes, by a warp, in thread 0: lane j takes lane j + w, w = 128, 64, ... 1. */
template <class State> static __device__ __forceinline__ State tile_total(const State *lanes, int thread) {
    State s[ORDER_LANES / WARP];
#pragma unroll
    for (int k = 0; k < ORDER_LANES / WARP; k++) s[k] = lanes[k * WARP + thread];
#pragma unroll
    for (int w = ORDER_LANES / WARP / 2; w; w /= 2)
#pragma unroll
        for (int k = 0; k < w; k++) merge(s[k], s[k + w]);
#pragma unroll
    for (int w = WARP / 2; w; w /= 2) merge_down(s[0], w);
    return s[0];
}

/* Loads E elements that stand at a multiple of their bytes: up to 16. */
template <class Format, int E>
static __device__ __forceinline__ void load_together(element_group<Format, E> &to, const typename Format::element *p) {
    constexpr int bytes = E * (int)sizeof(typename Format::element);
    if constexpr (E == 1) {
        to.of[0] = *p;
    } else if constexpr (bytes == 16) {
        const uint4 words = __ldcs((const uint4 *)p);
        to.word[0] = words.x, to.word[1] = words.y, to.word[2] = words.z, to.word[3] = words.w;
    } else {
        static_assert(bytes == 8, "no such load");
        const uint2 words = __ldcs((const uint2 *)p);
        to.word[0] = words.x, to.word[1] = words.y;
    }
}

/* A thread's rows of a tile. PAIR: its terms are products of two arrays. */
template <class Format, class Method, bool PRODUCT, bool PAIR, int E> struct tile_lanes {
    typedef typename Format::element element;
    typedef typename Format::real real;
    typedef lane_state<Method, real> state;
    typedef element_term<Format, PRODUCT> term;
    /* Rows whose loads are under way together: what registers hold beside the terms' errors. */
    static constexpr bool takes_more = PAIR || (PRODUCT && Method::words > 1 && sizeof(real) == 8);
    static constexpr int ROWS = takes_more ? ORDER_ROWS / 2 : ORDER_ROWS, STEP = ROWS * ORDER_LANES;
    state lane[E];

    __device__ __forceinline__ void clear() {
        for (int e = 0; e < E; e++) lane[e] = identity<state>();
    }
    __device__ __forceinline__ void add_to_lane(int e, real a, real b, bool magnitude) {
        const real value = term::value(a, b, magnitude);
        Method::add(lane[e].word, value, term::error(a, b, value), PRODUCT);
    }
    /* Adds ROWS rows; p and q: the thread's first elements; n: how many elements there are from there to the end of the
     * array, if that is within these rows, which is when WHOLE is false. pays: see bounds.cuh. */
    template <bool WHOLE>
    __device__ __forceinline__ void add_rows(const element *p, const element *q, int n, bool magnitude, bool &pays) {
        const int rows = WHOLE ? ROWS : n < E ? 0 : (n - E) / ORDER_LANES + 1; /* with all E elements */
        element_group<Format, E> x[ROWS], y[PAIR ? ROWS : 1];
#pragma unroll
        for (int row = 0; row < ROWS; row++) {
            if (row >= rows) continue;
            load_together(x[row], p + row * ORDER_LANES);
            if constexpr (PAIR) load_together(y[row], q + row * ORDER_LANES);
        }
        if constexpr (WHOLE && adds_by_bounds<Format, PRODUCT, Method>) {
            add_rows_by_bounds<Format>(lane, x, magnitude, pays);
        } else {
#pragma unroll
            for (int row = 0; row < ROWS; row++) {
                if (row >= rows) continue;
                real a[E], b[E];
                decode_chunk(Format(), x[row], a);
                if constexpr (PAIR) decode_chunk(Format(), y[row], b);
#pragma unroll
                for (int e = 0; e < E; e++) add_to_lane(e, a[e], PAIR ? b[e] : a[e], magnitude);
            }
#pragma unroll
            for (int e = 0; !WHOLE && e < E - 1; e++) {
                const int at = rows * ORDER_LANES + e;
                if (at < n) add_to_lane(e, decode(Format(), p[at]), decode(Format(), PAIR ? q[at] : p[at]), magnitude);
            }
        }
    }
    /* All rows of a tile, of whose elements n from p (and q) on are left, if they are fewer. */
    __device__ __forceinline__ void add_tile(const element *p, const element *q, size_t n, size_t tile, bool magnitude,
                                             bool &pays) {
        const unsigned steps = (unsigned)(tile / STEP);
#pragma unroll 1
        for (unsigned step = 0; step < steps && n; step++, p += STEP, q += STEP) {
            if (n >= STEP - ORDER_LANES + E) /* the thread's elements of the last row are there */
                add_rows<true>(p, q, STEP, magnitude, pays);
            else
                add_rows<false>(p, q, (int)n, magnitude, pays);
            n = n > STEP ? n - STEP : 0;
        }
    }
};

#define GROUPS_OF_THREAD 8 /* states that a thread of the last block loads together */

/* Where blocks leave the states of their groups, side by side. */
template <class State> static __device__ __forceinline__ State *states_of(vectors_workspace &w) {
    static_assert(sizeof(State) * ORDERED_ARRAY_MOST <= sizeof w.place, "there are too many blocks");
    return (State *)w.place;
}

/* The tree over neighbouring groups, one thread's: what is not there is -0, whose merge leaves no trace. */
template <class Method, class Real>
static __device__ __forceinline__ lane_state<Method, Real> tree_of_few(const lane_state<Method, Real> *states,
                                                                       unsigned count) {
    lane_state<Method, Real> s[GROUPS_OF_THREAD];
#pragma unroll
    for (unsigned i = 0; i < GROUPS_OF_THREAD; i++)
        for (int w = 0; w < Method::words; w++) s[i].word[w] = i < count ? __ldcg(&states[i].word[w]) : (Real)-0.0;
#pragma unroll
    for (int apart = 1; apart < GROUPS_OF_THREAD; apart *= 2)
#pragma unroll
        for (int i = 0; i < GROUPS_OF_THREAD; i += 2 * apart) merge(s[i], s[i + apart]);
    return s[0];
}

/* The tree over all groups: of neighbours by a thread, then by its warp, and then by the first warp of what the warps
 * have; and over such stretches as they come. By a whole block; for its first thread. */
template <class Method, class Real, int THREADS>
static __device__ __noinline__ lane_state<Method, Real> tree_of_groups(const lane_state<Method, Real> *states,
                                                                       unsigned groups) {
    typedef lane_state<Method, Real> state;
    __shared__ state of_warp[THREADS / WARP];
    __shared__ tile_tree<Real, Method, 16> stretches; /* the first thread's */
    const unsigned warps = blockDim.x / WARP, stretch = blockDim.x * GROUPS_OF_THREAD;
    state total;
    if (threadIdx.x == 0) stretches.tiles = 0;
    for (unsigned first = 0; first < groups; first += stretch) {
        const unsigned mine = first + threadIdx.x * GROUPS_OF_THREAD;
        total = warp_tree(tree_of_few(states + mine, mine < groups ? groups - mine : 0), WARP);
        if (threadIdx.x % WARP == 0) of_warp[threadIdx.x / WARP] = total;
        __syncthreads();
        if (threadIdx.x < WARP)
            total = warp_tree(threadIdx.x < warps ? of_warp[threadIdx.x] : identity<state>(), THREADS / WARP);
        if (threadIdx.x == 0) stretches.add(total.word);
        __syncthreads();
    }
    if (threadIdx.x == 0) stretches.total(total.word);
    return total;
}

/* What the threads of a block need together. */
template <class Format, class Method, int E> struct array_room {
    typedef typename Format::real real;
    typedef lane_state<Method, real> state;
    static constexpr unsigned TILE_THREADS = ORDER_LANES / E, TILES = ORDERED_ARRAY_THREADS / TILE_THREADS;
    state lanes[TILES][ORDER_LANES], totals[TILES];
    tile_tree<real, Method> steps; /* the first thread's */
};

/* The state of a group of tiles, elements begin to end, for the first thread. By a whole block, which adds several
 * tiles at a time. */
template <class Format, class Method, bool PRODUCT, bool PAIR, int E>
static __device__ __forceinline__ lane_state<Method, typename Format::real>
sum_of_group(const vectors_job &job, array_room<Format, Method, E> &room, size_t begin, size_t end) {
    typedef array_room<Format, Method, E> its;
    typedef const typename Format::element *pointer;
    const unsigned tiles = blockDim.x / its::TILE_THREADS, mine = threadIdx.x / its::TILE_THREADS,
                   first_lane = threadIdx.x % its::TILE_THREADS * E, warp = threadIdx.x / WARP;
    const int thread = threadIdx.x % WARP;
    const pointer x = (pointer)job.at.x, y = PAIR ? (pointer)job.at.y : x;
    auto total_of_step = [&] {
        return warp_tree((unsigned)thread < tiles ? room.totals[thread] : identity<typename its::state>(), tiles);
    };
    typename its::state total = identity<typename its::state>();
    unsigned step = 0;
    bool pays = true;
    if (threadIdx.x == 0) room.steps.tiles = 0;
    for (size_t first = begin; first < end; first += tiles * job.tile, step++) {
        const size_t at = first + mine * job.tile + first_lane;
        tile_lanes<Format, Method, PRODUCT, PAIR, E> own;
        own.clear();
        if (at < end) own.add_tile(x + at, y + at, end - at, job.tile, job.magnitude, pays);
        __syncthreads(); /* the lanes of the step before have been merged */
        if (step && warp == 0) {
            total = total_of_step();
            if (thread == 0) room.steps.add(total.word);
        }
        for (int e = 0; e < E; e++) room.lanes[mine][first_lane + e] = own.lane[e];
        __syncthreads();
        if (warp < tiles) {
            total = tile_total(room.lanes[warp], thread);
            if (thread == 0) room.totals[warp] = total;
        }
    }
    if (tiles > 1 && step) {
        __syncthreads();
        if (warp == 0) total = total_of_step();
    }
    if (step > 1 && threadIdx.x == 0) {
        room.steps.add(total.word);
        room.steps.total(total.word);
    }
    return total;
}

/* job.tile: elements of a tile; job.part: of a group; job.parts: groups, which blocks take in turn. */
template <class Format, class Method, bool PRODUCT, bool PAIR, int E>
__global__ void __launch_bounds__(ORDERED_ARRAY_THREADS,
                                  (adds_by_bounds<Format, PRODUCT, Method> && E <= 4 ? ORDERED_ARRAY_BLOCKS : 0))
    ordered_array_kernel(const __grid_constant__ vectors_job job) {
    typedef typename Format::real real;
    typedef lane_state<Method, real> state;
    __shared__ array_room<Format, Method, E> room;
    vectors_workspace &w = *job.workspace;
    const size_t n = job.at.x_layout.n;
    state total;
    after_earlier_work();
    if (job.parts > 1) enter_workspace(w);
    for (unsigned group = blockIdx.x; group < job.parts; group += gridDim.x) {
        const size_t begin = group * job.part;
        total = sum_of_group<Format, Method, PRODUCT, PAIR, E>(job, room, begin, min(begin + job.part, n));
        if (threadIdx.x == 0 && job.parts > 1)
            for (int i = 0; i < Method::words; i++) __stcg(&states_of<state>(w)[group].word[i], total.word[i]);
    }
    let_later_work_start();
    if (job.parts > 1) {
        if (!takes_last_ticket(job)) return;
        total = tree_of_groups<Method, real, ORDERED_ARRAY_THREADS>(states_of<state>(w), job.parts);
    }
    if (threadIdx.x == 0) {
        store_ordered<Method>(job, 0, n, total.word[0], total.word[Method::words - 1]);
        if (job.parts > 1) leave_workspace(job);
    }
}

#endif
