/* rows.cuh - the launches of kernels/rows.cuh and kernels/marked.cuh: exact sums of rows, and variances of any layout. From
 * context.cu: on_device, check_memory, status_of.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_HOST_ROWS_CUH
#define QUIRE_CUDA_HOST_ROWS_CUH

#include "cuda/host/rows_plan.h"
#include "cuda/host/vectors.cuh"

static row_kernels find_row_kernels(const quire_job *job) {
#define QUIRE_CASE(name, NAME, number, real, unused)                                                                        \
    case number: return quire_rows_##name(job->term, needs_squares(job->finish));
    switch (job->type) { QUIRE_FORMATS(QUIRE_CASE, ) }
#undef QUIRE_CASE
    return {};
}

/* The second kernel: what has been marked; or all. */
static cudaError_t start_marked(const cuda_context *c, const void *function, vectors_job *work, bool takes_all) {
    const size_t warps = MARKED_THREADS / 32;
    work->takes_all = takes_all;
    const size_t units = takes_all ? work->vectors : plan_divide_up(work->vectors, 32);
    const size_t most = (size_t)(c->wish.blocks ? c->wish.blocks : (unsigned)(c->multiprocessors * 8));
    return start_blocks(c, function, MARKED_THREADS, plan_least(plan_divide_up(units, warps), most), work);
}

/* Blocks of the kernel for rows that are at work at once. */
static size_t row_blocks(const cuda_context *c, const quire_job *job) {
    const bool has_products = job->term == TERM_PRODUCT || needs_squares(job->finish);
    return (size_t)(c->wish.blocks ? c->wish.blocks : (unsigned)(c->multiprocessors * rows_blocks(has_products)));
}

/* Rows that the plan fits. */
static quire_status reduce_rows(const cuda_context *c, const quire_job *job, vectors_job *work, const rows_plan *p) {
    const row_kernels kernels = find_row_kernels(job);
    work->threads = p->threads, work->turns = p->turns, work->parts = p->parts, work->part = p->part;
    work->groups = p->groups, work->is_contiguous = p->is_contiguous, work->is_pair = job->y != job->x;
    cudaError_t error = start_blocks(c, kernels.rows, VECTORS_THREADS,
                                     plan_least(plan_divide_up(p->units, VECTORS_THREADS / 32), row_blocks(c, job)), work);
    if (!error) error = start_marked(c, kernels.marked, work, false);
    return status_of(error);
}

static rows_plan plan_rows_of(const cuda_context *c, const quire_job *job, const quire_layout *x, const quire_layout *y) {
    return plan_rows(x, y, describe_format(job->type).size, job->y != job->x,
                     row_blocks(c, job) * (VECTORS_THREADS / 32));
}

#endif
