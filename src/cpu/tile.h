/* tile.h - one tile of the canonical order on vectors of one real type. Included once per real type with VECTOR (v_f32 or
 * v_f64), SCALAR (f32 or f64), SCALAR_TYPE and WIDTH (lanes of a vector) defined.
 *
 * The state of all 256 lanes stands in memory, word by word. Rows are added in strips: for each group of vectors that fits
 * the registers, the state is loaded, the rows of the strip run through it, and it is stored again.
 *
 * SPDX-License-Identifier: MIT
 */

#ifndef STRIP_BYTES
#define STRIP_BYTES ((size_t)16384) /* of a strip: with the next one, which is on its way, it fits the first cache       */
#endif

typedef struct {
    SCALAR_TYPE word[QUIRE_STATE_WORDS][ORDER_LANES] __attribute__((aligned(64)));
} QUIRE_NAME(tile_lanes, SCALAR);

/* Everything a tile needs to know, constant in every instance, so that all of it is inlined. */
typedef struct {
    int size, words, inexact;
    VECTOR (*load)(const void *p);
    SCALAR_TYPE (*load_one)(const void *p);
    VECTOR (*value)(VECTOR x, VECTOR y);
    VECTOR (*error)(VECTOR x, VECTOR y, VECTOR value);
    void (*add)(VECTOR *state, VECTOR value, VECTOR error, int inexact);
    void (*merge)(VECTOR *state, const VECTOR *other);
    SCALAR_TYPE (*value_one)(SCALAR_TYPE x, SCALAR_TYPE y);
    SCALAR_TYPE (*error_one)(SCALAR_TYPE x, SCALAR_TYPE y, SCALAR_TYPE value);
    void (*add_one)(SCALAR_TYPE *state, SCALAR_TYPE value, SCALAR_TYPE error, int inexact);
    void (*merge_one)(SCALAR_TYPE *state, const SCALAR_TYPE *other);
} QUIRE_NAME(tile_arithmetic, SCALAR);

/* Full rows through the first, second, ... group of vectors. */
QUIRE_INLINE void QUIRE_NAME(tile_rows, SCALAR)(QUIRE_NAME(tile_arithmetic, SCALAR) t,
                                                QUIRE_NAME(tile_lanes, SCALAR) * lanes, const char *x, const char *y,
                                                size_t rows) {
    enum { VECTORS = ORDER_LANES / WIDTH, MOST = SIMD_REGISTERS / 2 < VECTORS ? SIMD_REGISTERS / 2 : VECTORS };
    const int group = t.words == 1 ? MOST : MOST / 2;
    for (int first = 0; first < VECTORS; first += group) {
        VECTOR state[MOST][QUIRE_STATE_WORDS];
#pragma GCC unroll 16
        for (int v = 0; v < group; v++)
            for (int w = 0; w < t.words; w++) memcpy(&state[v][w], &lanes->word[w][(first + v) * WIDTH], sizeof(VECTOR));
        for (size_t row = 0; row < rows; row++) {
            const size_t at = (row * ORDER_LANES + (size_t)(first * WIDTH)) * (size_t)t.size;
#pragma GCC unroll 16
            for (int v = 0; v < group; v++) {
                /* perhaps past the end, where it does nothing */
                __builtin_prefetch((const void *)((uintptr_t)x + at + (size_t)(v * WIDTH * t.size) + STRIP_BYTES));
                VECTOR a = t.load(x + at + v * WIDTH * t.size);
                VECTOR b = t.inexact ? t.load(y + at + v * WIDTH * t.size) : a;
                VECTOR value = t.value(a, b);
                t.add(state[v], value, t.error(a, b, value), t.inexact);
            }
        }
#pragma GCC unroll 16
        for (int v = 0; v < group; v++)
            for (int w = 0; w < t.words; w++) memcpy(&lanes->word[w][(first + v) * WIDTH], &state[v][w], sizeof(VECTOR));
    }
}

