/* rung.h - what a numbered file offers: one reduction kernel, in three ways of accumulating.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_LADDER_RUNG_H
#define QUIRE_BENCH_LADDER_RUNG_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct way {
    size_t (*workspace)(size_t n); /* bytes of device memory */
    size_t (*chain)(
        size_t n); /* the most additions that an element can go through: error <= chain u sum|x| / (1 - chain u) */
    int (*enqueue)(size_t n, const void *x, void *workspace, void *result, void *stream);
} way;

typedef struct rung {
    way f32, f16, f16_in_half;
    int is_by_chance; /* atomics: the bits may differ from run to run */
} rung;

extern const rung rung_01, rung_02, rung_03, rung_04, rung_04_conflicts, rung_05, rung_06, rung_07, rung_07_unrolled,
    rung_08, rung_09, rung_10, rung_11, rung_12;

#ifdef __cplusplus
}
#endif

#endif
