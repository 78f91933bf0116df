/* oracle_mpfr.h - what is true. Every sum is held in MPFR with enough bits to be exact, and rounded once, by MPFR, to
 * the result format. Nothing here comes from the library but the names of types. */
#ifndef QUIRE_TESTS_ORACLE_MPFR_H
#define QUIRE_TESTS_ORACLE_MPFR_H

#include <mpfr.h>
#include <stddef.h>
#include <stdint.h>

#include "number.h"
#include "operation.h"

/* An exact sum under way, with the special values that the contract knows. */
typedef struct oracle {
    mpfr_t finite;
    mpfr_t product; /* of two elements, exactly */
    uint64_t count; /* terms */
    int other;      /* a term was not -0 */
    int nonzero;    /* a term was not a zero */
    int nan, positive_infinity, negative_infinity;
} oracle;

/* What is done with a sum. */
typedef enum oracle_end { ORACLE_ROUND, ORACLE_ROOT, ORACLE_MEAN } oracle_end;

void oracle_open(oracle *o);
void oracle_close(oracle *o);
void oracle_reset(oracle *o); /* the empty sum again */

/* Adds the n terms of the operation; y is read by dot alone. */
void oracle_add(oracle *o, operation op, quire_type type, size_t n, const void *x, const void *y);

/* The same of n elements that are all like the one at x, to an oracle that has none yet. */
void oracle_add_alike(oracle *o, operation op, quire_type type, size_t n, const void *x);

/* Adds m * 2^e. */
void oracle_add_scaled(oracle *o, double m, long e);

/* The bits of the one right result: rounded to nearest, or in any direction. */
uint64_t oracle_end_bits(const oracle *o, oracle_end end, quire_type result_type);
uint64_t oracle_end_directed(const oracle *o, oracle_end end, quire_type result_type, quire_rounding rounding);

/* The finite part as quire.h lays it out: limb[i] * 2^(32 i - 2148), all but the last in [0, 2^32). */
void oracle_limbs(const oracle *o, int64_t limb[QUIRE_ACCUMULATOR_LIMBS]);

/* What the operation makes of the sum: root for nrm2, mean for mean, else the rounded sum. */
uint64_t oracle_bits(const oracle *o, operation op, quire_type result_type);
uint64_t oracle_directed(const oracle *o, operation op, quire_type result_type, quire_rounding rounding);

/* All in one. */
uint64_t oracle_reduce(operation op, quire_type type, size_t n, const void *x, const void *y, quire_type result_type);

/* Rounds a finite number, or a result of MPFR's that was rounded to the precision of the type with this ternary value
 * while exponents were unbounded, into the type: its overflow, its subnormals, in the same direction. Changes r. */
uint64_t oracle_fit(mpfr_t r, int ternary, quire_type type, quire_rounding rounding);

/* The directions as MPFR names them. */
mpfr_rnd_t oracle_rounding(quire_rounding rounding);

#endif
