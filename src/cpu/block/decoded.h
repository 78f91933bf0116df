/* decoded.h - exact sums of formats that need nothing but their decoding: elements become floats, a block at a time,
 * and those are added as floats are. Included by exact.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_BLOCK_DECODED_H
#define QUIRE_CPU_BLOCK_DECODED_H

#include "accumulator/limbs.h"
#include "cpu/block/functions.h"
#include "format/formats.h"

#define DECODED_ELEMENTS ((size_t)4096) /* of a block */
_Static_assert(CARRIES_IN_TIME(DECODED_ELEMENTS), "a stretch is a block");

/* Of a format: bytes of an element, and n elements as floats. */
typedef struct {
    size_t size;
    void (*decode)(const void *from, size_t n, float *to);
} decoded_format;

/* y is x, unless terms are products of two arrays. */
static void decoded_sum(decoded_format format, exact_function add_floats, quire_accumulator *a, const char *x,
                        const char *y, size_t n) {
    float x_floats[DECODED_ELEMENTS], y_floats[DECODED_ELEMENTS];
    size_t since_carry = 0;
    for (size_t count; n; n -= count) {
        count = n < DECODED_ELEMENTS ? n : DECODED_ELEMENTS;
        format.decode(x, count, x_floats);
        if (y != x) format.decode(y, count, y_floats);
        add_floats(a, x_floats, y != x ? y_floats : x_floats, count, 0);
        y += count * format.size, x += count * format.size;
        since_carry += count;
        if (since_carry > CARRY_ELEMENTS) limbs_carry(a->limb), since_carry = 0;
    }
}

#define DECODE(format, FORMAT, type, real, unused)                                                                     \
    static void format##_decode(const void *from, size_t n, float *to) {                                               \
        const format##_element *element = from;                                                                        \
        for (size_t i = 0; i < n; i++) to[i] = format##_to_f32(element[i]);                                            \
    }
QUIRE_DECODED_FORMATS(DECODE, )
#undef DECODE

#endif
