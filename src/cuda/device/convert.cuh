/* convert.cuh - conversions between float and double that keep subnormal floats, whatever a compiler was told: with
 * --use_fast_math its own conversions flush them to zero.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_DEVICE_CONVERT_CUH
#define QUIRE_CUDA_DEVICE_CONVERT_CUH

static __device__ __forceinline__ double wide(float x) {
    double wide;
    asm("cvt.f64.f32 %0, %1;" : "=d"(wide) : "f"(x));
    return wide;
}
static __device__ __forceinline__ float float_nearest(double x) {
    float nearest;
    asm("cvt.rn.f32.f64 %0, %1;" : "=f"(nearest) : "d"(x));
    return nearest;
}
static __device__ __forceinline__ float float_toward_zero(double x) {
    float truncated;
    asm("cvt.rz.f32.f64 %0, %1;" : "=f"(truncated) : "d"(x));
    return truncated;
}

#endif
