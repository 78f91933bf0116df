/* keys.cuh - rows in the order of their groups, and their elements in that order. SPDX-License-Identifier: MIT */
#ifndef QUIRE_CUDA_KERNELS_KEYS_CUH
#define QUIRE_CUDA_KERNELS_KEYS_CUH

#include <cuda_runtime.h>

#include "backend.h"

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

/* Loads the kernels on the current device, so that no later call has to; scratch: memory that they may write. */
QUIRE_PRIVATE cudaError_t quire_cuda_load_keys(void *scratch, size_t bytes, cudaStream_t stream);

#endif
