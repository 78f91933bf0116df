/* by_key.cuh - sums by key. Rows are sorted by their groups. Exact sums of rows of whole chunks then read them where
 * they stand, in the order of the groups; else elements are gathered in the caller's workspace, and reduced there as
 * segments; of a vector the elements themselves are sorted.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_HOST_BY_KEY_CUH
#define QUIRE_CUDA_HOST_BY_KEY_CUH

#include "cuda/host/gathered.cuh"
#include "cuda/kernels/calls.cuh"
#include "workspace.h"

/* Takes so many things of a workspace, which is NULL where it is only measured. */
static void *take(char *workspace, size_t *bytes, size_t count, size_t size, bool *fits) {
    const size_t at = *bytes;
    *fits = *fits && workspace_add(bytes, count, size);
    return workspace ? workspace + at : NULL;
}

/* Where a sort puts what it needs, from *bytes on. */
static key_sort plan_sort(const quire_keys *keys, size_t element, char *workspace, size_t *bytes, bool *fits,
                          cudaError_t *error) {
    key_sort s = {};
    s.keys = *keys;
    s.is_wide = key_sort_is_wide(keys);
    const size_t size = s.is_wide ? sizeof(uint64_t) : sizeof(uint32_t);
    void **const places[4] = { &s.groups, &s.sorted_groups, &s.rows, &s.sorted_rows };
    for (void **place : places) *place = take(workspace, bytes, keys->n, size, fits);
    if (*fits) *error = quire_cuda_sort_bytes(keys, element, &s.temporary_bytes);
    s.temporary = take(workspace, bytes, s.temporary_bytes, 1, fits);
    return s;
}

/* All that a sum by key needs. */
struct by_key_plan {
    key_sort sort;
    int64_t *offsets, *begin, *end;
    bool is_in_place;  /* rows are read where they stand, */
    int64_t *order;    /* in this order; */
    void *x, *y;       /* else what has been gathered */
    bool has_elements; /* what is sorted is x itself */
    size_t bytes;
    bool fits;
    cudaError_t error;
};

/* Whether rows are read where they stand. Where x stands is not known where the workspace is measured. */
static bool is_in_place(const quire_job *job, const quire_layout *l, int arrays) {
    return job->method == QUIRE_EXACT && arrays == 1 && !has_own_sums(job) && l->inner >= GATHERED_ACROSS &&
           has_chunks(NULL, l, (size_t)element_size(job->type));
}

static by_key_plan plan_by_key(const quire_job *job, const quire_keys *keys, const quire_layout *l, int arrays,
                               char *workspace) {
    const size_t size = (size_t)element_size(job->type), vectors = l->outer * l->inner;
    by_key_plan p = {};
    size_t elements;
    p.fits = !__builtin_mul_overflow(vectors, l->n, &elements);
    p.is_in_place = is_in_place(job, l, arrays);
    if (p.is_in_place) elements = 0;
    const size_t segments = vectors > 1 && !p.is_in_place ? vectors * keys->groups : 0;
    p.sort = plan_sort(keys, size, workspace, &p.bytes, &p.fits, &p.error);
    p.offsets = (int64_t *)take(workspace, &p.bytes, keys->groups + 1, sizeof(int64_t), &p.fits);
    p.begin = (int64_t *)take(workspace, &p.bytes, segments, sizeof(int64_t), &p.fits);
    p.end = (int64_t *)take(workspace, &p.bytes, segments, sizeof(int64_t), &p.fits);
    p.order = (int64_t *)take(workspace, &p.bytes, p.is_in_place ? keys->n : 0, sizeof(int64_t), &p.fits);
    p.x = take(workspace, &p.bytes, elements, size, &p.fits);
    p.y = take(workspace, &p.bytes, arrays == 2 ? elements : 0, size, &p.fits);
    if (!segments) p.begin = p.offsets, p.end = p.offsets + 1;
    return p;
}

static size_t cuda_order_workspace(quire_context *context, const quire_keys *keys) {
    const on_device here(((const cuda_context *)context)->device);
    size_t bytes = 0;
    bool fits = true;
    cudaError_t error = here.error;
    if (!error) plan_sort(keys, sizeof(uint32_t), NULL, &bytes, &fits, &error);
    if (error) cudaGetLastError();
    return error || !fits ? 0 : bytes + WORKSPACE_ALIGNMENT; /* never none */
}

static size_t cuda_by_key_workspace(quire_context *context, const quire_job *job, const quire_keys *keys,
                                    const quire_layout *x_layout, int arrays) {
    const on_device here(((const cuda_context *)context)->device);
    if (here.error) return 0;
    const by_key_plan p = plan_by_key(job, keys, x_layout, arrays, NULL);
    if (p.error) cudaGetLastError();
    return p.error || !p.fits ? 0 : p.bytes;
}

static quire_status cuda_order_by_key(const cuda_context *c, const quire_keys *keys, void *order, void *offsets,
                                      void *workspace) {
    quire_status status = check_memory(offsets, c);
    if (!status) status = check_memory(workspace, c);
    if (!status && keys->n) status = check_memory(keys->keys, c);
    if (!status && keys->n) status = check_memory(order, c);
    if (status) return status;
    size_t bytes = 0;
    bool fits = true;
    cudaError_t error = cudaSuccess;
    const key_sort sort = plan_sort(keys, sizeof(uint32_t), (char *)workspace, &bytes, &fits, &error);
    if (!error) error = quire_cuda_sort(&sort, c->stream);
    if (!error) error = quire_cuda_offsets(&sort, keys->index, offsets, c->stream);
    if (!error) error = quire_cuda_order(&sort, keys->index, order, c->stream);
    return status_of(error);
}

