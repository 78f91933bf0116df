/* backend.h - what a place to work must offer, and what the API hands to it. The API knows backends only through this.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BACKEND_H
#define QUIRE_BACKEND_H

#include "operation/operations.h"
#include "quire/quire.h"

#define QUIRE_PRIVATE __attribute__((visibility("hidden")))

/* A reduction whose arguments have been checked. y is x unless the operation is a dot. */
typedef struct {
    quire_type type;
    quire_term term;
    quire_finish finish;
    size_t n;
    const void *x, *y;
    quire_method method;
    quire_type result_type;
    void *result;
} quire_job;

typedef struct {
    quire_status (*reduce)(quire_context *context, const quire_job *job);
    /* Adds the terms of the job to the accumulator; the job's method, finish and result do not count. */
    quire_status (*accumulate)(quire_context *context, const quire_job *job, quire_accumulator *accumulator);
    quire_status (*set_stream)(quire_context *context, struct CUstream_st *stream);
    quire_status (*set_tier)(quire_context *context, quire_tier tier);
    quire_status (*set_progress)(quire_context *context, void (*report)(void *, size_t, size_t), void *user);
    void (*close)(quire_context *context);
} quire_backend;

/* Every context begins with its backend. */
struct quire_context {
    const quire_backend *backend;
};

/* The CPU's; it takes NULL for a context too. */
extern QUIRE_PRIVATE const quire_backend quire_cpu_backend;

#endif
