/* moments.cuh - variances and standard deviations on a device.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_HOST_MOMENTS_CUH
#define QUIRE_CUDA_HOST_MOMENTS_CUH

#include "cuda/host/array.cuh"
#include "cuda/kernels/finish.cuh"

/* A sum of vector v, or that of its squares, into an accumulator of the workspace. */
static quire_status accumulate_vector(const cuda_context *c, const quire_job *job, const quire_layout *x, size_t v,
                                      bool squares) {
    const size_t size = (size_t)describe_format(job->type).size;
    const ptrdiff_t at = (ptrdiff_t)(v / x->inner) * x->outer_stride + (ptrdiff_t)(v % x->inner) * x->inner_stride;
    const quire_layout one = { 1, x->n, 1, 0, x->stride, 0 };
    quire_accumulator *to = &c->vectors->moments[squares];
    quire_job sum = *job;
    sum.x = sum.y = (const char *)job->x + at * (ptrdiff_t)size;
    sum.term = squares ? TERM_PRODUCT : TERM_IDENTITY, sum.finish = FINISH_KEEP;
    return x->stride == 1 ? accumulate_array(c, &sum, to) : reduce_layout(c, &sum, &one, &one, to);
}

/* Vectors that are long, one after the other. */
static quire_status reduce_long_moments(const cuda_context *c, const quire_job *job, const quire_layout *x,
                                        size_t vectors) {
    quire_accumulator *both = c->vectors->moments;
    quire_job one = *job;
    quire_status status = QUIRE_OK;
    for (size_t v = 0; v < vectors && !status; v++) {
        status = status_of(cudaMemsetAsync(both, 0, sizeof c->vectors->moments, c->stream));
        for (int squares = 0; squares < 2 && !status; squares++) status = accumulate_vector(c, job, x, v, squares);
        one.result = (char *)job->result + v * (size_t)describe_format(job->result_type).size;
        const finish_job work = finish_job_of(&one, 1, &both[0], &both[1]);
        if (!status) status = status_of(quire_cuda_finish(&work, c->stream));
    }
    return status;
}

/* Of a layout: long vectors that are neither rows nor columns by all of the device, others of that kind by a warp each.
 */
static quire_status reduce_moments(const cuda_context *c, const quire_job *job, const quire_layout *x) {
    vectors_job work = vectors_job_of(c, job, NULL);
    quire_status status = QUIRE_OK;
    if (reduce_exact(c, job, x, x, &work, &status)) return status;
    if (x->n >= LONG_MOMENT && work.vectors <= LONG_MOMENTS) return reduce_long_moments(c, job, x, work.vectors);
    return status_of(start_marked(c, job, &work, MARKED_ALL));
}

#endif
