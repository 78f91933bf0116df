/* lanes.c - the methods that follow the canonical order, in one tier: instances of block/tile.h for every format, term
 * and arithmetic of the lists, and the table of them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/simd/simd.h"
#include "cpu/tier/tier.h"

/* Formats of fewer bits than a float are added in floats. */
#define VECTOR v_f32
#define SCALAR f32
#define SCALAR_TYPE float
#define WIDTH SIMD_F32
#include "cpu/block/tile.h"
#if defined(SIMD_HAS_BOUNDS)
#include "cpu/block/bounds.h"

/* Kahan of elements narrower than floats, by the two additions of bounds.h where it takes seven: where no addition of a
 * lane rounds its compensation is 0, and the sum alone is its state. Vectors with a lane that has rounded are done
 * again. Answers 0 if too many additions round. */
QUIRE_INLINE int tile_narrow_f32(tile_arithmetic_f32 t, tile_lanes_f32 *lanes, tile_source from, size_t rows,
                                 int fetches) {
    const bounds_terms terms = { t.format, t.load, t.value };
    if (t.add != kahan_add_v_f32 || t.format.size >= (int)sizeof(float) || t.is_product) return 0;
    unsigned again = bounds_sum(terms, lanes->vector, from, rows, fetches); /* ends for states, for the time being */
    if (__builtin_popcount(again) > BOUNDS_AGAIN) return 0;
    SIMD_UNROLL
    for (int v = 0; v < BOUNDS_VECTORS; v++) lanes->vector[v][1] = (v_f32){ 0 };
    for (; again; again &= again - 1) tile_columns_f32(t, lanes, from, 0, rows, __builtin_ctz(again), 1, 0);
    tile_fold_f32(t, lanes);
    return 1;
}
#else
QUIRE_INLINE int tile_narrow_f32(tile_arithmetic_f32 t, tile_lanes_f32 *lanes, tile_source from, size_t rows,
                                 int fetches) {
    return (void)t, (void)lanes, (void)from, (void)rows, (void)fetches, 0;
}
#endif

#define VECTOR v_f64
#define SCALAR f64
#define SCALAR_TYPE double
#define WIDTH SIMD_F64
#include "cpu/block/tile.h"
QUIRE_INLINE int tile_narrow_f64(tile_arithmetic_f64 t, tile_lanes_f64 *lanes, tile_source from, size_t rows,
                                 int fetches) {
    return (void)t, (void)lanes, (void)from, (void)rows, (void)fetches, 0;
}

#define ARITHMETIC(method, state_words, name, NAME, real, term)                                                        \
    ((const tile_arithmetic_##real){                                                                                   \
        .format = NAME##_DESCRIPTION,                                                                                  \
        .words = state_words,                                                                                          \
        .is_product = term##_is_product,                                                                               \
        .is_pair = term##_is_pair,                                                                                     \
        .sign = (term_sign)term##_sign_is,                                                                             \
        .load = name##_load_v_##real,                                                                                  \
        .first = name##_first_v_##real,                                                                                \
        .value = term##_value_v_##real,                                                                                \
        .error = term##_error_v_##real,                                                                                \
        .add = method##_add_v_##real,                                                                                  \
        .merge = method##_merge_v_##real,                                                                              \
    })

/* Instances, with every choice made: of panels, for all formats; of tiles, for those that are added as they stand. */
#define PANELS(method, words, name, NAME, real, term)                                                                  \
    static void name##_##term##_##method##_add(panel_rows rows, size_t lanes, ptrdiff_t x_lane, ptrdiff_t y_lane,      \
                                               int continues, void *states) {                                          \
        panel_add_##real(ARITHMETIC(method, words, name, NAME, real, term), rows, lanes, x_lane, y_lane, continues,    \
                         states);                                                                                      \
    }                                                                                                                  \
    static void name##_##term##_##method##_subtree(panel_rows rows, size_t panels, void *states) {                     \
        panel_subtree_##real(ARITHMETIC(method, words, name, NAME, real, term), rows, panels, states);                 \
    }
#define TILES(method, words, name, NAME, real, term)                                                                   \
    static void name##_##term##_##method##_tile(const void *x, const void *y, size_t n, size_t tile, int fetches,      \
                                                void *total) {                                                         \
        subtree_sum_##real(ARITHMETIC(method, words, name, NAME, real, term), x, y, n, tile, fetches, total);          \
    }
