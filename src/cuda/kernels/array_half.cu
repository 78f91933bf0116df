/* array_half.cu - the kernels of half for one array. SPDX-License-Identifier: MIT */
#include "cuda/kernels/array.cuh"

cuda_kernel quire_cuda_half(quire_term term, quire_method method, cuda_access access, cuda_length length) {
    return kernel_of<half_format>(term, method, access, length);
}
