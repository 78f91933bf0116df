/* scan.cuh - running sums on a device. SPDX-License-Identifier: MIT */
#ifndef QUIRE_CUDA_KERNELS_SCAN_CUH
#define QUIRE_CUDA_KERNELS_SCAN_CUH

#include <cuda_runtime.h>

#include "cuda/kernels/vectors_job.h"

#define SCAN_ITEMS 8                      /* elements that a thread has at a time */
#define SCAN_WARPS 8                      /* of a block, or there is but one */
#define SCAN_TILE (32 * SCAN_ITEMS)       /* elements that a warp has at a time */
#define SCAN_STRETCHES ((size_t)8192)     /* of all vectors, about: each has a state in the workspace */
#define SCAN_LIMB_STRETCHES VECTORS_LIMBS /* the same where each has limbs in the workspace */

/* A vector is cut into stretches, of which each is a block's; or it is one. For what the blocks' states do not tell it
 * is cut anew, into stretches that have limbs. */
struct scan_job {
    const void *x;
    void *results;
    quire_layout x_layout, results_layout;
    quire_type type;
    bool magnitude, exclusive;
    bool is_in_place; /* nothing is stored before it is known that all results are told */
    finish_kind finish;
    quire_rounding rounding;
    format_description format; /* of the results */
    size_t vectors, stretch, stretches, limb_stretch, limb_stretches;
    unsigned warps;  /* of a block: SCAN_WARPS or 1 */
    unsigned blocks; /* at most */
    vectors_workspace *workspace;
};

QUIRE_PRIVATE cudaError_t quire_cuda_scan(const scan_job *job, cudaStream_t stream);

/* Loads the kernels on the current device, so that no later call has to. */
QUIRE_PRIVATE cudaError_t quire_cuda_load_scan();

#endif
