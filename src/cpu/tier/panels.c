/* panels.c - what a tier does with panels in the canonical order, and with variances: instances of panel_lanes.h and of
 * moment_sums.h for every format, term and method of the lists, and the table of them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/block/moment_floats.h"
#include "cpu/block/moment_sums.h"
#include "cpu/block/panel.h"
#include "cpu/simd/simd.h"
#include "cpu/tier/tier.h"
#include "order/order.h"

#define VECTOR v_f32
#define SCALAR f32
#define WIDTH SIMD_F32
#include "cpu/block/panel_lanes.h"

#define VECTOR v_f64
#define SCALAR f64
#define WIDTH SIMD_F64
#include "cpu/block/panel_lanes.h"

#define VECTOR_LOAD_f32(format) format##_load_v_f32
#define VECTOR_LOAD_f64(format) NULL

/* Numbers of 53 bits are split always. */
QUIRE_INLINE int moments_by(format_description f, moment_elements e, moment_float_elements floats, moment_way way,
                            const char *x, size_t n, moment_sums *sums) {
    if (way == MOMENTS_SPLIT || f.precision > 24) return moments_of(e, 1, x, n, sums);
    if (way == MOMENTS_UNSPLIT || f.precision > MOMENTS_FLOAT_BITS) return moments_of(e, 0, x, n, sums);
    return moments_in_floats(floats, x, n, sums);
}

#define MOMENTS_INSTANCE(format, FORMAT, type, real, unused)                                                           \
    static int format##_moments(const char *x, size_t n, moment_way way, moment_sums *sums) {                          \
        return moments_by(                                                                                             \
            (format_description)FORMAT##_DESCRIPTION, (moment_elements){ sizeof(format##_element), format##_widen },   \
            (moment_float_elements){ sizeof(format##_element), VECTOR_LOAD_##real(format) }, way, x, n, sums);         \
    }
QUIRE_FORMATS(MOMENTS_INSTANCE, )

/* --------------------------------------------------------------------------------------------- methods of the lanes */

#define ARITHMETIC(state_words, method, name, real, term)                                                              \
    ((const panel_arithmetic_##real){                                                                                  \
        .size = sizeof(name##_element),                                                                                \
        .words = state_words,                                                                                          \
        .is_product = term##_is_product,                                                                               \
        .is_pair = term##_is_pair,                                                                                     \
        .load = name##_load_v_##real,                                                                                  \
        .value = term##_value_v_##real,                                                                                \
        .error = term##_error_v_##real,                                                                                \
        .add = method##_add_v_##real,                                                                                  \
        .merge = method##_merge_v_##real,                                                                              \
    })
#define ADD_INSTANCE(method, words, format, real, term)                                                                \
    static void format##_##term##_##method(panel_rows rows, size_t lanes, ptrdiff_t x_lane, ptrdiff_t y_lane,          \
                                           int continues, void *states) {                                              \
        panel_add_##real(ARITHMETIC(words, method, format, real, term), rows, lanes, x_lane, y_lane, continues,        \
                         states);                                                                                      \
    }                                                                                                                  \
    static void format##_##term##_##method##_subtree(panel_rows rows, size_t panels, void *states) {                   \
        panel_subtree_##real(ARITHMETIC(words, method, format, real, term), rows, panels, states);                     \
    }
#define ADD_OF_TERM(term, TERM, product, pair, sign, format, real)                                                     \
    QUIRE_LANE_ARITHMETICS(ADD_INSTANCE, format, real, term)
#define ADD_OF_FORMAT(format, FORMAT, type, real, unused) QUIRE_TERMS(ADD_OF_TERM, format, real)
QUIRE_FORMATS(ADD_OF_FORMAT, )

#define MERGE_INSTANCE(method, METHOD, words, order, real)                                                             \
    static void method##_panel_merge_##real(void *into, const void *from, size_t count) {                              \
        panel_merge_##real(words, method##_merge_v_##real, into, from, count);                                         \
    }
QUIRE_LANE_METHODS(MERGE_INSTANCE, f32)
QUIRE_LANE_METHODS(MERGE_INSTANCE, f64)

#define MOMENTS_ENTRY(format, FORMAT, type, real, unused) [type] = format##_moments,
#define ADD_ENTRY(method, METHOD, words, order, format, type, term, TERM)                                              \
    [type][TERM][METHOD] = QUIRE_NAME(format##_##term, ARITHMETIC_##method),
#define ADD_ENTRIES_OF_TERM(term, TERM, product, pair, sign, format, type)                                             \
    QUIRE_LANE_METHODS(ADD_ENTRY, format, type, term, TERM)
#define ADD_ENTRIES(format, FORMAT, type, real, unused) QUIRE_TERMS(ADD_ENTRIES_OF_TERM, format, type)
#define SUBTREE_ENTRY(method, METHOD, words, order, format, type, term, TERM)                                          \
    [type][TERM][METHOD] = QUIRE_NAME(QUIRE_NAME(format##_##term, ARITHMETIC_##method), subtree),
#define SUBTREES_OF_TERM(term, TERM, product, pair, sign, format, type)                                                \
    QUIRE_LANE_METHODS(SUBTREE_ENTRY, format, type, term, TERM)
#define SUBTREE_ENTRIES(format, FORMAT, type, real, unused) QUIRE_TERMS(SUBTREES_OF_TERM, format, type)
#define MERGE_ENTRY(method, METHOD, words, order, real) [METHOD] = method##_panel_merge_##real,

const panel_functions QUIRE_NAME(panels, SIMD_TIER) = {
    { QUIRE_FORMATS(MOMENTS_ENTRY, ) },       { QUIRE_FORMATS(ADD_ENTRIES, ) },
    { QUIRE_FORMATS(SUBTREE_ENTRIES, ) },     { QUIRE_LANE_METHODS(MERGE_ENTRY, f32) },
    { QUIRE_LANE_METHODS(MERGE_ENTRY, f64) },
};
