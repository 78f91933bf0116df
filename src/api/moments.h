/* moments.h - quire_finish of what needs several sums.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_API_MOMENTS_H
#define QUIRE_API_MOMENTS_H

#include "backend.h"

/* Of accumulators with its defaults in place of zeros, and whether all it names is there. */
QUIRE_PRIVATE quire_status check_finish(const quire_reduction *what, quire_reduction *r);

/* what has no defaults left; so_far is what the checks of it, sum and result came to. */
QUIRE_PRIVATE quire_status finish_moments(const quire_reduction *what, quire_status so_far,
                                          const quire_accumulator *sum, const quire_accumulator *squares, void *result);

/* The same of a weighted average. */
QUIRE_PRIVATE quire_status finish_average(const quire_reduction *what, quire_status so_far,
                                          const quire_accumulator *products, const quire_accumulator *weights,
                                          void *result);

#endif
