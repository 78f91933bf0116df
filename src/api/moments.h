/* moments.h - quire_finish of what needs squares.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_API_MOMENTS_H
#define QUIRE_API_MOMENTS_H

#include "backend.h"

/* what has no defaults left; so_far is what the checks of it, sum and result came to. */
QUIRE_PRIVATE quire_status finish_moments(const quire_reduction *what, quire_status so_far,
                                          const quire_accumulator *sum, const quire_accumulator *squares, void *result);

#endif
