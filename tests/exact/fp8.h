/* fp8.h - what the suites of the 8-bit formats share: the formats, and the comparison of one call. */
#ifndef QUIRE_TESTS_FP8_H
#define QUIRE_TESTS_FP8_H

#include "place.h"
#include "support.h"

#define FP8_COUNT 2
static const quire_type FP8[FP8_COUNT] = { QUIRE_E5M2, QUIRE_E4M3 };

/* One reduction by the place's context. */
static inline void check_one(operation op, quire_type type, size_t n, const void *x, const void *y, quire_method method,
                             quire_type result_type, uint64_t expected, const char *text) {
    uint64_t result[1];
    check_ok(place_reduce(op, type, n, x, y, method, result_type, result));
    check_bits(result_type, result, expected, "%s %s of %zu %s, %s", method_name(method), operation_name(op), n,
               type_name(type), text);
}

#endif
