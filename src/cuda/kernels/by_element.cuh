/* by_element.cuh - exact sums of vectors whose elements are loaded one by one: through an index; and of short ones, at
 * any stride, whose results other kernels have marked. Memory is what these kernels wait for, so that they are compiled
 * once for all formats.
 *
 * A few doubles tell most results (thread/long_sum.cuh), of doubles of great or small exponents in a scale
 * (thread/scaled_sum.cuh); what they do not tell is done again by cells (warp/cells.cuh), which hold all bits.
 *
 * A job, here, is any for which there are vector_of(job, v), each_element and the_job(job), a vectors_job.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_KERNELS_BY_ELEMENT_CUH
#define QUIRE_CUDA_KERNELS_BY_ELEMENT_CUH

#include <limits.h>

#include "cuda/block/block_sums.cuh"
#include "cuda/grid/limbs_finish.cuh"
#include "cuda/grid/records.cuh"
#include "cuda/grid/scaled_finish.cuh"
#include "cuda/grid/sums_finish.cuh"
#include "cuda/grid/vector_source.cuh"
#include "cuda/group/scaled_vector.cuh"
#include "cuda/kernels/by_element.h"
#include "cuda/thread/strided_vector.cuh"
#include "cuda/warp/cells.cuh"

/* ------------------------------------------------------------------------------------------------- by a few doubles */

/* What threads have of a vector: sums, and of how many elements. */
template <row_terms TERMS, class Format = double_format, class Sum = long_sum<2>> struct element_sums {
    typedef range_sums<Format, TERMS, Sum> range;
    range sums;
    size_t n;

    __device__ __forceinline__ void clear() { sums.clear(), n = 0; }
    __device__ __forceinline__ void merge_across(unsigned bit) {
        sums.merge_across(bit);
        n += __shfl_xor_sync(WHOLE_WARP, n, bit);
    }
    __device__ __forceinline__ void merge(unsigned threads) {
        for (unsigned bit = threads / 2; bit; bit /= 2) merge_across(bit);
    }
    __device__ __forceinline__ void join(const element_sums &other) { sums.join(other.sums), n += other.n; }
    /* Those of another lane, by a whole warp. */
    __device__ __forceinline__ element_sums of_lane(unsigned lane) const {
        return { sums.of_lane(lane), __shfl_sync(WHOLE_WARP, n, (int)lane) };
    }
};

/* Adds what a thread has of elements first to last. */
template <row_terms TERMS, class Job, class Vector>
static __device__ __forceinline__ void add_elements(element_sums<TERMS> &to, const Job &job, const Vector &v,
                                                    size_t first, size_t last, unsigned thread, unsigned threads) {
    const bool is_double = has_double_lanes(the_job(job).type);
    auto &sums = to.sums;
    to.n += each_element<TERMS == ROW_PRODUCTS>(job, v, first, last, thread, threads, [&](double a, double b) {
        const double other = TERMS == ROW_MOMENTS ? a : b;
        if constexpr (TERMS != ROW_PRODUCTS) sums.numbers.add(a);
        if constexpr (TERMS != ROW_NUMBERS) {
            if (is_double)
                sums.products.add_long_product(a, other);
            else
                sums.products.add_product(a, other);
        }
    });
}

/* Stores the result of vector v, if its sums tell it; once in a kernel's code. */
template <row_terms TERMS>
static __device__ __noinline__ bool store_element_sums(const vectors_job &job, size_t v,
                                                       const element_sums<TERMS> &its) {
    vector_totals<TERMS> t = totals_of(its.sums);
    if (its.n == 0) {
        store_none(job, v);
        return true;
    }
    if (has_double_lanes(job.type)) return store_totals_here<double_format, TERMS>(job, v, its.n, t.sum, t.squares);
    return store_totals_here<float_format, TERMS>(job, v, its.n, t.sum, t.squares);
}

/* --------------------------------------------------------------------------------------------------------- all bits */

/* Of a warp. */
template <row_terms TERMS> struct element_cells {
    warp_cells of[TERMS == ROW_MOMENTS ? 2 : 1];

    __device__ __forceinline__ warp_cells &numbers() { return of[0]; }
    __device__ __forceinline__ warp_cells &products() { return of[TERMS == ROW_MOMENTS]; }
};

