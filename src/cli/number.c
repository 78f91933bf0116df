/* number.c - one number of any type.
 *
 * SPDX-License-Identifier: MIT
 */
#include "number.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"
#include "whole.h"

/* Indexed by quire_type. */
static const struct format {
    int precision, least, top; /* normal numbers are from 2^least to below 2^top */
    int missing;               /* how many of the last below 2^top are no numbers */
} formats[] = { { 0, 0, 0, 0 },         { 11, -14, 16, 0 }, { 8, -126, 128, 0 }, { 24, -126, 128, 0 },
                { 53, -1022, 1024, 0 }, { 3, -14, 16, 0 },  { 4, -6, 9, 1 } };

static double half_value(uint16_t bits) {
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double value;
    if (exponent == 31)
        value = fraction ? NAN : INFINITY;
    else if (exponent)
        value = ldexp(1024 + fraction, exponent - 25);
    else
        value = ldexp(fraction, -24);
    return bits >> 15 ? -value : value;
}

/* A bfloat16 is the upper half of a float. */
static double bfloat16_value(uint16_t bits) {
    uint32_t word = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

/* All bits of the magnitude set is the NaN; there are no infinities. */
static double e4m3_value(uint8_t bits) {
    int exponent = bits >> 3 & 15, fraction = bits & 7;
    double value = exponent ? ldexp(8 + fraction, exponent - 10) : ldexp(fraction, -9);
    if ((bits & 127) == 127) value = NAN;
    return bits >> 7 ? -value : value;
}

/* Rounded once. */
static double whole_value(const union number *number) {
    char text[NUMBER_TEXT];
    whole_digits(number, text);
    return strtod(text, NULL);
}

double number_value(quire_type type, const union number *number) {
    if (type == QUIRE_INT128) return whole_value(number);
    switch (type) {
    case QUIRE_F16: return half_value(number->half);
    case QUIRE_BF16: return bfloat16_value(number->half);
    case QUIRE_F32: return number->single;
    case QUIRE_E5M2: return half_value((uint16_t)(number->byte << 8));
    case QUIRE_E4M3: return e4m3_value(number->byte);
    default: return number->full;
    }
}

/* The values of all bits of a type of 16 or 8 of them; the table is made for the type that was last asked for. */
static const double *short_values(quire_type type) {
    static double values[1 << 16];
    static quire_type made;
    if (made == type) return values;
    made = type;
    for (unsigned bits = 0; bits >> 8 * type_size(type) == 0; bits++) {
        union number number;
        if (type_size(type) == 1)
            number.byte = (uint8_t)bits;
        else
            number.half = (uint16_t)bits;
        values[bits] = number_value(type, &number);
    }
    return values;
}

double number_at(quire_type type, const void *array, size_t i) {
    switch (type) {
    case QUIRE_F64: return ((const double *)array)[i];
    case QUIRE_F32: return (double)((const float *)array)[i];
    case QUIRE_F16:
    case QUIRE_BF16: return short_values(type)[((const uint16_t *)array)[i]];
    default: return short_values(type)[((const uint8_t *)array)[i]];
    }
}

uint64_t number_bits(quire_type type, const union number *number) {
    uint32_t word;
    uint64_t bits;
    switch (type) {
    case QUIRE_F16:
    case QUIRE_BF16: return number->half;
    case QUIRE_E5M2:
    case QUIRE_E4M3: return number->byte;
    case QUIRE_F32: memcpy(&word, &number->single, sizeof word); return word;
    default: memcpy(&bits, &number->full, sizeof bits); return bits;
    }
}

void number_bit_text(quire_type type, const union number *number, char text[NUMBER_TEXT]) {
    if (type == QUIRE_INT128) {
        whole_bits(number, text);
        return;
    }
    snprintf(text, NUMBER_TEXT, "0x%0*" PRIx64, (int)(2 * type_size(type)), number_bits(type, number));
}

int number_precision(quire_type type) { return formats[type].precision; }

int number_top(quire_type type) { return formats[type].top; }

int number_least(quire_type type) { return formats[type].least; }

double number_limit(quire_type type) {
    const struct format *format = &formats[type];
    return 1 - ldexp(1 + 2 * format->missing, -format->precision - 1);
}

int number_ulp(quire_type type, double value) {
    const struct format *format = &formats[type];
    int exponent = format->least;
    if (value != 0 && ilogb(value) > exponent) exponent = ilogb(value);
    return exponent - (format->precision - 1);
}

/* Whether the decimal in text, rounded to the type, is value. For types of 16 and 8 bits it is rounded twice, to double
 * and then by the library; the decimals tried have five digits at most, and none of those is near enough to a midpoint
 * of two such numbers, without being one, for that to matter. */
static bool reads_back(quire_type type, const char *text, double value) {
    double read = strtod(text, NULL);
    if (type == QUIRE_F64) return read == value;
    if (type == QUIRE_F32) return (double)strtof(text, NULL) == value;
    union number rounded;
    quire_sum(NULL, QUIRE_F64, 1, &read, QUIRE_EXACT, type, &rounded);
    return number_value(type, &rounded) == value;
}

/* Adds one to the last of the digits of "d.ddde+xx"; false if all of them are 9. */
static bool increment(char *text) {
    for (char *c = strchr(text, 'e') - 1; c >= text; c--) {
        if (*c == '.') continue;
        if (*c < '9') {
            ++*c;
            return true;
        }
        *c = '0';
    }
    return false;
}

/* The shortest "d.ddde+xx" that reads back as value > 0. With k digits the nearest decimal is the one to try; but just
 * above a power of two numbers are twice as far apart as below, and there the next decimal may do where the nearest
 * does not. */
static void shortest_scientific(quire_type type, double value, char text[NUMBER_TEXT]) {
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, NUMBER_TEXT, "%.*e", digits - 1, value);
        if (reads_back(type, text, value)) return;
        char next[NUMBER_TEXT];
        memcpy(next, text, NUMBER_TEXT);
        if (increment(next) && reads_back(type, next, value)) {
            memcpy(text, next, NUMBER_TEXT);
            return;
        }
    }
}

