/* pair_vectors.cuh - sums of vectors of any type: threads of a warp share short vectors, blocks share long ones. Sums
 * are those of pairs.cu or of integers.cu.
 *
 * There are add_typed(sums, job, vector, first, n, thread, threads), which adds a thread's share of n elements of a
 * vector that is not found through an index, by code for its type, and answers whether it did; store_sums(job, v,
 * sums), which answers whether the sums tell the result, which it stores then; and finish_sums(job, v, sums, room), by
 * the first warp of a block, if they do not.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_KERNELS_PAIR_VECTORS_CUH
#define QUIRE_CUDA_KERNELS_PAIR_VECTORS_CUH

#include "cuda/kernels/by_element.cuh"
#include "cuda/kernels/calls.cuh"
#include "cuda/kernels/gathered_entries.cuh"
#include "cuda/thread/chunk.cuh"

/* -------------------------------------------------------------------------------------------- elements side by side */

/* A thread's share of the elements of a vector, or of two, of a type that is known when a kernel is compiled: chunks of
 * 16 bytes where they stand side by side, else one by one. */
#define RANGE_LOADS 4 /* of an array, of a thread, that are under way together */

template <class Element> struct typed_range {
    const Element *x, *y; /* where there is one array: the same, as are the steps */
    ptrdiff_t x_step, y_step;
    size_t n;

    /* Whether each element of y is that of x. */
    __device__ __forceinline__ bool is_one() const { return x == y && x_step == y_step; }
    __device__ __forceinline__ bool is_side_by_side() const {
        return x_step == 1 && y_step == 1 && ((uintptr_t)x - (uintptr_t)y) % sizeof(uint4) == 0;
    }
    __device__ __forceinline__ typed_range part(size_t from, size_t most) const {
        return { x + (ptrdiff_t)from * x_step, y + (ptrdiff_t)from * y_step, x_step, y_step, min(n - from, most) };
    }
};

/* 16 bytes of an array. */
template <class Element> struct typed_chunk {
    static constexpr unsigned COUNT = sizeof(uint4) / sizeof(Element);
    Element of[COUNT];

    __device__ __forceinline__ void load(const Element *from) {
        const uint4 words = __ldcs((const uint4 *)from);
        memcpy(of, &words, sizeof of);
    }
};

/* Calls use(x, y) for the thread's elements, one of each array at a time. */
template <class Element, class Use>
static __device__ __forceinline__ void each_single(const typed_range<Element> &r, unsigned thread, unsigned threads,
                                                   Use use) {
    for (size_t k = thread; k < r.n; k += (size_t)RANGE_LOADS * threads) {
        Element x[RANGE_LOADS][1], y[RANGE_LOADS][1];
#pragma unroll
        for (unsigned u = 0; u < RANGE_LOADS; u++) {
            const size_t at = k + u * (size_t)threads;
            if (at >= r.n) continue;
            x[u][0] = r.x[(ptrdiff_t)at * r.x_step];
            y[u][0] = r.is_one() ? x[u][0] : r.y[(ptrdiff_t)at * r.y_step];
        }
#pragma unroll
        for (unsigned u = 0; u < RANGE_LOADS; u++)
            if (k + u * (size_t)threads < r.n) use(x[u], y[u]);
    }
}

/* Calls use(x, y) for arrays of as many elements, all of the thread's: of chunks, and one by one of what stands before
 * and behind these. */
template <class Element, class Use>
static __device__ __forceinline__ void each_group(const typed_range<Element> &r, unsigned thread, unsigned threads,
                                                  Use use) {
    typedef typed_chunk<Element> chunk;
    if (!r.is_side_by_side()) return each_single(r, thread, threads, use);
    const whole_chunks<Element> whole(r.x, r.n);
    for (size_t k = thread; k < whole.before + whole.behind; k += threads) {
        const size_t at = k < whole.before ? k : k + whole.count * chunk::COUNT;
        const Element x[1] = { r.x[at] }, y[1] = { r.y[at] };
        use(x, y);
    }
    const Element *x = r.x + whole.before + thread * chunk::COUNT, *y = r.y + whole.before + thread * chunk::COUNT;
    const size_t step = (size_t)threads * chunk::COUNT;
    for (size_t c = thread; c < whole.count; c += (size_t)RANGE_LOADS * threads) {
        const unsigned left = (unsigned)min(whole.count - c, (size_t)RANGE_LOADS * threads);
        chunk of_x[RANGE_LOADS], of_y[RANGE_LOADS];
#pragma unroll
        for (unsigned u = 0; u < RANGE_LOADS; u++, x += step, y += step) {
            if (u * threads >= left) continue;
            of_x[u].load(x);
            if (r.is_one())
                of_y[u] = of_x[u];
            else
                of_y[u].load(y);
        }
#pragma unroll
        for (unsigned u = 0; u < RANGE_LOADS; u++)
            if (u * threads < left) use(of_x[u].of, of_y[u].of);
    }
}

