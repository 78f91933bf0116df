/* baseline_loops.h - the plain loops, for one type. Included once for each type that plain C can load, with
 *     LOOP(name)   the loop's name for this type
 *     ELEMENT      what is in memory
 *     REAL         what it is summed in
 *     VALUE(e)     an element as a REAL
 * and made free of those names again.
 *
 * SPDX-License-Identifier: MIT
 */
static double LOOP(sum)(const ELEMENT *x, size_t n) {
    REAL s = 0;
    for (size_t i = 0; i < n; i++) s += VALUE(x[i]);
    return s;
}

static double LOOP(asum)(const ELEMENT *x, size_t n) {
    REAL s = 0;
    for (size_t i = 0; i < n; i++) {
        const REAL value = VALUE(x[i]);
        s += value < 0 ? -value : value;
    }
    return s;
}

static double LOOP(dot)(const ELEMENT *x, const ELEMENT *y, size_t n) {
    REAL s = 0;
    for (size_t i = 0; i < n; i++) s += VALUE(x[i]) * VALUE(y[i]);
    return s;
}

static double LOOP(squares)(const ELEMENT *x, size_t n) {
    REAL s = 0;
    for (size_t i = 0; i < n; i++) {
        const REAL value = VALUE(x[i]);
        s += value * value;
    }
    return s;
}

static double LOOP(deviations)(const ELEMENT *x, size_t n, REAL mean) {
    REAL s = 0;
    for (size_t i = 0; i < n; i++) {
        const REAL deviation = VALUE(x[i]) - mean;
        s += deviation * deviation;
    }
    return s;
}

static double LOOP(textbook)(const ELEMENT *x, size_t n) {
    REAL s = 0, q = 0;
    for (size_t i = 0; i < n; i++) {
        const REAL value = VALUE(x[i]);
        s += value;
        q += value * value;
    }
    return (q - s * s / (REAL)n) / (REAL)n;
}

#include "baseline_columns.h"

#undef LOOP
#undef ELEMENT
#undef REAL
#undef VALUE
