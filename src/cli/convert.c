/* convert.c - numbers as a file stores them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "convert.h"

#include <stdint.h>
#include <string.h>

void convert_order(void *elements, size_t n, size_t size) {
    unsigned char *bytes = elements;
    for (size_t i = 0; i < n * size; i += size)
        for (size_t low = i, high = i + size - 1; low < high; low++, high--) {
            const unsigned char swap = bytes[low];
            bytes[low] = bytes[high];
            bytes[high] = swap;
        }
}

bool convert_is_wide(const struct element *element) { return element->integer && element->size == 8; }

/* The two halves of a magnitude are doubles, and so are both with its sign. */
static void split(uint64_t magnitude, bool negative, double *high, double *low) {
    const double upper = (double)(magnitude >> 32) * 0x1p32, lower = (double)(magnitude & UINT32_MAX);
    *high = negative ? -upper : upper;
    *low = negative ? -lower : lower;
}

static double signed_value(size_t size, const unsigned char *at) {
    int8_t byte;
    int16_t half;
    int32_t word;
    if (size == 1) return memcpy(&byte, at, 1), (double)byte;
    if (size == 2) return memcpy(&half, at, 2), (double)half;
    return memcpy(&word, at, 4), (double)word;
}

static double unsigned_value(size_t size, const unsigned char *at) {
    uint16_t half;
    uint32_t word;
    if (size == 1) return (double)*at;
    if (size == 2) return memcpy(&half, at, 2), (double)half;
    return memcpy(&word, at, 4), (double)word;
}

void convert_integers(const struct element *element, size_t n, const void *from, double *to, double *low) {
    const unsigned char *at = from;
    for (size_t i = 0; i < n; i++, at += element->size) {
        uint64_t word;
        if (element->size < 8) {
            to[i] = element->is_signed ? signed_value(element->size, at) : unsigned_value(element->size, at);
            continue;
        }
        memcpy(&word, at, 8);
        const bool negative = element->is_signed && word >> 63;
        split(negative ? 0 - word : word, negative, &to[i], &low[i]);
    }
}
