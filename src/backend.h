/* backend.h - what a place to work must offer, and what the API hands to it. The API knows backends only through this.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BACKEND_H
#define QUIRE_BACKEND_H

#include "format/integers.h"
#include "operation/operations.h"
#include "quire/quire.h"

#define QUIRE_PRIVATE __attribute__((visibility("hidden")))

/* A reduction of one vector whose arguments have been checked. y is x unless the operation reads two arrays. */
typedef struct {
    quire_type type;
    quire_term term;
    finish_kind finish;
    size_t n;
    const void *x, *y;
    quire_method method;
    quire_type result_type;
    void *result;
    quire_rounding rounding;
    int64_t correction; /* of what needs squares, or pair sums */
} quire_job;

/* Where the segments of an array stand, see quire_reduce_segments. */
typedef struct {
    size_t count;
    quire_index index;
    const void *begin, *end;
} quire_segments;

/* The same of rows that are found through an index, see quire_reduce_gathered. */
typedef struct {
    quire_segments segments;
    const void *x_order, *y_order;
    quire_layout x, y;
} quire_gathered;

/* The groups that rows belong to, see quire_order_by_key. */
typedef struct {
    size_t groups, n;
    quire_index index;
    const void *keys;
} quire_keys;

typedef struct {
    quire_status (*reduce)(quire_context *context, const quire_job *job);
    /* A result for each vector of the layouts, whose n is the job's; at least one vector. The job's x, y and result are
     * the elements of index 0. */
    quire_status (*reduce_many)(quire_context *context, const quire_job *job, const quire_layout *x_layout,
                                const quire_layout *y_layout);
    /* A result for each segment, of which there is at least one; the job's n does not count. NULL: QUIRE_WRONG_CONTEXT.
     */
    quire_status (*reduce_segments)(quire_context *context, const quire_job *job, const quire_segments *segments);
    /* Adds the terms of the job to the accumulator; the job's method, finish and result do not count. */
    quire_status (*accumulate)(quire_context *context, const quire_job *job, quire_accumulator *accumulator);
    quire_status (*set_stream)(quire_context *context, struct CUstream_st *stream);
    quire_status (*set_tier)(quire_context *context, quire_tier tier);
    quire_status (*set_progress)(quire_context *context, void (*report)(void *, size_t, size_t), void *user);
    void (*close)(quire_context *context);
    /* Rounds accumulators, of which there is at least one, to results as the job's finish, result type, rounding and
     * result say; squares is NULL unless that needs them. NULL: its accumulators are in host memory, where the API does
     * this itself. */
    quire_status (*finish)(quire_context *context, const quire_job *job, size_t count, const quire_accumulator *sums,
                           const quire_accumulator *squares);
    /* Sums by key. A result for each vector of the layouts and each segment, of which there is at least one. NULL:
     * QUIRE_WRONG_CONTEXT. */
    quire_status (*reduce_gathered)(quire_context *context, const quire_job *job, const quire_gathered *rows);
    /* Bytes of workspace, or 0: more than memory holds; and what needs as many, where the arguments have been checked,
     * and n, keys or results may be none. counts may be NULL; arrays: 2 if y is read beside x. NULL: there is no such
     * call, as above. */
    size_t (*order_workspace)(quire_context *context, const quire_keys *keys);
    quire_status (*order_by_key)(quire_context *context, const quire_keys *keys, void *order, void *offsets,
                                 void *workspace);
    size_t (*by_key_workspace)(quire_context *context, const quire_job *job, const quire_keys *keys,
                               const quire_layout *x_layout, int arrays);
    quire_status (*reduce_by_key)(quire_context *context, const quire_job *job, const quire_keys *keys,
                                  const quire_layout *x_layout, const quire_layout *y_layout, int64_t *counts,
                                  void *workspace);
    /* Running sums, of at least one element. The job's x and result are those of index 0. NULL: QUIRE_WRONG_CONTEXT. */
    quire_status (*scan)(quire_context *context, const quire_job *job, quire_scan_kind kind,
                         const quire_layout *x_layout, const quire_layout *results_layout);
} quire_backend;

/* Every context begins with its backend. */
struct quire_context {
    const quire_backend *backend;
};

/* The CPU's; it takes NULL for a context too. */
extern QUIRE_PRIVATE const quire_backend quire_cpu_backend;

#endif
