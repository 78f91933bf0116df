/* ring.cuh - the methods of the canonical order on long arrays, for devices with bulk copies (compute capability 9.0
 * on).
 *
 * Tiles of long arrays are long, and warps that walk down a tile each read memory in thousands of places at once, which
 * costs 4% of its speed. Here a block walks down one tile: the copy engine brings stages of 8 KB into a ring in shared
 * memory, ordered by a warp of its own, and threads with RING_LANES lanes each add them from there. A tile's lanes are
 * merged by one warp, the warps in turn, while the others go on.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_KERNELS_RING_CUH
#define QUIRE_CUDA_KERNELS_RING_CUH

#include "cuda/device/special_registers.cuh"
#include "cuda/grid/gather_ordered.cuh"
#include "cuda/grid/shares.cuh"

#define RING_STAGE 8192 /* bytes, of both arrays of a pair together */
#define RING_STAGES 4
#define RING_LANES 2                           /* of a thread */
#define RING_ADDERS (ORDER_LANES / RING_LANES) /* threads that add */
#define RING_THREADS (RING_ADDERS + WARP)      /* and the warp that orders copies */

template <class Format, class Term> struct ring_memory {
    static constexpr int ROW = ORDER_LANES * (int)sizeof(typename Format::element);
    static constexpr int ARRAYS = Term::is_pair ? 2 : 1, HALF = RING_STAGE / ARRAYS, ROWS = HALF / ROW;
    static_assert(ROWS <= ORDER_ROWS, "a stage is within a tile");
    unsigned char data[RING_STAGES][ARRAYS][HALF];
    uint64_t full[RING_STAGES], empty[RING_STAGES];
};

/* Which stage is next, and how often the ring has gone round. */
struct ring_place {
    unsigned stage, round;
    __device__ __forceinline__ void next(void) {
        if (++stage == RING_STAGES) stage = 0, round++;
    }
};

/* Orders rows from x and y on. By one thread. */
template <class Format, class Term>
static __device__ __forceinline__ void order_rows_of_group(ring_memory<Format, Term> &ring, const unsigned char *x,
                                                           const unsigned char *y, size_t rows) {
    typedef ring_memory<Format, Term> Ring;
    ring_place at = { 0, 0 };
    for (size_t left = rows; left; at.next()) {
        const unsigned some = left < Ring::ROWS ? (unsigned)left : Ring::ROWS, bytes = some * Ring::ROW;
        if (at.round) barrier_wait(&ring.empty[at.stage], (at.round - 1) & 1);
        barrier_expect(&ring.full[at.stage], bytes * Ring::ARRAYS);
        copy_bulk(ring.data[at.stage][0], x, bytes, &ring.full[at.stage]);
        if (Term::is_pair) copy_bulk(ring.data[at.stage][Ring::ARRAYS - 1], y, bytes, &ring.full[at.stage]);
        x += bytes, y += bytes, left -= some;
    }
}

/* The elements that a thread loads together. Of 16 bits they stay a word: see pack. */
template <class Format> struct alignas(RING_LANES * sizeof(typename Format::element)) ring_elements {
    typedef typename Format::element element;
    std::conditional_t<sizeof(element) == 2, uint32_t, element>
        word[RING_LANES * sizeof(element) / (sizeof(element) == 2 ? 4 : sizeof(element))];

    __device__ __forceinline__ element of_lane(int i) const {
        if constexpr (sizeof(element) == 2)
            return element_of_words<element>(word, i);
        else
            return word[i];
    }
};

template <class Format, class Term, class Method>
static __device__ __forceinline__ void add_row(lane_state<Method, typename Format::real> (&lane)[RING_LANES],
                                               const unsigned char *x, const unsigned char *y) {
    const ring_elements<Format> a = *(const ring_elements<Format> *)x, b = *(const ring_elements<Format> *)y;
#pragma unroll
    for (int i = 0; i < RING_LANES; i++)
        add_term<Format, Term>(lane[i], a.of_lane(i), Term::is_pair ? b.of_lane(i) : a.of_lane(i));
}

