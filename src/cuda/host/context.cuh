/* context.cuh - what a context on a device holds, and the devices that tests wish for.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_HOST_CONTEXT_CUH
#define QUIRE_CUDA_HOST_CONTEXT_CUH

#include <cuda_runtime.h>

#include "cuda/host/plan.h"
#include "cuda/kernels/vectors_job.h"

/* A lesser device that a test wants this one to be taken for: QUIRE_CUDA_DEVICE="multiprocessors,major,ratio"; major:
 * of the compute capability; ratio: of floats to doubles that it adds at a time; 0: what it has. Hidden, for the same
 * reason. */
struct device_wish {
    unsigned multiprocessors, major, ratio;
};

struct cuda_context {
    quire_context base;
    int device;
    device_facts facts;
    cudaStream_t stream;
    cudaEvent_t moved; /* orders a new stream behind the old one */
    vectors_workspace *vectors;
    unsigned *clash; /* the host's, as far as is known: whether two calls were at work in the workspace at once */
};

#endif
