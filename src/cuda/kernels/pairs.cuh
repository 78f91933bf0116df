/* pairs.cuh - averages, covariances and correlations, and all sums of integers: what the host hands to the kernels.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_KERNELS_PAIRS_CUH
#define QUIRE_CUDA_KERNELS_PAIRS_CUH

#include "cuda/kernels/by_element.h"
#include "cuda/kernels/gathered.cuh"
#include "cuda/thread/sum_kinds.cuh"

/* Vectors stand where "rows" says: as its job has it, or if is_gathered through an index. */
typedef struct {
    gathered_job rows;
    bool is_gathered;
    bool are_short; /* threads of a warp share a vector */
    sum_kinds kinds;
    bool is_int128;     /* results are integers of 128 bits */
    size_t result_size; /* bytes from a result to the next */
} pairs_job;

/* Blocks of grids, at most: of the kernel for short vectors; of that whose blocks share vectors, each of which needs
 * places for its record; and of that which takes all bits, in accumulators of the workspace. */
typedef struct {
    size_t shorts, longs, exact;
} pairs_blocks;
#define PAIR_PLACES 3 /* of the workspace, for a record */
#define PAIR_LONG_BLOCKS ((size_t)ELEMENT_MOST_BLOCKS)
#define PAIR_EXACT_BLOCKS ((size_t)VECTORS_LIMBS / MOST_PAIR_SUMS)

/* are_long: few vectors, all of them for several blocks each. */
QUIRE_PRIVATE cudaError_t quire_cuda_pairs(const pairs_job *job, bool are_long, const pairs_blocks *blocks,
                                           cudaStream_t stream);
QUIRE_PRIVATE cudaError_t quire_cuda_integers(const pairs_job *job, bool are_long, const pairs_blocks *blocks,
                                              cudaStream_t stream);

/* Loads the kernels on the current device, so that no later call has to. */
QUIRE_PRIVATE cudaError_t quire_cuda_load_pairs();
QUIRE_PRIVATE cudaError_t quire_cuda_load_integers();

#endif
