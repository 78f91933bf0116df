/* quire/device/elements.cuh - the types of elements and of results, and what each of them is as a double. Part of
 * device.cuh, whose first comment is the contract; nothing in here is for users.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_DEVICE_ELEMENTS_CUH
#define QUIRE_DEVICE_ELEMENTS_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <quire/device/arithmetic.cuh>

namespace quire {
namespace detail {

/* The format of a type of CUDA's, and its numbers as doubles, exactly. Conversions of float are instructions of their
 * own (convert.cuh): those that a compiler chooses may flush subnormals. */
template <class T> struct element_of;
template <> struct element_of<double> {
    typedef double_format format;
    static __device__ __forceinline__ double number(double x) { return x; }
};
template <> struct element_of<float> {
    typedef float_format format;
    static __device__ __forceinline__ double number(float x) { return wide(x); }
};
template <> struct element_of<__half> {
    typedef half_format format;
    static __device__ __forceinline__ double number(__half x) { return wide(__half2float(x)); }
};
template <> struct element_of<__nv_bfloat16> {
    typedef bfloat16_format format;
    static __device__ __forceinline__ double number(__nv_bfloat16 x) {
        uint16_t bits;
        memcpy(&bits, &x, sizeof bits);
        return wide(float_of_bits((uint32_t)bits << 16));
    }
};

/* Every number of 8 bits is one of 16. */
template <__nv_fp8_interpretation_t KIND> struct fp8_element {
    static __device__ __forceinline__ double number(__nv_fp8_storage_t x) {
        const __half_raw half = __nv_cvt_fp8_to_halfraw(x, KIND);
        return wide(__half2float(__half(half)));
    }
};
template <> struct element_of<__nv_fp8_e4m3> {
    typedef e4m3_format format;
    static __device__ __forceinline__ double number(__nv_fp8_e4m3 x) { return fp8_element<__NV_E4M3>::number(x.__x); }
};
template <> struct element_of<__nv_fp8_e5m2> {
    typedef e5m2_format format;
    static __device__ __forceinline__ double number(__nv_fp8_e5m2 x) { return fp8_element<__NV_E5M2>::number(x.__x); }
};

template <class T> constexpr int precision_of = element_of<T>::format::description.precision;

/* A result of type R from its bits. */
template <class R> static __device__ __forceinline__ R result_of_bits(uint64_t bits) {
    static_assert(sizeof(R) == sizeof(typename element_of<R>::format::element), "a result has the size of its format");
    const typename element_of<R>::format::element of_format = [&] {
        typename element_of<R>::format::element element;
        memcpy(&element, &bits, sizeof element); /* of the low bytes */
        return element;
    }();
    R result;
    memcpy(&result, &of_format, sizeof result);
    return result;
}

} // namespace detail
} // namespace quire

#endif
