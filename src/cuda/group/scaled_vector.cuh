/* scaled_vector.cuh - what a group of threads has of a short vector of doubles of any exponent, in a scale
 * (thread/scaled_sum.cuh) that its greatest element says. It knows no grid.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_GROUP_SCALED_VECTOR_CUH
#define QUIRE_CUDA_GROUP_SCALED_VECTOR_CUH

#include "cuda/thread/scaled_sum.cuh"
#include "cuda/thread/strided_vector.cuh"

/* What some threads have of a vector, in what scale, and of how many elements the group's sum is. */
template <row_terms TERMS> struct vector_in_scale {
    scaled_part<TERMS> part;
    element_scales scale;
    size_t n;

    __device__ __forceinline__ void clear() { part.clear(), scale = { 0, 0 }, n = 0; }
    __device__ __forceinline__ void merge(unsigned threads) { part.merge(threads); }
    /* That of another lane, by a whole warp. */
    __device__ __forceinline__ vector_in_scale of_lane(unsigned lane) const {
        return { part.of_lane(lane),
                 { __shfl_sync(WHOLE_WARP, scale.x, (int)lane), __shfl_sync(WHOLE_WARP, scale.y, (int)lane) },
                 __shfl_sync(WHOLE_WARP, n, (int)lane) };
    }
};

/* Some elements of a thread, at any stride; in place of what is missing stand zeros that change no sum. PAIR: of two
 * arrays. */
template <bool PAIR> struct kept_elements {
    static constexpr unsigned count = again_elements(PAIR);
    double x[count], y[PAIR ? count : 1];

    /* Of "left" elements from the first one on, every threads-th. */
    __device__ __forceinline__ void load(const vectors_job &job, const strided_vector &v, size_t first, unsigned left,
                                         unsigned thread, unsigned threads) {
        const ptrdiff_t at = (ptrdiff_t)(first + thread);
        const double *at_x = (const double *)job.at.x + v.x + at * v.x_step,
                     *at_y = (const double *)job.at.y + v.y + at * v.y_step;
        const ptrdiff_t step_x = (ptrdiff_t)threads * v.x_step, step_y = (ptrdiff_t)threads * v.y_step;
#pragma unroll
        for (unsigned i = 0; i < count; i++, at_x += step_x, at_y += step_y) {
            const bool is_there = thread + i * threads < left;
            x[i] = is_there ? __ldg(at_x) : -0.0;
            if (PAIR) y[i] = is_there ? __ldg(at_y) : 0.0;
        }
    }
    __device__ __forceinline__ void see(greatest_number &of_x, greatest_number &of_y) const {
#pragma unroll
        for (unsigned i = 0; i < count; i++) {
            of_x.see(x[i]);
            if (PAIR) of_y.see(y[i]);
        }
    }
    /* Calls use(x, y) for those, and for what stands in place of others. */
    template <class Use>
    __device__ __forceinline__ void each(bool magnitude, unsigned left, unsigned threads, Use use) const {
#pragma unroll
        for (unsigned i = 0; i < count; i++)
            if (i * threads < left) use(magnitude ? abs_f64(x[i]) : x[i], PAIR ? y[i] : x[i]);
    }
};

/* Of a vector of any length, of which each element is read once if the threads can keep all. In line, for a call would
 * save registers in memory. */
template <row_terms TERMS, bool PAIR>
static __device__ __forceinline__ void sum_of_strided_in_scale(vector_in_scale<TERMS> &to, const vectors_job &job,
                                                               const strided_vector &v, unsigned thread,
                                                               unsigned threads) {
    const size_t n = v.entries, at_once = threads * kept_elements<PAIR>::count;
    auto left_of = [=](size_t first) { return (unsigned)min(n - first, at_once); };
    kept_elements<PAIR> some;
    greatest_number of_x = { 0 }, of_y = { 0 };
    for (size_t first = 0; first < n; first += at_once) {
        some.load(job, v, first, left_of(first), thread, threads);
        some.see(of_x, of_y);
    }
    __syncwarp();
    of_x.merge(threads);
    if (PAIR) of_y.merge(threads);
    scaled_range<TERMS, PAIR> sums;
    const int scale = of_x.scale<TERMS>();
    sums.begin({ scale, PAIR ? of_y.scale<TERMS>() : scale });
    for (size_t first = 0; first < n; first += at_once) {
        const unsigned left = left_of(first);
        if (n > at_once) some.load(job, v, first, left, thread, threads);
        if (of_x.is_finite() && of_y.is_finite())
            some.each(job.magnitude, left, threads, [&](double x, double y) { sums.add_scaled(x, y); });
        else
            some.each(job.magnitude, left, threads, [&](double x, double y) { sums.add_special(x, y); });
    }
    __syncwarp();
    to = { sums.total(n), sums.scale, n };
}
template <row_terms TERMS>
static __device__ __forceinline__ void sum_in_scale(vector_in_scale<TERMS> &to, const vectors_job &job,
                                                    const strided_vector &v, unsigned thread, unsigned threads) {
    if (TERMS == ROW_PRODUCTS && job.is_pair)
        sum_of_strided_in_scale<TERMS, TERMS == ROW_PRODUCTS>(to, job, v, thread, threads);
    else
        sum_of_strided_in_scale<TERMS, false>(to, job, v, thread, threads);
}

/* Of one whose elements are loaded one by one, by each_element, twice. Once in a kernel's code. */
template <row_terms TERMS, class Job, class Vector>
static __device__ __noinline__ void sum_in_scale(vector_in_scale<TERMS> &to, const Job &job, const Vector &v,
                                                 unsigned thread, unsigned threads) {
    constexpr bool PRODUCTS = TERMS == ROW_PRODUCTS;
    greatest_number of_x = { 0 }, of_y = { 0 };
    each_element<PRODUCTS>(job, v, 0, v.entries, thread, threads, [&](double x, double y) {
        of_x.see(x);
        if (PRODUCTS) of_y.see(y);
    });
    __syncwarp();
    of_x.merge(threads), of_y.merge(threads);
    scaled_range<TERMS, PRODUCTS> sums;
    const int scale = of_x.scale<TERMS>();
    sums.begin({ scale, PRODUCTS ? of_y.scale<TERMS>() : scale });
    size_t n =
        each_element<PRODUCTS>(job, v, 0, v.entries, thread, threads, [&](double x, double y) { sums.add_one(x, y); });
    const scaled_part<TERMS> part = sums.total(n);
    __syncwarp();
    for (unsigned bit = threads / 2; bit; bit /= 2) n += __shfl_xor_sync(WHOLE_WARP, n, bit);
    to = { part, sums.scale, n };
}

#endif
