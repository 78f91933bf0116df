/* vectors.cuh - the launches of kernels/ordered_rows.cuh, ordered_columns.cuh and ordered_vectors.cuh.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_HOST_VECTORS_CUH
#define QUIRE_CUDA_HOST_VECTORS_CUH

#include "cuda/host/columns_plan.h"
#include "cuda/host/context.cuh"
#include "cuda/host/groups_plan.h"
#include "cuda/kernels/calls.cuh"

static vectors_kernels find_vectors_kernels(const quire_job *job) {
#define QUIRE_CASE(name, NAME, number, real, unused)                                                                   \
    case number: return quire_vectors_##name(job->term == TERM_PRODUCT, job->method);
    switch ((int)job->type) { QUIRE_FORMATS(QUIRE_CASE, ) }
#undef QUIRE_CASE
    return {};
}

/* early: the kernel may be started before the one ahead of it has ended, for it waits where it must. */
static cudaError_t start_blocks(const cuda_context *c, const void *function, unsigned threads, size_t blocks,
                                vectors_job *work, unsigned shared = 0, bool early = false) {
    void *arguments[] = { work };
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)(blocks ? blocks : 1));
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = shared;
    config.stream = c->stream;
    config.attrs = &attribute;
    config.numAttrs = early && c->facts.starts_early;
    return cudaLaunchKernelExC(&config, function, arguments);
}

static cudaError_t start_vectors(const cuda_context *c, const void *function, vectors_job *work, size_t units) {
    int resident = 1;
    const cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, function, VECTORS_THREADS, 0);
    if (error) return error;
    const size_t most = plan_blocks(&c->facts, (unsigned)resident * VECTORS_WAVES);
    return start_blocks(c, function, VECTORS_THREADS, plan_least(plan_divide_up(units, VECTORS_THREADS / 32), most),
                        work);
}

/* How many warps are at work at once, about. */
static size_t warps_of_device(const cuda_context *c) {
    const unsigned of_block = VECTORS_THREADS / 32;
    return plan_blocks(&c->facts, VECTORS_WARPS / of_block) * of_block;
}

/* How many segments a warp takes at a time: as many as it has threads, but fewer where warps would have few bundles of
 * them, whose lengths differ, and would not end together. */
static unsigned segments_at_once(const cuda_context *c, size_t segments) {
    return plan_turns(segments, SEGMENTS_BUNDLES * warps_of_device(c));
}

/* Whether a result is the sum itself, and the hardware rounds to its format: none of less than bfloat16's bits. */
static bool is_number(const quire_job *job, format_description format) {
    return job->finish == FINISH_KEEP && job->rounding == QUIRE_TO_NEAREST && format.precision >= 8;
}

/* The bits of a result of no elements. */
static uint64_t result_of_none(const quire_job *job, format_description format) {
    return needs_squares(job->finish) ? format.quiet_nan
                                      : finish_and_round(total_zero(0), job->finish, 0, format, job->rounding);
}

static vectors_job vectors_job_of(const cuda_context *c, const quire_job *job, quire_accumulator *accumulator) {
    vectors_job work = {};
    work.at.x = job->x, work.at.y = job->y;
    work.magnitude = job->term == TERM_MAGNITUDE;
    work.rows = order_rows_of(job->method);
    work.finish = job->finish, work.rounding = job->rounding, work.correction = job->correction;
    work.format = describe_format(job->result_type);
    work.is_number = is_number(job, work.format), work.none = result_of_none(job, work.format);
    work.results = job->result, work.accumulator = accumulator;
    work.threads = 32, work.turns = 1, work.parts = 1;
    work.workspace = c->vectors;
    work.type = job->type, work.log_size = plan_log((size_t)element_size(job->type));
    return work;
}

/* Whether y is read beside x: at another place, or in another layout. */
static bool is_pair(const quire_job *job, const quire_layout *x, const quire_layout *y) {
    return job->term == TERM_PRODUCT && !needs_squares(job->finish) &&
           (job->y != job->x || memcmp(x, y, sizeof *x) != 0);
}

/* Rows by a method of the canonical order. */
static cudaError_t start_ordered_rows(const cuda_context *c, const quire_job *job, vectors_job *work) {
    const int size = describe_format(job->type).size;
    const quire_layout *const x = &work->at.x_layout, *const y = work->is_pair ? &work->at.y_layout : NULL;
    const vectors_kernels kernels = find_vectors_kernels(job);
    const void *const kernel = work->is_pair ? kernels.pair_rows : kernels.rows;
    const size_t warps = plan_blocks(&c->facts, ORDERED_BLOCKS) * (ORDERED_THREADS / 32);
    groups_plan staged;
    if (plan_ordered_staged(x, job->x, y, job->y, size, warps, &staged)) {
        work->shape = staged.shape, work->threads = staged.threads;
        work->rows_of_item = (unsigned)staged.rows_of_unit;
        return start_blocks(c, kernel, ORDERED_THREADS, plan_group_blocks(&c->facts, &staged), work, STRETCH_BYTES);
    }
    const ordered_plan p = plan_ordered_rows(x->n, size);
    const vectors_plan cut = plan_layout(x, work->rows, plan_ordered_units(&c->facts, work->vectors, &p));
    work->threads = p.threads, work->slots = p.slots;
    work->parts = cut.parts, work->part = cut.part;
    work->is_aligned = plan_begin_at(x, job->x, size, ROWS_CHUNK) && (!y || plan_begin_at(y, job->y, size, ROWS_CHUNK));
    return start_blocks(c, kernel, ORDERED_THREADS, plan_ordered_blocks(&c->facts, work->vectors * work->parts, &p),
                        work);
}

