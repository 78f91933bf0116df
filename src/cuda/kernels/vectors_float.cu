/* vectors_float.cu - the kernels of many vectors of float. SPDX-License-Identifier: MIT */
#include "cuda/kernels/vectors.cuh"

QUIRE_VECTORS_OF(float)