/* What the warps that share a vector have of elements first to last, in their cells; answers how many elements this
 * one's are. thread: of all that share it. */
template <row_terms TERMS, class Job, class Vector>
static __device__ __noinline__ size_t add_to_cells(element_cells<TERMS> &cells, const Job &job, const Vector &v,
                                                   size_t first, size_t last, unsigned thread, unsigned threads) {
    const int lane = (int)(thread % WARP);
    const size_t at_once = CELL_ELEMENTS * (threads / WARP);
    seen_terms of_numbers = {}, of_products = {};
    size_t n = 0;
    for (warp_cells &one : cells.of) one.clear(lane);
    for (size_t from = first; from < last; from += at_once) {
        const size_t to = min(from + at_once, last);
        n += each_element<TERMS == ROW_PRODUCTS>(job, v, from, to, thread, threads, [&](double a, double b) {
            if constexpr (TERMS != ROW_PRODUCTS)
                if (of_numbers.note(a, double_is_finite(a), a == 0)) cells.numbers().add_double(a);
            if constexpr (TERMS != ROW_NUMBERS) {
                if (TERMS == ROW_MOMENTS) b = a;
                const bool is_finite = double_is_finite(a) && double_is_finite(b);
                if (of_products.note(__dmul_rn(a, b), is_finite, a == 0 || b == 0)) cells.products().add_product(a, b);
            }
        });
        for (warp_cells &one : cells.of) one.empty(lane);
    }
    if (TERMS != ROW_PRODUCTS) of_numbers.store(cells.numbers().sum, lane);
    if (TERMS != ROW_NUMBERS) of_products.store(cells.products().sum, lane);
    for (unsigned bit = WARP / 2; bit; bit /= 2) n += __shfl_xor_sync(WHOLE_WARP, n, bit);
    return n;
}

/* A warp's shared memory. */
template <row_terms TERMS> struct element_room {
    element_cells<TERMS> cells;
    moment_space<TERMS> space;
};

/* The result of a vector by a warp. */
template <row_terms TERMS, class Job>
static __device__ __noinline__ void store_by_cells(element_room<TERMS> &room, const Job &job, size_t number,
                                                   unsigned lane) {
    const auto v = vector_of(job, number);
    element_cells<TERMS> &cells = room.cells;
    const size_t n = add_to_cells(cells, job, v, 0, v.entries, lane, WARP);
    store_accumulators<TERMS>(the_job(job), cells.numbers().sum, cells.products().sum, room.space, number, n,
                              (int)lane);
}

/* ------------------------------------------------------------------------------------------ a vector for each lane */

/* Vectors of which lanes have found one each, number v, if is_left: those that a step has not told go on to the next.
 * sharers: threads for each; 0: as many as their lengths want. */
template <row_terms TERMS, class Job, class Vector> struct found_vectors {
    const Job &job;
    const vectors_job &its;
    size_t v;
    Vector own;
    unsigned sharers;
    bool is_left;

    /* Of all that are left. Of long neighbouring columns a thread has one, so that they read memory side by side. */
    __device__ __forceinline__ unsigned threads_of_each(unsigned found) const {
        if (sharers) return sharers;
        const size_t longest = (size_t)warp_max(is_left ? (int)min(own.entries, (size_t)INT_MAX) : 0);
        if (!its.at.begin && its.threads == 1 && found == WHOLE_WARP && longest > AGAIN_COLUMN) return 1;
        return threads_again(__popc(found), longest, again_elements(its.is_pair));
    }
    /* mine becomes the sum of this lane's, by add(vector, thread, threads). */
    template <class Sum, class Add> __device__ __forceinline__ void sum_up(Sum &mine, Add add) const {
        const unsigned found = __ballot_sync(WHOLE_WARP, is_left), threads = threads_of_each(found);
        mine.clear();
        if (sharers == 1) {
            Vector alone = own;
            if (!is_left) alone.entries = 0; /* for add is a whole warp's */
            mine = add(alone, 0, 1);
            return __syncwarp();
        }
        each_marked(found, threads, v, mine, [&](size_t number, bool is_there, unsigned thread) {
            Sum sum = add(vector_of(job, is_there ? number : its.vectors), thread, threads);
            __syncwarp();
            sum.merge(threads);
            return sum;
        });
    }
    __device__ __forceinline__ void by_sums() {
        element_sums<TERMS> mine;
        sum_up(mine, [&](const auto &at, unsigned thread, unsigned threads) {
            element_sums<TERMS> sums;
            sums.clear();
            add_elements(sums, job, at, 0, at.entries, thread, threads);
            return sums;
        });
        if (is_left) is_left = !store_element_sums(its, v, mine);
    }
    /* Of doubles. */
    __device__ __forceinline__ void in_scale() {
        vector_in_scale<TERMS> mine;
        sum_up(mine, [&](const auto &at, unsigned thread, unsigned threads) {
            vector_in_scale<TERMS> sums;
            sum_in_scale(sums, job, at, thread, threads);
            return sums;
        });
        if (is_left) is_left = !store_scaled(its, v, mine);
    }
};

