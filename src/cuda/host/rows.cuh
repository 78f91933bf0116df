/* rows.cuh - the launches of kernels/exact_rows.cuh, exact_columns.cuh, by_element.cuh and exact_limbs.cuh: exact sums
 * of vectors of any layout.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_HOST_ROWS_CUH
#define QUIRE_CUDA_HOST_ROWS_CUH

#include <math.h>

#include "cuda/host/columns_plan.h"
#include "cuda/host/groups_plan.h"
#include "cuda/host/vectors.cuh"
#include "cuda/kernels/by_element.h"
#include "cuda/kernels/scaled.h"

static row_kernels find_row_kernels(const quire_job *job) {
#define QUIRE_CASE(name, NAME, number, real, unused)                                                                   \
    case number: return quire_rows_##name(job->term, needs_squares(job->finish));
    switch ((int)job->type) { QUIRE_FORMATS(QUIRE_CASE, ) }
#undef QUIRE_CASE
    return {};
}

static element_kernels find_element_kernels(const quire_job *job) {
    return quire_element_kernels(job->term, needs_squares(job->finish));
}

/* What other kernels have marked, or all: short vectors, by threads of a warp; */
static cudaError_t start_shorts(const cuda_context *c, const quire_job *job, vectors_job work, which_vectors source) {
    work.source = source, work.threads = plan_has_columns(&work.at.x_layout) ? 1 : 32;
    return start_blocks(c, find_element_kernels(job).marked, ELEMENT_THREADS,
                        plan_least(plan_divide_up(work.vectors, ELEMENT_THREADS / 32),
                                   plan_blocks(&c->facts, ELEMENT_BLOCKS * ELEMENT_WAVES)),
                        &work);
}
/* doubles that a first kernel has not told, in a scale, if there are many; */
static cudaError_t start_scaled(const cuda_context *c, const quire_job *job, vectors_job work) {
    const size_t bytes = work.vectors * work.at.x_layout.n * sizeof(double);
    if (!has_double_lanes(job->type) || (bytes < SCALED_LEAST && !c->facts.wish.blocks)) return cudaSuccess;
    const scaled_kernels k = quire_scaled_kernels(job->term, needs_squares(job->finish));
    return start_blocks(c, k.of[work.is_pair], SCALED_THREADS,
                        plan_least(plan_blocks(&c->facts, SCALED_BLOCKS), VECTORS_IN_PARTS), &work, 0, true);
}
/* long ones by blocks, all bits at once. */
static cudaError_t start_marked_longs(const cuda_context *c, const quire_job *job, vectors_job work) {
    const row_kernels k = find_row_kernels(job);
    work.source = VECTORS_MARKED, work.part = LIMBS_PART / 4;
    const cudaError_t error = start_scaled(c, job, work);
    if (error) return error;
    work.few_doubles = c->facts.ratio >= FEW_DOUBLES && !has_double_lanes(job->type);
    return start_blocks(c, k.limbs, k.limbs_threads,
                        plan_least(plan_blocks(&c->facts, k.limbs_blocks), ELEMENT_MOST_BLOCKS), &work, 0, true);
}
static cudaError_t start_marked(const cuda_context *c, const quire_job *job, const vectors_job *work) {
    return work->at.x_layout.n < ELEMENTS_LONG ? start_shorts(c, job, *work, VECTORS_MARKED)
                                               : start_marked_longs(c, job, *work);
}

/* Parts of a job brought together, "join" to one. */
static cudaError_t start_parts(const cuda_context *c, const quire_job *job, vectors_job work, unsigned join) {
    const size_t warps = ELEMENT_THREADS / 32, most = plan_blocks(&c->facts, ELEMENT_BLOCKS * ELEMENT_WAVES),
                 all = work.vectors * plan_divide_up(work.parts, join);
    work.join = join, work.threads = plan_part_threads(join, all, warps * most);
    return start_blocks(c, find_element_kernels(job).parts, ELEMENT_THREADS,
                        plan_least(plan_divide_up(all, warps * (32 / work.threads)), most), &work);
}

