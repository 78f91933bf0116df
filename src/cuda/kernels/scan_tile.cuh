/* scan_tile.cuh - a block's tile of elements, or of their running sums: from memory to the slots of its threads in
 * shared memory, and back. Threads copy what stands together, and then have neighbouring elements each. Slots are 16
 * bytes apart beyond what they hold, so that the threads of a warp read them at once; and those of neighbouring columns
 * further, so that a row of these is not all in one bank.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_KERNELS_SCAN_TILE_CUH
#define QUIRE_CUDA_KERNELS_SCAN_TILE_CUH

#include <cuda_pipeline_primitives.h>

#include "cuda/device/arithmetic.cuh"
#include "cuda/kernels/calls.cuh"
#include "cuda/thread/elements.cuh"

/* Elements first to first + n - 1 of some neighbouring vectors; each has room for as many as its threads have. */
struct scan_tile {
    size_t vector, first;
    unsigned vectors, n;
};

static __device__ __forceinline__ ptrdiff_t vector_offset(const quire_layout &l, size_t v) {
    if (l.inner == 1) return (ptrdiff_t)v * l.outer_stride; /* no division */
    return (ptrdiff_t)(v / l.inner) * l.outer_stride + (ptrdiff_t)(v % l.inner) * l.inner_stride;
}

template <bool STORE, class Unit> static __device__ __forceinline__ void copy_unit(unsigned char *room, char *memory) {
    if constexpr (STORE)
        *(Unit *)memory = *(const Unit *)room;
    else if constexpr (sizeof(Unit) >= 4)
        __pipeline_memcpy_async(room, memory, sizeof(Unit));
    else
        *(Unit *)room = *(const Unit *)memory;
}

/* The slot of a thread. */
static __device__ __forceinline__ unsigned char *slot_at(const scan_job &job, unsigned char *room, unsigned thread) {
    return room + thread * job.slot + (thread >> job.threads_log) * job.apart;
}

/* A tile by units of 2^log elements; of the elements that are left where that does not divide n there is one vector.
 * Rows and rooms are powers of two: no division. */
template <bool STORE, class Unit>
static __device__ __forceinline__ void copy_units(const scan_job &job, const scan_side &side, const scan_tile &tile,
                                                  unsigned log, unsigned char *room) {
    const unsigned units = tile.n >> log, of_slot = SCAN_ITEMS_LOG - log, of_row = of_slot + job.threads_log,
                   rows_log = SCAN_THREADS_LOG - job.threads_log;
    const quire_layout &l = side.layout;
    const ptrdiff_t step = l.stride * ((ptrdiff_t)1 << side.log_size << log); /* bytes from a unit to the next */
    auto copy = [&](unsigned row, unsigned unit, char *memory) {
        const unsigned slot = (row << job.threads_log) + (unit >> of_slot);
        copy_unit<STORE, Unit>(slot_at(job, room, slot) + (unit & ((1u << of_slot) - 1)) * sizeof(Unit),
                               memory + (ptrdiff_t)unit * step);
    };
    auto row_at = [&](unsigned row) {
        const ptrdiff_t at = vector_offset(l, tile.vector + row) + (ptrdiff_t)tile.first * l.stride;
        return side.memory + at * ((ptrdiff_t)1 << side.log_size);
    };
    if (rows_log == 0 || side.is_linear) {
        char *const memory = row_at(0);
#pragma unroll 4
        for (unsigned i = threadIdx.x; i < units * tile.vectors; i += SCAN_THREADS) copy(0, i, memory);
    } else if (side.is_across) {
        const unsigned row = threadIdx.x & ((1u << rows_log) - 1); /* always the same one */
        if (row >= tile.vectors) return;
        char *const memory = row_at(row);
#pragma unroll 4
        for (unsigned unit = threadIdx.x >> rows_log; unit < units; unit += SCAN_THREADS >> rows_log)
            copy(row, unit, memory);
    } else {
#pragma unroll 4
        for (unsigned i = threadIdx.x; i < tile.vectors << of_row; i += SCAN_THREADS) {
            const unsigned row = i >> of_row, unit = i & ((1u << of_row) - 1);
            if (unit < units) copy(row, unit, row_at(row));
        }
    }
}

