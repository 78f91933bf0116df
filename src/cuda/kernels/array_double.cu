/* array_double.cu - the kernels of double for one array. SPDX-License-Identifier: MIT */
#include "cuda/kernels/array.cuh"

cuda_kernel quire_cuda_double(quire_term term, quire_method method, cuda_access access, cuda_length length) {
    return kernel_of<double_format>(term, method, access, length);
}
