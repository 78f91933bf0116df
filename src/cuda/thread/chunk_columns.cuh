/* chunk_columns.cuh - what a thread has of the columns of a chunk: a sum of each, to which it adds rows.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_CHUNK_COLUMNS_CUH
#define QUIRE_CUDA_THREAD_CHUNK_COLUMNS_CUH

#include "cuda/thread/range_sums.cuh"

template <class Format, row_terms TERMS, class Sum> struct chunk_columns {
    typedef typename Format::real real;
    typedef range_sums<Format, TERMS, Sum> sums;
    typedef chunk_of<Format> group;
    typedef chunk_terms<Format, false> numbers;
    typedef chunk_terms<Format, true> products;
    static constexpr int E = chunk_elements<Format>;
    sums of[E];

    __device__ __forceinline__ void clear() {
#pragma unroll
        for (int e = 0; e < E; e++) of[e].clear();
    }
    /* The sum of a column. */
    __device__ __forceinline__ sums column(int e) const {
        sums one = of[0];
#pragma unroll
        for (int i = 1; i < E; i++) one.take_if(i == e, of[i]);
        return one;
    }
    /* A term, to a sum; or to a batch of them, whose sum always is one number. */
    template <bool PRODUCT, class Batch, class Real>
    static __device__ __forceinline__ void take(Sum &sum, Batch &batch, bool is_first, Real a, Real b, bool magnitude) {
        typedef chunk_terms<Format, PRODUCT> terms;
        if constexpr (terms::fit_double) {
            Batch term;
            if constexpr (sizeof(Real) == 8 && !PRODUCT)
                term = (Batch)a;
            else
                term = (Batch)terms::term(a, b, magnitude);
            batch = is_first ? term : batch + term;
        } else if constexpr (PRODUCT && sizeof(Real) == 8) {
            add_product_to<Format>(sum, a, b);
        } else {
            add_term<Format, PRODUCT>(sum, a, b, magnitude);
        }
    }
    /* Some rows, no more than a chunk has elements if there are batches. PAIR: products are of two arrays, else of x
     * with itself. Where both sums are wanted one conversion serves both. */
    template <bool PAIR, int ROWS>
    __device__ __forceinline__ void add(const group (&x)[ROWS], const group *y, bool magnitude) {
        static_assert(ROWS <= E || !(numbers::fit_double || products::fit_double), "a batch has more bits");
        typedef std::conditional_t<TERMS == ROW_MOMENTS && !products::fit_double, double, real> wide;
        typename numbers::sum_type number[E];
        typename products::sum_type product[E];
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            real a[E], b[E];
            decode_chunk(Format(), x[r], a);
            if constexpr (PAIR) decode_chunk(Format(), y[r], b);
#pragma unroll
            for (int e = 0; e < E; e++) {
                const wide one = a[e], other = PAIR ? b[e] : a[e];
                if constexpr (sums::has_numbers) take<false>(of[e].numbers, number[e], r == 0, one, one, magnitude);
                if constexpr (sums::has_products) take<true>(of[e].products, product[e], r == 0, one, other, false);
            }
        }
#pragma unroll
        for (int e = 0; e < E; e++) {
            if constexpr (sums::has_numbers && numbers::fit_double) of[e].numbers.add(number[e]);
            if constexpr (sums::has_products && products::fit_double) of[e].products.add(product[e]);
        }
    }
};

/* Blocks of a multiprocessor that registers are to leave room for: one where a thread has very many sums. */
template <class Format, row_terms TERMS, class Sum>
constexpr int columns_blocks = range_sums<Format, TERMS, Sum>::sums *(int)sizeof(Sum) * chunk_elements<Format> > 256
                                   ? 1
                                   : COLUMNS_BLOCKS;

#endif
