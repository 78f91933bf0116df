/* fuzz_reduce.c - quire_reduce and quire_reduce_segments with arguments of any kind.
 *
 * What the library accepts must give each vector the bits of the single call on its gathered elements; what it refuses
 * must leave the results untouched. A layout that would reach outside of the array is given only if it must be refused.
 *
 * SPDX-License-Identifier: MIT
 */
#include "fuzz_arguments.h"

#define BYTES 4096 /* of each array */
#define RESULTS 64

static _Alignas(16) unsigned char x[BYTES], y[BYTES];
static _Alignas(16) unsigned char results[RESULTS * 16], untouched[RESULTS * 16];

/* Of operations of two arrays the accumulators of both must say the same. */
static void finish(const quire_reduction *what, size_t n, const void *u, const void *v, const void *single) {
    quire_accumulator sums[5];
    uint64_t result[2] = { 0, 0 };
    memset(sums, 0, sizeof sums);
    REQUIRE(!quire_accumulate(NULL, &sums[0], what->type, n, u));
    REQUIRE(!quire_accumulate(NULL, &sums[1], what->type, n, v));
    REQUIRE(!quire_accumulate_products(NULL, &sums[2], what->type, n, u, u));
    REQUIRE(!quire_accumulate_products(NULL, &sums[3], what->type, n, v, v));
    REQUIRE(!quire_accumulate_products(NULL, &sums[4], what->type, n, u, v));
    quire_reduction to = *what;
    if (!to.result_type) to.result_type = what->type < QUIRE_INT8 ? what->type : QUIRE_F64;
    REQUIRE(!quire_finish_pair(&to, &sums[0], &sums[1], &sums[2], &sums[3], &sums[4], result));
    REQUIRE(!memcmp(result, single, result_size(what)));
}

/* The vectors one by one. */
static void compare(const quire_reduction *what, const quire_layout *layout, const unsigned char *from,
                    const quire_layout *y_layout, const unsigned char *y_from) {
    const size_t size = size_of(what->type), result = result_size(what);
    if (!layout->outer || !layout->inner) return;
    unsigned char *u = malloc(layout->n * size + 1), *v = malloc(layout->n * size + 1);
    REQUIRE(u && v);
    for (size_t i = 0; i < layout->outer; i++)
        for (size_t j = 0; j < layout->inner; j++) {
            uint64_t single[2] = { 0, 0 };
            const quire_layout one = quire_strided(layout->n, 1);
            gather_vector(layout, size, from, i, j, u);
            gather_vector(y_layout, size, y_from, i, j, v);
            REQUIRE(!quire_reduce(NULL, what, &one, u, NULL, v, single));
            REQUIRE(!memcmp(single, results + (i * layout->inner + j) * result, result));
            if (is_of_pairs(what->operation)) finish(what, layout->n, u, v, single);
        }
    free(u);
    free(v);
}

static void reduce(struct bytes_left *bytes) {
    const quire_reduction what = take_reduction(bytes);
    const quire_layout layout = take_layout(bytes);
    const size_t size = size_of(what.type);
    quire_layout y_layout = layout;
    const bool is_other = take(bytes, 1) % 4 == 3; /* y stands in its own way */
    if (is_other) y_layout.stride = take_stride(bytes), y_layout.inner_stride = take_stride(bytes);
    const struct reached x_at = reach_in(x, BYTES, &layout, size), y_at = reach_in(y, BYTES, &y_layout, size);
    const bool is_same = !is_other && take(bytes, 1) % 2;
    const bool two = reads_two(what.operation) && !is_same;
    const __int128 vectors = times((__int128)layout.outer, (__int128)layout.inner);
    const bool too_large = vectors * (__int128)result_size(&what) > WHOLE || x_at.too_large || (two && y_at.too_large);
    const bool fits = x_at.fits && (!two || y_at.fits);
    if (!too_large && (!fits || vectors > RESULTS || (vectors && layout.n > BYTES))) return; /* a stride of 0 repeats */
    const unsigned char *second = is_same ? x_at.origin : y_at.origin;
    memcpy(results, untouched, sizeof results);
    const quire_status status =
        quire_reduce(NULL, &what, &layout, x_at.origin, is_other ? &y_layout : NULL, second, results);
    REQUIRE(!too_large || status);
    REQUIRE(is_named(what.type) || status);
    if (status)
        REQUIRE(!memcmp(results, untouched, sizeof results));
    else if (reads_two(what.operation))
        compare(&what, &layout, x_at.origin, is_same ? &layout : &y_layout, second);
    else
        compare(&what, &layout, x_at.origin, &layout, x_at.origin);
}

static void segments(struct bytes_left *bytes) {
    quire_reduction what = take_reduction(bytes);
    int32_t begin[16], end[16];
    const size_t count = (size_t)(take(bytes, 1) % 17), size = size_of(what.type), elements = BYTES / size;
    const quire_index index = (quire_index)(take(bytes, 1) % 4 ? 1 : take(bytes, 1) % 4);
    int64_t wide[2][16];
    for (size_t s = 0; s < count; s++) {
        begin[s] = (int32_t)(take(bytes, 2) % elements), end[s] = (int32_t)(take(bytes, 2) % elements);
        wide[0][s] = begin[s], wide[1][s] = end[s];
    }
    memcpy(results, untouched, sizeof results);
    const void *from = index == QUIRE_I64 ? (const void *)wide[0] : begin,
               *to = index == QUIRE_I64 ? (const void *)wide[1] : end;
    const quire_status status = quire_reduce_segments(NULL, &what, count, index, from, to, x, y, results);
    if (status) {
        REQUIRE(!memcmp(results, untouched, sizeof results));
        return;
    }
    const size_t result = result_size(&what);
    for (size_t s = 0; s < count; s++) {
        uint64_t single[2] = { 0, 0 };
        const quire_layout one = quire_strided(end[s] > begin[s] ? (size_t)(end[s] - begin[s]) : 0, 1);
        const size_t at = (size_t)begin[s] * size;
        REQUIRE(!quire_reduce(NULL, &what, &one, x + at, NULL, y + at, single));
        REQUIRE(!memcmp(single, results + s * result, result));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct bytes_left bytes = { data, size };
    const bool by_segments = take(&bytes, 1) & 1;
    memset(untouched, 0xa5, sizeof untouched);
    /* The arrays are made of the last bytes, again and again, turned a little each time. */
    for (size_t i = 0; i < BYTES; i++) {
        x[i] = size ? (uint8_t)(data[size - 1 - i % size] + i / 64) : (uint8_t)i;
        y[i] = (uint8_t)(x[i] * 5 + 3);
    }
    (by_segments ? segments : reduce)(&bytes);
    return 0;
}