static quire_status check_by_key(const cuda_context *c, const quire_job *job, const quire_keys *keys,
                                 const quire_layout *x, const quire_layout *y, bool has_results, const int64_t *counts,
                                 const void *workspace) {
    const size_t size = (size_t)element_size(job->type);
    quire_status status = check_alone(c);
    if (!status) status = check_memory(workspace, c);
    if (!status && counts) status = check_memory(counts, c);
    if (!status && keys->n) status = check_memory(keys->keys, c);
    if (!status && has_results) status = check_memory(job->result, c);
    if (!status && has_results && keys->n) status = check_layout_memory(c, x, job->x, size);
    if (!status && has_results && keys->n && is_pair(job, x, y)) status = check_layout_memory(c, y, job->y, size);
    return status;
}

/* Whether the elements of a layout are one vector, side by side. */
static bool is_one_vector(const quire_layout *l) {
    return l->outer == 1 && l->inner == 1 && (l->stride == 1 || l->n <= 1);
}

/* Rows where they stand, in the order of their groups, of each group's a segment. */
static cudaError_t reduce_in_place(const cuda_context *c, const quire_job *job, const quire_layout *x,
                                   const quire_layout *y, const by_key_plan *p) {
    const quire_gathered rows = { { p->sort.keys.groups, QUIRE_I64, p->begin, p->end }, p->order, p->order, *x, *y };
    gathered_job g = gathered_job_of(c, job, &rows);
    /* Long runs have runs / long_rows * 9 / 8 parts at most, so that all can be listed. Places are for runs of two
     * parts and more, which have runs / long_rows / 4 parts at most. runs: of all rows. */
    const size_t runs = x->n * (x->outer * x->inner * (size_t)element_size(job->type) / ROWS_CHUNK / g.run),
                 columns = g.run * ROWS_CHUNK / (size_t)element_size(job->type);
    while (2 * (runs / g.long_rows) > GATHERED_RUNS || runs / g.long_rows / 4 * columns > VECTORS_PLACES)
        g.long_rows *= 2;
    const cudaError_t error = quire_cuda_order(&p->sort, QUIRE_I64, p->order, c->stream);
    if (error) return error;
    return quire_cuda_gathered(&g, job->term, job->method, plan_blocks(&c->facts, GATHERED_BLOCKS), c->stream);
}

/* The elements in the order of their groups, and of each group's a segment. */
static cudaError_t reduce_groups(const cuda_context *c, const quire_job *job, const quire_layout *x,
                                 const quire_layout *y, const by_key_plan *p) {
    const size_t size = (size_t)element_size(job->type), groups = p->sort.keys.groups;
    const bool reads_y = is_pair(job, x, y);
    quire_job gathered = *job;
    gathered.x = p->x, gathered.y = reads_y ? p->y : p->x;
    cudaError_t error = cudaSuccess;
    if (!p->has_elements) error = quire_cuda_gather(&p->sort, x, job->x, size, p->x, c->stream);
    if (!error && reads_y) error = quire_cuda_gather(&p->sort, y, job->y, size, p->y, c->stream);
    if (!error && p->begin != p->offsets)
        error = quire_cuda_group_segments(p->offsets, groups, x, p->begin, p->end, c->stream);
    if (error) return error;
    vectors_job work = vectors_job_of(c, &gathered, NULL);
    work.at.begin = p->begin, work.at.end = p->end, work.at.is_64_bit = true;
    work.vectors = x->outer * x->inner * groups;
    return start_segments(c, &gathered, &work);
}

static quire_status cuda_reduce_by_key(const cuda_context *c, const quire_job *job, const quire_keys *keys,
                                       const quire_layout *x_layout, const quire_layout *y_layout, int64_t *counts,
                                       void *workspace) {
    const bool has_results = x_layout->outer && x_layout->inner;
    const quire_status status = check_by_key(c, job, keys, x_layout, y_layout, has_results, counts, workspace);
    if (status) return status;
    const int arrays = is_pair(job, x_layout, y_layout) ? 2 : 1;
    by_key_plan p = plan_by_key(job, keys, x_layout, arrays, (char *)workspace);
    cudaError_t error = p.error;
    p.has_elements = arrays == 1 && is_one_vector(x_layout) && !p.sort.is_wide;
    if (!error)
        error = p.has_elements
                    ? quire_cuda_sort_elements(&p.sort, job->x, (size_t)element_size(job->type), p.x, c->stream)
                    : quire_cuda_sort(&p.sort, c->stream);
    if (!error) error = quire_cuda_offsets(&p.sort, QUIRE_I64, p.offsets, c->stream);
    if (!error && counts) error = quire_cuda_counts(p.offsets, keys->groups, counts, c->stream);
    if (!error && has_results)
        error = (p.is_in_place ? reduce_in_place : reduce_groups)(c, job, x_layout, y_layout, &p);
    return status_of(error);
}

#endif
