/* array_float.cu - the kernels of float for one array. SPDX-License-Identifier: MIT */
#include "cuda/kernels/array.cuh"

cuda_kernel quire_cuda_float(quire_term term, quire_method method, cuda_access access, cuda_length length) {
    return kernel_of<float_format>(term, method, access, length);
}
