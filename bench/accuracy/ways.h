/* ways.h - the ways to run that must not show in the bits: instruction sets, threads, the caller's rounding mode,
 * launch shapes, CPU and GPU. Most are the variants of the tests' places.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_ACCURACY_WAYS_H
#define QUIRE_ACCURACY_WAYS_H

#include "options.h"
#include "place.h"

#define MAX_WAYS 32
#define MAX_LEFT_OUT 8

typedef struct way {
    char name[80];
    const char *place;
    size_t variant;         /* of the place */
    quire_context *context; /* our own, in place of a variant, if not NULL */
    bool hostile;           /* the caller rounds upward, and flushes subnormals to zero */
    size_t least;           /* with fewer elements it is the same as another */
    uint64_t results, wrong;
} way;

typedef struct ways {
    way one[MAX_WAYS];
    int count;
    char left_out[MAX_LEFT_OUT][160]; /* what cannot be had here, and why */
    int left_out_count;
} ways;

/* Finds what is there and was asked for. bytes: of the longest vector. Complains and answers false if a place that was
 * named cannot be had. */
bool ways_open(ways *w, const options *o, size_t bytes);
void ways_close(ways *w);

/* Notes something that the run leaves out. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void ways_leave_out(ways *w, const char *format, ...);

/* The calls to come go this way. */
void way_take(const way *it);

/* The public function of that operation. */
quire_status way_reduce(const way *it, operation op, quire_type type, size_t n, const void *x, const void *y,
                        quire_method method, quire_type result_type, void *result);

#endif
