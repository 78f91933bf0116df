/* array.cuh - the launches of kernels/exact_array.cuh, exact_limbs.cuh and ordered_array.cuh: one array.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_HOST_ARRAY_CUH
#define QUIRE_CUDA_HOST_ARRAY_CUH

#include "cuda/host/array_plan.h"
#include "cuda/host/rows.cuh"

static vectors_job array_job_of(const cuda_context *c, const quire_job *job, quire_accumulator *accumulator) {
    const quire_layout one = { 1, job->n, 1, 0, 1, 0 };
    vectors_job work = vectors_job_of(c, job, accumulator);
    work.at.x_layout = work.at.y_layout = one;
    work.vectors = 1, work.clash = c->clash;
    work.is_pair = is_pair(job, &one, &one);
    return work;
}

/* The first kernel for an exact result, which may leave it to a second one. */
static cudaError_t start_ends(const cuda_context *c, const quire_job *job, vectors_job *work) {
    const size_t bytes = job->n * (size_t)describe_format(job->type).size;
    const array_plan p = plan_exact_array(&c->facts, bytes, !has_ends(job));
    return start_blocks(c, find_sum_kernels(job).array[work->is_pair], p.threads, p.blocks, work, 0, true);
}

/* The exact result of an array, one element at least, and by others what the first kernel does not tell; or the sum, of
 * any number of elements, into an accumulator. */
static cudaError_t start_exact_array(const cuda_context *c, const quire_job *job, quire_accumulator *accumulator) {
    const row_kernels k = find_row_kernels(job);
    const array_plan p = plan_limbs(&c->facts, job->n, k.limbs_threads, k.limbs_blocks);
    vectors_job work = array_job_of(c, job, accumulator);
    count_terms(job, &work);
    work.part = p.part;
    work.few_doubles =
        (c->facts.ratio >= FEW_DOUBLES && !has_double_lanes(job->type)) || !find_sum_kernels(job).array[work.is_pair];
    work.is_short = job->n <= (size_t)ARRAY_SHORT * k.limbs_threads;
    if (!accumulator && !work.few_doubles) {
        cudaError_t error = start_ends(c, job, &work);
        if (!error && !work.is_short) error = start_scaled(c, job, work);
        if (error || work.is_short) return error;
    }
    return start_blocks(c, k.limbs, p.threads, p.blocks, &work, 0, true);
}

/* Whether an array stands at a multiple of what a thread loads together. */
static bool stands_together(const void *x, int size) {
    return (uintptr_t)x % (unsigned)(size * array_lanes(size)) == 0;
}

/* Blocks of a kernel that the device has places for at once. */
static size_t places_at_once(const cuda_context *c, const void *kernel, unsigned threads) {
    int of_one = 1;
    if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_one, kernel, (int)threads, 0) || of_one < 1) of_one = 1;
    return plan_blocks(&c->facts, (unsigned)of_one);
}

/* The result by a method of the canonical order. */
static cudaError_t start_ordered_array(const cuda_context *c, const quire_job *job) {
    const int size = describe_format(job->type).size;
    const vectors_kernels k = find_vectors_kernels(job);
    vectors_job work = array_job_of(c, job, NULL);
    const bool together = stands_together(job->x, size) && (!work.is_pair || stands_together(job->y, size));
    work.tile = order_tile(job->n, work.rows);
    const array_plan p = plan_ordered_array(&c->facts, job->n, work.tile, together ? (unsigned)array_lanes(size) : 1);
    work.part = p.part, work.parts = (unsigned)p.blocks;
    const void *kernel =
        together ? (work.is_pair ? k.pair_array : k.array) : (work.is_pair ? k.pair_elements : k.elements);
    return start_blocks(c, kernel, p.threads, plan_least(p.blocks, places_at_once(c, kernel, p.threads)), &work, 0,
                        true);
}

static quire_status reduce_array(const cuda_context *c, const quire_job *job) {
    const quire_status status = check_alone(c);
    return status
               ? status
               : status_of(job->method == QUIRE_EXACT ? start_exact_array(c, job, NULL) : start_ordered_array(c, job));
}

/* The sum of an array into an accumulator, which of no elements is carried. */
static quire_status accumulate_array(const cuda_context *c, const quire_job *job, quire_accumulator *accumulator) {
    const quire_status status = check_alone(c);
    return status ? status : status_of(start_exact_array(c, job, accumulator));
}

#endif
