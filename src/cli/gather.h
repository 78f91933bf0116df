/* gather.h - exact sums of what comes in pieces: accumulators of its values, magnitudes or products, and facts of its
 * elements.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_GATHER_H
#define QUIRE_CLI_GATHER_H

#include "device.h"
#include "pieces.h"

/* What describe tells of the elements, beside their sums. */
struct facts {
    double least, greatest; /* of those that are no NaN; NaN if there are none */
    uintmax_t nan, positive_infinity, negative_infinity, zeros, subnormals;
};

struct gathering {
    int terms;                /* enum terms, one or several */
    quire_accumulator sum[3]; /* of values, magnitudes, products: those that are in terms */
    uintmax_t n, skipped;     /* terms of each; left out */
    struct facts *facts;      /* NULL: not wanted */
    quire_type type;          /* of the inputs; F64 if they differ; 0 before there are any */
    bool fractions;           /* an element was no integer of a file of integers, nor of a text */
};

/* The accumulator of some terms. */
quire_accumulator *gathering_of(struct gathering *gathering, enum terms terms);

/* The terms that an operation needs. */
int gathering_terms(quire_operation operation);

/* Adds all elements of an input, or the products of two (then terms is TERM_PRODUCT). EXIT_FINE or EXIT_TROUBLE. */
int gather(struct device *device, struct gathering *gathering, struct pieces *pieces);

/* Adds n elements of a type, side by side. EXIT_FINE or EXIT_TROUBLE. */
int gather_elements(struct device *device, struct gathering *gathering, quire_type type, size_t n, const void *x);

/* Rounds, once. EXIT_FINE or EXIT_TROUBLE. */
int gathering_finish(struct gathering *gathering, const quire_reduction *what, union number *result);

/* All digits of the sum that an operation rounds, if that is an integer of integers, and beyond 2^53, where a double
 * has no longer all of them; else an empty text. */
void gathering_digits(struct gathering *gathering, quire_operation operation, char text[NUMBER_TEXT]);

#endif
