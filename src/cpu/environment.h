/* environment.h - the floating-point environment our arithmetic assumes: rounding to nearest, no flush to zero, no
 * traps. The caller's may be another (any fast-math library in the process may have switched on flushing); it is put
 * aside while we work, and comes back with its flags untouched.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_ENVIRONMENT_H
#define QUIRE_CPU_ENVIRONMENT_H

#if defined(__x86_64__)

#include <xmmintrin.h>

typedef unsigned cpu_environment;

#define ENVIRONMENT_FLAGS 0x3fu  /* of exceptions that were raised: they are no part of how we compute */
#define ENVIRONMENT_OURS 0x1f80u /* the processor's default: nothing traps, rounding to nearest, no FTZ, no DAZ */

/* Most callers' is ours, and writing it takes much longer than reading it. */
static inline cpu_environment environment_enter(void) {
    const cpu_environment callers = _mm_getcsr();
    if ((callers & ~ENVIRONMENT_FLAGS) != ENVIRONMENT_OURS) _mm_setcsr(ENVIRONMENT_OURS);
    return callers;
}

static inline void environment_leave(cpu_environment callers) {
    if (_mm_getcsr() != callers) _mm_setcsr(callers);
}

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
