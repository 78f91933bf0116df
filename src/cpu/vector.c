/* vector.c - one vector: which way it goes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/vector.h"
#include "cpu/ends.h"
#include "cpu/ways.h"

static uint64_t bits_of_result(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride, ptrdiff_t y_stride,
                               format_description format) {
    if (!job->n && is_exact_finish(job->finish)) return format.quiet_nan;
    if (needs_pair_sums(job->finish)) return pairs_reduce(context, job, x_stride, y_stride, format);
    if (needs_squares(job->finish)) return moments_reduce(context, job, x_stride, y_stride, format);
    if (job->n && job->method == QUIRE_EXACT) return exact_reduce(context, job, x_stride, y_stride, format);
    const quire_total total = job->n ? ordered_reduce(context, job, x_stride, y_stride) : total_zero(0);
    return finish_and_round(total, job->finish, job->n, format, job->rounding);
}

void vector_reduce(const cpu_context *context, const quire_job *job, ptrdiff_t x_stride, ptrdiff_t y_stride,
                   void *result) {
    const format_description format = describe_format(job->result_type);
    if (is_integer(job->type))
        integers_reduce(context, job, x_stride, y_stride, result);
    else
        format_store(bits_of_result(context, job, x_stride, y_stride, format), format.size, result);
}

static uint64_t bits_of_contiguous(const cpu_context *context, const quire_job *job, ptrdiff_t size,
                                   format_description format) {
    const int is_short = job->n && job->n <= VECTOR_EXACT_ELEMENTS, has_squares = needs_squares(job->finish);
    cpu_context past;
    uint64_t bits;
    if (is_short && has_squares && short_moment(context->tier, job, format, &bits)) return bits;
    if (is_short && (has_squares ? may_have_ends(context, job) : has_ends(context, job, format))) {
        if (ends_tell(context->tier, job, format, &bits)) return bits;
        past = ends_past(context);
        context = &past;
    }
    if (job->method != QUIRE_EXACT && job->n && job->n <= ORDER_TILE)
        return ordered_one_tile(context->tier, job, format);
    return bits_of_result(context, job, size, size, format);
}

void vector_contiguous(const cpu_context *context, const quire_job *job, format_description format, void *result) {
    const ptrdiff_t size = element_size(job->type);
    if (is_integer(job->type))
        integers_reduce(context, job, size, size, result);
    else
        format_store(bits_of_contiguous(context, job, size, format), format.size, result);
}
