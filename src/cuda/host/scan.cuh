/* scan.cuh - running sums: what is checked, and how vectors are cut.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_HOST_SCAN_CUH
#define QUIRE_CUDA_HOST_SCAN_CUH

#include "cuda/host/many.cuh"
#include "cuda/kernels/scan.cuh"

#define SCAN_BLOCKS ((size_t)1 << 16) /* at most */
#define SCAN_FEW 8                    /* blocks that a multiprocessor has, where vectors are one block's each */

/* Cuts vectors of n elements into so many stretches at most, whose length is a multiple of a unit. */
static void cut_stretches(size_t n, size_t most, size_t unit, size_t *length, size_t *stretches) {
    const size_t units = plan_divide_up(n, unit);
    *length = plan_divide_up(units, plan_least(units, most)) * unit;
    *stretches = plan_divide_up(n, *length);
}

static scan_job scan_job_of(const cuda_context *c, const quire_job *job, quire_scan_kind kind, const quire_layout *x,
                            const quire_layout *results) {
    const size_t tile = SCAN_WARPS * SCAN_TILE;
    scan_job work = {};
    work.x = job->x, work.results = job->result, work.x_layout = *x, work.results_layout = *results;
    work.type = job->type, work.magnitude = job->term == TERM_MAGNITUDE, work.exclusive = kind == QUIRE_EXCLUSIVE;
    work.is_in_place = job->result == job->x;
    work.finish = FINISH_KEEP, work.rounding = job->rounding, work.format = describe_format(job->result_type);
    work.vectors = x->outer * x->inner, work.workspace = c->vectors;
    work.warps = x->n > 2 * SCAN_TILE ? SCAN_WARPS : 1;
    work.blocks = c->facts.wish.blocks ? c->facts.wish.blocks : (unsigned)SCAN_BLOCKS;
    const bool are_few = work.vectors < (size_t)SCAN_FEW * c->facts.multiprocessors;
    const size_t most = are_few && work.warps > 1 ? plan_divide_up(SCAN_STRETCHES, work.vectors) : 1;
    cut_stretches(x->n, most, tile, &work.stretch, &work.stretches);
    const size_t limbs = work.vectors < SCAN_LIMB_STRETCHES ? SCAN_LIMB_STRETCHES / work.vectors : 1;
    cut_stretches(x->n, limbs, 32, &work.limb_stretch, &work.limb_stretches);
    return work;
}

static quire_status cuda_scan(quire_context *context, const quire_job *job, quire_scan_kind kind,
                              const quire_layout *x_layout, const quire_layout *results_layout) {
    const cuda_context *c = (const cuda_context *)context;
    const size_t size = (size_t)describe_format(job->type).size;
    const size_t result = (size_t)describe_format(job->result_type).size;
    const on_device here(c->device);
    if (here.error) return status_of(here.error);
    quire_status status = check_alone(c);
    if (!status) status = check_layout_memory(c, x_layout, job->x, size);
    if (!status) status = check_layout_memory(c, results_layout, job->result, result);
    if (status) return status;
    const scan_job work = scan_job_of(c, job, kind, x_layout, results_layout);
    return status_of(quire_cuda_scan(&work, c->stream));
}

#endif
