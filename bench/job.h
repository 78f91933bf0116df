/* job.h - one reduction that is measured: what is summed, how the answer is written, and where the elements are.
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

/* y is read by dot alone. The result type is the accumulation type, so that accuracy is not hidden behind a result of eight
 * or eleven bits: float for f16, bf16 and f32, double for f64. */
typedef struct job {
    enum operation operation; /* the tag, or C++ would take the name for the member alone */
    quire_type type, result_type;
    size_t n;
    const void *x, *y;
} job;

quire_type accumulation_type(quire_type type);

/* What has to be read. */
size_t job_bytes(const job *j);

#ifdef __cplusplus
}
#endif

#endif