/* "d.ddde+xx" without its exponent, if that is no longer than reasonable and invents no digits: 65504 in half
 * is 6.55e+04 (its neighbours are 32 away), not 65500. */
static bool positional(const char *scientific, double value, char text[NUMBER_TEXT]) {
    char digits[17 + 1];
    int count = 0, exponent = atoi(strchr(scientific, 'e') + 1);
    for (const char *c = scientific; *c != 'e' && count < 17; c++)
        if (*c != '.') digits[count++] = *c;
    digits[count] = 0;
    if (exponent < -4 || exponent > 16) return false;
    if (exponent < 0)
        snprintf(text, NUMBER_TEXT, "0.%.*s%s", -exponent - 1, "0000", digits);
    else if (exponent < count - 1)
        snprintf(text, NUMBER_TEXT, "%.*s.%s", exponent + 1, digits, digits + exponent + 1);
    else
        snprintf(text, NUMBER_TEXT, "%s%.*s", digits, exponent - (count - 1), "0000000000000000");
    return exponent < count || strtod(text, NULL) == value;
}

void number_decimal(quire_type type, double value, char text[NUMBER_TEXT]) {
    if (isnan(value)) {
        strcpy(text, "nan");
        return;
    }
    if (signbit(value)) *text++ = '-';
    value = fabs(value);
    if (isinf(value) || value == 0) {
        strcpy(text, value == 0 ? "0" : "inf");
        return;
    }
    char scientific[NUMBER_TEXT], plain[NUMBER_TEXT];
    shortest_scientific(type, value, scientific);
    strcpy(text, positional(scientific, value, plain) ? plain : scientific);
}

void number_text(quire_type type, const union number *number, char text[NUMBER_TEXT]) {
    if (type == QUIRE_INT128)
        whole_digits(number, text);
    else
        number_decimal(type, number_value(type, number), text);
}

void number_hex(double value, char text[NUMBER_TEXT]) {
    if (isnan(value))
        strcpy(text, "nan");
    else
        snprintf(text, NUMBER_TEXT, "%a", value);
}
