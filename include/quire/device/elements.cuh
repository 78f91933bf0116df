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

/* The format of a type of CUDA's, and its numbers, exactly: as the real type in which the methods of the canonical
 * order add them, and as doubles. Conversions of float are instructions of their own (arithmetic.cuh): those that a
 * compiler chooses may flush subnormals. */
template <class FORMAT> struct narrow_element {
    typedef FORMAT format;
    typedef strict_float real;
};
template <class T> struct element_of;
template <> struct element_of<double> {
    typedef double_format format;
    typedef strict_double real;
    static __device__ __forceinline__ real of(double x) { return { x }; }
    static __device__ __forceinline__ double number(double x) { return x; }
};
template <> struct element_of<float> : narrow_element<float_format> {
    static __device__ __forceinline__ real of(float x) { return { x }; }
    static __device__ __forceinline__ double number(float x) { return wide(x); }
};
template <> struct element_of<__half> : narrow_element<half_format> {
    static __device__ __forceinline__ real of(__half x) { return { __half2float(x) }; }
    static __device__ __forceinline__ double number(__half x) { return wide(of(x).x); }
};
template <> struct element_of<__nv_bfloat16> : narrow_element<bfloat16_format> {
    static __device__ __forceinline__ real of(__nv_bfloat16 x) {
        uint16_t bits;
        memcpy(&bits, &x, sizeof bits);
        return { float_of_bits((uint32_t)bits << 16) };
    }
    static __device__ __forceinline__ double number(__nv_bfloat16 x) { return wide(of(x).x); }
};

/* Every number of 8 bits is one of 16. */
template <class FORMAT, class T, __nv_fp8_interpretation_t KIND> struct fp8_element : narrow_element<FORMAT> {
    static __device__ __forceinline__ strict_float of(T x) {
        const __half_raw half = __nv_cvt_fp8_to_halfraw(x.__x, KIND);
        return { __half2float(__half(half)) };
    }
    static __device__ __forceinline__ double number(T x) { return wide(of(x).x); }
};
template <> struct element_of<__nv_fp8_e4m3> : fp8_element<e4m3_format, __nv_fp8_e4m3, __NV_E4M3> {};
template <> struct element_of<__nv_fp8_e5m2> : fp8_element<e5m2_format, __nv_fp8_e5m2, __NV_E5M2> {};

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
