/* scaled.cu - exact sums of one array of doubles, or of long vectors, that a first kernel has not told: most of these
 * overflow or underflow on the way, and a reading in a scale tells them (thread/scaled_sum.cuh). What it does not
 * tell is left to exact_limbs.cuh.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cuda/block/block_sums.cuh"
#include "cuda/device/early.cuh"
#include "cuda/grid/records.cuh"
#include "cuda/grid/scaled_finish.cuh"
#include "cuda/grid/tickets.cuh"
#include "cuda/grid/vector_source.cuh"
#include "cuda/group/row_sum.cuh"
#include "cuda/kernels/scaled.h"

/* The scale that SAMPLED_RUNS times 32 elements suggest, evenly spread runs of neighbours; by a whole warp. */
template <row_terms TERMS>
static __device__ __forceinline__ int guessed_scale(const double *x, ptrdiff_t stride, size_t n) {
    greatest_number greatest = { 0 };
#pragma unroll
    for (unsigned run = 0; run < SAMPLED_RUNS; run++) {
        const size_t k = n / SAMPLED_RUNS * run + threadIdx.x % WARP;
        greatest.see(k < n ? x[(ptrdiff_t)k * stride] : 0.0);
    }
    greatest.merge(WARP);
    return greatest.scale<TERMS>();
}

/* A vector of a job, in a scale. PAIR: the terms are products of two arrays. */
template <row_terms TERMS, bool PAIR> struct long_vector {
    typedef row_place<double_format, PAIR> place;
    const vectors_job &job;
    strided_vector at;
    element_scales scale;

    /* By whole warps, which all guess the same. */
    __device__ __forceinline__ long_vector(const vectors_job &its, size_t v) : job(its), at(vector_of(its, v)) {
        const double *x = (const double *)job.at.x + at.x, *y = (const double *)job.at.y + at.y;
        scale.x = guessed_scale<TERMS>(x, at.x_step, at.entries);
        scale.y = PAIR ? guessed_scale<TERMS>(y, at.y_step, at.entries) : scale.x;
        if (threadIdx.x % WARP == 0) scales_of_warp() = scale;
        __syncwarp();
    }
    /* What a thread has of n elements from one on. Once in a kernel's code. */
    __device__ __noinline__ scaled_part<TERMS> sum(size_t first, size_t n, unsigned thread, unsigned threads) const {
        constexpr int LOADS = group_loads(TERMS == ROW_MOMENTS || PAIR);
        const place from = { (const double *)job.at.x + at.x + (ptrdiff_t)first * at.x_step,
                             PAIR ? (const double *)job.at.y + at.y + (ptrdiff_t)first * at.y_step : NULL };
        scaled_range<TERMS, PAIR> sums;
        if (at.x_step == 1 && (!PAIR || at.y_step == 1))
            sums = sum_of_row<scaled_range<TERMS, PAIR>, LOADS, true>(from, n, job.magnitude, thread, threads);
        else
            sums = sum_of_strided<scaled_range<TERMS, PAIR>>(from, at.x_step, at.y_step, n, job.magnitude, thread,
                                                             threads);
        __syncwarp();
        return sums.total(n);
    }
};

/* Stores the result of vector v, if its sums tell it; by a thread. Once in a kernel's code. */
template <row_terms TERMS>
static __device__ __noinline__ bool store_vector(const vectors_job &job, size_t v, const scaled_part<TERMS> &its,
                                                 element_scales scale) {
    return store_scaled<TERMS>(job, v, { its, scale, vector_of(job, v).entries });
}

