/* sum_kinds.cuh - which sums a result is made of, where these are the sums of pairs (operation/pairs.h) or sums of
 * integers.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_SUM_KINDS_CUH
#define QUIRE_CUDA_THREAD_SUM_KINDS_CUH

#include "operation/pairs.h"

/* Sums are those of operation/pairs.h if are_pairs; else the first one is that of a term, and a second one that of the
 * squares. */
struct sum_kinds {
    quire_type type; /* of the elements */
    int count;       /* of sums: MOST_PAIR_SUMS at most */
    bool are_pairs;
    bool is_product, is_magnitude; /* the first term, if they are no pairs */
};

static inline sum_kinds sum_kinds_of(const quire_job *job) {
    const bool are_pairs = needs_pair_sums(job->finish);
    return { job->type, are_pairs ? pair_sums_of(job->finish) : sums_of(job->finish), are_pairs,
             job->term == TERM_PRODUCT, job->term == TERM_MAGNITUDE };
}

/* Of sum number i: whether its terms are products; and which elements they are made of, a of x or b of y. */
static __device__ __forceinline__ bool sum_has_products(const sum_kinds &k, int i) {
    return k.are_pairs ? pair_term(i) == TERM_PRODUCT : i > 0 || k.is_product;
}
template <class Element>
static __device__ __forceinline__ Element first_factor(const sum_kinds &k, int i, Element a, Element b) {
    return k.are_pairs && !pair_begins_with_x(i) ? b : a;
}
template <class Element>
static __device__ __forceinline__ Element second_factor(const sum_kinds &k, int i, Element a, Element b) {
    return k.are_pairs && pair_ends_with_x(i) ? a : b;
}

#endif
