/* gpu_peers.h - what the files of this folder offer peers.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_GPU_PEERS_H
#define QUIRE_BENCH_GPU_PEERS_H

#include "contenders/reducer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* CUB [https://nvidia.github.io/cccl/cub]: DeviceReduce::Sum as it is, and with half and bfloat16 added in float. */
extern const reducer cub_reducers[];     /* the first is the baseline */
extern const int cub_count, cub_version; /* 300001: 3.0.1 */

/* DeviceReduce::Sum with the same bits on every GPU (gpu_to_gpu), from CCCL 3.1 on; 0 reducers before. */
extern const reducer cub_fixed_reducers[];
extern const int cub_fixed_count;

/* thrust::reduce. */
extern const reducer thrust_reducers[];
extern const int thrust_count;

/* Of many vectors, sums: cub::DeviceSegmentedReduce by offsets, of which rows have computed ones, with half and
 * bfloat16 added in float, and for rows of one length, where CUB has that; the first is the baseline.
 * thrust::reduce_by_key, of segments none of which is empty: a key an element, made before. */
extern const reducer cub_rows_reducers[];
extern const int cub_rows_count;
extern const bool cub_rows_has_fixed;
extern const reducer thrust_rows_reducers[];
extern const int thrust_rows_count;
void thrust_rows_close(void);

/* cuBLAS, loaded when the bench runs: answers what is wrong, or NULL and its version, 130100 for 13.1.0. */
extern const reducer cublas_reducers[];
extern const int cublas_count;
const char *cublas_open(int *version);
void cublas_close(void);

/* Rows and columns times a vector of ones (gemv). cublas_rows.c has no cuBLAS of its own. */
extern const reducer cublas_rows_reducers[];
extern const int cublas_rows_count;
void cublas_rows_close(void);
void *cublas_handle(void);
bool cublas_find(const char *name, void *function); /* *function becomes the address */

#ifdef __cplusplus
}
#endif

#endif
