/* job.h - one call that is measured: what is summed, how the answers are written, and where the elements are.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_JOB_H
#define QUIRE_BENCH_JOB_H

#include <stddef.h>
#include <stdint.h>

#include <quire/quire.h>

#include "operation.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One vector, or many: the rows or the columns of a matrix, or segments, whose lengths are spread evenly about their
 * mean, by a power law, or nine in ten empty. */
typedef enum layout {
    LAYOUT_VECTOR,
    LAYOUT_ROWS,
    LAYOUT_COLUMNS,
    LAYOUT_SEGMENTS,
    LAYOUT_POWER_LAW,
    LAYOUT_MANY_EMPTY,
    LAYOUT_COUNT
} layout;

const char *layout_name(layout which); /* the column 'layout' */

/* y is read by dot alone. The result type is the accumulation type, so that accuracy is not hidden behind a result of
 * eight or eleven bits: float for f16, bf16 and f32, double for f64. */
typedef struct job {
    enum operation operation; /* the tag, or C++ would take the name for the member alone */
    quire_type type, result_type;
    size_t n; /* all elements of x */
    const void *x, *y;
    /* Of many vectors; all 0 for one. */
    enum layout layout;
    size_t vectors, length;      /* length: elements of a vector, of segments the mean that was asked for */
    const int32_t *offsets;      /* of segments: one more than there are; where the vectors are */
    const int32_t *host_offsets; /* the same in host memory */
    void *results;               /* vectors of the result type; where the vectors are */
} job;

quire_type accumulation_type(quire_type type);

/* Elements of a vector. */
size_t job_length(const job *j);

/* What has to be read of x and y; and with it, of many vectors, their offsets and their results. */
size_t job_bytes(const job *j);
size_t job_traffic(const job *j, quire_type result_type);

/* Element k of vector i is x[job_element(j, i, k)], and vector i has so many. */
size_t job_vector_length(const job *j, size_t i);
size_t job_element(const job *j, size_t i, size_t k);

/* The job by one of quire's methods: one result to *result, or as many as there are vectors from there on. */
quire_status job_reduce(quire_context *context, const job *j, quire_method method, void *result);

#ifdef __cplusplus
}
#endif

#endif
