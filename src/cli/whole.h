/* whole.h - integers beyond 2^53, which are no doubles: as words of a text, and as sums with all their digits.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_WHOLE_H
#define QUIRE_CLI_WHOLE_H

#include <stdbool.h>

#include "number.h"

/* Whether a word, with blanks around it, is an integer in decimal. If so, *low is what the nearest double, value, lacks
 * of it: 0 up to 2^53, exact up to 2^106, and 0 beyond, where value alone stands for it. */
bool whole_word(const char *word, double value, double *low);

/* An integer, value and low of whole_word, modulo 2^64; and whether it fits int64_t, uint64_t, both or neither. A -0 is
 * none. */
enum { WHOLE_SIGNED = 1, WHOLE_UNSIGNED = 2 };
int whole_fits(double value, double low, uint64_t *word);

/* The digits of a result of type QUIRE_INT128, of 16 bytes. */
void whole_digits(const void *result, char text[NUMBER_TEXT]);

/* Its bits, in hexadecimal. */
void whole_bits(const void *result, char text[NUMBER_TEXT]);

/* An array of results of type QUIRE_INT128 becomes one of int64_t, in place. False, with nothing changed, if one does
 * not fit. */
bool whole_narrow(void *results, size_t count);

/* The digits of what an accumulator holds, if that is an integer of 128 bits; else an empty text. */
void whole_sum(const quire_accumulator *sum, char text[NUMBER_TEXT]);

#endif
