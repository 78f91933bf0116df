/* loops.c - plain loops that compilers make vectors of, in one tier: running sums, of elements of every format as
 * doubles, by the ends of block/scan.h; and exact sums of integers (block/integer_terms.h).
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/block/integer_terms.h"
#include "cpu/block/scan.h"
#include "cpu/simd/simd.h"
#include "cpu/tier/tier.h"

/* Neighbours by whole vectors, as far as there are such. */
#define VALUES(name, NAME, number, real, unused)                                                                       \
    static void name##_values(double *to, const char *from, ptrdiff_t stride, size_t n) {                              \
        size_t k = 0;                                                                                                  \
        for (v_f64 x[2]; stride == (ptrdiff_t)sizeof(name##_element) && n - k >= 2 * SIMD_F64; k += 2 * SIMD_F64) {    \
            name##_in_order(from + k * sizeof(name##_element), &x[0], &x[1]);                                          \
            memcpy(to + k, x, sizeof x);                                                                               \
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
