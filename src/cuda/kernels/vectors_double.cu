/* vectors_double.cu - the kernels of many vectors of double. SPDX-License-Identifier: MIT */
#include "cuda/kernels/vectors.cuh"

QUIRE_VECTORS_OF(double)