#define PAIR_BLOCKS 3 /* of a multiprocessor, that registers are to leave room for */

/* ------------------------------------------------------------------------------------------------------- elements */

/* Where a vector's elements are: through an index, or steps apart. */
struct pair_vector {
    gathered_vector rows;
    ptrdiff_t x_step, y_step;
};

static __device__ __forceinline__ pair_vector pair_vector_of(const pairs_job &job, size_t v) {
    pair_vector p = { gathered_vector(job.rows, job.is_gathered ? v : job.rows.job.vectors), 0, 0 };
    if (job.is_gathered) return p;
    const strided_vector s = vector_of(job.rows.job, v);
    p.rows.entries = s.entries, p.rows.x = s.x, p.rows.y = s.y;
    p.x_step = s.x_step, p.y_step = s.y_step;
    return p;
}

/* Elements of a thread that are loaded together, as they stand in memory. */
struct pair_elements {
    uint64_t x[GATHERED_AHEAD], y[GATHERED_AHEAD];
    unsigned present; /* a bit each */

    /* Elements k, k + step, ... */
    __device__ __forceinline__ void load(const pairs_job &job, const pair_vector &v, size_t k, size_t step) {
        if (job.is_gathered) {
            gathered_entries<true> some;
            some.find(job.rows, v.rows, k, step);
            some.load(job.rows);
            present = some.present;
#pragma unroll
            for (int u = 0; u < GATHERED_AHEAD; u++) x[u] = some.x_bits[u], y[u] = some.y_bits[u];
            return;
        }
        const vectors_job &its = job.rows.job;
        present = 0;
#pragma unroll
        for (int u = 0; u < GATHERED_AHEAD; u++) {
            const size_t at = k + u * step;
            const bool is_there = at < v.rows.entries;
            present |= (unsigned)is_there << u;
            x[u] = is_there ? bits_at(its.at.x, its.log_size, v.rows.x + (ptrdiff_t)at * v.x_step) : 0;
            y[u] =
                is_there && its.is_pair ? bits_at(its.at.y, its.log_size, v.rows.y + (ptrdiff_t)at * v.y_step) : x[u];
        }
    }
};

/* Calls use(x, y) for what a thread has of elements first to last that are there; answers how many. */
template <class Use>
static __device__ __forceinline__ size_t each_pair(const pairs_job &job, const pair_vector &v, size_t first,
                                                   size_t last, unsigned thread, unsigned threads, Use use) {
    size_t n = 0;
    for (size_t k = first + thread; k < last; k += (size_t)GATHERED_AHEAD * threads) {
        pair_elements some;
        some.load(job, v, k, threads);
#pragma unroll
        for (int u = 0; u < GATHERED_AHEAD; u++)
            if (some.present >> u & 1 && k + (size_t)u * threads < last) {
                use(some.x[u], some.y[u]);
                n++;
            }
    }
    return n;
}

template <class Sums>
static __device__ __forceinline__ void add_pairs(Sums &to, const pairs_job &job, const pair_vector &v, size_t first,
                                                 size_t last, unsigned thread, unsigned threads) {
    if (!job.is_gathered && add_typed(to, job, v, first, last - first, thread, threads)) return;
    each_pair(job, v, first, last, thread, threads, [&](uint64_t x, uint64_t y) { to.add(job.kinds, x, y); });
}

/* Elements first, first + 1, ... of a vector that is not found through an index. */
template <class Element>
static __device__ __forceinline__ typed_range<Element> range_of(const vectors_job &job, const pair_vector &v,
                                                                size_t first, size_t n) {
    const Element *x = (const Element *)job.at.x + v.rows.x + (ptrdiff_t)first * v.x_step;
    if (!job.is_pair) return { x, x, v.x_step, v.x_step, n };
    return { x, (const Element *)job.at.y + v.rows.y + (ptrdiff_t)first * v.y_step, v.x_step, v.y_step, n };
}

/* ---------------------------------------------------------------------------------------------------- short vectors */

/* How many threads of a warp share a vector: as many as the host says, or more where there are few vectors. */
static __device__ __forceinline__ unsigned threads_of_vector(const vectors_job &job, size_t vectors) {
    unsigned threads = job.threads;
    while (threads < WARP && vectors * threads < warps_of_grid() * WARP) threads *= 2;
    return threads;
}

