/* backend.c - the backend that is the CPU.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/environment.h"
#include "cpu/layouts.h"
#include "cpu/vector.h"

static quire_status cpu_reduce(quire_context *context, const quire_job *job) {
    const ptrdiff_t size = element_size(job->type);
    const cpu_context *c = (const cpu_context *)context; /* no copy: that shows in the time of a few elements */
    cpu_context usual;
    if (!c) usual = cpu_context_of(NULL), c = &usual;
    if (c->report) { /* which finds the caller's environment */
        vector_reduce(c, job, size, size, job->result);
        return QUIRE_OK;
    }
    const cpu_environment callers = environment_enter();
    vector_contiguous(c, job, describe_format(job->result_type), job->result);
    environment_leave(callers);
    return QUIRE_OK;
}

static quire_status cpu_accumulate(quire_context *context, const quire_job *job, quire_accumulator *accumulator) {
    const cpu_context c = cpu_context_of(context);
    accumulator_carry_sparse(accumulator); /* it may come from a merge by other hands */
    const ptrdiff_t size = element_size(job->type);
    if (is_integer(job->type))
        integers_accumulate(&c, job, size, size, accumulator);
    else if (job->n)
        exact_accumulate(&c, job, size, size, accumulator);
    accumulator_carry_sparse(accumulator);
    return QUIRE_OK;
}

const quire_backend quire_cpu_backend = { cpu_reduce,           cpu_reduce_many,     cpu_reduce_segments,
                                          cpu_accumulate,       cpu_set_stream,      cpu_set_tier,
                                          cpu_set_progress,     cpu_close,           NULL,
                                          cpu_reduce_gathered,  cpu_order_workspace, cpu_order_by_key,
                                          cpu_by_key_workspace, cpu_reduce_by_key,   cpu_scan };
