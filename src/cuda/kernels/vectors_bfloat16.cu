/* vectors_bfloat16.cu - the kernels of bfloat16. SPDX-License-Identifier: MIT */
#include "cuda/kernels/vectors.cuh"

QUIRE_VECTORS_OF(bfloat16)
