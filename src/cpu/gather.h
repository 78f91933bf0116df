/* gather.h - elements that stand apart in memory, copied side by side.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_GATHER_H
#define QUIRE_CPU_GATHER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "arithmetic.h"

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
