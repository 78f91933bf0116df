/* array_bfloat16.cu - the kernels of bfloat16 for one array. SPDX-License-Identifier: MIT */
#include "cuda/kernels/array.cuh"

cuda_kernel quire_cuda_bfloat16(quire_term term, quire_method method, cuda_access access, cuda_length length) {
    return kernel_of<bfloat16_format>(term, method, access, length);
}
