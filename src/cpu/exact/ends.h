/* ends.h - an exact sum by its two ends. Where additions round upward, up + x and low - x enclose it: -low <= sum <=
 * up, whatever the terms and their order. Where both ends round to the same result that is the correctly rounded sum,
 * for rounding is monotonic; where not, windows do it again.
 *
 * A double holds terms of floats and of shorter numbers, and their products, exactly. An end is infinite or NaN only if
 * a term was: 2^64 of them are below 2^320. The upper end is -0 only if every term was.
 *
 * AVX-512 says in an addition how it rounds. Others have a mode, of which the compiler does not know: so the
 * instruction that sets it takes the sums that the loop begins with, and the one that sets it back what they have
 * become, and no addition can be moved past either.
 *
 * Included by tier/ends.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_EXACT_ENDS_H
#define QUIRE_CPU_EXACT_ENDS_H

#include "cpu/block/functions.h"
#include "cpu/simd/simd.h"
#include "operation/operations.h"

#define ENDS_VECTORS 4
#define ENDS_STEP ((size_t)(2 * SIMD_F32)) /* elements that give each of the vectors its lanes */
#define ENDS_LONGEST ((size_t)1 << 15)     /* elements after which lanes start anew: the ends of long sums are wide */

typedef struct {
    v_f64 low[ENDS_VECTORS], up[ENDS_VECTORS];
} ends_lanes;

#if SIMD_BYTES == 64
#define ENDS_ROUND (_MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC)

typedef int ends_mode; /* none */

QUIRE_INLINE ends_mode ends_enter(ends_lanes *e) { return (void)e, 0; }
QUIRE_INLINE void ends_leave(ends_mode callers, sum_ends *e) { (void)callers, (void)e; }

QUIRE_INLINE v_f64 up_add_v_f64(v_f64 a, v_f64 b) {
    return (v_f64)_mm512_add_round_pd((__m512d)a, (__m512d)b, ENDS_ROUND);
}
QUIRE_INLINE v_f64 up_subtract_v_f64(v_f64 a, v_f64 b) {
    return (v_f64)_mm512_fnmadd_round_pd((__m512d)b, _mm512_set1_pd(1), (__m512d)a, ENDS_ROUND);
}
QUIRE_INLINE v_f64 up_fma_v_f64(v_f64 x, v_f64 y, v_f64 z) {
    return (v_f64)_mm512_fmadd_round_pd((__m512d)x, (__m512d)y, (__m512d)z, ENDS_ROUND);
}
QUIRE_INLINE double up_add_f64(double a, double b) {
    return _mm_cvtsd_f64(_mm_add_round_sd(_mm_set_sd(a), _mm_set_sd(b), ENDS_ROUND));
}
#else
QUIRE_INLINE v_f64 up_add_v_f64(v_f64 a, v_f64 b) { return a + b; }
QUIRE_INLINE v_f64 up_subtract_v_f64(v_f64 a, v_f64 b) { return SIMD_SUBTRACT_F64(a, b); }
QUIRE_INLINE v_f64 up_fma_v_f64(v_f64 x, v_f64 y, v_f64 z) {
    return SIMD_BYTES > 16 ? fma_v_f64(x, y, z) : z + x * y; /* a product is a double */
}
QUIRE_INLINE double up_add_f64(double a, double b) { return a + b; }

#if defined(__x86_64__)
#include <xmmintrin.h>

typedef unsigned ends_mode;

#define ENDS_UPWARD 0x4000u /* of MXCSR, whose rounding is to nearest here */

QUIRE_INLINE ends_mode ends_enter(ends_lanes *e) {
    const ends_mode callers = _mm_getcsr(), upward = callers | ENDS_UPWARD;
    __asm__ volatile("ldmxcsr %8"
                     : "+x"(e->low[0]), "+x"(e->low[1]), "+x"(e->low[2]), "+x"(e->low[3]), "+x"(e->up[0]),
                       "+x"(e->up[1]), "+x"(e->up[2]), "+x"(e->up[3])
                     : "m"(upward));
    return callers;
}
QUIRE_INLINE void ends_leave(ends_mode callers, sum_ends *e) {
    __asm__ volatile("ldmxcsr %2" : "+x"(e->low), "+x"(e->up) : "m"(callers));
}
#else
#include <fenv.h>

typedef int ends_mode;

QUIRE_INLINE ends_mode ends_enter(ends_lanes *e) {
    fesetround(FE_UPWARD);
    __asm__ volatile("" : "+m"(*e));
    return FE_TONEAREST;
}
QUIRE_INLINE void ends_leave(ends_mode callers, sum_ends *e) {
    __asm__ volatile("" : "+m"(*e));
    fesetround(callers);
}
#endif
#endif

_Static_assert(ENDS_LONGEST / ENDS_STEP + 1 <= (size_t)1 << SURE_BITS, "a lane has no more elements of a block");

