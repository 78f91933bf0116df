/* lane_methods.h - the methods of the canonical order on the states of single lanes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_LANE_METHODS_H
#define QUIRE_CPU_LANE_METHODS_H

#include "backend.h"
#include "method/methods.h"

/* The state of a lane, and what the methods' list says about one method. */
typedef union {
    float f32[QUIRE_STATE_WORDS];
    double f64[QUIRE_STATE_WORDS];
} lane_state;

typedef void (*merge_function)(lane_state *into, const lane_state *from);

typedef struct {
    merge_function merge[2]; /* floats, doubles */
    quire_total (*total)(const double *state);
    int words;
} lane_method;

extern QUIRE_PRIVATE const lane_method lane_methods[METHOD_NUMBERS];

#endif
