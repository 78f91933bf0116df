/* finish.cuh - accumulators in device memory, rounded where they are. SPDX-License-Identifier: MIT */
#ifndef QUIRE_CUDA_KERNELS_FINISH_CUH
#define QUIRE_CUDA_KERNELS_FINISH_CUH

#include <cuda_runtime.h>

#include "backend.h"
#include "format/formats.h"

struct finish_job {
    const quire_accumulator *sums, *squares; /* squares: NULL unless the finish needs them */
    size_t count;                            /* not 0 */
    finish_kind finish;
    quire_rounding rounding;
    format_description format; /* of the results */
    void *results;
    int64_t correction;
};

/* The same from a job whose finish, result type, rounding, correction and result say how and where to. */
static inline finish_job finish_job_of(const quire_job *job, size_t count, const quire_accumulator *sums,
                                       const quire_accumulator *squares) {
    return { sums,        squares,        count, job->finish, job->rounding, describe_format(job->result_type),
             job->result, job->correction };
}

QUIRE_PRIVATE cudaError_t quire_cuda_finish(const finish_job *job, cudaStream_t stream);

/* Loads the kernels on the current device, so that no later call has to. */
QUIRE_PRIVATE cudaError_t quire_cuda_load_finish();

#endif
