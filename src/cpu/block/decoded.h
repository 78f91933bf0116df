/* decoded.h - formats that need nothing but their decoding: elements become floats, a block at a time, and those are
 * added as floats are: exactly, and by lanes.c in the canonical order.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_BLOCK_DECODED_H
#define QUIRE_CPU_BLOCK_DECODED_H

#include "cpu/simd/simd.h"

/* n elements as floats, and behind them "others", a zero, up to whole vectors, for which "to" has room. */
typedef void (*decode_function)(const void *from, size_t n, float others, float *to);

#define DECODE(format, FORMAT, type, real, unused)                                                                     \
    static void format##_decode(const void *from, size_t n, float others, float *to) {                                 \
        const format##_element *element = from;                                                                        \
        for (; n >= SIMD_F32; n -= SIMD_F32, element += SIMD_F32, to += SIMD_F32) {                                    \
            const v_f32 x = format##_load_v_f32(element);                                                              \
            memcpy(to, &x, sizeof x);                                                                                  \
        }                                                                                                              \
        if (n) {                                                                                                       \
            const v_f32 zero = { 0 }, x = format##_first_v_f32(element, (int)n, others - zero);                        \
            memcpy(to, &x, sizeof x);                                                                                  \
        }                                                                                                              \
    }
QUIRE_DECODED_FORMATS(DECODE, )
#undef DECODE

#endif
