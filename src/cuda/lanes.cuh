/* lanes.cuh - the methods that follow the canonical order (docs/order.md) on a GPU.
 *
 * A warp owns a tile, a thread eight of its lanes. A thread's lane (k, e), k < 8 / E, e < E, is lane 32 E k + E t + e of the
 * tile, t the thread, E the elements it loads together: so a warp's loads are contiguous whatever the format. Lanes merge
 * by the halving tree: while both halves of the tree are in the same thread, there; while a thread has several lanes, by
 * exchange with a partner, so that no thread is idle; then by shuffles. 8 lanes a thread cost 4+2+1+1+1+1+1+1 merges.
 * A warp takes a run of tiles, a power of two, a block the runs of its warps, and the last block merges what blocks bring.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_LANES_CUH
#define QUIRE_CUDA_LANES_CUH

#include "cuda/choices.cuh"
#include "cuda/last_block.cuh"
#include "cuda/total.cuh"

#define THREAD_LANES (ORDER_LANES / WARP)
#define GATHER 512 /* states that the last block merges at a time                                                        */

template <class Method, class Real> struct lane_state {
    Real word[Method::words];
};

template <class Method, class Real>
static __device__ __forceinline__ void merge(lane_state<Method, Real> &into, const lane_state<Method, Real> &from) {
    Method::merge(into.word, from.word);
}

template <class Method, class Real>
static __device__ __forceinline__ lane_state<Method, Real> shuffle_xor(lane_state<Method, Real> s, int mask) {
    for (int w = 0; w < Method::words; w++) s.word[w] = __shfl_xor_sync(WHOLE_WARP, s.word[w], mask);
    return s;
}

/* ------------------------------------------------------------------------------------------------------------ a tile */

/* Some rows of a tile, all elements there: what a warp loads at a time. */
template <class Format, class Term, int E> struct tile_rows {
    static constexpr int packs = THREAD_LANES / E, loads = LANE_LOADS / (Term::is_pair ? 2 : 1);
    static constexpr int rows = E == 1 ? 2 : loads > packs ? loads / packs : 1; /* a power of two, at most a tile's      */
    pack<Format, E> x[rows][packs], y[rows][packs];

    template <int ROWS>
    __device__ __forceinline__ void load(const typename Format::element *p, const typename Format::element *q) {
#pragma unroll
        for (int row = 0; row < ROWS; row++)
#pragma unroll
            for (int k = 0; k < packs; k++) {
                x[row][k].load(p + row * ORDER_LANES + k * WARP * E);
                if (Term::is_pair) y[row][k].load(q + row * ORDER_LANES + k * WARP * E);
            }
    }

    template <int ROWS, class Method>
    __device__ __forceinline__ void add_to(lane_state<Method, typename Format::real> (&lane)[THREAD_LANES]) const {
#pragma unroll
        for (int row = 0; row < ROWS; row++)
#pragma unroll
            for (int i = 0; i < THREAD_LANES; i++) {
                const auto a = decode(Format(), x[row][i / E][i % E]);
                const auto b = Term::is_pair ? decode(Format(), y[row][i / E][i % E]) : a;
                const auto value = Term::value(a, b);
                Method::add(lane[i].word, value, Term::error(a, b, value), Term::is_product);
            }
    }
};

template <class Method, class Real>
static __device__ __forceinline__ void start_lanes(lane_state<Method, Real> (&lane)[THREAD_LANES]) {
#pragma unroll
    for (int i = 0; i < THREAD_LANES; i++)
        for (int w = 0; w < Method::words; w++) lane[i].word[w] = (Real)-0.0;
}

/* The last row, when it is short. */
template <class Format, class Term, class Method, int E>
static __device__ __forceinline__ void add_rest(lane_state<Method, typename Format::real> (&lane)[THREAD_LANES],
                                                const typename Format::element *p, const typename Format::element *q,
                                                int thread, int rest) {
    typedef typename Format::real real;
#pragma unroll
    for (int i = 0; i < THREAD_LANES; i++) {
        const int at = (i / E) * WARP * E + i % E;
        if (at + E * thread >= rest) continue;
        const real a = decode(Format(), p[at]), b = Term::is_pair ? decode(Format(), q[at]) : a;
        const real value = Term::value(a, b);
        Method::add(lane[i].word, value, Term::error(a, b, value), Term::is_product);
    }
}

/* Lane j takes lane j + w, w = 128, 64, ... 1; lane 0 is in thread 0 at the end. Missing lanes are -0, which merges without a
 * trace. */
