/* moments.c - both sums of variances in one tier: in one pass, in doubles or in floats that lose a little, and how much
 * that is at most; instances for every format, and the table of them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/block/moment_ball.h"
#include "cpu/simd/simd.h"
#include "cpu/tier/tier.h"

/* ------------------------------------------------------------------------------------------------------- in doubles */

/* The n elements x of a block are added to lanes, and the lanes to each other, so that no element goes through more
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
 */

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

/* -------------------------------------------------------------------------------------------------------- in floats */

/* Of elements whose squares are floats. The radius of Q is below 2^-18 of it, that of n Q - S^2 below 2^-17 of n Q,
 * which decides most results of 11 bits and fewer, and it takes less than half the time of doubles.
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
 */

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

/* -------------------------------------------------------------------------------------------------------- instances */

#define VECTOR_LOAD_f32(format) format##_load_v_f32
#define VECTOR_LOAD_f64(format) NULL

/* Numbers of 53 bits are split always. */
QUIRE_INLINE int moments_by(format_description f, moment_elements e, moment_float_elements floats, moment_way way,
                            const char *x, size_t n, moment_sums *sums) {
    if (way == MOMENTS_SPLIT || f.precision > 24) return moments_of(e, 1, x, n, sums);
    if (way == MOMENTS_UNSPLIT || f.precision > MOMENTS_FLOAT_BITS) return moments_of(e, 0, x, n, sums);
    return moments_in_floats(floats, x, n, sums);
}

#define MOMENTS_INSTANCE(format, FORMAT, type, real, unused)                                                           \
    static int format##_moments(const char *x, size_t n, moment_way way, moment_sums *sums) {                          \
        return moments_by(                                                                                             \
            (format_description)FORMAT##_DESCRIPTION, (moment_elements){ sizeof(format##_element), format##_widen },   \
            (moment_float_elements){ sizeof(format##_element), VECTOR_LOAD_##real(format) }, way, x, n, sums);         \
    }
QUIRE_FORMATS(MOMENTS_INSTANCE, )

#define MOMENTS_ENTRY(format, FORMAT, type, real, unused) [type] = format##_moments,
const moments_function QUIRE_NAME(moments_table, SIMD_TIER)[FORMAT_NUMBERS] = { QUIRE_FORMATS(MOMENTS_ENTRY, ) };