/* The results of vectors of which there are parts, or their marks. Of very many parts, which would keep a few threads
 * busy for long, some are joined to one before. */
static cudaError_t bring_together(const cuda_context *c, const quire_job *job, vectors_job work) {
    const size_t joined = plan_divide_up(work.parts, PARTS_JOIN);
    if (work.parts >= PARTS_JOINED && work.vectors * (work.parts + joined) <= VECTORS_PLACES) {
        const cudaError_t error = start_parts(c, job, work, PARTS_JOIN);
        if (error) return error;
        work.first_place = work.vectors * work.parts;
        work.parts = (unsigned)joined, work.part *= PARTS_JOIN;
    }
    return start_parts(c, job, work, work.parts);
}

/* What comes behind a kernel that has left parts, or marks. */
static cudaError_t start_second(const cuda_context *c, const quire_job *job, const vectors_job *work) {
    const cudaError_t error = work->parts == 1 ? cudaSuccess : bring_together(c, job, *work);
    return error ? error : start_marked(c, job, work);
}

/* The reciprocal of a number above 0, whatever the direction in which it is divided here. */
static number_between reciprocal_of(double x) {
    const double quotient = 1 / x;
    return { nextafter(quotient, 0), nextafter(quotient, 2) };
}

/* How many terms the sums of a job have, for whom two ends are enough: counts are small then. */
static void count_terms(const quire_job *job, vectors_job *work) {
    const int64_t less = (int64_t)(job->n - (uint64_t)job->correction);
    work->terms = { job->n, reciprocal_of((double)job->n), reciprocal_of((double)less) };
}

/* Whether doubles hold the counts of elements. */
static bool holds_counts(const quire_job *job) {
    return job->n <= (size_t)GROUPS_COUNTS && job->correction <= GROUPS_COUNTS && job->correction >= -GROUPS_COUNTS;
}

/* Whether the terms are numbers alone: neither products nor squares. */
static bool are_numbers(const quire_job *job) { return job->term != TERM_PRODUCT && !needs_squares(job->finish); }

/* Whether two ends come first: they tell nearly all results of up to 24 bits. */
static bool has_ends(const quire_job *job) {
    return !has_double_lanes(job->type) && holds_counts(job) &&
           (describe_format(job->result_type).precision <= 24 ||
            has_ends_alone(describe_format(job->type), are_numbers(job)));
}

/* The kernels that a job takes at first; NULL: there are none. */
static sum_kernels find_sum_kernels(const quire_job *job) {
    const row_kernels k = find_row_kernels(job);
    return has_ends(job) ? k.by_ends : k.by_sums;
}

/* Rows of one array, or of two, if it is these; false: it is not. */
static bool reduce_rows(const cuda_context *c, const quire_job *job, const quire_layout *x, const quire_layout *y,
                        vectors_job work, quire_status *status) {
    quire_layout *const rows_x = &work.at.x_layout, *const rows_y = &work.at.y_layout;
    work.is_pair = is_pair(job, x, y);
    if (!plan_as_rows(x, rows_x) || (work.is_pair && !plan_as_rows(y, rows_y))) return false;
    if (!work.is_pair) *rows_y = *rows_x;
    const bool has_moments = needs_squares(job->finish), has_few = has_ends(job) && !has_moments;
    const groups_plan p =
        plan_groups(rows_x, job->x, work.is_pair ? rows_y : NULL, job->y, describe_format(job->type).size,
                    has_few ? GROUPS_SLOTS / 2 : GROUPS_SLOTS, group_loads(has_moments || work.is_pair),
                    plan_blocks(&c->facts, GROUPS_BLOCKS) * (GROUPS_THREADS / 32));
    if (!p.fits) return false;
    work.shape = p.shape, work.threads = p.threads, work.slots = p.slots;
    work.rows_of_item = (unsigned)p.rows_of_unit, work.parts = p.parts, work.part = p.part;
    count_terms(job, &work);
    const void *const kernel = find_sum_kernels(job).rows[work.is_pair];
    if (!kernel) return false;
    cudaError_t error = start_blocks(c, kernel, GROUPS_THREADS, plan_group_blocks(&c->facts, &p), &work,
                                     p.shape == ROWS_STAGED ? STRETCH_BYTES : 0);
    if (!error) error = start_second(c, job, &work);
    *status = status_of(error);
    return true;
}

