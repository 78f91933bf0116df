/* bound.c - the documented bounds, worked out.
 *
 * With u the unit roundoff of the accumulation, c = quire_chain_length(method, n) (one more where terms are products),
 * S the sum of the magnitudes of the terms and g = c u / (1 - c u), the total before its rounding is off by at most
 *     plain, pairwise   g S
 *     kahan             u |A| + g^2 S
 * [Higham 1993; Ogita, Rump, Oishi 2005], where g also holds the higher orders in u that quire.h leaves out. A product
 * that underflows adds at most half the least subnormal number, and so does its rounding error: n of them at most n
 * times it. The mean is off by an nth of that. The norm: |root a - root A| = |a - A| / (root a + root A) and also at
 * most the root of |a - A|. Then comes the rounding to the result type: half an ulp of the largest number that the
 * total can be.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bound.h"

#include <math.h>

/* Larger than all the rounding errors of this file together, relative to any of its numbers. */
#define SAFETY (1 + 0x1p-40)

static const struct scaled infinite = { INFINITY, 0 };

static quire_type accumulation_type(quire_type type) { return type == QUIRE_F64 ? QUIRE_F64 : QUIRE_F32; }

static int products(const struct job *job) { return operation_terms(job->what.operation) == TERM_PRODUCT; }

/* On the error of the total of the terms, which is about sum. */
static struct scaled bound_of_total(const struct job *job, const struct truth *truth, quire_method method,
                                    struct scaled sum) {
    quire_type type = accumulation_type(job->what.type);
    double u = ldexp(1, -number_precision(type));
    double c = (double)quire_chain_length(method, job->n) + products(job);
    if (c * u >= 0.5) return infinite;
    struct scaled g = scaled_make(c * u / (1 - c * u), 0), bound;
    if (method == QUIRE_KAHAN)
        bound = scaled_add(scaled_times(scaled_make(u, 0), sum), scaled_times(scaled_times(g, g), truth->magnitudes));
    else
        bound = scaled_times(g, truth->magnitudes);
    if (products(job))
        bound = scaled_add(bound, scaled_times(scaled_make((double)job->n, 0), scaled_make(1, number_ulp(type, 0))));

    /* The total overflows, if anything does, where the magnitudes do. */
    struct scaled most = scaled_times(scaled_add(truth->magnitudes, bound), scaled_make(1 + 2 * u, 0));
    return scaled_less(most, scaled_make(1, number_top(type))) ? bound : infinite;
}

/* On the error of the total's root, where bound is on the total's and sum is the true total. */
static struct scaled bound_of_root(struct scaled sum, struct scaled bound) {
    struct scaled crude = scaled_root(bound);
    if (!scaled_less(bound, sum)) return crude;
    return scaled_over(bound, scaled_add(scaled_root(sum), scaled_root(scaled_difference(sum, bound))));
}

struct scaled bound_of(const struct job *job, const struct truth *truth, quire_method method, int ulp) {
    if (method == QUIRE_EXACT) return scaled_make(0.5, ulp);
    struct scaled value = scaled_accumulator(&truth->total);
    struct scaled bound = bound_of_total(job, truth, method, value);
    if (isinf(bound.m)) return bound;
    if (job->what.operation == QUIRE_NRM2) {
        bound = bound_of_root(value, bound);
        value = scaled_root(value);
    } else if (job->what.operation == QUIRE_MEAN) {
        bound = scaled_over(bound, scaled_make((double)job->n, 0));
        value = scaled_over(value, scaled_make((double)job->n, 0));
    }
    struct scaled most = scaled_times(scaled_add(value, bound), scaled_make(SAFETY, 0));
    if (!scaled_less(most, scaled_make(number_limit(job->what.result_type), number_top(job->what.result_type))))
        return infinite;
    /* most is in [2^(e-1), 2^e): the ulp of that binade, or of the subnormal numbers. */
    int exponent = number_ulp(job->what.result_type, 0);
    if (most.m != 0 && most.e - number_precision(job->what.result_type) > exponent)
        exponent = most.e - number_precision(job->what.result_type);
    return scaled_times(scaled_add(bound, scaled_make(0.5, exponent)), scaled_make(SAFETY, 0));
}
