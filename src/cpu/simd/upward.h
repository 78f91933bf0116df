/* upward.h - additions that round upward. AVX-512 says so in an addition. Others have a mode, of which the compiler
 * does not know: so the instruction that sets it takes the sums that loops begin with and all memory, from which terms
 * are read, and the one that sets it back all memory, where the results must be by then. No addition can be moved past
 * either. Between the two no other arithmetic than this may stand that rounds.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_SIMD_UPWARD_H
#define QUIRE_CPU_SIMD_UPWARD_H

#include "cpu/simd/simd.h"

#define UPWARD_SUMS 4 /* vectors that sums begin with, of each of two kinds */

#if SIMD_BYTES == 64
#define SIMD_UPWARD (_MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC)

typedef int rounding_mode; /* none */

QUIRE_INLINE rounding_mode enter_upward(v_f64 a[UPWARD_SUMS], v_f64 b[UPWARD_SUMS]) { return (void)a, (void)b, 0; }
QUIRE_INLINE void leave_upward(rounding_mode callers) { (void)callers; }

QUIRE_INLINE v_f64 up_add_v_f64(v_f64 a, v_f64 b) {
    return (v_f64)_mm512_add_round_pd((__m512d)a, (__m512d)b, SIMD_UPWARD);
}
QUIRE_INLINE v_f64 up_subtract_v_f64(v_f64 a, v_f64 b) {
    return (v_f64)_mm512_fnmadd_round_pd((__m512d)b, _mm512_set1_pd(1), (__m512d)a, SIMD_UPWARD);
}
QUIRE_INLINE v_f64 up_fma_v_f64(v_f64 x, v_f64 y, v_f64 z) {
    return (v_f64)_mm512_fmadd_round_pd((__m512d)x, (__m512d)y, (__m512d)z, SIMD_UPWARD);
}
QUIRE_INLINE double up_add_f64(double a, double b) {
    return _mm_cvtsd_f64(_mm_add_round_sd(_mm_set_sd(a), _mm_set_sd(b), SIMD_UPWARD));
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

typedef unsigned rounding_mode;

#define MXCSR_UPWARD 0x4000u /* of MXCSR, whose rounding is to nearest here */

QUIRE_INLINE rounding_mode enter_upward(v_f64 a[UPWARD_SUMS], v_f64 b[UPWARD_SUMS]) {
    const rounding_mode callers = _mm_getcsr(), upward = callers | MXCSR_UPWARD;
    __asm__ volatile("ldmxcsr %8"
                     : "+x"(a[0]), "+x"(a[1]), "+x"(a[2]), "+x"(a[3]), "+x"(b[0]), "+x"(b[1]), "+x"(b[2]), "+x"(b[3])
                     : "m"(upward)
                     : "memory");
    return callers;
}
QUIRE_INLINE void leave_upward(rounding_mode callers) { __asm__ volatile("ldmxcsr %0" : : "m"(callers) : "memory"); }
#else
#include <fenv.h>

typedef int rounding_mode;

QUIRE_INLINE rounding_mode enter_upward(v_f64 a[UPWARD_SUMS], v_f64 b[UPWARD_SUMS]) {
    fesetround(FE_UPWARD);
    for (int i = 0; i < UPWARD_SUMS; i++) __asm__ volatile("" : "+m"(a[i]), "+m"(b[i]) : : "memory");
    return FE_TONEAREST;
}
QUIRE_INLINE void leave_upward(rounding_mode callers) {
    __asm__ volatile("" : : : "memory");
    fesetround(callers);
}
#endif
#endif

#endif
