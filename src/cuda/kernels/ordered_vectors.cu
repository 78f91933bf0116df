/* ordered_vectors.cu - segments, and vectors at any stride, by the methods of the canonical order.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cuda/kernels/ordered_vectors.cuh"

template <class Lanes, class Method> static ordered_kernels kernels_of(bool is_product) {
    if (is_product)
        return { (const void *)ordered_vectors_kernel<Lanes, Method, true, vectors_job>,
                 (const void *)ordered_parts_kernel<Lanes, Method, true, vectors_job> };
    return { (const void *)ordered_vectors_kernel<Lanes, Method, false, vectors_job>,
             (const void *)ordered_parts_kernel<Lanes, Method, false, vectors_job> };
}

ordered_kernels quire_ordered_kernels(bool has_doubles, bool is_product, quire_method method) {
    if (method == QUIRE_KAHAN)
        return has_doubles ? kernels_of<double_format, kahan_method>(is_product)
                           : kernels_of<float_format, kahan_method>(is_product);
    return has_doubles ? kernels_of<double_format, plain_method>(is_product) /* pairwise: in tiles of another size */
                       : kernels_of<float_format, plain_method>(is_product);
}
