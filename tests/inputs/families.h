/* families.h - inputs with names. A family is a rule that makes n elements of any type from a seed, the same bits on
 * every machine. Tests, benchmarks and fuzzers draw from this one list. Free of Check. */
#ifndef QUIRE_TESTS_FAMILIES_H
#define QUIRE_TESTS_FAMILIES_H

#include <stddef.h>
#include <stdint.h>

#include "number.h"

typedef enum family {
    FAMILY_UNIFORM,          /* [-1, 1), evenly */
    FAMILY_NORMAL,           /* mean 0, variance 1, as sums of twelve uniforms */
    FAMILY_POSITIVE,         /* (0, 1] */
    FAMILY_EVERY_EXPONENT,   /* each exponent of the format as often as the others, shuffled */
    FAMILY_FINITE_BITS,      /* any finite bit pattern, all alike */
    FAMILY_ANY_BITS,         /* any bit pattern, NaN and Inf among them */
    FAMILY_CONDITION_MILD,   /* cancelling sums and dots of condition number about 1 / u [Ogita, Rump, Oishi 2005] */
    FAMILY_CONDITION_SEVERE, /* the same, about 1 / u^2, or what the range of the format allows */
    FAMILY_TELESCOPING,      /* pairs a, -a of any exponent, shuffled, and a rest of one least subnormal */
    FAMILY_TIE,              /* the sum lies exactly half way between two numbers of some result type */
    FAMILY_TIE_ABOVE,        /* the same and the tiniest bit beyond */
    FAMILY_TIE_BELOW,        /* the same and the tiniest bit short */
    FAMILY_SUBNORMAL,        /* subnormals of both signs */
    FAMILY_HUGE,             /* near the greatest finite number, first positive, then negative: partial sums overflow */
    FAMILY_LONE_TINY,        /* one least subnormal in a sea of +0 */
    FAMILY_ZERO,             /* +0 only */
    FAMILY_NEGATIVE_ZERO,    /* -0 only */
    FAMILY_ONE_ZERO,         /* -0, and one +0 */
    FAMILY_ONE_NAN,          /* uniform, and one NaN of any payload */
    FAMILY_ONE_INFINITY,     /* uniform, and one Inf of either sign */
    FAMILY_SAME_INFINITIES,  /* uniform, and many Inf of one sign */
    FAMILY_BOTH_INFINITIES,  /* uniform, one +Inf, one -Inf */
    FAMILY_INFINITY_ZERO,    /* Inf of one sign and zeros of both: dots meet Inf times 0 */
    FAMILY_COUNT
} family;

/* The name, as command lines and golden files spell it: "uniform", "every-exponent", ... */
const char *family_name(family which);

/* The family of that name, or FAMILY_COUNT. */
family family_named(const char *name);

/* Fills x[0 .. n) of the type. */
void family_fill(family which, quire_type type, uint64_t seed, size_t n, void *x);

/* Fills both vectors of a dot product; for the condition families their dot cancels, x alone need not. In the others x
 * is family_fill's of this seed. x and y must not overlap. */
void family_fill_pair(family which, quire_type type, uint64_t seed, size_t n, void *x, void *y);

#endif