/* All vectors: long ones are put aside, and what a few doubles do not tell is marked. Of few vectors a warp has fewer
 * than lanes, with more threads each. */
template <row_terms TERMS, class Job>
__global__ void __launch_bounds__(ELEMENT_THREADS, ELEMENT_BLOCKS)
    short_vectors_kernel(const __grid_constant__ Job job) {
    const vectors_job &its = the_job(job);
    const unsigned lane = threadIdx.x % WARP;
    unsigned lanes = WARP;
    while (lanes > 1 && its.vectors < warps_of_grid() * lanes) lanes /= 2;
    for (size_t first = warp_of_grid() * lanes; first < its.vectors; first += warps_of_grid() * lanes) {
        const size_t v = first + lane;
        auto own = vector_of(job, lane < lanes ? v : its.vectors);
        const bool is = lane < lanes && v < its.vectors && !put_aside(its, v, own.entries, ELEMENTS_LONG);
        found_vectors<TERMS, Job, decltype(own)> found = { job, its, v, own, its.threads == 1 ? WARP / lanes : 0, is };
        found.by_sums();
        if (found.is_left) mark_result(its, v);
    }
}

/* --------------------------------------------------------------------------------------------------- marked vectors */

/* Marked results. In line, for a call would save registers in memory. */
template <row_terms TERMS, class Job>
static __device__ __forceinline__ void find_again(element_room<TERMS> &room, const Job &job, size_t v, bool is,
                                                  int lane) {
    const vectors_job &its = the_job(job);
    auto own = vector_of(job, is ? v : its.vectors);
    found_vectors<TERMS, Job, decltype(own)> found = { job, its, v, own, 0, is };
    const bool is_double = has_double_lanes(its.type);
    if (!is_double || its.source == VECTORS_ALL) found.by_sums(); /* else that has been tried */
    if (is_double && __any_sync(WHOLE_WARP, found.is_left)) found.in_scale();
    for (unsigned left = __ballot_sync(WHOLE_WARP, found.is_left); left; left &= left - 1)
        store_by_cells(room, job, __shfl_sync(WHOLE_WARP, v, __ffs((int)left) - 1), (unsigned)lane);
}

/* Whether long segments may be put aside, for the kernels that come behind: those of rows have come before. */
static __device__ __forceinline__ bool has_aside_behind(const vectors_job &job) { return job.at.begin != NULL; }
template <class Job> static __device__ __forceinline__ bool has_aside_behind(const Job &) { return false; }

template <row_terms TERMS, class Job>
__global__ void __launch_bounds__(ELEMENT_THREADS, ELEMENT_BLOCKS)
    marked_vectors_kernel(const __grid_constant__ Job job) {
    __shared__ element_room<TERMS> rooms[ELEMENT_THREADS / WARP];
    const vectors_job &its = the_job(job);
    const vector_source source(its);
    const int lane = threadIdx.x % WARP;
    if (!source.count) return;
    const bool are_few = has_aside_behind(job) && source.are_marked && source.count < warps_of_grid();
    for (grid_items items(source.count, lane); items.are_there(); items.advance()) {
        const size_t v = source.number(its, items.mine());
        bool is = v < its.vectors;
        if (are_few && is) is = !put_aside(its, v, vector_of(job, v).entries, ELEMENTS_LONG);
        if (__any_sync(WHOLE_WARP, is)) find_again<TERMS>(rooms[threadIdx.x / WARP], job, v, is, lane);
    }
    source.forget(its);
}

