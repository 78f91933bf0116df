/* scan.cuh - running sums: what is checked, and how vectors are cut.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_HOST_SCAN_CUH
#define QUIRE_CUDA_HOST_SCAN_CUH

#include "cuda/host/many.cuh"
#include "cuda/kernels/calls.cuh"

#define SCAN_BLOCKS ((size_t)1 << 16) /* at most */
#define SCAN_FEW 8                    /* blocks for a multiprocessor, of whole vectors: if fewer, they are cut */
#define SCAN_MANY ((size_t)4096)      /* stretches that are then wanted: few of their blocks end late */
#define INTEGER_SCAN_LANES 4096       /* threads for a multiprocessor, of integers: the same */
#define INTEGER_SCAN_ROWS 4           /* turns of loads that a stretch has at least */

/* Cuts vectors of n elements into so many stretches at most, whose length is a multiple of a unit. */
static void cut_stretches(size_t n, size_t most, size_t unit, size_t *length, size_t *stretches) {
    const size_t units = plan_divide_up(n, unit);
    *length = plan_divide_up(units, plan_least(units, most)) * unit;
    *stretches = plan_divide_up(n, *length);
}

static bool is_multiple(ptrdiff_t stride, size_t size) { return stride * (ptrdiff_t)size % 16 == 0; }

static unsigned power_from(size_t least) { return 1u << plan_log(least); }

/* Whether elements of neighbouring vectors are closer than those of one. */
static bool are_columns(const quire_layout *l) {
    return l->inner > 1 && stride_magnitude(l->inner_stride) < stride_magnitude(l->stride);
}

/* Threads that share a vector, of so many that go together, of which each has so many elements at a time. */
static unsigned scan_threads(const quire_layout *l, unsigned most, unsigned items) {
    const unsigned wanted = l->n > (size_t)items * most ? most : power_from(plan_divide_up(l->n, items));
    const unsigned together = are_columns(l) ? power_from(plan_least(l->inner, SCAN_ACROSS)) : 1;
    return (unsigned)plan_least(wanted, most / together);
}

/* threads: that share a vector; size: bytes of an element, or of a result. */
static scan_side scan_side_of(const void *memory, const quire_layout *l, size_t size, unsigned threads) {
    const size_t room = (size_t)SCAN_ITEMS * threads;
    const bool are_alone = threads == SCAN_THREADS;
    scan_side s = { (char *)memory, *l, 0, false, false, are_columns(l) };
    s.log_size = plan_log(size);
    s.by_chunks = (uintptr_t)memory % 16 == 0 && l->stride == 1 && (are_alone || is_multiple((ptrdiff_t)l->n, size)) &&
                  (l->outer == 1 || is_multiple(l->outer_stride, size)) &&
                  (l->inner == 1 || is_multiple(l->inner_stride, size));
    s.is_linear = l->inner == 1 && l->n == room && l->stride == 1 && l->outer_stride == (ptrdiff_t)room;
    return s;
}

/* But for how vectors are cut. */
static scan_job scan_job_of(const cuda_context *c, const quire_job *job, quire_scan_kind kind, const quire_layout *x,
                            const quire_layout *results, unsigned threads) {
    scan_job work = {};
    work.x = scan_side_of(job->x, x, (size_t)element_size(job->type), threads);
    work.results = scan_side_of(job->result, results, (size_t)result_size(job->result_type), threads);
    work.type = job->type, work.magnitude = job->term == TERM_MAGNITUDE, work.exclusive = kind == QUIRE_EXCLUSIVE;
    work.is_int128 = job->result_type == QUIRE_INT128;
    work.is_in_place = job->result == job->x;
    work.finish = FINISH_KEEP, work.rounding = job->rounding, work.format = describe_format(job->result_type);
    work.vectors = x->outer * x->inner, work.workspace = c->vectors, work.threads = threads;
    work.threads_log = plan_log(threads);
    return work;
}

static unsigned scan_blocks(const cuda_context *c, size_t units) {
    return (unsigned)plan_least(units, c->facts.wish.blocks ? c->facts.wish.blocks : SCAN_BLOCKS);
}

static cudaError_t scan_floats(const cuda_context *c, const quire_job *job, quire_scan_kind kind, const quire_layout *x,
                               const quire_layout *results) {
    const unsigned threads = scan_threads(x, SCAN_THREADS, SCAN_ITEMS);
    scan_job work = scan_job_of(c, job, kind, x, results, threads);
    const size_t vectors = work.vectors, units = plan_divide_up(vectors, SCAN_THREADS / threads);
    work.has_ends = !has_double_lanes(job->type) && work.format.precision <= 24;
    const unsigned log_size = work.x.log_size > work.results.log_size ? work.x.log_size : work.results.log_size;
    work.slot = (SCAN_ITEMS << log_size) + 16;
    work.apart = work.x.is_across || work.results.is_across ? 16 : 0;
    const bool are_few = units < (size_t)SCAN_FEW * c->facts.multiprocessors && vectors <= SCAN_STATES;
    const size_t most = are_few ? plan_least(plan_divide_up(SCAN_MANY, units), SCAN_STATES / vectors) : 1;
    cut_stretches(x->n, most, (size_t)SCAN_ITEMS * threads, &work.stretch, &work.stretches);
    const size_t limbs = vectors < SCAN_LIMB_STRETCHES ? SCAN_LIMB_STRETCHES / vectors : 1;
    cut_stretches(x->n, limbs, 32, &work.limb_stretch, &work.limb_stretches);
    work.blocks = scan_blocks(c, units * work.stretches);
    return quire_cuda_scan(&work, c->stream);
}

static cudaError_t scan_integers(const cuda_context *c, const quire_job *job, quire_scan_kind kind,
                                 const quire_layout *x, const quire_layout *results) {
    const unsigned threads = scan_threads(x, 32, 1);
    scan_job work = scan_job_of(c, job, kind, x, results, threads);
    const size_t lanes = (size_t)INTEGER_SCAN_LANES * c->facts.multiprocessors;
    const bool are_few = work.vectors <= SCAN_STATES && work.vectors * threads < lanes;
    const size_t most =
        are_few ? plan_least(plan_divide_up(lanes, work.vectors * threads), SCAN_STATES / work.vectors) : 1;
    const size_t row = (size_t)INTEGER_SCAN_LOADS * threads;
    cut_stretches(x->n, most, INTEGER_SCAN_ROWS * row, &work.stretch, &work.stretches);
    work.blocks = scan_blocks(c, plan_divide_up(work.vectors * work.stretches, SCAN_THREADS / threads));
    return quire_cuda_scan_integers(&work, c->stream);
}

static quire_status cuda_scan(const cuda_context *c, const quire_job *job, quire_scan_kind kind,
                              const quire_layout *x_layout, const quire_layout *results_layout) {
    const size_t size = (size_t)element_size(job->type), result = (size_t)result_size(job->result_type);
    quire_status status = check_alone(c);
    if (!status) status = check_layout_memory(c, x_layout, job->x, size);
    if (!status) status = check_layout_memory(c, results_layout, job->result, result);
    if (status) return status;
    return status_of((is_integer(job->type) ? scan_integers : scan_floats)(c, job, kind, x_layout, results_layout));
}

#endif
