/* ordered_vectors.cu - segments, and vectors at any stride, by the methods of the canonical order.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cuda/kernels/ordered_vectors.cuh"

ordered_kernels quire_ordered_kernels(bool has_doubles, bool is_product, quire_method method) {
    return with_method(has_doubles, is_product, method, [](auto lanes, auto its_method, auto product) {
        typedef decltype(lanes) of_lanes;
        typedef decltype(its_method) of_method;
        constexpr bool PRODUCT = decltype(product)::value;
        return ordered_kernels{ (const void *)ordered_vectors_kernel<of_lanes, of_method, PRODUCT, vectors_job>,
                                (const void *)ordered_parts_kernel<of_lanes, of_method, PRODUCT, vectors_job> };
    });
}