/* The one array of a job, by all blocks. */
template <row_terms TERMS, bool PAIR> static __device__ __forceinline__ void array_in_scale(const vectors_job &job) {
    vectors_workspace &w = *job.workspace;
    if (!*(volatile unsigned *)&w.undecided) return;
    const long_vector<TERMS, PAIR> array(job, 0);
    scaled_part<TERMS> total =
        array.sum(0, array.at.entries, blockIdx.x * SCALED_THREADS + threadIdx.x, gridDim.x * SCALED_THREADS);
    total = sum_of_block<SCALED_THREADS>(total);
    if (threadIdx.x == 0) store_record(&w.place[blockIdx.x], total);
    if (!takes_last_ticket(job)) return;
    sum_of_records<SCALED_THREADS>(total, w.place, gridDim.x);
    if (threadIdx.x == 0 && store_vector<TERMS>(job, 0, total, array.scale)) w.undecided = 0;
}

/* Marked vectors, a warp each. Each lane keeps one, and they finish theirs together. */
template <row_terms TERMS, bool PAIR>
static __device__ __forceinline__ void marked_by_warps(const vectors_job &job, const vector_source &source) {
    scaled_part<TERMS> mine;
    element_scales scale = { 0, 0 };
    size_t own = job.vectors;
    unsigned kept = 0;
    mine.clear();
    for (size_t i = warp_of_grid(); i < source.count; i += warps_of_grid()) {
        const size_t number = source.number(job, i);
        if (number < job.vectors) {
            const long_vector<TERMS, PAIR> vector(job, number);
            scaled_part<TERMS> total = vector.sum(0, vector.at.entries, threadIdx.x % WARP, WARP);
            total.merge(WARP);
            if (threadIdx.x % WARP == kept++) mine = total, scale = vector.scale, own = number;
        }
        const bool is_last = i + warps_of_grid() >= source.count;
        if (kept < WARP && !is_last) continue;
        if (own < job.vectors) store_vector<TERMS>(job, own, mine, scale);
        __syncwarp();
        own = job.vectors, kept = 0;
    }
}

/* Fewer of them, a block each, or some. */
template <row_terms TERMS, bool PAIR>
static __device__ __forceinline__ void marked_by_blocks(const vectors_job &job, const vector_source &source) {
    vectors_workspace &w = *job.workspace;
    const unsigned parts = source.parts();
    for (size_t unit = blockIdx.x; unit < source.count * parts; unit += gridDim.x) {
        const size_t i = unit / parts, number = source.number(job, i);
        if (number >= job.vectors) continue;
        const long_vector<TERMS, PAIR> vector(job, number);
        const size_t each = (vector.at.entries / parts / ROWS_LINE + 1) * ROWS_LINE,
                     first = min(unit % parts * each, vector.at.entries), n = min(vector.at.entries - first, each);
        scaled_part<TERMS> total = sum_of_block<SCALED_THREADS>(vector.sum(first, n, threadIdx.x, SCALED_THREADS));
        if (parts > 1) {
            if (threadIdx.x == 0) store_record(&w.place[unit], total);
            if (!is_last_of(&w.ended[i], parts)) continue;
            sum_of_records<SCALED_THREADS>(total, &w.place[i * parts], parts);
        }
        if (threadIdx.x == 0) store_vector<TERMS>(job, number, total, vector.scale);
    }
}

template <row_terms TERMS, bool PAIR>
__global__ void __launch_bounds__(SCALED_THREADS, SCALED_BLOCKS)
    scaled_kernel(const __grid_constant__ vectors_job job) {
    after_earlier_work();
    if (job.source == VECTORS_ALL) return array_in_scale<TERMS, PAIR>(job);
    const vector_source source(job); /* the kernel behind this one empties the list */
    if (source.count >= warps_of_grid())
        marked_by_warps<TERMS, PAIR>(job, source);
    else
        marked_by_blocks<TERMS, PAIR>(job, source);
}

scaled_kernels quire_scaled_kernels(quire_term term, bool has_moments) {
    if (has_moments) return { { (const void *)scaled_kernel<ROW_MOMENTS, false>, NULL } };
    if (term != TERM_PRODUCT) return { { (const void *)scaled_kernel<ROW_NUMBERS, false>, NULL } };
    return { { (const void *)scaled_kernel<ROW_PRODUCTS, false>, (const void *)scaled_kernel<ROW_PRODUCTS, true> } };
}
