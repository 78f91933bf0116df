/* term_count.h - how many terms a sum has, in the forms that a mean and a variance take of it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_OPERATION_TERM_COUNT_H
#define QUIRE_OPERATION_TERM_COUNT_H

#include <stddef.h>

/* Numbers that enclose another one. */
typedef struct {
    double down, up;
} number_between;

/* A count, and the reciprocals of that, and of that less the correction. */
typedef struct {
    size_t n;
    number_between each, less;
} term_count;

#endif
