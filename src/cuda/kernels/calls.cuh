/* calls.cuh - what the host hands to the kernels beside vectors_job.h, and how kernels are loaded and started.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_KERNELS_CALLS_CUH
#define QUIRE_CUDA_KERNELS_CALLS_CUH

#include <cuda_runtime.h>
#include <initializer_list>

#include "backend.h"
#include "cuda/kernels/by_element.h"
#include "cuda/kernels/vectors_job.h"
#include "format/formats.h"
#include "operation/pairs.h"

/* What a launch answers is its own error: an earlier one of the caller's, that he has not asked for, stays his. shared:
 * bytes of shared memory that are the launch's. */
template <class... Expected, class... Given>
static cudaError_t start_kernel(size_t blocks, unsigned threads, unsigned shared, cudaStream_t stream,
                                void (*kernel)(Expected...), const Given &...given) {
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)blocks);
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = shared;
    config.stream = stream;
    return cudaLaunchKernelEx(&config, kernel, Expected(given)...);
}
/* Loads kernels on the current device; NULL is none. */
static inline cudaError_t load_functions(std::initializer_list<const void *> functions) {
    cudaFuncAttributes is;
    cudaError_t error = cudaSuccess;
    for (const void *function : functions)
        if (!error && function) error = cudaFuncGetAttributes(&is, function);
    return error;
}

/* ----------------------------------------------- vectors by the methods of the canonical order (ordered_vectors.cu) */

#define PARTS_OF_WARP 2 /* parts of a long vector, for every warp of the grid, at most */

/* Of whole vectors, which put long segments aside; and of vectors in parts. */
struct ordered_kernels {
    const void *whole, *parts;
};
QUIRE_PRIVATE ordered_kernels quire_ordered_kernels(bool has_doubles, bool is_product, quire_method method);

/* ------------------------------------------------ accumulators in device memory, rounded where they are (finish.cu) */

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

/* --------------------------------------------------- segments of rows that are found through an index (gathered.cu) */

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

/* ----------------------------------- averages, covariances, correlations (pairs.cu), sums of integers (integers.cu) */

/* Sums are those of operation/pairs.h if are_pairs; else the first one is that of a term, and a second one that of the
 * squares. */
struct sum_kinds {
    quire_type type; /* of the elements */
    int count;       /* of sums: MOST_PAIR_SUMS at most */
    bool are_pairs;
    bool is_product, is_magnitude; /* the first term, if they are no pairs */
};

static inline sum_kinds sum_kinds_of(const quire_job *job) {
    const bool are_pairs = needs_pair_sums(job->finish);
    return { job->type, are_pairs ? pair_sums_of(job->finish) : sums_of(job->finish), are_pairs,
             job->term == TERM_PRODUCT, job->term == TERM_MAGNITUDE };
}

/* Of sum number i: whether its terms are products; and which elements they are made of, a of x or b of y. */
static __device__ __forceinline__ bool sum_has_products(const sum_kinds &k, int i) {
    return k.are_pairs ? pair_term(i) == TERM_PRODUCT : i > 0 || k.is_product;
}
template <class Element>
static __device__ __forceinline__ Element first_factor(const sum_kinds &k, int i, Element a, Element b) {
    return k.are_pairs && !pair_begins_with_x(i) ? b : a;
}
template <class Element>
static __device__ __forceinline__ Element second_factor(const sum_kinds &k, int i, Element a, Element b) {
    return k.are_pairs && pair_ends_with_x(i) ? a : b;
}

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

/* -------------------------------------------------------------------------- running sums (scan.cu, integer_scan.cu) */

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

/* ------------------------------------ rows in the order of their groups, and their elements in that order (keys.cu) */

/* A stable sort of rows by their groups, where rows of no group have the number of groups. Groups and rows are of 32
 * bits, or where there are more, of 64. */
struct key_sort {
    quire_keys keys;
    bool is_wide;
    void *groups, *sorted_groups, *rows, *sorted_rows; /* n each */
    void *temporary;
    size_t temporary_bytes;
};

/* Whether groups and rows are of 64 bits. */
static inline bool key_sort_is_wide(const quire_keys *keys) {
    return keys->groups >= UINT32_MAX || keys->n > UINT32_MAX;
}

/* Bytes of the temporary memory, on the current device, for elements of so many bytes too. */
QUIRE_PRIVATE cudaError_t quire_cuda_sort_bytes(const quire_keys *keys, size_t element, size_t *bytes);

QUIRE_PRIVATE cudaError_t quire_cuda_sort(const key_sort *sort, cudaStream_t stream);

/* The same, but that elements side by side, of size bytes each, are sorted in place of their row numbers. Not of a wide
 * one. */
QUIRE_PRIVATE cudaError_t quire_cuda_sort_elements(const key_sort *sort, const void *x, size_t size, void *to,
                                                   cudaStream_t stream);

/* Of a sort that is done: where each group begins, groups + 1 numbers; and the rows. */
QUIRE_PRIVATE cudaError_t quire_cuda_offsets(const key_sort *sort, quire_index index, void *offsets,
                                             cudaStream_t stream);
QUIRE_PRIVATE cudaError_t quire_cuda_order(const key_sort *sort, quire_index index, void *order, cudaStream_t stream);

/* How many rows each group has. */
QUIRE_PRIVATE cudaError_t quire_cuda_counts(const int64_t *offsets, size_t groups, int64_t *counts,
                                            cudaStream_t stream);

/* The elements of a layout's vectors, of size bytes each, in the order of a sort that is done: vector (i, j), row by
 * row, from to + (i * inner + j) * n elements on. */
QUIRE_PRIVATE cudaError_t quire_cuda_gather(const key_sort *sort, const quire_layout *layout, const void *x,
                                            size_t size, void *to, cudaStream_t stream);

/* The segments of what has been gathered, in the order of their results: that of group g of vector (i, j) is number
 * (i * groups + g) * inner + j. */
QUIRE_PRIVATE cudaError_t quire_cuda_group_segments(const int64_t *offsets, size_t groups, const quire_layout *layout,
                                                    int64_t *begin, int64_t *end, cudaStream_t stream);

/* ---------------------------------------------------------------------------------------------------------- loading */

/* Each loads the kernels of a file on the current device, so that no later call has to. scratch: memory that they may
 * write. */
QUIRE_PRIVATE cudaError_t quire_cuda_load_finish();
QUIRE_PRIVATE cudaError_t quire_cuda_load_gathered();
QUIRE_PRIVATE cudaError_t quire_cuda_load_pairs();
QUIRE_PRIVATE cudaError_t quire_cuda_load_integers();
QUIRE_PRIVATE cudaError_t quire_cuda_load_scan();
QUIRE_PRIVATE cudaError_t quire_cuda_load_integer_scan();
QUIRE_PRIVATE cudaError_t quire_cuda_load_keys(void *scratch, size_t bytes, cudaStream_t stream);

#endif
