/* vectors_e5m2.cu - the kernels of e5m2. SPDX-License-Identifier: MIT */
#include "cuda/kernels/vectors.cuh"

QUIRE_VECTORS_OF(e5m2)