/* Adds rows of a tile from the ring. By all threads that add. */
template <class Format, class Term, class Method>
static __device__ __forceinline__ void add_from_ring(lane_state<Method, typename Format::real> (&lane)[RING_LANES],
                                                     ring_memory<Format, Term> &ring, ring_place &at, size_t rows) {
    typedef ring_memory<Format, Term> Ring;
    const unsigned mine = threadIdx.x * (unsigned)sizeof(ring_elements<Format>);
#pragma unroll 1
    for (; rows; at.next()) {
        const unsigned char *x = ring.data[at.stage][0] + mine, *y = ring.data[at.stage][Ring::ARRAYS - 1] + mine;
        barrier_wait(&ring.full[at.stage], at.round & 1);
        if (rows >= Ring::ROWS) {
#pragma unroll
            for (int row = 0; row < Ring::ROWS; row++)
                add_row<Format, Term>(lane, x + row * Ring::ROW, y + row * Ring::ROW);
            rows -= Ring::ROWS;
        } else {
            for (; rows; rows--, x += Ring::ROW, y += Ring::ROW) add_row<Format, Term>(lane, x, y);
        }
        __syncwarp();
        barrier_arrive(&ring.empty[at.stage]);
    }
}

template <class Format, class Term, class Method>
__global__ void __launch_bounds__(RING_THREADS, 5) ring_kernel(const __grid_constant__ cuda_job job) {
#if QUIRE_HAS_BULK
    typedef typename Format::element element;
    typedef lane_state<Method, typename Format::real> state;
    __shared__ __align__(128) ring_memory<Format, Term> ring;
    __shared__ state lanes[2][ORDER_LANES];
    __shared__ tree_counter<state> counter;
    __shared__ gather_memory<state> memory;
    after_earlier_work();
    enter_workspace(job);
    if (threadIdx.x == 0) {
        for (int i = 0; i < RING_STAGES; i++) {
            barrier_open(&ring.full[i], 1);
            barrier_open(&ring.empty[i], RING_ADDERS); /* one for its warp is no faster, and racecheck minds */
        }
        barriers_are_open();
    }
    __syncthreads();

    const unsigned number = block_number();
    const block_piece piece = piece_of_block(job, number);
    const size_t first = min(piece.begin * job.tile, job.n);
    const size_t size = min(job.n - first, piece.size * job.tile), rows = size / ORDER_LANES,
                 tile_rows = job.tile / ORDER_LANES;
    const element *x = (const element *)job.x + first, *y = (const element *)job.y + first;
    const unsigned warp = threadIdx.x / WARP, rest = (unsigned)(size % ORDER_LANES);
    const unsigned tiles = (unsigned)((size + job.tile - 1) / job.tile);
    if (warp == RING_ADDERS / WARP) {
        if (threadIdx.x % WARP == 0)
            order_rows_of_group(ring, (const unsigned char *)x, (const unsigned char *)y, rows);
        __syncwarp();
    } else {
        ring_place at = { 0, 0 };
        size_t row = 0;
        for (unsigned tile = 0; tile < tiles; tile++) {
            const size_t some = rows - row < tile_rows ? rows - row : tile_rows;
            state lane[RING_LANES];
            for (int i = 0; i < RING_LANES; i++) lane[i] = identity<state>();
            add_from_ring<Format, Term>(lane, ring, at, some);
            row += some;
            for (unsigned i = 0; i < RING_LANES; i++) {
                const unsigned l = threadIdx.x * RING_LANES + i;
                if (rest && tile == tiles - 1 && l < rest)
                    add_term<Format, Term>(lane[i], x[rows * ORDER_LANES + l],
                                           (Term::is_pair ? y : x)[rows * ORDER_LANES + l]);
                lanes[tile & 1][l] = lane[i];
            }
            sync_first_threads(RING_ADDERS); /* so the warp that merged the tile before the last has done so */
            if (warp == tile % (RING_ADDERS / WARP)) {
                const state total = tile_total(lanes[tile & 1], threadIdx.x % WARP);
                if (threadIdx.x % WARP == 0) counter_add(counter, tile, total);
            }
        }
    }
    if (job.n * sizeof(element) >= RING_OVERLAP) let_later_work_start();
    __syncthreads();
    if (threadIdx.x < RING_STAGES) barrier_close(&ring.full[threadIdx.x]), barrier_close(&ring.empty[threadIdx.x]);
    static_assert(PIECE_TREE * sizeof(state) <= sizeof ring.data, "the trees of pieces do not fit");
    const state total = threadIdx.x == 0 && tiles ? counter_total(counter, tiles) : identity<state>();
    if (has_pieces(job))
        gather_and_finish(job, number, total, RING_ADDERS / WARP, (state *)ring.data, memory);
    else
        gather_and_finish(job, total, RING_ADDERS / WARP, memory);
#endif
}

#endif
