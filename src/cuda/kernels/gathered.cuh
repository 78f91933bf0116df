/* gathered.cuh - segments of rows that are found through an index: what the host hands to the kernels.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_KERNELS_GATHERED_CUH
#define QUIRE_CUDA_KERNELS_GATHERED_CUH

#include <cuda_runtime.h>

#include "cuda/kernels/vectors_job.h"

#define GATHERED_PART 8 /* see long_rows */
#define GATHERED_RUN 8  /* neighbouring chunks that are taken together at most: a line of memory */

/* Segment s of vector (i, j) is vector (i * segments + s) * inner + j of the job, whose segments are those of entries:
 * entry e names row x_order[e] of x, or row e if there is no order; and of y. */
typedef struct {
    vectors_job job;
    const void *x_order, *y_order;
    size_t segments;
    bool has_chunks; /* rows of both arrays stand at multiples of 16 bytes, and are some times these */
    unsigned run; /* then so many neighbouring chunks of a row are taken together, a power of two that divides them */
    size_t long_rows; /* of a segment whose runs are put aside, from here on; a part has GATHERED_PART times as many */
    bool has_ends;    /* see host/rows.cuh */
} gathered_job;

/* By an exact sum, whose job says how many threads share a vector of the second kernel, or by a method of the canonical
 * order. blocks: of the grids, at most. */
QUIRE_PRIVATE cudaError_t quire_cuda_gathered(const gathered_job *job, quire_term term, quire_method method,
                                              size_t blocks, cudaStream_t stream);

/* Loads the kernels on the current device, so that no later call has to. */
QUIRE_PRIVATE cudaError_t quire_cuda_load_gathered();

#endif
