/* bound.h - how far a method's result can be from the true one, as quire_method documents it, worked out for given
 * data.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_BOUND_H
#define QUIRE_CLI_BOUND_H

#include "device.h"
#include "scaled.h"

/* What is known of the data. */
struct truth {
    quire_accumulator total;  /* the exact sum of the terms, not yet divided or rooted */
    struct scaled magnitudes; /* at least the sum of their magnitudes */
};

/* The bound on the error of a method's result. ulp is number_ulp of the exact result. Infinite where something may
 * overflow.
 */
struct scaled bound_of(const struct job *job, const struct truth *truth, quire_method method, int ulp);

#endif
