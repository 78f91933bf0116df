/* gathered.cuh - segments of rows that are found through an index: what is checked, and how threads share vectors.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_HOST_GATHERED_CUH
#define QUIRE_CUDA_HOST_GATHERED_CUH

#include "cuda/host/many.cuh"
#include "cuda/kernels/calls.cuh"

#define GATHERED_BLOCKS 16 /* of a multiprocessor, at most: what there is more is taken in turns */
#define GATHERED_ACROSS 8  /* columns from which on a thread has one: its neighbours read memory side by side */
#define GATHERED_SHARERS 8 /* threads of a vector else */
#define GATHERED_LONG 1024 /* rows of a segment that whole blocks have, from here on */

/* Whether all rows stand at multiples of 16 bytes, and are some times these. */
static bool has_chunks(const void *x, const quire_layout *l, size_t size) {
    return (uintptr_t)x % ROWS_CHUNK == 0 && l->inner_stride == 1 && l->inner * size % ROWS_CHUNK == 0 &&
           (size_t)l->stride * size % ROWS_CHUNK == 0 && (size_t)l->outer_stride * size % ROWS_CHUNK == 0;
}

/* Chunks that are taken together. */
static unsigned run_of_chunks(const quire_layout *l, size_t size) {
    unsigned run = 1;
    while (run < GATHERED_RUN && l->inner * size / ROWS_CHUNK % (2 * run) == 0) run *= 2;
    return run;
}

static gathered_job gathered_job_of(const cuda_context *c, const quire_job *job, const quire_gathered *rows) {
    gathered_job g = {};
    const bool is_across = rows->x.inner >= GATHERED_ACROSS;
    g.job = vectors_job_of(c, job, NULL);
    g.job.at.x_layout = rows->x, g.job.at.y_layout = rows->y;
    g.job.at.begin = rows->segments.begin, g.job.at.end = rows->segments.end;
    g.job.at.is_64_bit = rows->segments.index == QUIRE_I64;
    g.job.vectors = rows->x.outer * rows->segments.count * rows->x.inner;
    g.job.threads = is_across ? 1 : job->method == QUIRE_EXACT ? GATHERED_SHARERS : 32;
    g.job.turns = plan_turns(g.job.vectors, warps_of_device(c));
    g.job.parts = (unsigned)(PARTS_OF_WARP * warps_of_device(c));
    g.x_order = rows->x_order, g.y_order = rows->y_order;
    g.job.is_pair = is_pair(job, &rows->x, &rows->y) || (job->term == TERM_PRODUCT && g.x_order != g.y_order);
    g.segments = rows->segments.count;
    const size_t size = (size_t)element_size(job->type);
    g.has_chunks =
        has_chunks(job->x, &rows->x, size) && (job->term != TERM_PRODUCT || has_chunks(job->y, &rows->y, size));
    g.run = run_of_chunks(&rows->x, size), g.long_rows = GATHERED_LONG;
    g.has_ends = has_ends(job);
    return g;
}

static quire_status check_gathered(const cuda_context *c, const quire_job *job, const quire_gathered *rows) {
    const size_t size = (size_t)element_size(job->type);
    const void *const all[] = { job->result, rows->segments.begin, rows->segments.end, rows->x_order, rows->y_order };
    quire_status status = check_alone(c);
    for (const void *memory : all)
        if (!status && memory) status = check_memory(memory, c);
    if (!status && rows->x.n) status = check_layout_memory(c, &rows->x, job->x, size);
    if (!status && rows->y.n && job->term == TERM_PRODUCT) status = check_layout_memory(c, &rows->y, job->y, size);
    return status;
}

static quire_status cuda_reduce_gathered(const cuda_context *c, const quire_job *job, const quire_gathered *rows) {
    const quire_status status = check_gathered(c, job, rows);
    if (status) return status;
    const gathered_job g = gathered_job_of(c, job, rows);
    if (has_own_sums(job)) return status_of(start_own_sums(c, job, g, true, false));
    return status_of(
        quire_cuda_gathered(&g, job->term, job->method, plan_blocks(&c->facts, GATHERED_BLOCKS), c->stream));
}

#endif
