/* sums_finish.cuh - from what the elements of a vector come to, by two ends or by wider sums, to its result, which is
 * stored, or to a mark.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_GRID_SUMS_FINISH_CUH
#define QUIRE_CUDA_GRID_SUMS_FINISH_CUH

#include "cuda/grid/row_finish.cuh"
#include "cuda/grid/turns.cuh"
#include "cuda/thread/range_sums.cuh"
#include "cuda/thread/round_ends.cuh"

/* The result from what some elements, one at least, come to; false: the ends do not tell it. */
template <class Format, row_terms TERMS>
static __device__ __forceinline__ bool round_range(const vectors_job &job, const term_count &terms,
                                                   const range_sums<Format, TERMS> &sums, uint64_t *bits) {
    if constexpr (TERMS == ROW_MOMENTS)
        return round_moment_ends(job, terms, sums.numbers, sums.products, bits);
    else if constexpr (TERMS == ROW_NUMBERS)
        return round_ends(job, terms, sums.numbers.down, sums.numbers.up, !job.magnitude, bits);
    else
        return round_ends(job, terms, sums.products.down, sums.products.up, job.is_pair, bits);
}

/* Stores result v where a sum or its root is it, in the elements' own format, and both ends round alike: few
 * instructions, of which a caller may have several copies. Answers whether it did. */
template <class Format, row_terms TERMS>
static __device__ __forceinline__ bool store_quickly(const vectors_job &job, size_t v,
                                                     const range_sums<Format, TERMS> &sums) {
    if constexpr (TERMS != ROW_MOMENTS && Format::description.precision >= 8) {
        constexpr int precision = Format::description.precision;
        const bool is_root = TERMS == ROW_PRODUCTS && job.finish == FINISH_ROOT;
        if ((job.finish != FINISH_KEEP && !is_root) || job.rounding != QUIRE_TO_NEAREST ||
            job.format.precision != precision)
            return false;
        ends s = TERMS == ROW_NUMBERS ? sums.numbers : sums.products;
        if (is_root) s.down = root_down(s.down), s.up = root_up(s.up);
        uint64_t bits;
        if (!round_ends_quickly(s.down, s.up, precision, &bits)) return false;
        typename Format::element result;
        memcpy(&result, &bits, sizeof result); /* of the low bytes */
        ((typename Format::element *)job.results)[v] = result;
        return true;
    }
    return false;
}

/* Whether the warp has marked a result: in shared memory, so that it takes no register of those who wait for loads. */
static __device__ __forceinline__ bool *has_marked() {
    __shared__ bool of_warp[GROUPS_THREADS / WARP];
    return &of_warp[threadIdx.x / WARP];
}

/* The result of row v from what its elements, one at least, come to; or a mark: then *has_marked() is true. Once in a
 * kernel's code. */
template <class Format, row_terms TERMS>
static __device__ __noinline__ void finish_range(const vectors_job &job, size_t v,
                                                 const range_sums<Format, TERMS> sums) {
    uint64_t bits;
    if (!round_range(job, job.terms, sums, &bits)) {
        bits = mark_of(job.format);
        *has_marked() = true;
    }
    format_store(bits, job.format.size, result_at(job, v));
}

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
