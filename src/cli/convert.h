/* convert.h - numbers as a file stores them, made into those that the library sums.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_CONVERT_H
#define QUIRE_CLI_CONVERT_H

#include "names.h"

/* Reverses the bytes of each of n elements. */
void convert_order(void *elements, size_t n, size_t size);

/* Integers in the machine's byte order into doubles, exactly: from[i] = to[i] + low[i], both of one sign. low is needed
 * for integers of 64 bits alone, and is else not written. from may be the last n * size bytes of to. */
void convert_integers(const struct element *element, size_t n, const void *from, double *to, double *low);

/* Whether elements of the file have two parts. */
bool convert_is_wide(const struct element *element);

#endif
