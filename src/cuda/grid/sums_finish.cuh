/* sums_finish.cuh - from what the elements of a vector come to, by two ends or by wider sums, to its result, which is
 * stored, or to a mark.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_GRID_SUMS_FINISH_CUH
#define QUIRE_CUDA_GRID_SUMS_FINISH_CUH

#include "cuda/grid/ends_finish.cuh"
#include "cuda/grid/turns.cuh"

/* What is not done quickly, of one element at least; once in a kernel's code. */
template <class Format, row_terms TERMS>
static __device__ __noinline__ void finish_ends_slowly(const vectors_job &job, const term_count &terms, size_t v,
                                                       const range_sums<Format, TERMS> sums) {
    uint64_t bits;
    if (round_range(job, terms, sums, &bits))
        format_store(bits, job.format.size, result_at(job, v));
    else
        mark_result(job, v);
}

/* Of a vector of n elements: what its result needs to know of that number. */
template <row_terms TERMS>
static __device__ __forceinline__ term_count terms_of_vector(const vectors_job &job, size_t n) {
    term_count terms = { n, {}, {} };
    if (n && (TERMS == ROW_MOMENTS || job.finish == FINISH_DIVIDE)) terms.each = reciprocal_around((double)n);
    if (n && TERMS == ROW_MOMENTS) terms.less = reciprocal_around((double)((int64_t)n - job.correction));
    return terms;
}

/* The result of vector v, from what its elements, one at least, come to. */
template <class Format, row_terms TERMS, class Sum>
static __device__ __forceinline__ void finish_sums(const vectors_job &job, const term_count &terms, size_t v,
                                                   const range_sums<Format, TERMS, Sum> &sums) {
    if constexpr (has_two_ends<Sum>) {
        if (!store_quickly(job, v, sums)) finish_ends_slowly(job, terms, v, sums);
    } else {
        vector_totals<TERMS> t = totals_of(sums);
        if (!store_totals<Format, TERMS>(job, v, terms.n, t.sum, t.squares)) mark_result(job, v);
    }
}

#endif
