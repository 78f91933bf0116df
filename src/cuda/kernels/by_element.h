/* by_element.h - the kernels that load elements one by one, for the host. SPDX-License-Identifier: MIT */
#ifndef QUIRE_CUDA_KERNELS_BY_ELEMENT_H
#define QUIRE_CUDA_KERNELS_BY_ELEMENT_H

#include "cuda/kernels/vectors_job.h"

/* Blocks that share vectors, at most: each vector may need two accumulators of the workspace. */
#define ELEMENT_MOST_BLOCKS (VECTORS_LIMBS / 2)

/* Of marked results, and of parts that other kernels have left. */
struct element_kernels {
    const void *marked, *parts;
};
QUIRE_PRIVATE element_kernels quire_element_kernels(quire_term term, bool has_moments);

#endif
