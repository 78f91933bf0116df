/* strided_vector.cuh - a vector of a job, of elements at any stride, and a thread's loads of them: of a format that is
 * known when a kernel runs.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_STRIDED_VECTOR_CUH
#define QUIRE_CUDA_THREAD_STRIDED_VECTOR_CUH

#include "cuda/kernels/vectors_job.h"
#include "cuda/thread/elements.cuh"

/* In elements: where the first stands in both arrays, and how far each is from the next. */
struct strided_vector {
    ptrdiff_t x, y, x_step, y_step;
    size_t entries;

    __device__ __forceinline__ ptrdiff_t y_at() const { return y; }
    /* That of another lane of the warp; all of a job have the same steps, the empty one, too. By a whole warp. */
    __device__ __forceinline__ strided_vector of_lane(unsigned lane) const {
        return { __shfl_sync(WHOLE_WARP, x, (int)lane), __shfl_sync(WHOLE_WARP, y, (int)lane), x_step, y_step,
                 __shfl_sync(WHOLE_WARP, entries, (int)lane) };
    }
};

static __device__ __forceinline__ const vectors_job &the_job(const vectors_job &job) { return job; }

/* Vector v, or the empty one if there is none of this number. */
static __device__ __forceinline__ strided_vector vector_of(const vectors_job &job, size_t v) {
    const vectors_at &at = job.at;
    const quire_layout &l = at.x_layout, &m = at.y_layout;
    const bool is_there = v < job.vectors;
    if (at.begin) {
        const int64_t begin = is_there ? index_at(at.begin, at.is_64_bit, v) : 0,
                      end = is_there ? index_at(at.end, at.is_64_bit, v) : 0;
        return { (ptrdiff_t)begin, (ptrdiff_t)begin, 1, 1, end > begin ? (size_t)(end - begin) : 0 };
    }
    if (!is_there) return { 0, 0, l.stride, m.stride, 0 };
    const ptrdiff_t i = (ptrdiff_t)(l.inner == 1 ? v : v / l.inner), j = (ptrdiff_t)(l.inner == 1 ? 0 : v % l.inner);
    return { i * l.outer_stride + j * l.inner_stride, i * m.outer_stride + j * m.inner_stride, l.stride, m.stride,
             l.n };
}

/* Calls use(a, b) for what a thread has of elements first to last; b: of y, where there are two arrays. Answers how
 * many they are. threads: a power of two. load(array, at) loads one, and number(it) makes a number of it. AHEAD: loads
 * that are under way together. */
template <bool PAIR, int AHEAD, class Load, class Number, class Use>
static __device__ __forceinline__ size_t each_loaded(const vectors_job &job, const strided_vector &v, size_t first,
                                                     size_t last, unsigned thread, unsigned threads, Load load,
                                                     Number number, Use use) {
    const bool has_two = PAIR && job.is_pair;
    const ptrdiff_t step_x = v.x_step * (ptrdiff_t)threads, step_y = v.y_step * (ptrdiff_t)threads;
    const size_t n = first + thread < last ? ((last - first - thread - 1) >> (31 - __clz((int)threads))) + 1 : 0;
    ptrdiff_t of_x = v.x + (ptrdiff_t)(first + thread) * v.x_step, of_y = v.y + (ptrdiff_t)(first + thread) * v.y_step;
    for (size_t left = n; left;) {
        decltype(load(job.at.x, (ptrdiff_t)0)) x[AHEAD], y[PAIR ? AHEAD : 1];
        const int here = (int)min(left, (size_t)AHEAD);
#pragma unroll
        for (int u = 0; u < AHEAD; u++, of_x += step_x, of_y += step_y) {
            if (u < here) x[u] = load(job.at.x, of_x);
            if (PAIR && u < here) y[PAIR ? u : 0] = has_two ? load(job.at.y, of_y) : x[u];
        }
#pragma unroll
        for (int u = 0; u < AHEAD; u++) {
            if (u >= here) break;
            const double a = number(x[u]);
            use(!PAIR && job.magnitude ? abs_f64(a) : a, PAIR ? number(y[PAIR ? u : 0]) : 0);
        }
        left -= (unsigned)here;
    }
    return n;
}

/* The same of elements of any format; of doubles, of which there may be many, quickly. */
template <bool PAIR, class Use>
static __device__ __forceinline__ size_t each_element(const vectors_job &job, const strided_vector &v, size_t first,
                                                      size_t last, unsigned thread, unsigned threads, Use use) {
    if (job.type == QUIRE_F64)
        return each_loaded<PAIR, 4>(
            job, v, first, last, thread, threads, [](const void *x, ptrdiff_t at) { return ((const double *)x)[at]; },
            [](double x) { return x; }, use);
    return each_loaded<PAIR, 4>(
        job, v, first, last, thread, threads, [&](const void *x, ptrdiff_t at) { return bits_at(x, job.log_size, at); },
        [&](uint64_t bits) { return number_of_bits(job.type, bits); }, use);
}

#endif
