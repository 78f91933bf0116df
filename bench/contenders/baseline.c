/* baseline.c - plain loops. The one file of the project that is compiled with -ffast-math (and -O3 -march=native); it
 * is a library of its own, and quire's never sees it.
 *
 * What the compiler makes of them, from the disassembly (gcc 12, AVX-512): one vector of 16 floats or 8 doubles as the
 * running sum, one load and add a step, no unrolling; so in the caches a loop is bound by the latency of the add, and
 * from memory by memory. bfloat16: a step widens 32 elements by a shift into two vectors, adds these together and their
 * sum to the one running vector. clang unrolls and takes four running vectors. Halves are by hand, in baseline_half.h,
 * with four. The ceiling, which no loop can pass, is in ceiling.c.
 *
 * SPDX-License-Identifier: MIT
 */
#include "baseline.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#if defined(__AVX512F__) || defined(__F16C__)
#include <immintrin.h>
#endif

static inline float bfloat16_value(uint16_t bfloat16) {
    const uint32_t bits = (uint32_t)bfloat16 << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* No infinities and no NaN, which fast-math knows nothing of. */
static inline float e5m2_value(uint8_t e5m2) {
    const uint32_t magnitude = e5m2 & 0x7f, sign = (uint32_t)(e5m2 & 0x80) << 24,
                   bits = (magnitude << 21) + (112u << 23);
    float value;
    memcpy(&value, &bits, sizeof value);
    value = magnitude < 4 ? (float)magnitude * 0x1p-16f : value;
    return sign ? -value : value;
}

static inline float e4m3_value(uint8_t e4m3) {
    const uint32_t magnitude = e4m3 & 0x7f, sign = (uint32_t)(e4m3 & 0x80) << 24,
                   bits = (magnitude << 20) + (120u << 23);
    float value;
    memcpy(&value, &bits, sizeof value);
    value = magnitude < 8 ? (float)magnitude * 0x1p-9f : value;
    return sign ? -value : value;
}

#define COLUMNS_AT_ONCE 2048 /* 16 KiB of running sums at most */

static bool is_moment(const job *j) { return j->operation == OPERATION_VARIANCE || j->operation == OPERATION_STDDEV; }

#include "baseline_half.h"

#define LOOP(name) name##_e5m2
#define ELEMENT uint8_t
#define REAL float
#define VALUE(e) e5m2_value(e)
#include "baseline_loops.h"

#define LOOP(name) name##_e4m3
#define ELEMENT uint8_t
#define REAL float
#define VALUE(e) e4m3_value(e)
#include "baseline_loops.h"

#define LOOP(name) name##_bfloat16
#define ELEMENT uint16_t
#define REAL float
#define VALUE(e) bfloat16_value(e)
#include "baseline_loops.h"

#define LOOP(name) name##_float
#define ELEMENT float
#define REAL float
#define VALUE(e) (e)
#include "baseline_loops.h"

#define LOOP(name) name##_double
#define ELEMENT double
#define REAL double
#define VALUE(e) (e)
#include "baseline_loops.h"

static double sum(const job *j) {
    switch (j->type) {
    case QUIRE_F16: return sum_half(j->x, j->n);
    case QUIRE_BF16: return sum_bfloat16(j->x, j->n);
    case QUIRE_F32: return sum_float(j->x, j->n);
    case QUIRE_E5M2: return sum_e5m2(j->x, j->n);
    case QUIRE_E4M3: return sum_e4m3(j->x, j->n);
    default: return sum_double(j->x, j->n);
    }
}

static double asum(const job *j) {
    switch (j->type) {
    case QUIRE_F16: return asum_half(j->x, j->n);
    case QUIRE_BF16: return asum_bfloat16(j->x, j->n);
    case QUIRE_F32: return asum_float(j->x, j->n);
    case QUIRE_E5M2: return asum_e5m2(j->x, j->n);
    case QUIRE_E4M3: return asum_e4m3(j->x, j->n);
    default: return asum_double(j->x, j->n);
    }
}

static double dot(const job *j) {
    switch (j->type) {
    case QUIRE_F16: return dot_half(j->x, j->y, j->n);
    case QUIRE_BF16: return dot_bfloat16(j->x, j->y, j->n);
    case QUIRE_F32: return dot_float(j->x, j->y, j->n);
    case QUIRE_E5M2: return dot_e5m2(j->x, j->y, j->n);
    case QUIRE_E4M3: return dot_e4m3(j->x, j->y, j->n);
    default: return dot_double(j->x, j->y, j->n);
    }
}

static double squares(const job *j) {
    switch (j->type) {
    case QUIRE_F16: return squares_half(j->x, j->n);
    case QUIRE_BF16: return squares_bfloat16(j->x, j->n);
    case QUIRE_F32: return squares_float(j->x, j->n);
    case QUIRE_E5M2: return squares_e5m2(j->x, j->n);
    case QUIRE_E4M3: return squares_e4m3(j->x, j->n);
    default: return squares_double(j->x, j->n);
    }
}

static double deviations(const job *j, double mean) {
    switch (j->type) {
    case QUIRE_F16: return deviations_half(j->x, j->n, (float)mean);
    case QUIRE_BF16: return deviations_bfloat16(j->x, j->n, (float)mean);
    case QUIRE_F32: return deviations_float(j->x, j->n, (float)mean);
    case QUIRE_E5M2: return deviations_e5m2(j->x, j->n, (float)mean);
    case QUIRE_E4M3: return deviations_e4m3(j->x, j->n, (float)mean);
    default: return deviations_double(j->x, j->n, mean);
    }
}

static double textbook(const job *j) {
    switch (j->type) {
    case QUIRE_F16: return textbook_half(j->x, j->n);
    case QUIRE_BF16: return textbook_bfloat16(j->x, j->n);
    case QUIRE_F32: return textbook_float(j->x, j->n);
    case QUIRE_E5M2: return textbook_e5m2(j->x, j->n);
    case QUIRE_E4M3: return textbook_e4m3(j->x, j->n);
    default: return textbook_double(j->x, j->n);
    }
}

static double variance(const job *j, formula how) {
    return how == TEXTBOOK ? textbook(j) : deviations(j, sum(j) / (double)j->n) / (double)j->n;
}

const int baseline_needs = 0
#ifdef __AVX2__
                           | NEEDS_AVX2
#endif
#ifdef __AVX512F__
                           | NEEDS_AVX512
#endif
#ifdef __FMA__
                           | NEEDS_FMA
#endif
    ;

double baseline_reduce(const job *j, formula how) {
    switch (j->operation) {
    case OPERATION_ASUM: return asum(j);
    case OPERATION_DOT: return dot(j);
    case OPERATION_NRM2: return sqrt(squares(j));
    case OPERATION_SUMSQ: return squares(j);
    case OPERATION_MEAN: return sum(j) / (double)j->n;
    case OPERATION_VARIANCE: return variance(j, how);
    case OPERATION_STDDEV: return sqrt(variance(j, how));
    default: return sum(j);
    }
}

static void columns(const job *j, formula how) {
    switch (j->type) {
    case QUIRE_F16: columns_half(j, how); return;
    case QUIRE_BF16: columns_bfloat16(j, how); return;
    case QUIRE_F32: columns_float(j, how); return;
    case QUIRE_E5M2: columns_e5m2(j, how); return;
    case QUIRE_E4M3: columns_e4m3(j, how); return;
    default: columns_double(j, how); return;
    }
}

void baseline_reduce_many(const job *j, formula how) {
    const char *x = j->x, *y = j->y;
    const size_t size = j->type == QUIRE_F64 ? 8 : j->type == QUIRE_F32 ? 4 : j->type <= QUIRE_BF16 ? 2 : 1;
    if (j->layout == LAYOUT_COLUMNS) {
        columns(j, how);
        return;
    }
    job one = { .operation = j->operation, .type = j->type, .result_type = j->result_type, .n = j->length };
    for (size_t i = 0; i < j->vectors; i++) {
        const size_t first = j->offsets ? (size_t)j->offsets[i] : i * j->length;
        if (j->offsets) one.n = (size_t)(j->offsets[i + 1] - j->offsets[i]);
        one.x = x + first * size;
        one.y = y ? y + first * size : y;
        const double result = baseline_reduce(&one, how);
        if (j->type == QUIRE_F64)
            ((double *)j->results)[i] = result;
        else
            ((float *)j->results)[i] = (float)result;
    }
}
