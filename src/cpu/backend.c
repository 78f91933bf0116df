/* backend.c - the backend that is the CPU.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/ends.h"
#include "cpu/environment.h"
#include "cpu/layouts.h"
#include "cpu/vector.h"
#include "cpu/ways.h"

/* Of few elements, and of one piece whose sum may have ends, every step between the arguments and the tier shows in the
 * time, totals of 128 bits too. Answers whether that is all there is to do. Never inlined: the additions of a rounding
 * would be moved out of our environment. */
static __attribute__((noinline)) int soon_bits(const cpu_tier *tier, const quire_job *job, format_description format,
                                               uint64_t *bits) {
    if (job->method == QUIRE_EXACT) return ends_tell(tier, job, format, bits);
    *bits = ordered_one_tile(tier, job, format);
    return 1;
}

static int soon_reduce(const cpu_tier *tier, const quire_job *job, format_description format, uint64_t *bits) {
    const cpu_environment callers = environment_enter();
    const int done = soon_bits(tier, job, format, bits);
    environment_leave(callers);
    return done;
}

static const cpu_tier *tier_of(const quire_context *context) {
    return context ? ((const cpu_context *)context)->tier : cpu_tier_default();
}

/* Of more, and of integers: out of line, since what it needs of the stack shows in the time of a few. */
static __attribute__((noinline)) void many_elements(const quire_context *context, const quire_job *job, int past_ends) {
    cpu_context c = cpu_context_of(context);
    c.past_ends = past_ends;
    const ptrdiff_t size = element_size(job->type);
    if (!needs_squares(job->finish) || c.report) { /* a report finds the caller's environment */
        vector_reduce(&c, job, size, size, job->result);
        return;
    }
    const cpu_environment callers = environment_enter();
    vector_contiguous(&c, job, describe_format(job->result_type), job->result);
    environment_leave(callers);
}

static quire_status cpu_reduce(quire_context *context, const quire_job *job) {
    const format_description format = describe_format(job->result_type);
    const int by_ends = job->n && job->n <= PIECE_ELEMENTS && has_ends((const cpu_context *)context, job, format),
              are_few = job->n && job->n <= TILE_FEW && job->method != QUIRE_EXACT;
    uint64_t bits;
    if ((are_few || by_ends) && soon_reduce(tier_of(context), job, format, &bits))
        format_store(bits, format.size, job->result);
    else
        many_elements(context, job, by_ends);
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
