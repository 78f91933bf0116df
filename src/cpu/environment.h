/* environment.h - the floating-point environment our arithmetic assumes: rounding to nearest, no flush to zero, no traps.
 * The caller's may be another (any fast-math library in the process may have switched on flushing); it is put aside while
 * we work, and comes back with its flags untouched.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_ENVIRONMENT_H
#define QUIRE_CPU_ENVIRONMENT_H

#if defined(__x86_64__)

#include <xmmintrin.h>

typedef unsigned cpu_environment;

static inline cpu_environment environment_enter(void) {
    cpu_environment callers = _mm_getcsr();
    _mm_setcsr(0x1f80); /* the processor's default: all exceptions masked, round to nearest, no FTZ, no DAZ             */
    return callers;
}

static inline void environment_leave(cpu_environment callers) { _mm_setcsr(callers); }

#else

#include <fenv.h>

typedef fenv_t cpu_environment;

static inline cpu_environment environment_enter(void) {
    cpu_environment callers;
    fegetenv(&callers);
    fesetenv(FE_DFL_ENV);
    return callers;
}

static inline void environment_leave(cpu_environment callers) { fesetenv(&callers); }

#endif

#endif