/* The last row, when it is short. */
QUIRE_INLINE void QUIRE_NAME(tile_rest, SCALAR)(QUIRE_NAME(tile_arithmetic, SCALAR) t,
                                                QUIRE_NAME(tile_lanes, SCALAR) * lanes, const char *x, const char *y,
                                                size_t count) {
    for (size_t j = 0; j < count; j++) {
        SCALAR_TYPE state[QUIRE_STATE_WORDS];
        SCALAR_TYPE a = t.load_one(x + j * (size_t)t.size), b = t.inexact ? t.load_one(y + j * (size_t)t.size) : a;
        SCALAR_TYPE value = t.value_one(a, b);
        for (int w = 0; w < t.words; w++) state[w] = lanes->word[w][j];
        t.add_one(state, value, t.error_one(a, b, value), t.inexact);
        for (int w = 0; w < t.words; w++) lanes->word[w][j] = state[w];
    }
}

/* Lane j takes lane j + w, w = 128, 64, ... 1; lanes from live on are missing. */
QUIRE_INLINE void QUIRE_NAME(tile_merge, SCALAR)(QUIRE_NAME(tile_arithmetic, SCALAR) t,
                                                 QUIRE_NAME(tile_lanes, SCALAR) * lanes, size_t live) {
    size_t w = ORDER_LANES / 2;
    for (; live == ORDER_LANES && w >= WIDTH; w /= 2)
        for (size_t j = 0; j < w; j += WIDTH) {
            VECTOR into[QUIRE_STATE_WORDS], from[QUIRE_STATE_WORDS];
            for (int k = 0; k < t.words; k++) {
                memcpy(&into[k], &lanes->word[k][j], sizeof(VECTOR));
                memcpy(&from[k], &lanes->word[k][j + w], sizeof(VECTOR));
            }
            t.merge(into, from);
            for (int k = 0; k < t.words; k++) memcpy(&lanes->word[k][j], &into[k], sizeof(VECTOR));
        }
    for (; w; w /= 2)
        for (size_t j = 0; j < w && j + w < live; j++) {
            SCALAR_TYPE into[QUIRE_STATE_WORDS], from[QUIRE_STATE_WORDS];
            for (int k = 0; k < t.words; k++) into[k] = lanes->word[k][j], from[k] = lanes->word[k][j + w];
            t.merge_one(into, from);
            for (int k = 0; k < t.words; k++) lanes->word[k][j] = into[k];
        }
}

QUIRE_INLINE void QUIRE_NAME(tile_sum, SCALAR)(QUIRE_NAME(tile_arithmetic, SCALAR) t, const char *x, const char *y, size_t n,
                                               SCALAR_TYPE *state) {
    QUIRE_NAME(tile_lanes, SCALAR) lanes;
    const size_t live = n < ORDER_LANES ? n : ORDER_LANES, row = (size_t)ORDER_LANES * (size_t)t.size;
    for (int w = 0; w < t.words; w++)
        for (size_t j = 0; j < live; j++) lanes.word[w][j] = (SCALAR_TYPE)-0.0;
    size_t rows = n / ORDER_LANES;
    for (size_t done = 0; done < rows; done += STRIP_BYTES / row) {
        const size_t left = rows - done, strip = left < STRIP_BYTES / row ? left : STRIP_BYTES / row;
        QUIRE_NAME(tile_rows, SCALAR)(t, &lanes, x + done * row, y + done * row, strip);
    }
    QUIRE_NAME(tile_rest, SCALAR)(t, &lanes, x + rows * row, y + rows * row, n % ORDER_LANES);
    QUIRE_NAME(tile_merge, SCALAR)(t, &lanes, live);
    for (int w = 0; w < t.words; w++) state[w] = lanes.word[w][0];
}

#undef VECTOR
#undef SCALAR
#undef SCALAR_TYPE
#undef WIDTH
