/* vectors_e4m3.cu - the kernels of e4m3. SPDX-License-Identifier: MIT */
#include "cuda/kernels/vectors.cuh"

QUIRE_VECTORS_OF(e4m3)
