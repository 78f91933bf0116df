/* kernels.cuh - all kernels of a format, found by the lists of terms and methods.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_KERNELS_CUH
#define QUIRE_CUDA_KERNELS_CUH

#include "cuda/exact.cuh"
#include "cuda/lanes.cuh"

template <class Format, class Term, int E> static cuda_kernel kernel_of_method(quire_method method) {
    typedef exact_choice<Format, Term> exact;
    switch (method) {
    case QUIRE_EXACT: return { (const void *)exact_kernel<Format, Term, E>, (unsigned)exact::policy.threads, exact::shared };
#define METHOD_CASE(name, METHOD, words, rows, unused)                                                                   \
    case METHOD: return { (const void *)lanes_kernel<Format, Term, name##_method, E>, LANE_WARPS * WARP, 0 };
        QUIRE_LANE_METHODS(METHOD_CASE, )
#undef METHOD_CASE
    }
    return { NULL, 0, 0 };
}

template <class Format, class Term> static cuda_kernel kernel_of_term(quire_method method, cuda_access access) {
    if (access == ACCESS_ELEMENTS) return kernel_of_method<Format, Term, 1>(method);
    if constexpr (Term::is_pair)
        if (access == ACCESS_SAME) return kernel_of_method<Format, square_term, vector_elements<Format>>(method);
    return kernel_of_method<Format, Term, vector_elements<Format>>(method);
}

template <class Format> static cuda_kernel kernel_of(quire_term term, quire_method method, cuda_access access) {
#define TERM_CASE(name, TERM, inexact, unused)                                                                           \
    case TERM: return kernel_of_term<Format, name##_term>(method, access);
    switch (term) {
        QUIRE_TERMS(TERM_CASE, )
    case TERM_COUNT: break;
    }
#undef TERM_CASE
    return { NULL, 0, 0 };
}

#endif
