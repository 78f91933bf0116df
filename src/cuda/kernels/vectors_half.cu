/* vectors_half.cu - the kernels of half. SPDX-License-Identifier: MIT */
#include "cuda/kernels/vectors.cuh"

QUIRE_VECTORS_OF(half)
