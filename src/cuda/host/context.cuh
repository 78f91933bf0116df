/* context.cuh - what a context on a device holds, and the launches and devices that tests wish for.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_HOST_CONTEXT_CUH
#define QUIRE_CUDA_HOST_CONTEXT_CUH

#include "cuda/job.h"
#include "cuda/kernels/vectors_job.h"

/* Launches that a test wants instead of ours: QUIRE_CUDA_LAUNCH="blocks,warps,long", read by quire_open_cuda; blocks:
 * of long arrays one more gathers; long: from how many bytes on an array is long; 0: ours. Hidden, since no result
 * depends on it. */
struct launch_wish {
    unsigned blocks, warps, bytes;
};

/* A lesser device that a test wants this one to be taken for: QUIRE_CUDA_DEVICE="multiprocessors,KiB,major,ratio"; KiB:
 * of shared memory that a block may have; major: of the compute capability; ratio: of floats to doubles that it adds at
 * a time; 0: what it has. Hidden, for the same reason. */
struct device_wish {
    unsigned multiprocessors, shared, major, ratio;
};

struct cuda_context {
    quire_context base;
    int device, multiprocessors;
    unsigned shared_memory; /* bytes that a block may have beside what kernels always have */
    cudaStream_t stream;
    cudaEvent_t moved; /* orders a new stream behind the old one */
    cuda_workspace *workspace;
    vectors_workspace *vectors;
    unsigned
        *hint; /* the host's: whether the last exact sum of 8 MB or more met what no window holds, as far as is known */
    launch_wish wish;
    bool few_doubles; /* whether it adds FEW_DOUBLES times as many floats as doubles at a time, or more */
    bool has_bulk;    /* whether the kernels were compiled for compute capability 9.0 or later */
    unsigned cluster; /* blocks of a cluster, at most; 1: there are none */
};

#endif
