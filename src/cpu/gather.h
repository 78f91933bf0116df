/* gather.h - where elements of layouts stand, and entries of an index; elements that stand apart in memory, copied side
 * by side.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_GATHER_H
#define QUIRE_CPU_GATHER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "arithmetic.h"
#include "quire/quire.h"

/* Strides are in bytes; those along which there is but one are 0, and of elements their size. */
typedef struct {
    ptrdiff_t outer, element, inner;
} byte_strides;

QUIRE_INLINE byte_strides strides_of(const quire_layout *l, size_t size) {
    const ptrdiff_t bytes = (ptrdiff_t)size;
    const byte_strides s = { l->outer > 1 ? l->outer_stride * bytes : 0, l->n > 1 ? l->stride * bytes : bytes,
                             l->inner > 1 ? l->inner_stride * bytes : 0 };
    return s;
}

/* Entry i of an array of integers of 64 bits, or of 32. */
QUIRE_INLINE int64_t index_at(const void *array, ptrdiff_t i, int is_64_bit) {
    return is_64_bit ? ((const int64_t *)array)[i] : ((const int32_t *)array)[i];
}

QUIRE_INLINE void index_put(void *array, size_t i, int is_64_bit, int64_t value) {
    if (is_64_bit)
        ((int64_t *)array)[i] = value;
    else
        ((int32_t *)array)[i] = (int32_t)value;
}

/* n elements of a type, stride bytes apart. */
#define GATHER(type)                                                                                                   \
    do {                                                                                                               \
        type *out = to;                                                                                                \
        for (size_t i = 0; i < n; i++) memcpy(&out[i], from + (ptrdiff_t)i * stride, sizeof(type));                    \
    } while (0)

QUIRE_INLINE void gather(void *to, const char *from, size_t n, ptrdiff_t stride, size_t size) {
    switch (size) {
    case 1: GATHER(uint8_t); break;
    case 2: GATHER(uint16_t); break;
    case 4: GATHER(uint32_t); break;
    default: GATHER(uint64_t); break;
    }
}
#undef GATHER

/* Rows of a panel: element k of column c is at from[c] + k * stride, and goes to place k * row + c * column. In the
 * order of memory: by_rows, where the columns stand closer together than the elements of one. */
#define GATHER_PANEL(type)                                                                                             \
    do {                                                                                                               \
        type *out = to;                                                                                                \
        if (by_rows)                                                                                                   \
            for (size_t k = 0; k < rows; k++)                                                                          \
                for (size_t c = 0; c < columns; c++)                                                                   \
                    memcpy(&out[k * row + c * column], from[c] + (ptrdiff_t)k * stride, sizeof(type));                 \
        else                                                                                                           \
            for (size_t c = 0; c < columns; c++)                                                                       \
                for (size_t k = 0; k < rows; k++)                                                                      \
                    memcpy(&out[k * row + c * column], from[c] + (ptrdiff_t)k * stride, sizeof(type));                 \
    } while (0)

QUIRE_INLINE void gather_panel(void *to, size_t row, size_t column, const char *const *from, size_t columns,
                               size_t rows, ptrdiff_t stride, size_t size, int by_rows) {
    switch (size) {
    case 1: GATHER_PANEL(uint8_t); break;
    case 2: GATHER_PANEL(uint16_t); break;
    case 4: GATHER_PANEL(uint32_t); break;
    default: GATHER_PANEL(uint64_t); break;
    }
}
#undef GATHER_PANEL

#endif