template <class Method, class Real, int E>
static __device__ __forceinline__ lane_state<Method, Real> merge_lanes(lane_state<Method, Real> (&lane)[THREAD_LANES],
                                                                       int thread) {
    int count = THREAD_LANES, apart = WARP / 2;
#pragma unroll
    for (; count > E; count /= 2)
#pragma unroll
        for (int i = 0; i < count / 2; i++) merge(lane[i], lane[i + count / 2]);
#pragma unroll
    for (; count > 1; count /= 2, apart /= 2) {
        /* the lower partner keeps the first half of the lanes and takes the other's, the upper one the second half */
        const bool upper = thread & apart;
#pragma unroll
        for (int i = 0; i < count / 2; i++) {
            const lane_state<Method, Real> kept = upper ? lane[i + count / 2] : lane[i];
            const lane_state<Method, Real> taken = shuffle_xor(upper ? lane[i] : lane[i + count / 2], apart);
            lane[i] = upper ? taken : kept;
            merge(lane[i], upper ? kept : taken);
        }
    }
#pragma unroll
    for (int w = apart; w; w /= 2) merge(lane[0], shuffle_xor(lane[0], w));
#pragma unroll
    for (int w = WARP / 2; w > apart; w /= 2) merge(lane[0], shuffle_xor(lane[0], w));
    return lane[0];
}

/* The total of a short tile of n elements, in thread 0. */
template <class Format, class Term, class Method, int E>
static __device__ __forceinline__ lane_state<Method, typename Format::real>
short_tile(const typename Format::element *p, const typename Format::element *q, size_t n, int thread) {
    lane_state<Method, typename Format::real> lane[THREAD_LANES];
    tile_rows<Format, Term, E> rows;
    start_lanes(lane);
    for (; n >= ORDER_LANES; n -= ORDER_LANES, p += ORDER_LANES, q += ORDER_LANES) {
        rows.template load<1>(p, q);
        rows.template add_to<1>(lane);
    }
    if (n) add_rest<Format, Term, Method, E>(lane, p, q, thread, (int)n);
    return merge_lanes<Method, typename Format::real, E>(lane, thread);
}

/* --------------------------------------------------------------------------------------------------------- the trees */

#define TREE_DEPTH 40 /* more tiles than 2^40 do not fit any memory                                                       */

/* The tree over tiles that come one by one, as a binary counter: entry k, if there, is the total of 2^k tiles. */
template <class State> struct tile_counter {
    State entry[TREE_DEPTH];
};

/* tiles: how many have come before. */
template <class State> static __device__ void counter_add(tile_counter<State> &counter, size_t tiles, State total) {
    int k = 0;
    for (; tiles & 1; tiles >>= 1, k++) {
        State left = counter.entry[k];
        merge(left, total);
        total = left;
    }
    counter.entry[k] = total;
}

template <class State> static __device__ State counter_total(const tile_counter<State> &counter, size_t tiles) {
    int k = 0;
    while (!(tiles & 1)) tiles >>= 1, k++;
    State total = counter.entry[k];
    while (tiles >>= 1) {
        k++;
        if (!(tiles & 1)) continue;
        State left = counter.entry[k];
        merge(left, total);
        total = left;
    }
    return total;
}

/* The tree over count neighbours, into state[0], by all threads of the block. */
template <class State> static __device__ void block_tree(State *state, unsigned count) {
    for (unsigned w = 1; w < count; w *= 2) {
        for (unsigned i = threadIdx.x * 2 * w; i + w < count; i += blockDim.x * 2 * w) merge(state[i], state[i + w]);
        __syncthreads();
    }
}

/* --------------------------------------------------------------------------------------------------------- the kernel */

/* The totals of the full tiles from p and q on, one after the other, to take(total of tile i, i) in thread 0. The next rows are
 * always under way while some are added, over the ends of tiles too, since tiles are neighbours. */
template <class Format, class Term, class Method, int E, class Take>
static __device__ __forceinline__ void full_tiles(const typename Format::element *p, const typename Format::element *q,
                                                  size_t tiles, size_t tile, int thread, Take take) {
    typedef tile_rows<Format, Term, E> some_rows;
    constexpr int STEP = some_rows::rows * ORDER_LANES;
    const unsigned steps = (unsigned)(tile / STEP);
    lane_state<Method, typename Format::real> lane[THREAD_LANES];
    some_rows now, next;
    if (tiles) next.template load<some_rows::rows>(p, q);
    for (size_t i = 0; i < tiles; i++) {
        start_lanes(lane);
#pragma unroll 1
        for (unsigned step = 0; step < steps; step++) {
            now = next;
            p += STEP, q += STEP;
            if (step + 1 < steps || i + 1 < tiles) next.template load<some_rows::rows>(p, q);
            now.template add_to<some_rows::rows>(lane);
        }
        take(merge_lanes<Method, typename Format::real, E>(lane, thread), i);
    }
}

