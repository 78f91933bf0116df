/* loops.c - plain loops that compilers make vectors of, in one tier: running sums, of elements of every format as
 * doubles, by the ends of block/scan.h; and exact sums of integers (block/integer_terms.h).
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/block/integer_terms.h"
#include "cpu/block/scan.h"
#include "cpu/simd/simd.h"
#include "cpu/tier/tier.h"

/* Neighbours by whole vectors, as far as there are such; what a float holds comes as two halves of one. */
#define NEIGHBOURS_f32(name, to, from, n, k)                                                                           \
    for (; (n) - (k) >= (size_t)SIMD_F32; (k) += SIMD_F32) {                                                           \
        const v_f32 x = name##_load_v_f32((from) + (k) * sizeof(name##_element));                                      \
        const v_f64 lower = lower_f64(x), upper = upper_f64(x);                                                        \
        memcpy((to) + (k), &lower, sizeof lower), memcpy((to) + (k) + SIMD_F64, &upper, sizeof upper);                 \
    }
#define NEIGHBOURS_f64(name, to, from, n, k) memcpy(to, from, (n) * sizeof(double)), (k) = (n);
#define VALUES(name, NAME, number, real, unused)                                                                       \
    static void name##_values(double *to, const char *from, ptrdiff_t stride, size_t n) {                              \
        size_t k = 0;                                                                                                  \
        if (stride == (ptrdiff_t)sizeof(name##_element)) {                                                             \
            NEIGHBOURS_##real(name, to, from, n, k)                                                                    \
        }                                                                                                              \
        for (; k < n; k++) to[k] = (double)name##_load_##real(from + (ptrdiff_t)k * stride);                           \
    }
QUIRE_FORMATS(VALUES, )

#define VALUES_ENTRY(name, NAME, number, real, unused) [number] = name##_values,
static const scan_values_function values[FORMAT_NUMBERS] = { QUIRE_FORMATS(VALUES_ENTRY, ) };

static void ends(scan_state *s, const double *value, size_t n, many_ends *of) { scan_block_ends(s, value, n, of); }

const tier_scan QUIRE_NAME(scan, SIMD_TIER) = { values, ends };

#define INTEGERS_ENTRY(name, number, element, is_signed, unused)                                                       \
    [INTEGER_PLACE(number)] = { name##_elements, name##_magnitudes, name##_products },

const integer_function QUIRE_NAME(integers_table,
                                  SIMD_TIER)[INTEGER_NUMBERS][INTEGER_WAYS] = { QUIRE_INTEGERS(INTEGERS_ENTRY, ) };