/* Vectors by a method of the canonical order, if they are rows; false: they are not. */
static bool reduce_ordered_rows(const cuda_context *c, const quire_job *job, const quire_layout *x,
                                const quire_layout *y, vectors_job work, quire_status *status) {
    quire_layout *const rows_x = &work.at.x_layout, *const rows_y = &work.at.y_layout;
    if (x->n == 0 || x->n > INT32_MAX || !plan_as_rows(x, rows_x)) return false;
    if (job->term == TERM_PRODUCT && !plan_as_rows(y, rows_y)) return false;
    work.is_pair = is_pair(job, rows_x, rows_y);
    *status = status_of(start_ordered_rows(c, job, &work));
    return true;
}

/* Columns by the methods of the canonical order. */
static quire_status reduce_panels(const cuda_context *c, const quire_job *job, vectors_job *work) {
    const quire_layout *const x = &work->at.x_layout, *const y = &work->at.y_layout;
    work->is_pair = is_pair(job, x, y);
    const columns_plan p =
        plan_panels(x, job->x, work->is_pair ? y : x, work->is_pair ? job->y : job->x, job->term == TERM_PRODUCT,
                    describe_format(job->type).size, work->rows, plan_blocks(&c->facts, PANEL_SPREAD));
    work->panels = p.share, work->parts = (unsigned)p.parts;
    const unsigned threads = p.share.threads * p.share.bundle * p.share.chunks;
    return status_of(start_blocks(c, find_vectors_kernels(job).columns, (threads + 31) / 32 * 32,
                                  plan_least(p.share.bundles * p.parts, plan_blocks(&c->facts, PANEL_WAVES)), work));
}

/* Vectors whose elements are loaded one by one: those of a layout, all whole or all in parts; or segments, then by a
 * second kernel what the first has put aside as long. */
static cudaError_t start_by_elements(const cuda_context *c, const quire_job *job, vectors_job *work) {
    const ordered_kernels k =
        quire_ordered_kernels(has_double_lanes(job->type), job->term == TERM_PRODUCT, job->method);
    const size_t warps = warps_of_device(c);
    const bool has_segments = work->at.begin != NULL;
    cudaError_t error = cudaSuccess;
    if (!has_segments) work->parts = plan_layout(&work->at.x_layout, work->rows, PARTS_OF_WARP * warps).parts;
    work->turns = has_segments ? segments_at_once(c, work->vectors) : plan_turns(work->vectors, warps);
    if (has_segments || work->parts == 1)
        error = start_vectors(c, k.whole, work, plan_divide_up(work->vectors, work->turns));
    if (has_segments) work->source = VECTORS_ASIDE, work->parts = (unsigned)(PARTS_OF_WARP * warps);
    if (work->parts > 1 && !error) error = start_vectors(c, k.parts, work, work->vectors * work->parts);
    return error;
}

/* Vectors of a layout, by a method of the canonical order. */
static quire_status reduce_layout(const cuda_context *c, const quire_job *job, const quire_layout *x,
                                  const quire_layout *y) {
    vectors_job work = vectors_job_of(c, job, NULL);
    work.at.x_layout = *x, work.at.y_layout = *y;
    work.vectors = x->outer * x->inner;
    if (plan_has_panels(x, y, describe_format(job->type).size)) return reduce_panels(c, job, &work);
    work.is_pair = is_pair(job, x, y);
    quire_status status;
    if (reduce_ordered_rows(c, job, x, y, work, &status)) return status;
    return status_of(start_by_elements(c, job, &work));
}

/* The least and the greatest address of a layout's elements. */
static void extent_of(const quire_layout *l, const void *x, size_t size, const char **first, const char **last) {
    const ptrdiff_t at[3] = { (ptrdiff_t)(l->outer - 1) * l->outer_stride, (ptrdiff_t)(l->n - 1) * l->stride,
                              (ptrdiff_t)(l->inner - 1) * l->inner_stride };
    *first = *last = (const char *)x;
    for (int i = 0; i < 3; i++) (at[i] < 0 ? *first : *last) += at[i] * (ptrdiff_t)size;
}

/* Whether the device can reach both ends. */
static quire_status check_layout_memory(const cuda_context *c, const quire_layout *l, const void *x, size_t size) {
    const char *first, *last;
    extent_of(l, x, size, &first, &last);
    const quire_status status = check_memory(first, c);
    return status || last == first ? status : check_memory(last, c);
}

#endif
