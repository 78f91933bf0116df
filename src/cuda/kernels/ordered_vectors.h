/* ordered_vectors.h - the kernels of ordered vectors whose elements are loaded one by one, for the host.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_KERNELS_ORDERED_VECTORS_H
#define QUIRE_CUDA_KERNELS_ORDERED_VECTORS_H

#include "cuda/kernels/vectors_job.h"

#define PARTS_OF_WARP 2 /* parts of a long vector, for every warp of the grid, at most */

/* Of whole vectors, which put long segments aside; and of vectors in parts. */
struct ordered_kernels {
    const void *whole, *parts;
};
QUIRE_PRIVATE ordered_kernels quire_ordered_kernels(bool has_doubles, bool is_product, quire_method method);

#endif
