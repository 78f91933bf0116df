/* many.cuh - the backend's calls for many vectors: memory is checked, and those who serve a layout are chosen; and the
 * launches of kernels/pairs.cu and kernels/integers.cu: averages, covariances and correlations, and all sums of
 * integers.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_HOST_MANY_CUH
#define QUIRE_CUDA_HOST_MANY_CUH

#include "cuda/host/array.cuh"
#include "cuda/host/vectors.cuh"
#include "cuda/kernels/calls.cuh"

#define PAIR_SHORT_BLOCKS 16 /* of a multiprocessor, at most: vectors that are more are taken in turns */
#define PAIR_SHARERS 8       /* threads of a vector whose length the host does not know */

/* Whether a job is one of pairs or of integers. */
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

/* Vectors of a layout; or one, whose sum goes into an accumulator. */
static cudaError_t start_own_layout(const cuda_context *c, const quire_job *job, const quire_layout *x,
                                    const quire_layout *y, quire_accumulator *accumulator) {
    gathered_job rows = {};
    rows.job = vectors_job_of(c, job, accumulator);
    rows.job.at.x_layout = *x, rows.job.at.y_layout = *y;
    rows.job.vectors = x->outer * x->inner;
    rows.job.is_pair = is_pair(job, x, y);
    rows.job.threads = plan_sharers(x, AGAIN_ELEMENTS);
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

/* Loads the kernels of a job, so that no call does, which a capture would not allow. */
static cudaError_t load_kernels(const quire_job *job) {
    const vectors_kernels v = find_vectors_kernels(job);
    const row_kernels r = find_row_kernels(job);
    const element_kernels e = find_element_kernels(job);
    const ordered_kernels o =
        job->method == QUIRE_EXACT
            ? ordered_kernels{}
            : quire_ordered_kernels(has_double_lanes(job->type), job->term == TERM_PRODUCT, job->method);
    const scaled_kernels s =
        has_double_lanes(job->type) ? quire_scaled_kernels(job->term, needs_squares(job->finish)) : scaled_kernels{};
    cudaError_t error = load_functions({ s.of[0], s.of[1], v.rows, v.pair_rows, v.columns, v.array, v.pair_array,
                                         v.elements, v.pair_elements, r.limbs, e.marked, e.parts, o.whole, o.parts });
    for (const sum_kernels &k : { r.by_ends, r.by_sums })
        for (int pair = 0; pair < 2 && !error; pair++)
            error = load_functions({ k.rows[pair], k.segments[pair], k.columns[pair], k.array[pair] });
    return error;
}

#define QUIRE_METHOD(name, METHOD, words, rows, unused) METHOD,
static const quire_method all_methods[] = { QUIRE_LANE_METHODS(QUIRE_METHOD, ) QUIRE_EXACT };
#undef QUIRE_METHOD

/* The same for all formats, terms and methods, and for variances. */
static cudaError_t load_many(void) {
    cudaError_t error = cudaSuccess;
    for (int type = 1; type < FORMAT_NUMBERS; type++)
        for (int term = 0; term < TERM_COUNT && describe_format((quire_type)type).size; term++) {
            quire_job job = {};
            job.type = (quire_type)type, job.term = (quire_term)term;
            job.finish = FINISH_KEEP;
            for (quire_method method : all_methods) {
                job.method = method;
                if (!error) error = load_kernels(&job);
            }
            job.finish = FINISH_VARIANCE; /* exact, the last of them */
            if (!error) error = load_kernels(&job);
        }
    return error;
}

static quire_status reduce_many(const cuda_context *c, const quire_job *job, const quire_layout *x,
                                const quire_layout *y) {
    if (has_own_sums(job)) return status_of(start_own_layout(c, job, x, y, NULL));
    return job->method == QUIRE_EXACT ? reduce_exact(c, job, x, y) : reduce_layout(c, job, x, y);
}

static quire_status cuda_reduce_many(const cuda_context *c, const quire_job *job, const quire_layout *x_layout,
                                     const quire_layout *y_layout) {
    const size_t size = (size_t)element_size(job->type);
    quire_status status = check_alone(c);
    if (!status) status = check_memory(job->result, c);
    if (!status && job->n) status = check_layout_memory(c, x_layout, job->x, size);
    const bool has_y = job->y != job->x || memcmp(x_layout, y_layout, sizeof *x_layout) != 0;
    if (!status && job->n && has_y) status = check_layout_memory(c, y_layout, job->y, size);
    return status ? status : reduce_many(c, job, x_layout, y_layout);
}

/* Exact segments; then what has been marked; then long ones, and of these what is marked. */
static cudaError_t start_exact_segments(const cuda_context *c, const quire_job *job, vectors_job *work) {
    work->turns = segments_at_once(c, work->vectors);
    const size_t units = plan_divide_up(work->vectors, work->turns),
                 blocks = plan_least(plan_divide_up(units, SEGMENTS_THREADS / 32),
                                     plan_blocks(&c->facts, SEGMENTS_BLOCKS) * SEGMENTS_WAVES);
    const sum_kernels k = find_sum_kernels(job);
    if (!k.rows[work->is_pair]) return start_shorts(c, job, *work, VECTORS_ALL);
    cudaError_t error = start_blocks(c, k.segments[work->is_pair], SEGMENTS_THREADS, blocks, work);
    if (!error) error = start_shorts(c, job, *work, VECTORS_MARKED);
    work->source = VECTORS_ASIDE, work->shape = ROWS_ASIDE;
    if (!error)
        error = start_blocks(c, k.rows[work->is_pair], GROUPS_THREADS,
                             plan_blocks(&c->facts, GROUPS_BLOCKS) * ASIDE_WAVES, work);
    return error ? error : start_marked_longs(c, job, *work);
}

static cudaError_t start_segments(const cuda_context *c, const quire_job *job, vectors_job *work) {
    if (has_own_sums(job)) return start_own_segments(c, job, work);
    work->is_pair = job->term == TERM_PRODUCT && job->y != job->x && !needs_squares(job->finish);
    return job->method == QUIRE_EXACT ? start_exact_segments(c, job, work) : start_by_elements(c, job, work);
}

static quire_status cuda_reduce_segments(const cuda_context *c, const quire_job *job, const quire_segments *segments) {
    quire_status status = check_alone(c);
    if (!status) status = check_memory(job->result, c);
    if (!status) status = check_memory(segments->begin, c);
    if (!status) status = check_memory(segments->end, c);
    if (!status && job->x) status = check_memory(job->x, c);
    if (!status && job->y && job->y != job->x) status = check_memory(job->y, c);
    if (status) return status;
    vectors_job work = vectors_job_of(c, job, NULL);
    work.at.begin = segments->begin, work.at.end = segments->end, work.at.is_64_bit = segments->index == QUIRE_I64;
    work.vectors = segments->count;
    return status_of(start_segments(c, job, &work));
}

/* Both ends of the accumulators must be there, and of the results. */
static quire_status cuda_finish(const cuda_context *c, const quire_job *job, size_t count,
                                const quire_accumulator *sums, const quire_accumulator *squares) {
    const finish_job work = finish_job_of(job, count, sums, squares);
    const char *result = (const char *)job->result;
    const void *const ends[6] = { sums,    sums + count - 1,
                                  result,  result + (count - 1) * (size_t)work.format.size,
                                  squares, squares + (squares ? count - 1 : 0) };
    for (int i = 0; i < (squares ? 6 : 4); i++)
        if (const quire_status status = check_memory(ends[i], c)) return status;
    return status_of(quire_cuda_finish(&work, c->stream));
}

#endif
