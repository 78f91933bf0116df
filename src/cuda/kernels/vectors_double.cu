/* vectors_double.cu - the kernels of double. SPDX-License-Identifier: MIT */
#include "cuda/kernels/vectors.cuh"

QUIRE_VECTORS_OF(double)
