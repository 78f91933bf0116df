/* moment_sums.h - both sums of a variance in one pass, in doubles that lose a little, and how much that is at most.
 * Compiled anew for every format; included by panels.c.
 *
 * The n elements x of a block are added to lanes, and the lanes to each other, so that no element goes through more
 * than m additions. Let u = 2^-53.
 *
 * Whole, x is added as it is, and its square, of at most 48 bits, without a rounding of its own. So Q is off by m u Q,
 * and S by m u sum |x| <= m u sqrt(n Q) (Cauchy and Schwarz).
 *
 * Split, x = a + b, where a is the nearest multiple of a unit U and |b| <= U / 2. (Adding and subtracting 1.5 * 2^52 U
 * makes a of an x below 2^50 U; of a greater one it makes something of at least 2^49 U.) Sums of a a, a b and b b are
 * kept. If that of a a ends below 2^53 U^2, all on the way were multiples of U^2 below that: nothing was rounded in it,
 * nor in that of a. Then sum |a b| <= U/2 sqrt(n sum a a) < 2^25.5 sqrt(n) U^2, so that m additions, and as many
 * products where they round too, lose (m + 1) u times as much, which counts twice. The sum of b is up to n U/2, that of
 * b b up to n U^2/4, and they lose m u of it. A block whose sum of a a is too great is done again with a unit of its
 * own.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_BLOCK_MOMENT_SUMS_H
#define QUIRE_CPU_BLOCK_MOMENT_SUMS_H

#include "cpu/block/moment_ball.h"
#include "cpu/simd/simd.h"

#define MOMENT_STEPS 256  /* additions to a lane in a block */
#define MOMENT_SETS 4     /* vectors of lanes, for additions that need not wait; half of them if elements are split */
#define MOMENT_AHEAD 1024 /* bytes */
#define MOMENT_LEAST_UNIT -250 /* its square is a number that is not subnormal */
#define MOMENT_GREATEST_UNIT 200

typedef struct {
    int size;
    void (*widen)(const void *p, v_f64 *a, v_f64 *b);
} moment_elements;

typedef struct {
    v_f64 a, b, aa, ab, bb;
} moment_lanes;

/* Without rounding the product, where that takes no longer. */
QUIRE_INLINE v_f64 moment_product_add(v_f64 x, v_f64 y, v_f64 z) {
#if SIMD_BYTES > 16
    return fma_v_f64(x, y, z);
#else
    return x * y + z;
#endif
}

/* Subtracting makes the negative of the sum, on the multipliers, where additions have units of their own (simd.h). */
QUIRE_INLINE void moment_add(int split, int subtracts, moment_lanes *l, v_f64 x, v_f64 shift) {
    v_f64 a = x;
    if (split) {
        a = SIMD_SUBTRACT_F64(x + shift, shift);
        const v_f64 b = x - a;
        l->b += b;
        l->ab = moment_product_add(a, b, l->ab);
        l->bb = moment_product_add(b, b, l->bb);
    }
    l->a = subtracts ? SIMD_SUBTRACT_F64(l->a, a) : l->a + a;
    l->aa = moment_product_add(a, a, l->aa);
}

QUIRE_INLINE void moment_step(moment_elements e, int split, int sets, moment_lanes *l, const char *x, v_f64 shift) {
    SIMD_UNROLL
    for (int i = 0; i < sets; i += 2) {
        v_f64 a, b;
        e.widen(x + i * SIMD_F64 * e.size, &a, &b);
        moment_add(split, 0, &l[i], a, shift);
        moment_add(split, !split, &l[i + 1], b, shift); /* split, the products keep the multipliers busy */
    }
}

/* What the lanes of a block come to. */
typedef struct {
    double a, b, aa, ab, bb;
} moment_block_sums;

QUIRE_INLINE double moment_lanes_add(v_f64 x) {
    double sum = x[0];
    for (int i = 1; i < SIMD_F64; i++) sum += x[i];
    return sum;
}

