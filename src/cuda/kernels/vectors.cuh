/* vectors.cuh - the tables of all kernels of a format.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_KERNELS_VECTORS_CUH
#define QUIRE_CUDA_KERNELS_VECTORS_CUH

#include "cuda/kernels/exact_array.cuh"
#include "cuda/kernels/exact_columns.cuh"
#include "cuda/kernels/exact_limbs.cuh"
#include "cuda/kernels/exact_rows.cuh"
#include "cuda/kernels/exact_segments.cuh"
#include "cuda/kernels/ordered_array.cuh"
#include "cuda/kernels/ordered_columns.cuh"
#include "cuda/kernels/ordered_rows.cuh"

template <class Format, bool PRODUCT, class Method> static vectors_kernels kernels_of() {
    constexpr int E = array_lanes(Format::description.size);
    vectors_kernels k = {};
    k.rows = (const void *)ordered_rows_kernel<Format, Method, PRODUCT, false>;
    k.columns = (const void *)ordered_columns_kernel<Format, PRODUCT, Method>;
    k.array = (const void *)ordered_array_kernel<Format, Method, PRODUCT, false, E>;
    k.elements = (const void *)ordered_array_kernel<Format, Method, PRODUCT, false, 1>;
    if constexpr (PRODUCT) {
        k.pair_rows = (const void *)ordered_rows_kernel<Format, Method, true, true>;
        k.pair_array = (const void *)ordered_array_kernel<Format, Method, true, true, E>;
        k.pair_elements = (const void *)ordered_array_kernel<Format, Method, true, true, 1>;
    }
    return k;
}

template <class Format, bool PRODUCT> static vectors_kernels vectors_kernels_of(quire_method method) {
    switch (method) {
    case QUIRE_EXACT: break; /* exact ones have a table of their own */
    case QUIRE_KAHAN: return kernels_of<Format, PRODUCT, kahan_method>();
    case QUIRE_PAIRWISE: /* plain's arithmetic, in tiles of another size */
    case QUIRE_PLAIN: return kernels_of<Format, PRODUCT, plain_method>();
    }
    return {};
}

template <class Format, row_terms TERMS, class Sum, bool PAIR> static void add_kernels(sum_kernels &k) {
    k.rows[PAIR] = (const void *)exact_rows_kernel<Format, TERMS, Sum, PAIR>;
    k.segments[PAIR] = (const void *)exact_segments_kernel<Format, TERMS, Sum, PAIR>;
    k.array[PAIR] = (const void *)exact_array_kernel<Format, TERMS, Sum, PAIR>;
    /* Of formats of few bits two ends tell nearly all sums for results of any precision. */
    if constexpr (has_two_ends<Sum> || Format::description.precision >= 24)
        k.columns[PAIR] = (const void *)exact_columns_kernel<Format, TERMS, Sum, PAIR>;
}
template <class Format, row_terms TERMS, class Sum> static sum_kernels kernels_by() {
    sum_kernels k = {};
    add_kernels<Format, TERMS, Sum, false>(k);
    if constexpr (TERMS == ROW_PRODUCTS) add_kernels<Format, TERMS, Sum, true>(k);
    return k;
}

template <class Format, row_terms TERMS> static row_kernels row_kernels_with() {
    row_kernels k = {};
    if constexpr (!exact_terms<Format, false>::is_double) k.by_ends = kernels_by<Format, TERMS, ends>();
    if constexpr (!has_ends_alone(Format::description, TERMS == ROW_NUMBERS))
        k.by_sums = kernels_by<Format, TERMS, long_sum<2>>();
    k.limbs = (const void *)exact_limbs_kernel<Format, TERMS>;
    k.limbs_threads = limbs_of<Format, TERMS>::THREADS, k.limbs_blocks = limbs_of<Format, TERMS>::BLOCKS;
    return k;
}

template <class Format> static row_kernels row_kernels_of(quire_term term, bool has_moments) {
    if (has_moments) return row_kernels_with<Format, ROW_MOMENTS>();
    return term == TERM_PRODUCT ? row_kernels_with<Format, ROW_PRODUCTS>() : row_kernels_with<Format, ROW_NUMBERS>();
}

#define QUIRE_VECTORS_OF(name)                                                                                         \
    vectors_kernels quire_vectors_##name(bool is_product, quire_method method) {                                       \
        return is_product ? vectors_kernels_of<name##_format, true>(method)                                            \
                          : vectors_kernels_of<name##_format, false>(method);                                          \
    }                                                                                                                  \
    row_kernels quire_rows_##name(quire_term term, bool has_moments) {                                                 \
        return row_kernels_of<name##_format>(term, has_moments);                                                       \
    }

#endif
