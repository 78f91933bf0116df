/* fuzz_arguments.h - arguments of the library's calls, of any kind, made of the fuzzer's bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_TESTS_FUZZ_ARGUMENTS_H
#define QUIRE_TESTS_FUZZ_ARGUMENTS_H

#include <string.h>

#include "fuzz.h"

#define WHOLE ((__int128)INT64_MAX)

/* The bytes that the arguments are made of; zeros behind the last. */
struct bytes_left {
    const uint8_t *next;
    size_t left;
};

static inline uint64_t take(struct bytes_left *bytes, size_t count) {
    uint64_t number = 0;
    for (; count > 0 && bytes->left > 0; count--, bytes->left--) number = number << 8 | *bytes->next++;
    return number;
}

/* Small most of the time, any number of 64 bits else. */
static inline uint64_t take_size(struct bytes_left *bytes) {
    const uint64_t small = take(bytes, 1);
    return small < 250 ? small % 40 : take(bytes, 8);
}

static inline ptrdiff_t take_stride(struct bytes_left *bytes) {
    const uint64_t small = take(bytes, 1);
    return small < 250 ? (ptrdiff_t)(small % 41) - 20 : (ptrdiff_t)take(bytes, 8);
}

/* Mostly a format, or none; else an integer. */
static inline quire_type take_type(struct bytes_left *bytes) {
    const uint64_t number = take(bytes, 1);
    return (quire_type)(number < 200 ? number % 8 : QUIRE_INT8 + number % 10);
}

static inline quire_reduction take_reduction(struct bytes_left *bytes) {
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

static inline quire_layout take_layout(struct bytes_left *bytes) {
    quire_layout layout = { take_size(bytes), take_size(bytes), take_size(bytes), 0, 0, 0 };
    layout.outer_stride = take_stride(bytes);
    layout.stride = take_stride(bytes);
    layout.inner_stride = take_stride(bytes);
    return layout;
}

static inline size_t size_of(quire_type type) {
    static const size_t sizes[] = { 8, 2, 2, 4, 8, 1, 1, 8 };
    if (type < QUIRE_INT8) return sizes[type];
    return type < QUIRE_INT128 ? (size_t)1 << (type - QUIRE_INT8) % 4 : 16;
}

/* Of a result; that of integers is a double unless it is named. */
static inline size_t result_size(const quire_reduction *what) {
    if (what->result_type) return size_of(what->result_type);
    return what->type < QUIRE_INT8 ? size_of(what->type) : sizeof(double);
}

/* A product, but no further from 0 than what is too large for anything. */
static inline __int128 times(__int128 a, __int128 b) {
    const __int128 most = (__int128)1 << 100;
    __int128 product;
    const bool overflow = __builtin_mul_overflow(a, b, &product);
    if (overflow || product > most || product < -most) return (a < 0) == (b < 0) ? most : -most;
    return product;
}

/* How far a layout reaches below and above the element of index 0. */
static inline void reach(const quire_layout *layout, __int128 *least, __int128 *greatest) {
    const size_t counts[] = { layout->outer, layout->n, layout->inner };
    const ptrdiff_t strides[] = { layout->outer_stride, layout->stride, layout->inner_stride };
    *least = *greatest = 0;
    if (!layout->outer || !layout->n || !layout->inner) return;
    for (int i = 0; i < 3; i++) {
        const __int128 far = times(strides[i], (__int128)(counts[i] - 1));
        *(far < 0 ? least : greatest) += far;
    }
}

static inline void gather_vector(const quire_layout *layout, size_t size, const unsigned char *from, size_t i, size_t j,
                                 unsigned char *to) {
    for (size_t k = 0; k < layout->n; k++)
        memcpy(to + k * size,
               from + ((ptrdiff_t)i * layout->outer_stride + (ptrdiff_t)k * layout->stride +
                       (ptrdiff_t)j * layout->inner_stride) *
                          (ptrdiff_t)size,
               size);
}

static inline bool is_named(quire_type type) {
    return (type >= QUIRE_F16 && type <= QUIRE_E4M3) || (type >= QUIRE_INT8 && type < QUIRE_INT128);
}

static inline bool is_of_pairs(quire_operation operation) {
    return operation >= QUIRE_AVERAGE && operation <= QUIRE_CORRELATION;
}

static inline bool reads_two(quire_operation operation) { return operation == QUIRE_DOT || is_of_pairs(operation); }

/* An array that a layout reaches: where the element of index 0 stands, and whether the layout stays inside. */
struct reached {
    const unsigned char *origin;
    bool fits, too_large; /* too_large: it must be refused */
};

static inline struct reached reach_in(const unsigned char *array, size_t room, const quire_layout *layout,
                                      size_t size) {
    __int128 least, greatest;
    reach(layout, &least, &greatest);
    const __int128 bytes = (greatest - least + 1) * (__int128)size;
    const __int128 vectors = times((__int128)layout->outer, (__int128)layout->inner);
    struct reached r = { array, bytes <= (__int128)room, false };
    r.too_large = bytes > WHOLE || (vectors && times((__int128)layout->n, (__int128)size) > WHOLE);
    if (r.fits) r.origin = array - least * (__int128)size;
    return r;
}

#endif
