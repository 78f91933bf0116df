/* finish.cuh - accumulators in device memory, rounded where they are. SPDX-License-Identifier: MIT */
#ifndef QUIRE_CUDA_FINISH_CUH
#define QUIRE_CUDA_FINISH_CUH

#include <cuda_runtime.h>

#include "backend.h"
#include "format/formats.h"

struct finish_job {
    const quire_accumulator *sums;
    size_t count; /* not 0 */
    finish_kind finish;
    quire_rounding rounding;
    format_description format; /* of the results */
    void *results;
};

QUIRE_PRIVATE cudaError_t quire_cuda_finish(const finish_job *job, cudaStream_t stream);

/* Loads the kernel on the current device, so that no later call has to. */
QUIRE_PRIVATE cudaError_t quire_cuda_load_finish();

#endif
