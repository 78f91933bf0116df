/* number.h - one number of any type: its value, its bits, its text.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_NUMBER_H
#define QUIRE_CLI_NUMBER_H

#include <quire/quire.h>

union number {
    uint8_t byte;  /* e5m2 and e4m3 */
    uint16_t half; /* f16 and bf16 */
    float single;
    double full;
    uint64_t whole[2]; /* a QUIRE_INT128 */
};

/* The value; every number of a shorter type is a double, and a QUIRE_INT128 is rounded to the nearest. */
double number_value(quire_type type, const union number *number);

/* The value of element i of an array. */
double number_at(quire_type type, const void *array, size_t i);

/* The bits, the last ones first. */
uint64_t number_bits(quire_type type, const union number *number);

/* The same in hexadecimal, 0x and as many digits as the type has. */
#define NUMBER_TEXT 48
void number_bit_text(quire_type type, const union number *number, char text[NUMBER_TEXT]);

/* How many bits of precision the type has, and the k for which all its finite numbers are below 2^k. */
int number_precision(quire_type type);
int number_top(quire_type type);

/* The k for which 2^k is the least normal number. */
int number_least(quire_type type);

/* Of 2^k: a magnitude below this part of it does not round beyond the greatest finite number. */
double number_limit(quire_type type);

/* The k for which 2^k is the distance from |value|, a finite number of the type, to the next larger one. */
int number_ulp(quire_type type, double value);

/* The shortest decimal that reads back as the same number of the type. */
void number_decimal(quire_type type, double value, char text[NUMBER_TEXT]);

/* The decimal of any number; of a QUIRE_INT128 all digits. */
void number_text(quire_type type, const union number *number, char text[NUMBER_TEXT]);

/* As C writes a hexadecimal floating constant. */
void number_hex(double value, char text[NUMBER_TEXT]);

#endif