/* A block of n elements, the last few by a copy behind which are zeros. */
QUIRE_INLINE moment_block_sums moment_block(moment_elements e, int split, int sets, const char *x, size_t n,
                                            double unit) {
    const size_t step = (size_t)(sets * SIMD_F64), bytes = step * (size_t)e.size, tail = n % step * (size_t)e.size;
    const v_f64 shift = (v_f64){ 0 } + unit * 0x1.8p52;
    moment_lanes l[MOMENT_SETS];
    SIMD_UNROLL
    for (int i = 0; i < sets; i++) l[i].a = l[i].b = l[i].aa = l[i].ab = l[i].bb = (v_f64){ 0 };
    const char *end = x + n / step * bytes;
    for (; x < end; x += bytes) {
        __builtin_prefetch((const void *)((uintptr_t)x + MOMENT_AHEAD));
        moment_step(e, split, sets, l, x, shift);
    }
    if (tail) {
        char copy[MOMENT_SETS * SIMD_F64 * 8] = { 0 };
        memcpy(copy, x, tail);
        moment_step(e, split, sets, l, copy, shift);
    }
    SIMD_UNROLL
    for (int i = 1; i < sets; i++) {
        l[0].a = !split && i % 2 ? l[0].a - l[i].a : l[0].a + l[i].a, l[0].b += l[i].b;
        l[0].aa += l[i].aa, l[0].ab += l[i].ab, l[0].bb += l[i].bb;
    }
    moment_block_sums sums = { moment_lanes_add(l[0].a), 0, moment_lanes_add(l[0].aa), 0, 0 };
    if (!split) return sums;
    sums.b = moment_lanes_add(l[0].b), sums.ab = moment_lanes_add(l[0].ab), sums.bb = moment_lanes_add(l[0].bb);
    return sums;
}

/* The least unit U with which a sum of squares that is 2^bits times the given one is below 2^52 U^2, within limits. */
QUIRE_INLINE double moment_unit(double squares, int bits) {
    int k = ((int)(bits_of_double(squares) << 1 >> 53) - 1023 + bits - 50) >> 1;
    if (k < MOMENT_LEAST_UNIT) k = MOMENT_LEAST_UNIT;
    if (k > MOMENT_GREATEST_UNIT) k = MOMENT_GREATEST_UNIT;
    return double_of_bits((uint64_t)(k + 1023) << 52);
}

/* Finds a unit first, if there is none yet. Answers 0 if none is great enough. */
QUIRE_INLINE int moment_split_block(moment_elements e, int sets, const char *x, size_t n, double *unit,
                                    moment_block_sums *sums) {
    for (int tries = 0; tries < 2; tries++) {
        if (*unit == 0) *unit = moment_unit(moment_block(e, 0, sets, x, n, 0).aa, 0);
        *sums = moment_block(e, 1, sets, x, n, *unit);
        if (sums->aa < *unit * *unit * 0x1p53) return 1;
        *unit = 0;
    }
    return 0;
}

/* Of n > 0 elements. Answers whether the sums are there: not if something is not finite, or if they are too great. */
QUIRE_INLINE int moments_of(moment_elements e, int split, const char *x, size_t n, moment_sums *sums) {
    const int sets = split ? MOMENT_SETS / 2 : MOMENT_SETS;
    const size_t step = (size_t)(sets * SIMD_F64), most = MOMENT_STEPS * step, longest = n < most ? n : most;
    const double m = (double)((longest - 1) / step + 1) + sets + SIMD_F64;
    double unit = 0, units = 0, squares = 0; /* the units of all blocks and their squares, added up */
    memset(sums, 0, sizeof *sums);
    for (size_t done = 0; done < n; done += most) {
        const size_t count = n - done < most ? n - done : most;
        const char *at = x + done * (size_t)e.size;
        moment_block_sums block;
        if (!split)
            block = moment_block(e, 0, sets, at, count, 0);
        else if (!moment_split_block(e, sets, at, count, &unit, &block))
            return 0;
        moment_words_add(sums->s, block.a, block.b, &sums->width[0]);
        moment_words_add(sums->q, block.aa, 2 * block.ab + block.bb, &sums->width[1]);
        if (!split) continue;
        units += unit, squares += unit * unit;
        unit = moment_unit(block.aa, 1); /* the next one may be twice as great */
    }
    if (!(sums->q[0] <= 0x1p1000)) return 0;
    if (split) {
        sums->width[0] += units * m * (double)longest * 0x1.1p-54;
        sums->width[1] += squares * (m + 3) * sqrt((double)longest) * 0x1.8p-27;
    } else {
        sums->width[0] += m * sqrt((double)n * sums->q[0]) * 0x1.1p-53;
        sums->width[1] += m * sums->q[0] * 0x1.1p-53;
    }
    sums->width[0] *= 1 + 0x1p-20, sums->width[1] *= 1 + 0x1p-20; /* which were rounded as they were added */
    return 1;
}

#endif
