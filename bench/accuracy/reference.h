/* reference.h - what is true of a case, by MPFR: the exact sum, and from it the one right result of each type, the
 * error of any result, and the bound that docs/accuracy.md promises. Nothing here comes from the library.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_ACCURACY_REFERENCE_H
#define QUIRE_ACCURACY_REFERENCE_H

#include "oracle_mpfr.h"
#include "source.h"

typedef struct reference {
    oracle sum;
    mpfr_t magnitudes; /* the sum of |terms| that are finite, rounded up */
    mpfr_t value;      /* what the operation makes of the sum, if that is finite */
    bool special;      /* a NaN or an infinity among the terms, or the mean of nothing */
    bool tame;         /* magnitudes <= 100 |sum|, and no product is lost to underflow */
    quire_type type;
    operation operation;
} reference;

typedef struct judgement {
    double ulps;  /* distance from the true value in ulps of the right result; NaN if that has none; may be infinite */
    double ratio; /* error over bound; more than 1: violated; NaN where no bound is promised. Where a NaN or an infinity
                     is promised: 0 if it is there, infinite if not */
} judgement;

#define TAME 100

void reference_open(reference *r);
void reference_close(reference *r);

void reference_find(reference *r, const test_case *c, const void *x, const void *y);

/* The right bits. */
uint64_t reference_bits(const reference *r, quire_type result_type);

judgement reference_judge(const reference *r, quire_method method, quire_type result_type, uint64_t bits);

#endif
