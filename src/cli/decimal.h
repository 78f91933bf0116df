/* decimal.h - one number written in decimal, as a field of a text has it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_DECIMAL_H
#define QUIRE_CLI_DECIMAL_H

#include <stdbool.h>

/* What a field is: a number; nothing, NA or N/A, whose value is a NaN that decimal_is_missing knows; a number that is
 * no infinity but that double has no room for; anything else. */
enum decimal { DECIMAL_NUMBER, DECIMAL_MISSING, DECIMAL_BEYOND, DECIMAL_NONE };

/* Reads a field, with blanks around it. A number is what strtod takes (also inf, nan and hexadecimal), rounded to the
 * nearest double. point is what stands before the fraction: a point or a comma; the other of the two is no part of a
 * number. */
enum decimal decimal_read(const char *field, char point, double *value);

/* Whether a value is that of a missing field, and no other NaN. */
bool decimal_is_missing(double value);

/* A hint at why a field is no number, to stand behind the complaint; "" where there is none. point as above. */
const char *decimal_hint(const char *field, char point);

#endif
