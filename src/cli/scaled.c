/* scaled.c - numbers that neither overflow nor underflow.
 *
 * SPDX-License-Identifier: MIT
 */
#include "scaled.h"

#include <math.h>

#define LEAST_LIMB_EXPONENT (-2148)
#define LIMB_BITS 32

struct scaled scaled_make(double m, int e) {
    if (m == 0 || isinf(m)) return (struct scaled){ m, 0 };
    int shift;
    m = frexp(m, &shift);
    return (struct scaled){ m, e + shift };
}

bool scaled_less(struct scaled a, struct scaled b) {
    if (a.m == 0 || b.m == 0 || isinf(a.m) || isinf(b.m) || a.e == b.e) return a.m < b.m;
    return a.e < b.e;
}

struct scaled scaled_add(struct scaled a, struct scaled b) {
    if (scaled_less(a, b)) return scaled_add(b, a);
    if (b.m == 0 || isinf(a.m)) return a;
    return scaled_make(a.m + ldexp(b.m, b.e - a.e), a.e);
}

struct scaled scaled_difference(struct scaled a, struct scaled b) {
    if (!scaled_less(b, a)) return (struct scaled){ 0, 0 };
    if (b.m == 0 || isinf(a.m)) return a;
    return scaled_make(a.m - ldexp(b.m, b.e - a.e), a.e);
}

struct scaled scaled_times(struct scaled a, struct scaled b) {
    return scaled_make(a.m * b.m, a.e + b.e);
}

struct scaled scaled_over(struct scaled a, struct scaled b) {
    return scaled_make(a.m / b.m, a.e - b.e);
}

struct scaled scaled_root(struct scaled a) {
    int odd = a.e & 1;
    return scaled_make(sqrt(odd ? 2 * a.m : a.m), (a.e - odd) / 2);
}

double scaled_in_units(struct scaled a, int e) { return ldexp(a.m, a.e - e); }

struct scaled scaled_accumulator(const quire_accumulator *accumulator) {
    quire_accumulator sum = *accumulator;
    quire_carry(&sum);
    if (sum.limb[QUIRE_ACCUMULATOR_LIMBS - 1] < 0) {
        for (int i = 0; i < QUIRE_ACCUMULATOR_LIMBS; i++) sum.limb[i] = -sum.limb[i];
        quire_carry(&sum);
    }
    int top = QUIRE_ACCUMULATOR_LIMBS - 1;
    while (top > 0 && !sum.limb[top]) top--;
    /* The leading limb is at least 1, so three of them give more than 64 bits, and the rest is less than the rounding.
     */
    double m = 0;
    int last = top > 2 ? top - 2 : 0;
    for (int i = last; i <= top; i++) m += ldexp((double)sum.limb[i], LIMB_BITS * (i - last));
    return scaled_make(m, LIMB_BITS * last + LEAST_LIMB_EXPONENT);
}