#define OF_TERM(term, TERM, product, pair, sign, format, FORMAT, real, WHICH)                                          \
    QUIRE_LANE_ARITHMETICS(WHICH, format, FORMAT, real, term)
#define OF_FORMAT(format, FORMAT, type, real, WHICH) QUIRE_TERMS(OF_TERM, format, FORMAT, real, WHICH)
QUIRE_FORMATS(OF_FORMAT, PANELS)
QUIRE_WINDOWED_FORMATS(OF_FORMAT, TILES)

/* Those that need nothing but their decoding, of a tile of ORDER_TILE elements at most, as floats, which are filled up
 * to whole vectors with what adds nothing. */
QUIRE_INLINE void decoded_add(decode_function decode, tile_function add, term_sign sign, const void *x, const void *y,
                              size_t n, float *of_x, float *of_y, void *total) {
    const size_t whole = (n + SIMD_F32 - 1) / SIMD_F32 * SIMD_F32;
    decode(x, n, float_of_bits((uint32_t)missing_element(sizeof(float), sign)), of_x);
    if (y != x) decode(y, n, 0, of_y);
    add(of_x, y != x ? of_y : of_x, whole, ORDER_TILE, 0, total);
}
static void decoded_tile(decode_function decode, tile_function add, term_sign sign, const void *x, const void *y,
                         size_t n, void *total) {
    _Alignas(64) float of_x[ORDER_TILE], of_y[ORDER_TILE];
    decoded_add(decode, add, sign, x, y, n, of_x, of_y, total);
}
/* A few have a frame of their own, for that of a tile costs as much as they do. */
static void decoded_few(decode_function decode, tile_function add, term_sign sign, const void *x, const void *y,
                        size_t n, void *total) {
    _Alignas(64) float of_x[TILE_FEW], of_y[TILE_FEW];
    decoded_add(decode, add, sign, x, y, n, of_x, of_y, total);
}

#define DECODED(method, words, name, term)                                                                             \
    static void name##_##term##_##method##_tile(const void *x, const void *y, size_t n, size_t tile, int fetches,      \
                                                void *total) {                                                         \
        (void)tile, (void)fetches;                                                                                     \
        if (!term##_is_pair) y = x;                                                                                    \
        if (n <= TILE_FEW)                                                                                             \
            decoded_few(name##_decode, float_##term##_##method##_tile, (term_sign)term##_sign_is, x, y, n, total);     \
        else                                                                                                           \
            decoded_tile(name##_decode, float_##term##_##method##_tile, (term_sign)term##_sign_is, x, y, n, total);    \
    }
#define OF_DECODED_TERM(term, TERM, product, pair, sign, format) QUIRE_LANE_ARITHMETICS(DECODED, format, term)
#define OF_DECODED_FORMAT(format, FORMAT, type, real, unused) QUIRE_TERMS(OF_DECODED_TERM, format)
QUIRE_DECODED_FORMATS(OF_DECODED_FORMAT, )

#define MERGE(method, METHOD, words, order, real)                                                                      \
    static void method##_panel_merge_##real(void *into, const void *from, size_t count) {                              \
        panel_merge_##real(words, method##_merge_v_##real, into, from, count);                                         \
    }
QUIRE_LANE_METHODS(MERGE, f32)
QUIRE_LANE_METHODS(MERGE, f64)

#define NAMED(format, term, method, which) QUIRE_NAME(QUIRE_NAME(format##_##term, ARITHMETIC_##method), which)
#define ENTRY(method, METHOD, words, rows, format, type, term, TERM)                                                   \
    [type][TERM][METHOD] = { NAMED(format, term, method, tile), NAMED(format, term, method, add),                      \
                             NAMED(format, term, method, subtree) },
#define ENTRIES_OF_TERM(term, TERM, product, pair, sign, format, type)                                                 \
    QUIRE_LANE_METHODS(ENTRY, format, type, term, TERM)
#define ENTRIES_OF_FORMAT(format, FORMAT, type, real, unused) QUIRE_TERMS(ENTRIES_OF_TERM, format, type)
#define MERGE_ENTRY(method, METHOD, words, order, real) [METHOD] = method##_panel_merge_##real,

const tier_lanes QUIRE_NAME(lanes, SIMD_TIER) = {
    { QUIRE_FORMATS(ENTRIES_OF_FORMAT, ) },
    { { QUIRE_LANE_METHODS(MERGE_ENTRY, f32) }, { QUIRE_LANE_METHODS(MERGE_ENTRY, f64) } },
};
