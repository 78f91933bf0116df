/* whole.c - integers beyond 2^53.
 *
 * SPDX-License-Identifier: MIT
 */
#include "whole.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define EXACT 0x1p53
#define MOST 0x1p106 /* of two doubles, the second at most half an ulp of the first */

/* 128 bits as four digits of 32, the least first. */
typedef struct {
    uint32_t digit[4];
} wide;

/* n * factor + more. */
static void multiply_add(wide *n, uint32_t factor, uint32_t more) {
    uint64_t carry = more;
    for (int i = 0; i < 4; i++) {
        carry += (uint64_t)n->digit[i] * factor;
        n->digit[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

/* Divides by ten; answers the remainder. */
static unsigned divide_by_ten(wide *n) {
    uint64_t rest = 0;
    for (int i = 3; i >= 0; i--) {
        rest = rest << 32 | n->digit[i];
        n->digit[i] = (uint32_t)(rest / 10);
        rest %= 10;
    }
    return (unsigned)rest;
}

static bool is_zero(const wide *n) { return !(n->digit[0] | n->digit[1] | n->digit[2] | n->digit[3]); }

/* An integer below 2^107 less a double close to it: what is left is below 2^53 in magnitude, or a multiple of a power
 * of two that is. */
static double lacking(wide n, double value) {
    double rest = -value;
    for (int i = 3; i >= 0; i--) rest += ldexp((double)n.digit[i], 32 * i);
    return rest;
}

bool whole_word(const char *word, double value, double *low) {
    *low = 0;
    while (*word && strchr(" \t\r\n\v\f", *word)) word++;
    const bool negative = *word == '-';
    word += *word == '-' || *word == '+';
    const size_t length = strspn(word, "0123456789");
    if (!length || word[length + strspn(word + length, " \t\r\n\v\f")]) return false;
    if (fabs(value) < EXACT || fabs(value) > MOST) return true;
    wide n = { { 0, 0, 0, 0 } };
    for (size_t i = 0; i < length; i++) multiply_add(&n, 10, (uint32_t)(word[i] - '0'));
    *low = lacking(n, fabs(value));
    if (negative) *low = -*low;
    return true;
}

int whole_fits(double value, double low, uint64_t *word) {
    const double magnitude = fabs(value), most = 0x1p64, half = 0x1p63;
    *word = 0;
    if (!(magnitude <= most) || value != floor(value) || (value == 0 && signbit(value))) return 0;
    const uint64_t whole = magnitude < most ? (uint64_t)magnitude : 0;
    *word = (value < 0 ? 0 - whole : whole) + (uint64_t)(int64_t)low;
    const bool is_signed = value > -half ? value < half || (value == half && low < 0) : value == -half && low >= 0;
    const bool is_unsigned = value >= 0 && (value < most || low < 0);
    return (is_signed ? WHOLE_SIGNED : 0) | (is_unsigned ? WHOLE_UNSIGNED : 0);
}

/* Which of the two words is the low one. */
static int low_word(void) {
    const uint16_t one = 1;
    return *(const unsigned char *)&one ? 0 : 1;
}

bool whole_narrow(void *results, size_t count) {
    uint64_t(*pair)[2] = results, *narrow = results;
    const int low = low_word();
    for (size_t i = 0; i < count; i++)
        if (pair[i][1 - low] != (pair[i][low] >> 63 ? UINT64_MAX : 0)) return false;
    for (size_t i = 0; i < count; i++) narrow[i] = pair[i][low];
    return true;
}

void whole_digits(const void *result, char text[NUMBER_TEXT]) {
    uint64_t words[2];
    char digits[NUMBER_TEXT];
    int at = NUMBER_TEXT;
    memcpy(words, result, sizeof words);
    const int first = low_word();
    uint64_t low = words[first], high = words[1 - first];
    const bool negative = high >> 63;
    if (negative) low = 0 - low, high = ~high + !low;
    wide n = { { (uint32_t)low, (uint32_t)(low >> 32), (uint32_t)high, (uint32_t)(high >> 32) } };
    digits[--at] = 0;
    do digits[--at] = (char)('0' + divide_by_ten(&n));
    while (!is_zero(&n));
    if (negative) digits[--at] = '-';
    strcpy(text, digits + at);
}

void whole_bits(const void *result, char text[NUMBER_TEXT]) {
    uint64_t words[2];
    memcpy(words, result, sizeof words);
    snprintf(text, NUMBER_TEXT, "0x%016" PRIx64 "%016" PRIx64, words[1 - low_word()], words[low_word()]);
}

void whole_sum(const quire_accumulator *sum, char text[NUMBER_TEXT]) {
    uint64_t result[2];
    *text = 0;
    if (!quire_round(sum, QUIRE_INT128, result)) whole_digits(result, text);
}
