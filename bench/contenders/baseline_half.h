/* baseline_half.h - the loops for half, by hand, since compilers convert halves one at a time or not at all.
 *
 * Four running vectors: gcc would take one (as it does for float) and clang four. It is the stronger baseline, as fast
 * as the conversions are; with one, or with two added in turn, clang and gcc differ by half. Without F16C the
 * conversion is integer arithmetic that vectorises.
 *
 * SPDX-License-Identifier: MIT
 */
#if defined(__AVX512F__)

typedef __m512 wide;
#define LANES 16
static inline wide widen(const uint16_t *x) { return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)x)); }
static inline wide magnitude(wide a) { return _mm512_abs_ps(a); }

#elif defined(__F16C__) && defined(__AVX__)

typedef __m256 wide;
#define LANES 8
static inline wide widen(const uint16_t *x) { return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)x)); }
static inline wide magnitude(wide a) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a); }

#endif

/* The exponent is rebiased by a multiplication, which also makes normal numbers of subnormal ones; then Inf and NaN. */
static inline float half_value(uint16_t half) {
    uint32_t bits = (uint32_t)(half & 0x7fff) << 13;
    float value;
    memcpy(&value, &bits, sizeof value);
    value *= 0x1p112f;
    memcpy(&bits, &value, sizeof bits);
    bits |= (half & 0x7c00) == 0x7c00 ? 0x7f800000 : 0;
    bits |= (uint32_t)(half & 0x8000) << 16;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#define RUNNING 4

#ifndef LANES

#define LOOP(name) name##_half
#define ELEMENT uint16_t
#define REAL float
#define VALUE(e) half_value(e)
#include "baseline_loops.h"

#else

#define STEP (RUNNING * LANES)

static float across(const wide s[RUNNING]) {
    const wide all = (s[0] + s[1]) + (s[2] + s[3]);
    float lane[LANES], sum = 0;
    memcpy(lane, &all, sizeof all);
    for (int i = 0; i < LANES; i++) sum += lane[i];
    return sum;
}

static double sum_half(const uint16_t *x, size_t n) {
    wide s[RUNNING] = { { 0 } };
    size_t i = 0;
    for (; i + STEP <= n; i += STEP)
        for (int k = 0; k < RUNNING; k++) s[k] += widen(x + i + k * LANES);
    for (; i + LANES <= n; i += LANES) s[0] += widen(x + i);
    float sum = across(s);
    for (; i < n; i++) sum += half_value(x[i]);
    return sum;
}

static double asum_half(const uint16_t *x, size_t n) {
    wide s[RUNNING] = { { 0 } };
    size_t i = 0;
    for (; i + STEP <= n; i += STEP)
        for (int k = 0; k < RUNNING; k++) s[k] += magnitude(widen(x + i + k * LANES));
    for (; i + LANES <= n; i += LANES) s[0] += magnitude(widen(x + i));
    float sum = across(s);
    for (; i < n; i++) sum += half_value(x[i] & 0x7fff);
    return sum;
}

static double dot_half(const uint16_t *x, const uint16_t *y, size_t n) {
    wide s[RUNNING] = { { 0 } };
    size_t i = 0;
    for (; i + STEP <= n; i += STEP)
        for (int k = 0; k < RUNNING; k++) s[k] += widen(x + i + k * LANES) * widen(y + i + k * LANES);
    for (; i + LANES <= n; i += LANES) s[0] += widen(x + i) * widen(y + i);
    float sum = across(s);
    for (; i < n; i++) sum += half_value(x[i]) * half_value(y[i]);
    return sum;
}

static inline wide square(wide a) { return a * a; }

static double squares_half(const uint16_t *x, size_t n) {
    wide s[RUNNING] = { { 0 } };
    size_t i = 0;
    for (; i + STEP <= n; i += STEP)
        for (int k = 0; k < RUNNING; k++) s[k] += square(widen(x + i + k * LANES));
    for (; i + LANES <= n; i += LANES) s[0] += square(widen(x + i));
    float sum = across(s);
    for (; i < n; i++) sum += half_value(x[i]) * half_value(x[i]);
    return sum;
}

static double deviations_half(const uint16_t *x, size_t n, float mean) {
    wide s[RUNNING] = { { 0 } };
    size_t i = 0;
    for (; i + STEP <= n; i += STEP)
        for (int k = 0; k < RUNNING; k++) s[k] += square(widen(x + i + k * LANES) - mean);
    for (; i + LANES <= n; i += LANES) s[0] += square(widen(x + i) - mean);
    float sum = across(s);
    for (; i < n; i++) sum += (half_value(x[i]) - mean) * (half_value(x[i]) - mean);
    return sum;
}

static inline void add_both(wide *s, wide *q, wide a) {
    *s += a;
    *q += a * a;
}

static double textbook_half(const uint16_t *x, size_t n) {
    wide s[RUNNING] = { { 0 } }, q[RUNNING] = { { 0 } };
    size_t i = 0;
    for (; i + STEP <= n; i += STEP)
        for (int k = 0; k < RUNNING; k++) add_both(&s[k], &q[k], widen(x + i + k * LANES));
    for (; i + LANES <= n; i += LANES) add_both(&s[0], &q[0], widen(x + i));
    float sum = across(s), squares = across(q);
    for (; i < n; i++) sum += half_value(x[i]), squares += half_value(x[i]) * half_value(x[i]);
    return (squares - sum * sum / (float)n) / (float)n;
}

/* Columns are left to the compiler, which vectorises half_value. */
#define LOOP(name) name##_half
#define ELEMENT uint16_t
#define REAL float
#define VALUE(e) half_value(e)
#include "baseline_columns.h"
#undef LOOP
#undef ELEMENT
#undef REAL
#undef VALUE

#endif
