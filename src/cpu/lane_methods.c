/* lane_methods.c - see lane_methods.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/lane_methods.h"
#include "cpu/simd/scalar.h"

/* What a method does on states of either type. */
#define MERGES(method, METHOD, words, rows, unused)                                                                    \
    static void method##_merge_float(lane_state *into, const lane_state *from) {                                       \
        method##_merge_f32(into->f32, from->f32);                                                                      \
    }                                                                                                                  \
    static void method##_merge_double(lane_state *into, const lane_state *from) {                                      \
        method##_merge_f64(into->f64, from->f64);                                                                      \
    }
QUIRE_LANE_METHODS(MERGES, )

#define ENTRY(method, METHOD, words, rows, unused)                                                                     \
    [METHOD] = { { method##_merge_float, method##_merge_double }, method##_total, words },
const lane_method lane_methods[METHOD_NUMBERS] = { QUIRE_LANE_METHODS(ENTRY, ) };
