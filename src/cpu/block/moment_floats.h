/* moment_floats.h - both sums of a variance in one pass, in floats, of elements whose squares are floats. The radius of
 * Q is below 2^-18 of it, that of n Q - S^2 below 2^-17 of n Q, which decides most results of 11 bits and fewer, and it
 * takes less than half the time of doubles.
 *
 * Let u = 2^-24, and m the most additions of floats that an element goes through: one in each step, and SETS - 1
 * between lanes. All others are of doubles. An addition gives (a + b) (1 + d), |d| <= u, also if that is subnormal:
 * then d = 0. So what is there for S is the sum of all x (1 + t), |t| <= (1 + u)^m (1 + 2^-53)^f - 1 < 1.01 m u, since
 * m is less than 2^6 and f, the additions of doubles, less than 2^9 (N. J. Higham, Accuracy and Stability of Numerical
 * Algorithms, 2nd ed., 2002, lemma 3.1 and (4.4)). S is off by 1.01 m u sum |x| <= 1.01 m u sqrt(n Q) at most (Cauchy
 * and Schwarz).
 *
 * A square has twice the bits of x, 24 at most, and is not rounded, whether it is added by an fma or not, unless it, or
 * the sum, is below the normal floats: then 2^-150 is lost instead. So what is there for Q is the sum of all (x^2 + e)
 * (1 + t), |e| <= 2^-150, |t| < 1.01 m u. With P the sum of all x^2 + e, which is at most 1.001 of what is there, Q is
 * off by 1.01 m u P + n 2^-150, and Q <= P + n 2^-150.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_BLOCK_MOMENT_FLOATS_H
#define QUIRE_CPU_BLOCK_MOMENT_FLOATS_H

#include "cpu/block/moment_sums.h"

#define MOMENT_FLOAT_SETS 4       /* vectors of lanes */
#define MOMENT_FLOAT_STEPS 32     /* additions to a lane before it goes to doubles: a stretch */
#define MOMENT_FLOAT_STRETCHES 64 /* of a block; the first is but half a stretch: then it shows what data there are */
#define MOMENT_FLOAT_LEAST 0x1p-5 /* of n Q: the least n Q - S^2 for which halves are decided more often than not */

typedef struct {
    int size;
    v_f32 (*load)(const void *p);
} moment_float_elements;

typedef struct {
    v_f32 a[MOMENT_FLOAT_SETS], aa[MOMENT_FLOAT_SETS];
} moment_float_lanes;

QUIRE_INLINE v_f32 moment_square_add(v_f32 x, v_f32 z) {
#if SIMD_BYTES > 16
    return fma_v_f32(x, x, z);
#else
    return x * x + z;
#endif
}

QUIRE_INLINE void moment_float_step(moment_float_elements e, moment_float_lanes *l, const char *x) {
    SIMD_UNROLL
    for (int i = 0; i < MOMENT_FLOAT_SETS; i++) {
        const v_f32 v = e.load(x + i * SIMD_F32 * e.size);
        l->a[i] += v;
        l->aa[i] = moment_square_add(v, l->aa[i]);
    }
}

/* The lanes' sum, as doubles. */
QUIRE_INLINE v_f64 moment_floats_widened(const v_f32 *lanes) {
    v_f32 sum = lanes[0];
    SIMD_UNROLL
    for (int i = 1; i < MOMENT_FLOAT_SETS; i++) sum += lanes[i];
    return lower_f64(sum) + upper_f64(sum);
}

#define MOMENT_FLOAT_STEP ((size_t)(MOMENT_FLOAT_SETS * SIMD_F32)) /* elements */
#define MOMENT_FLOAT_STRETCH (MOMENT_FLOAT_STEPS * MOMENT_FLOAT_STEP)

/* Of n elements, the last few by a copy behind which are zeros. */
QUIRE_INLINE void moment_float_stretch(moment_float_elements e, const char *x, size_t n, v_f64 *a, v_f64 *aa) {
    const size_t bytes = MOMENT_FLOAT_STEP * (size_t)e.size, tail = n % MOMENT_FLOAT_STEP * (size_t)e.size;
    const char *end = x + n / MOMENT_FLOAT_STEP * bytes;
    moment_float_lanes l;
    SIMD_UNROLL
    for (int i = 0; i < MOMENT_FLOAT_SETS; i++) l.a[i] = l.aa[i] = (v_f32){ 0 };
    for (; x < end; x += bytes) {
        SIMD_UNROLL
        for (size_t line = 0; line < bytes; line += 64)
            __builtin_prefetch((const void *)((uintptr_t)x + line + MOMENT_AHEAD));
        moment_float_step(e, &l, x);
    }
    if (tail) {
        char copy[MOMENT_FLOAT_SETS * SIMD_F32 * 4] = { 0 };
        memcpy(copy, x, tail);
        moment_float_step(e, &l, copy);
    }
    *a += moment_floats_widened(l.a);
    *aa += moment_floats_widened(l.aa);
}

/* Whether sums of n elements, of which those are perhaps a part only, may decide the result: not where they have
 * overflown, or are of something that is not finite, and seldom where the mean is many deviations. */
QUIRE_INLINE int moment_floats_may_decide(const moment_sums *sums, size_t n) {
    const double nq = (double)n * sums->q[0], variance = nq - sums->s[0] * sums->s[0];
    return nq <= 0x1p1000 && variance >= nq * MOMENT_FLOAT_LEAST;
}

/* Of n > 0 elements of 12 bits at most. Answers whether the sums are there. */
QUIRE_INLINE int moments_in_floats(moment_float_elements e, const char *x, size_t n, moment_sums *sums) {
    const size_t longest = n < MOMENT_FLOAT_STRETCH ? n : MOMENT_FLOAT_STRETCH;
    const double m = (double)((longest - 1) / MOMENT_FLOAT_STEP + MOMENT_FLOAT_SETS);
    memset(sums, 0, sizeof *sums);
    for (size_t done = 0, count; done < n; done += count) {
        const size_t most = done ? MOMENT_FLOAT_STRETCHES * MOMENT_FLOAT_STRETCH : MOMENT_FLOAT_STRETCH / 2;
        v_f64 a = { 0 }, aa = { 0 };
        count = n - done < most ? n - done : most;
        for (size_t i = 0; i < count; i += MOMENT_FLOAT_STRETCH) {
            const size_t left = count - i, some = left < MOMENT_FLOAT_STRETCH ? left : MOMENT_FLOAT_STRETCH;
            moment_float_stretch(e, x + (done + i) * (size_t)e.size, some, &a, &aa);
        }
        moment_words_add(sums->s, moment_lanes_add(a), 0, &sums->width[0]);
        moment_words_add(sums->q, moment_lanes_add(aa), 0, &sums->width[1]);
        if (!moment_floats_may_decide(sums, done + count)) return 0;
    }
    const double lost = (double)n * 0x1p-149;
    sums->width[0] += m * sqrt((double)n * (sums->q[0] + lost)) * 0x1.1p-24;
    sums->width[1] += m * sums->q[0] * 0x1.1p-24 + lost;
    sums->width[0] *= 1 + 0x1p-20, sums->width[1] *= 1 + 0x1p-20; /* which were rounded as they were added */
    return 1;
}

#endif