/* The terms of an instance; all constant. */
typedef struct {
    size_t size;    /* bytes of an element */
    int is_product; /* of x and y */
    int is_pair;    /* y is another array; else it is x, and not read */
    term_sign sign; /* what becomes of an element's */
    int is_sure;    /* have_sure_sums: the upper end alone is enough, and low is not used */
    void (*widen)(const void *p, v_f64 *a, v_f64 *b);
    v_f32 (*first)(const void *p, int n, v_f32 others);
} ends_choice;

/* One term of each lane: an element, or a product of two. */
QUIRE_INLINE void ends_add(ends_choice c, v_f64 *low, v_f64 *up, v_f64 x, v_f64 y) {
    if (c.is_product) {
        *up = up_fma_v_f64(x, y, *up), *low = up_fma_v_f64(-x, y, *low);
        return;
    }
    if (c.sign == SIGN_CLEARED) x = abs_v_f64(x);
    *up = up_add_v_f64(*up, x);
    if (!c.is_sure) *low = up_subtract_v_f64(*low, x);
}

/* Two vectors of terms, to lanes i and i + 1. */
QUIRE_INLINE void ends_add_two(ends_choice c, ends_lanes *e, int i, const v_f64 x[2], const v_f64 y[2]) {
    ends_add(c, &e->low[i], &e->up[i], x[0], y[0]);
    ends_add(c, &e->low[i + 1], &e->up[i + 1], x[1], y[1]);
}
/* SIMD_F32 elements. */
QUIRE_INLINE void ends_half_step(ends_choice c, ends_lanes *e, int i, const char *x, const char *y) {
    v_f64 a[2], b[2];
    c.widen(x, &a[0], &a[1]);
    if (c.is_pair) c.widen(y, &b[0], &b[1]);
    ends_add_two(c, e, i, a, c.is_pair ? b : a);
}
/* ENDS_STEP elements. */
QUIRE_INLINE void ends_step(ends_choice c, ends_lanes *e, const char *x, const char *y) {
    const size_t half = SIMD_F32 * c.size;
    ends_half_step(c, e, 0, x, y);
    ends_half_step(c, e, 2, x + half, y + half);
}

/* The last n elements, fewer than ENDS_STEP. In place of what is missing stand zeros: -0, or products of -0 and +0. */
QUIRE_INLINE void ends_last(ends_choice c, ends_lanes *e, const char *x, const char *y, int n) {
    if (n >= SIMD_F32) {
        ends_half_step(c, e, 0, x, y);
        x += SIMD_F32 * c.size, y += SIMD_F32 * c.size, n -= SIMD_F32;
    }
    if (!n) return;
    const v_f32 first_x = c.first(x, n, -(v_f32){ 0 });
    const v_f64 a[2] = { lower_f64(first_x), upper_f64(first_x) };
    if (c.is_pair) {
        const v_f32 first_y = c.first(y, n, (v_f32){ 0 });
        const v_f64 b[2] = { lower_f64(first_y), upper_f64(first_y) };
        ends_add_two(c, e, 2, a, b);
    } else {
        ends_add_two(c, e, 2, a, a);
    }
}

/* What the lanes come to. */
QUIRE_INLINE sum_ends ends_total(ends_choice c, const ends_lanes *e) {
    sum_ends total = { -0.0, -0.0 };
    v_f64 low[ENDS_VECTORS], up[ENDS_VECTORS];
    for (int i = 0; i < ENDS_VECTORS; i++) low[i] = c.is_sure ? -e->up[i] : e->low[i], up[i] = e->up[i];
    const v_f64 lows = up_add_v_f64(up_add_v_f64(low[0], low[1]), up_add_v_f64(low[2], low[3])),
                ups = up_add_v_f64(up_add_v_f64(up[0], up[1]), up_add_v_f64(up[2], up[3]));
    SIMD_UNROLL
    for (int i = 0; i < SIMD_F64; i++)
        total.low = up_add_f64(total.low, lows[i]), total.up = up_add_f64(total.up, ups[i]);
    return total;
}

/* The ends of n terms. */
QUIRE_INLINE sum_ends ends_of(ends_choice c, const char *x, const char *y, size_t n) {
    const size_t size = c.size;
    ends_lanes start, e;
    for (int i = 0; i < ENDS_VECTORS; i++) start.low[i] = start.up[i] = -(v_f64){ 0 };
    const ends_mode callers = ends_enter(&start);
    sum_ends all = { -0.0, -0.0 };
    for (size_t left = n; left;) {
        size_t some = left < ENDS_LONGEST ? left : ENDS_LONGEST;
        left -= some;
        e = start;
        for (; some >= ENDS_STEP; some -= ENDS_STEP, x += ENDS_STEP * size, y += ENDS_STEP * size)
            ends_step(c, &e, x, y);
        if (some) ends_last(c, &e, x, y, (int)some);
        const sum_ends total = ends_total(c, &e);
        all.low = up_add_f64(all.low, total.low), all.up = up_add_f64(all.up, total.up);
    }
    ends_leave(callers, &all);
    return all;
}

#endif