/* ---------------------------------------------------------------------------------------------- some blocks a vector
 */

/* A part of a vector, and what a block has to know. */
template <row_terms TERMS, class Job> struct long_part {
    const Job &job;
    const vectors_job &its;
    size_t number, first, last;
    unsigned place, slot, parts; /* of what it leaves; of the vector; of it in all */

    /* By a few doubles, or a mark. */
    template <class Vector> __device__ __forceinline__ void by_sums(const Vector &v) const {
        vectors_workspace &w = *its.workspace;
        element_sums<TERMS> sums;
        sums.clear();
        add_elements(sums, job, v, first, last, threadIdx.x, ELEMENT_THREADS);
        sums = sum_of_block<ELEMENT_THREADS>(sums);
        if (parts > 1) {
            if (threadIdx.x == 0) store_record(&w.place[place], sums);
            if (!is_last_of(&w.ended[slot], parts)) return;
            sum_of_records<ELEMENT_THREADS>(sums, &w.place[slot * parts], parts);
        }
        if (threadIdx.x == 0 && !store_element_sums(its, number, sums)) mark_result(its, number);
    }
    /* By cells: all bits. */
    template <class Vector>
    __device__ __forceinline__ void by_cells(element_room<TERMS> (&rooms)[ELEMENT_THREADS / WARP],
                                             limbs_end<TERMS> &end, const Vector &v) const {
        quire_accumulator *const limbs = &its.workspace->limbs[2 * slot];
        element_cells<TERMS> &cells = rooms[threadIdx.x / WARP].cells;
        const int lane = (int)(threadIdx.x % WARP);
        const size_t n = add_to_cells(cells, job, v, first, last, threadIdx.x, ELEMENT_THREADS);
        if (TERMS != ROW_PRODUCTS) add_to_shared(&limbs[0], cells.numbers(), lane);
        if (TERMS != ROW_NUMBERS) add_to_shared(&limbs[1], cells.products(), lane);
        if (lane == 0) atomicAdd((unsigned long long *)&limbs[0].count, (unsigned long long)n);
        if (!is_last_of(&its.workspace->ended[slot], parts) || threadIdx.x >= WARP) return;
        take_limbs(end, limbs, threadIdx.x);
        const size_t all = (size_t)end.sum[0].count;
        __syncwarp(); /* what all lanes have read one of them stores again */
        store_all_limbs<TERMS>(its, end, number, all, lane);
    }
};

template <row_terms TERMS, class Job>
__global__ void __launch_bounds__(ELEMENT_THREADS, ELEMENT_BLOCKS)
    long_vectors_kernel(const __grid_constant__ Job job) {
    __shared__ element_room<TERMS> rooms[ELEMENT_THREADS / WARP];
    __shared__ limbs_end<TERMS> end;
    const vectors_job &its = the_job(job);
    const vector_source source(its);
    const unsigned parts = source.parts();
    for (size_t unit = blockIdx.x; unit < source.count * parts; unit += gridDim.x) {
        const size_t i = unit / parts, number = source.number(its, i);
        if (number >= its.vectors) continue;
        const auto v = vector_of(job, number);
        const size_t part = (v.entries / parts / WARP + 1) * WARP, first = min(unit % parts * part, v.entries),
                     last = min(first + part, v.entries);
        const long_part<TERMS, Job> its_part = {
            job, its, number, first, last, (unsigned)unit, parts > 1 ? (unsigned)i : blockIdx.x, parts
        };
        if (its.by_cells)
            its_part.by_cells(rooms, end, v);
        else
            its_part.by_sums(v);
        __syncthreads();
    }
    source.forget(its);
}

#endif
