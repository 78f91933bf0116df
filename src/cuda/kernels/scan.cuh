/* scan.cuh - running sums on a device. SPDX-License-Identifier: MIT */
#ifndef QUIRE_CUDA_KERNELS_SCAN_CUH
#define QUIRE_CUDA_KERNELS_SCAN_CUH

#include <cuda_runtime.h>

#include "cuda/kernels/vectors_job.h"

#define SCAN_ITEMS_LOG 4 /* 2^this neighbouring elements a thread has at a time: its slot */
#define SCAN_ITEMS (1 << SCAN_ITEMS_LOG)
#define SCAN_THREADS_LOG 8 /* of a block, likewise */
#define SCAN_THREADS (1 << SCAN_THREADS_LOG)
#define SCAN_ACROSS 32                    /* vectors that a block takes together at most, where they are neighbours */
#define SCAN_STATES ((size_t)1 << 17)     /* in the workspace */
#define SCAN_LIMB_STRETCHES VECTORS_LIMBS /* as many stretches have limbs in the workspace */
#define INTEGER_SCAN_LOADS 4              /* of integers that are under way together to a thread */

/* Elements, or results; and how a block copies its tile of them to and from shared memory. */
typedef struct {
    char *memory;
    quire_layout layout;
    unsigned log_size; /* of an element: 2^this bytes */
    bool by_chunks;    /* of 16 bytes: all rows of a tile stand at multiples of them */
    bool is_linear;    /* the vectors of a tile stand as one, and have all elements that it has room for */
    bool is_across;    /* neighbours in memory are elements of neighbouring vectors */
} scan_side;

/* So many threads share a vector, and a block has neighbouring vectors, as many as it has threads for; they are cut
 * into stretches, of which each is a block's, or are one. For what the blocks' states do not tell a vector is cut anew,
 * into stretches that have limbs. */
typedef struct {
    scan_side x, results;
    quire_type type;
    bool magnitude, exclusive;
    bool is_int128;   /* results are integers of 128 bits */
    bool is_in_place; /* nothing is stored before it is known that all results are told */
    bool has_ends;    /* two ends tell nearly all results */
    finish_kind finish;
    quire_rounding rounding;
    format_description format; /* of the results */
    size_t vectors, stretch, stretches, limb_stretch, limb_stretches;
    unsigned threads, threads_log; /* a power of two, and which */
    unsigned slot;                 /* bytes of a slot in shared memory */
    unsigned apart;                /* bytes more between those of a vector and the next one's */
    unsigned blocks;               /* at most */
    vectors_workspace *workspace;
} scan_job;

QUIRE_PRIVATE cudaError_t quire_cuda_scan(const scan_job *job, cudaStream_t stream);

/* The same of integers. The threads of a vector are lanes of one warp; a slot, and limbs, are not needed. */
QUIRE_PRIVATE cudaError_t quire_cuda_scan_integers(const scan_job *job, cudaStream_t stream);

/* Loads the kernels on the current device, so that no later call has to. */
QUIRE_PRIVATE cudaError_t quire_cuda_load_scan();
QUIRE_PRIVATE cudaError_t quire_cuda_load_integer_scan();

#endif
