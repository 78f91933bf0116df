/* context.h - a CPU context, and what the drivers of one vector and of many share.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_CONTEXT_H
#define QUIRE_CPU_CONTEXT_H

#include "backend.h"
#include "cpu/block/panel.h"
#include "cpu/tier/tier.h"

typedef struct {
    quire_context base;
    const cpu_tier *tier;
    int threads;   /* 0: threads_available() */
    size_t cache;  /* bytes: it pays to fetch far ahead in arrays that are longer; in caches it does not */
    size_t thread; /* bytes: the fewest that a thread is started for */
    void (*report)(void *user, size_t done, size_t total);
    void *user;
} cpu_context;

/* A copy of the context, or what a NULL context means. */
QUIRE_PRIVATE cpu_context cpu_context_of(const quire_context *context);

/* How many threads are worth starting for these bytes, which come in pieces: at least 1. */
QUIRE_PRIVATE int cpu_threads(const cpu_context *context, size_t bytes, size_t pieces);

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

/* Word k of column c of a panel's state. */
QUIRE_INLINE double panel_word(const void *state, int k, size_t c, int is_double) {
    const size_t at = (size_t)k * PANEL + c;
    return is_double ? ((const double *)state)[at] : (double)((const float *)state)[at];
}

/* A job of one vector, whose elements are the strides, in bytes, apart. The context's threads share it. Answers the
 * result's bits. */
QUIRE_PRIVATE uint64_t cpu_reduce_vector(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride,
                                         ptrdiff_t y_stride);

/* The backend's slots. */
QUIRE_PRIVATE quire_status cpu_set_stream(quire_context *context, struct CUstream_st *stream);
QUIRE_PRIVATE quire_status cpu_set_tier(quire_context *context, quire_tier tier);
QUIRE_PRIVATE quire_status cpu_set_progress(quire_context *context, void (*report)(void *, size_t, size_t), void *user);
QUIRE_PRIVATE void cpu_close(quire_context *context);
QUIRE_PRIVATE quire_status cpu_reduce_many(quire_context *context, const quire_job *job, const quire_layout *x_layout,
                                           const quire_layout *y_layout);
QUIRE_PRIVATE quire_status cpu_reduce_segments(quire_context *context, const quire_job *job,
                                               const quire_segments *segments);

#endif