/* All vectors: long ones are put aside, and what the sums do not tell is marked. */
template <class Sums> static __device__ __forceinline__ void short_vectors(const pairs_job &job) {
    const vectors_job &its = job.rows.job;
    const unsigned lane = threadIdx.x % WARP, threads = threads_of_vector(its, its.vectors), rows = WARP / threads,
                   thread = lane % threads;
    for (size_t first = warp_of_grid() * rows; first < its.vectors; first += warps_of_grid() * rows) {
        const size_t number = first + lane / threads;
        const pair_vector v = pair_vector_of(job, number);
        const bool is_first = thread == 0 && number < its.vectors;
        bool is_aside = is_first && put_aside(its, number, v.rows.entries, ELEMENTS_LONG);
        is_aside = __shfl_sync(WHOLE_WARP, is_aside, lane / threads * threads);
        Sums sums;
        sums.clear();
        if (!is_aside) add_pairs(sums, job, v, 0, v.rows.entries, thread, threads);
        __syncwarp();
        sums.merge(threads, job.kinds.count);
        if (is_first && !is_aside && !store_sums(job, number, sums)) mark_result(its, number);
    }
}

/* ----------------------------------------------------------------------------------------------------- long vectors */

/* A part of a vector, and what a block has to know. */
struct pair_part {
    size_t number, first, last; /* of the vector; elements */
    unsigned unit, slot, parts;
};

/* Part number "unit" of the vectors of a source; number is that of no vector if it is not wanted. */
static __device__ __forceinline__ pair_part pair_part_of(const pairs_job &job, const vector_source &source, size_t unit,
                                                         unsigned parts) {
    const size_t i = unit / parts, number = source.number(job.rows.job, i);
    const size_t entries = pair_vector_of(job, number).rows.entries, part = (entries / parts / WARP + 1) * WARP,
                 first = min(unit % parts * part, entries);
    return { number, first, min(first + part, entries), (unsigned)unit, parts > 1 ? (unsigned)i : blockIdx.x, parts };
}

/* The sums of a vector, in the last of its blocks to come; for the threads of the first warp. Answers whether this
 * block is that one. */
template <class Sums>
static __device__ __forceinline__ bool sum_of_parts(Sums &sums, const pairs_job &job, const pair_part &p) {
    vectors_workspace &w = *job.rows.job.workspace;
    sums.clear();
    add_pairs(sums, job, pair_vector_of(job, p.number), p.first, p.last, threadIdx.x, ELEMENT_THREADS);
    __syncwarp();
    sums = sum_of_block<ELEMENT_THREADS>(sums);
    if (p.parts == 1) return true;
    if (threadIdx.x == 0) store_record<PAIR_PLACES>(&w.place[PAIR_PLACES * p.unit], sums);
    if (!is_last_of(&w.ended[p.slot], p.parts)) return false;
    sums.clear();
    for (unsigned i = threadIdx.x; i < p.parts; i += ELEMENT_THREADS)
        sums.join(load_record<Sums>(&w.place[PAIR_PLACES * (p.slot * p.parts + i)]));
    __syncwarp();
    sums = sum_of_block<ELEMENT_THREADS>(sums);
    return true;
}

/* Some blocks a vector; or one, if vectors are many. */
template <class Sums, class Room>
static __device__ __forceinline__ void long_vectors(const pairs_job &job, Room &room) {
    const vectors_job &its = job.rows.job;
    const vector_source source(its);
    const unsigned parts = source.parts();
    for (size_t unit = blockIdx.x; unit < source.count * parts; unit += gridDim.x) {
        const pair_part p = pair_part_of(job, source, unit, parts);
        if (p.number >= its.vectors) continue;
        Sums sums;
        if (sum_of_parts(sums, job, p) && threadIdx.x < WARP) finish_sums(job, p.number, sums, room);
        __syncthreads();
    }
    source.forget(its);
}

/* One kernel, for code by the type of the elements is long. */
template <class Sums, class Room>
static __global__ void __launch_bounds__(ELEMENT_THREADS, PAIR_BLOCKS)
    pairs_kernel(const __grid_constant__ pairs_job job) {
    __shared__ Room room;
    if (job.are_short)
        short_vectors<Sums>(job);
    else
        long_vectors<Sums>(job, room);
}

/* --------------------------------------------------------------------------------------------------------- launches */

typedef void (*pairs_function)(pairs_job);

static cudaError_t start_pairs(pairs_function kernel, const pairs_job &job, which_vectors source, size_t blocks,
                               cudaStream_t stream) {
    pairs_job work = job;
    work.rows.job.source = source;
    return start_kernel(blocks, ELEMENT_THREADS, 0, stream, kernel, work);
}
/* All vectors, by threads of a warp. */
static cudaError_t start_short_pairs(pairs_function kernel, const pairs_job &job, size_t blocks, cudaStream_t stream) {
    pairs_job work = job;
    work.are_short = true;
    return start_pairs(kernel, work, VECTORS_ALL, blocks, stream);
}

/* Blocks that short vectors need, or as many as there may be. */
static size_t blocks_of_shorts(const pairs_job &job, const pairs_blocks &most) {
    const size_t vectors = job.rows.job.vectors, of_block = ELEMENT_THREADS / job.rows.job.threads;
    const size_t wanted = vectors / of_block + (vectors % of_block != 0);
    return wanted < most.shorts ? wanted : most.shorts;
}

#endif
