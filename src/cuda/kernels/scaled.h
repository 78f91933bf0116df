/* scaled.h - the kernels that add up long vectors of doubles in a scale, for the host. SPDX-License-Identifier: MIT */
#ifndef QUIRE_CUDA_KERNELS_SCALED_H
#define QUIRE_CUDA_KERNELS_SCALED_H

#include "cuda/kernels/vectors_job.h"

/* Of one array, and of two, or NULL. */
struct scaled_kernels {
    const void *of[2];
};
QUIRE_PRIVATE scaled_kernels quire_scaled_kernels(quire_term term, bool has_moments);

#endif