template <bool STORE>
static __device__ __forceinline__ void copy_tile(const scan_job &job, const scan_side &side, scan_tile tile,
                                                 unsigned char *room) {
    if (side.by_chunks) {
        const unsigned log = 4 - side.log_size, whole = tile.n >> log << log;
        copy_units<STORE, uint4>(job, side, tile, log, room);
        if (whole == tile.n) return;
        const unsigned k = whole + threadIdx.x; /* of one vector what is less than a chunk */
        if (k >= tile.n) return;
        const unsigned bytes = 1u << side.log_size;
        unsigned char *const staged = slot_at(job, room, k / SCAN_ITEMS) + k % SCAN_ITEMS * bytes;
        char *const memory =
            side.memory + (vector_offset(side.layout, tile.vector) + (ptrdiff_t)(tile.first + k)) * (ptrdiff_t)bytes;
        for (unsigned b = 0; b < bytes; b++) copy_unit<STORE, uint8_t>(staged + b, memory + b);
        return;
    }
    switch (side.log_size) {
    case 0: return copy_units<STORE, uint8_t>(job, side, tile, 0, room);
    case 1: return copy_units<STORE, uint16_t>(job, side, tile, 0, room);
    case 2: return copy_units<STORE, uint32_t>(job, side, tile, 0, room);
    default: return copy_units<STORE, uint64_t>(job, side, tile, 0, room);
    }
}

/* By whole blocks; the slots are not in use, and are filled when the function returns. */
static __device__ __forceinline__ void load_tile(const scan_job &job, const scan_tile &tile, unsigned char *room) {
    copy_tile<false>(job, job.x, tile, room);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
}

/* Likewise; and the slots are free again. */
static __device__ __forceinline__ void store_tile(const scan_job &job, const scan_tile &tile, unsigned char *room) {
    __syncthreads();
    copy_tile<true>(job, job.results, tile, room);
    __syncthreads();
}

/* ------------------------------------------------------------------------------------------------------------ slots */

/* Of a thread's elements the first "count"; -0 in place of the others. */
template <class Format>
static __device__ __forceinline__ void load_slot(const scan_job &job, const unsigned char *slot, unsigned count,
                                                 double (&value)[SCAN_ITEMS]) {
    constexpr int E = ROWS_CHUNK / (int)sizeof(typename Format::element);
#pragma unroll
    for (int c = 0; c < SCAN_ITEMS / E; c++) {
        element_group<Format, E> chunk;
        chunk.load_stage(slot + c * ROWS_CHUNK);
#pragma unroll
        for (int i = 0; i < E; i++) value[c * E + i] = decode(Format(), chunk.of[i]);
    }
    if (job.magnitude)
#pragma unroll
        for (int i = 0; i < SCAN_ITEMS; i++) value[i] = abs_f64(value[i]);
    if (count < SCAN_ITEMS)
#pragma unroll
        for (unsigned i = 0; i < SCAN_ITEMS; i++)
            if (i >= count) value[i] = -0.0;
}

template <class Bits, class Given>
static __device__ __forceinline__ void store_slot_of(unsigned char *slot, const Given (&bits)[SCAN_ITEMS]) {
    constexpr int E = ROWS_CHUNK / (int)sizeof(Bits);
    static_assert(SCAN_ITEMS % E == 0, "a slot is some chunks");
#pragma unroll
    for (int c = 0; c < SCAN_ITEMS / E; c++) {
        union {
            Bits of[E];
            uint4 all;
        } chunk;
#pragma unroll
        for (int i = 0; i < E; i++) chunk.of[i] = (Bits)bits[c * E + i];
        ((uint4 *)slot)[c] = chunk.all;
    }
}

/* A thread's results. */
template <class Given>
static __device__ __forceinline__ void store_slot(const scan_job &job, unsigned char *slot,
                                                  const Given (&bits)[SCAN_ITEMS]) {
    switch (job.results.log_size) {
    case 0: return store_slot_of<uint8_t>(slot, bits);
    case 1: return store_slot_of<uint16_t>(slot, bits);
    case 2: return store_slot_of<uint32_t>(slot, bits);
    default: return store_slot_of<uint64_t>(slot, bits);
    }
}

#endif