/* Whether results have more digits than the ends of terms of so few bits tell: all would be marked. */
static bool needs_long_terms(const quire_job *job) {
    const bool has_products = job->term == TERM_PRODUCT && describe_format(job->type).precision <= 12;
    return describe_format(job->result_type).precision > 24 &&
           (has_products || needs_squares(job->finish) || !holds_counts(job));
}

/* The kernel for columns of a job; NULL: there is none. Of formats of few bits two ends tell nearly all sums, whatever
 * the precision of results. */
static const void *find_columns(const quire_job *job, bool is_pair) {
    const row_kernels k = find_row_kernels(job);
    if (!has_ends(job) && k.by_sums.columns[is_pair]) return k.by_sums.columns[is_pair];
    return needs_long_terms(job) || !holds_counts(job) ? NULL : k.by_ends.columns[is_pair];
}

/* The same of columns. */
static bool reduce_columns(const cuda_context *c, const quire_job *job, vectors_job *work, quire_status *status) {
    const quire_layout *const x = &work->at.x_layout, *const y = &work->at.y_layout;
    work->is_pair = is_pair(job, x, y);
    const void *const kernel = find_columns(job, work->is_pair);
    const columns_plan p = plan_columns(x, job->x, work->is_pair ? y : x, work->is_pair ? job->y : job->x,
                                        describe_format(job->type).size, plan_blocks(&c->facts, COLUMNS_BLOCKS));
    if (!kernel || !p.fits) return false;
    const unsigned threads = p.share.threads * p.share.bundle * p.share.chunks;
    work->panels = p.share, work->parts = (unsigned)p.parts, work->part = p.part;
    count_terms(job, work);
    cudaError_t error = start_blocks(c, kernel, (threads + 31) / 32 * 32,
                                     plan_least(p.share.bundles * p.parts, plan_blocks(&c->facts, PANEL_WAVES)), work);
    if (!error) error = start_second(c, job, work);
    *status = status_of(error);
    return true;
}

/* The same of vectors of any layout. */
static quire_status reduce_strided(const cuda_context *c, const quire_job *job, vectors_job *work) {
    const quire_layout *const x = &work->at.x_layout, *const y = &work->at.y_layout;
    const groups_plan p = plan_strided(x, plan_blocks(&c->facts, GROUPS_BLOCKS) * (GROUPS_THREADS / 32));
    work->is_pair = is_pair(job, x, y), work->is_strided = true;
    work->shape = p.shape, work->threads = p.threads, work->parts = p.parts, work->part = p.part;
    const void *const kernel = find_sum_kernels(job).rows[work->is_pair];
    if (!p.fits || !kernel) return status_of(start_shorts(c, job, *work, VECTORS_ALL)); /* no elements, as a rule */
    count_terms(job, work);
    const cudaError_t error = start_blocks(c, kernel, GROUPS_THREADS, plan_group_blocks(&c->facts, &p), work);
    return status_of(error ? error : start_second(c, job, work));
}

/* Exact vectors of a layout: rows, columns, or neither. */
static quire_status reduce_exact(const cuda_context *c, const quire_job *job, const quire_layout *x,
                                 const quire_layout *y) {
    vectors_job work = vectors_job_of(c, job, NULL);
    quire_status status = QUIRE_OK;
    work.at.x_layout = *x, work.at.y_layout = *y;
    work.vectors = x->outer * x->inner;
    if (reduce_rows(c, job, x, y, work, &status) || reduce_columns(c, job, &work, &status)) return status;
    return reduce_strided(c, job, &work);
}

#endif