/* The total of a run of count tiles, of which n elements are left, in thread 0. */
template <class Format, class Term, class Method, int E>
static __device__ __forceinline__ lane_state<Method, typename Format::real>
run_total(const typename Format::element *x, const typename Format::element *y, size_t n, size_t count, size_t tile,
          int thread, tile_counter<lane_state<Method, typename Format::real>> &counter) {
    typedef lane_state<Method, typename Format::real> state;
    const typename Format::element *p = x + E * thread, *q = y + E * thread;
    const size_t full = n / tile < count ? n / tile : count;
    state last;
    auto take = [&](const state &sum, size_t i) {
        last = sum;
        if (thread == 0 && count > 1) counter_add(counter, i, sum);
    };
    full_tiles<Format, Term, Method, E>(p, q, full, tile, thread, take);
    if (full < count)
        take(short_tile<Format, Term, Method, E>(p + full * tile, q + full * tile, n - full * tile, thread), full);
    return thread == 0 && count > 1 ? counter_total(counter, count) : last;
}

/* The total of a state, by a whole warp. */
template <class Method> static __device__ __forceinline__ quire_total warp_total_of(const double *words, int64_t *limb, int thread) {
    if constexpr (Method::words == 1) {
        return Method::total(words);
    } else {
        if (kahan_sum_alone(words)) return total_of_double(words[0]);
        for (int i = thread; i < QUIRE_ACCUMULATOR_LIMBS; i += WARP) limb[i] = 0;
        __syncwarp();
        if (thread == 0)
            for (int w = 0; w < Method::words; w++) limbs_add_double(limb, words[w]);
        __syncwarp();
        return warp_total(limb, thread);
    }
}

template <class Format, class Term, class Method, int E>
__global__ void __launch_bounds__(LANE_WARPS *WARP) lanes_kernel(const __grid_constant__ cuda_job job) {
    typedef typename Format::real real;
    typedef typename Format::element element;
    typedef lane_state<Method, real> state;
    __shared__ union {
        tile_counter<state> counter[LANE_WARPS];
        state gathered[GATHER];
    } shared;
    __shared__ state total[PARTIALS / GATHER > LANE_WARPS ? PARTIALS / GATHER : LANE_WARPS];
    __shared__ int64_t limb[Method::words == 1 ? 1 : QUIRE_ACCUMULATOR_LIMBS];

    const unsigned warp = threadIdx.x / WARP, warps = blockDim.x / WARP;
    const int thread = threadIdx.x % WARP;
    const size_t tiles = job.n ? (job.n - 1) / job.tile + 1 : 0, runs = (tiles + job.run - 1) / job.run;
    const unsigned groups = (unsigned)((runs + warps - 1) / warps);
    state *partial = (state *)job.workspace->partial;
    for (unsigned group = blockIdx.x; group < groups; group += gridDim.x) {
        const size_t first = ((size_t)group * warps + warp) * job.run;
        const size_t count = first >= tiles ? 0 : tiles - first < job.run ? tiles - first : job.run;
        if (count) {
            const size_t at = first * job.tile, left = job.n - at;
            const state sum = run_total<Format, Term, Method, E>((const element *)job.x + at, (const element *)job.y + at,
                                                                 left, count, job.tile, thread, shared.counter[warp]);
            if (thread == 0) total[warp] = sum;
        }
        __syncthreads();
        const size_t live = runs - (size_t)group * warps;
        block_tree(total, live < warps ? (unsigned)live : warps);
        if (threadIdx.x == 0 && groups > 1) partial[group] = total[0];
        if (groups > 1) __syncthreads();
    }
    if (!last_block(&job.workspace->ticket)) return;
    if (groups > 1) {
        for (unsigned begin = 0; begin < groups; begin += GATHER) {
            const unsigned some = groups - begin < GATHER ? groups - begin : GATHER;
            for (unsigned i = threadIdx.x; i < some; i += blockDim.x)
                for (int w = 0; w < Method::words; w++) shared.gathered[i].word[w] = __ldcg(&partial[begin + i].word[w]);
            __syncthreads();
            block_tree(shared.gathered, some);
            if (threadIdx.x == 0) total[begin / GATHER] = shared.gathered[0];
            __syncthreads();
        }
        block_tree(total, (groups + GATHER - 1) / GATHER);
    }
    __syncthreads();
    if (warp) return;
    double words[QUIRE_STATE_WORDS] = { 0, 0 };
    for (int w = 0; w < Method::words; w++) words[w] = total[0].word[w];
    const quire_total sum = tiles ? warp_total_of<Method>(words, limb, thread) : total_zero(0);
    if (thread == 0) store_total(job, sum);
}

#endif
