/* pairs.cuh - the launches of kernels/pairs.cu and kernels/integers.cu: averages, covariances and correlations, and all
 * sums of integers, of vectors of any layout.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_HOST_PAIRS_CUH
#define QUIRE_CUDA_HOST_PAIRS_CUH

#include "cuda/host/vectors.cuh"
#include "cuda/kernels/calls.cuh"

#define PAIR_SHORT_BLOCKS 16 /* of a multiprocessor, at most: vectors that are more are taken in turns */
#define PAIR_SHARERS 8       /* threads of a vector whose length the host does not know */

/* Whether a job is one of these. */
static bool has_own_sums(const quire_job *job) { return needs_pair_sums(job->finish) || is_integer(job->type); }

/* Vectors stand where "rows" says, which says how many threads share a short one, too. are_long: they are few, and all
 * of them long. */
static cudaError_t start_own_sums(const cuda_context *c, const quire_job *job, const gathered_job &rows,
                                  bool is_gathered, bool are_long) {
    pairs_job p = {};
    p.rows = rows, p.is_gathered = is_gathered;
    p.kinds = sum_kinds_of(job);
    p.is_int128 = job->result_type == QUIRE_INT128;
    p.result_size = (size_t)result_size(job->result_type);
    const size_t of_one = plan_blocks(&c->facts, ELEMENT_BLOCKS);
    const pairs_blocks blocks = { plan_blocks(&c->facts, PAIR_SHORT_BLOCKS), plan_least(of_one, PAIR_LONG_BLOCKS),
                                  plan_least(of_one, PAIR_EXACT_BLOCKS) };
    return is_integer(job->type) ? quire_cuda_integers(&p, are_long, &blocks, c->stream)
                                 : quire_cuda_pairs(&p, are_long, &blocks, c->stream);
}

/* As many threads for a vector of a layout as have some elements each; of neighbouring columns one. */
static unsigned sharers_of(const quire_layout *x) {
    unsigned threads = 1;
    while (!plan_has_columns(x) && threads < 32 && threads * AGAIN_ELEMENTS < x->n) threads *= 2;
    return threads;
}

/* Vectors of a layout; or one, whose sum goes into an accumulator. */
static cudaError_t start_own_layout(const cuda_context *c, const quire_job *job, const quire_layout *x,
                                    const quire_layout *y, quire_accumulator *accumulator) {
    gathered_job rows = {};
    rows.job = vectors_job_of(c, job, accumulator);
    rows.job.at.x_layout = *x, rows.job.at.y_layout = *y;
    rows.job.vectors = x->outer * x->inner;
    rows.job.is_pair = is_pair(job, x, y);
    rows.job.threads = sharers_of(x);
    const bool are_few = rows.job.vectors <= plan_least(plan_blocks(&c->facts, ELEMENT_BLOCKS), PAIR_LONG_BLOCKS);
    return start_own_sums(c, job, rows, false, accumulator || (are_few && x->n >= ELEMENTS_LONG));
}

/* Segments, where the job for kernels says. */
static cudaError_t start_own_segments(const cuda_context *c, const quire_job *job, const vectors_job *work) {
    gathered_job rows = {};
    rows.job = *work;
    rows.job.is_pair = job->term == TERM_PRODUCT && job->y != job->x;
    rows.job.threads = PAIR_SHARERS;
    return start_own_sums(c, job, rows, false, false);
}

/* One array. */
static quire_status reduce_own_array(const cuda_context *c, const quire_job *job, quire_accumulator *accumulator) {
    const quire_layout one = { 1, job->n, 1, 0, 1, 0 };
    const quire_status status = check_alone(c);
    return status ? status : status_of(start_own_layout(c, job, &one, &one, accumulator));
}

#endif
