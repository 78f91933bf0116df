/* accumulators.h - accumulators in a file; docs/accumulator.md describes the format.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_ACCUMULATORS_H
#define QUIRE_CLI_ACCUMULATORS_H

#include <stdbool.h>
#include <stddef.h>

#include <quire/quire.h>

#define ACCUMULATORS_MAGIC "\x89QUIRE\r\n"
#define ACCUMULATORS_MAGIC_SIZE 8
#define ACCUMULATORS_VERSION 1
#define ACCUMULATORS_HEAD 24
#define ACCUMULATORS_MOST (ACCUMULATORS_HEAD + 3 * 8 * QUIRE_ACCUMULATOR_WORDS + 4) /* bytes of the longest file */

/* What such a file holds. */
struct accumulators {
    int terms;                 /* enum terms (device.h) of what is there */
    bool products_of_two;      /* the products are of two arrays, not squares */
    bool integers;             /* of files and texts of integers alone */
    quire_type type;           /* of the elements; F64 where they were of several types */
    quire_operation operation; /* what it was made for */
    quire_accumulator sum[3];  /* of values, magnitudes, products: those that are in terms */
};

/* Puts the file's bytes into bytes; answers how many. The accumulators must be carried. */
size_t accumulators_encode(const struct accumulators *accumulators, unsigned char bytes[ACCUMULATORS_MOST]);

/* Reads them. NULL, or what is wrong with them. */
const char *accumulators_decode(struct accumulators *accumulators, const unsigned char *bytes, size_t length);

#endif
