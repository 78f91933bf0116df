/* fuzz_reduce.c - quire_reduce and quire_reduce_segments with arguments of any kind.
 *
 * What the library accepts must give each vector the bits of the single call on its gathered elements; what it refuses
 * must leave the results untouched. A layout that would reach outside of the array is given only if it must be refused.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "fuzz.h"

#define BYTES 4096 /* of each array */
#define RESULTS 64
#define WHOLE ((__int128)INT64_MAX)

static _Alignas(16) unsigned char x[BYTES], y[BYTES];
static _Alignas(16) unsigned char results[RESULTS * 16], untouched[RESULTS * 16];

/* The bytes that the arguments are made of; zeros behind the last. */
struct bytes_left {
    const uint8_t *next;
    size_t left;
};

static uint64_t take(struct bytes_left *bytes, size_t count) {
    uint64_t number = 0;
    for (; count > 0 && bytes->left > 0; count--, bytes->left--) number = number << 8 | *bytes->next++;
    return number;
}

/* Small most of the time, any number of 64 bits else. */
static uint64_t take_size(struct bytes_left *bytes) {
    const uint64_t small = take(bytes, 1);
    return small < 250 ? small % 40 : take(bytes, 8);
}

static ptrdiff_t take_stride(struct bytes_left *bytes) {
    const uint64_t small = take(bytes, 1);
    return small < 250 ? (ptrdiff_t)(small % 41) - 20 : (ptrdiff_t)take(bytes, 8);
}

/* Mostly a format, or none; else an integer. */
static quire_type take_type(struct bytes_left *bytes) {
    const uint64_t number = take(bytes, 1);
    return (quire_type)(number < 200 ? number % 8 : QUIRE_INT8 + number % 10);
}

static quire_reduction take_reduction(struct bytes_left *bytes) {
    quire_reduction what;
    memset(&what, 0, sizeof what);
    what.operation = (quire_operation)(take(bytes, 1) % 13);
    what.type = take_type(bytes);
    what.result_type = take_type(bytes);
    what.method = (quire_method)(take(bytes, 1) % 6);
    what.rounding = (quire_rounding)(take(bytes, 1) % 5);
    what.correction = (int64_t)(take(bytes, 1)) - 3;
    if (take(bytes, 1) == 255) what.reserved[take(bytes, 1) % 4] = 1;
    return what;
}

static quire_layout take_layout(struct bytes_left *bytes) {
    quire_layout layout = { take_size(bytes), take_size(bytes), take_size(bytes), 0, 0, 0 };
    layout.outer_stride = take_stride(bytes);
    layout.stride = take_stride(bytes);
    layout.inner_stride = take_stride(bytes);
    return layout;
}

static size_t size_of(quire_type type) {
    static const size_t sizes[] = { 8, 2, 2, 4, 8, 1, 1, 8 };
    if (type < QUIRE_INT8) return sizes[type];
    return type < QUIRE_INT128 ? (size_t)1 << (type - QUIRE_INT8) % 4 : 16;
}

/* Of a result; that of integers is a double unless it is named. */
static size_t result_size(const quire_reduction *what) {
    if (what->result_type) return size_of(what->result_type);
    return what->type < QUIRE_INT8 ? size_of(what->type) : sizeof(double);
}

/* A product, but no further from 0 than what is too large for anything. */
static __int128 times(__int128 a, __int128 b) {
    const __int128 most = (__int128)1 << 100;
    __int128 product;
    const bool overflow = __builtin_mul_overflow(a, b, &product);
    if (overflow || product > most || product < -most) return (a < 0) == (b < 0) ? most : -most;
    return product;
}

/* How far a layout reaches below and above the element of index 0. */
static void reach(const quire_layout *layout, __int128 *least, __int128 *greatest) {
    const size_t counts[] = { layout->outer, layout->n, layout->inner };
    const ptrdiff_t strides[] = { layout->outer_stride, layout->stride, layout->inner_stride };
    *least = *greatest = 0;
    if (!layout->outer || !layout->n || !layout->inner) return;
    for (int i = 0; i < 3; i++) {
        const __int128 far = times(strides[i], (__int128)(counts[i] - 1));
        *(far < 0 ? least : greatest) += far;
    }
}

static void gather_vector(const quire_layout *layout, size_t size, const unsigned char *from, size_t i, size_t j,
                          unsigned char *to) {
    for (size_t k = 0; k < layout->n; k++)
        memcpy(to + k * size,
               from + ((ptrdiff_t)i * layout->outer_stride + (ptrdiff_t)k * layout->stride +
                       (ptrdiff_t)j * layout->inner_stride) *
                          (ptrdiff_t)size,
               size);
}

/* The vectors one by one. */
static void compare(const quire_reduction *what, const quire_layout *layout, const unsigned char *from) {
    const size_t size = size_of(what->type), result = result_size(what);
    if (!layout->outer || !layout->inner) return;
    unsigned char *vector = malloc(layout->n * size + 1);
    REQUIRE(vector);
    for (size_t i = 0; i < layout->outer; i++)
        for (size_t j = 0; j < layout->inner; j++) {
            uint64_t single[2] = { 0, 0 };
            const quire_layout one = quire_strided(layout->n, 1);
            gather_vector(layout, size, from, i, j, vector);
            REQUIRE(!quire_reduce(NULL, what, &one, vector, NULL, vector, single));
            REQUIRE(!memcmp(single, results + (i * layout->inner + j) * result, result));
        }
    free(vector);
}

static void reduce(struct bytes_left *bytes) {
    const quire_reduction what = take_reduction(bytes);
    const quire_layout layout = take_layout(bytes);
    const __int128 size = (__int128)size_of(what.type);
    __int128 least, greatest;
    reach(&layout, &least, &greatest);
    const bool named =
        (what.type >= QUIRE_F16 && what.type <= QUIRE_E4M3) || (what.type >= QUIRE_INT8 && what.type < QUIRE_INT128);
    const bool fits = (greatest - least + 1) * size <= BYTES;
    const __int128 vectors = times((__int128)layout.outer, (__int128)layout.inner);
    const bool too_large = vectors * (__int128)result_size(&what) > WHOLE || (greatest - least + 1) * size > WHOLE ||
                           (vectors && (__int128)layout.n * size > WHOLE);
    if (!too_large && (!fits || vectors > RESULTS || (vectors && layout.n > BYTES))) return; /* a stride of 0 repeats */
    const unsigned char *from = too_large ? x : x - least * size;
    memcpy(results, untouched, sizeof results);
    const quire_status status = quire_reduce(NULL, &what, &layout, from, NULL, from, results);
    REQUIRE(!too_large || status);
    REQUIRE(named || status);
    if (status)
        REQUIRE(!memcmp(results, untouched, sizeof results));
    else
        compare(&what, &layout, from);
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
