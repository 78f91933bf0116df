/* directed.cuh - additions that round down and up, also of products. The two are equal if and only if neither had to
 * round.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_DEVICE_DIRECTED_CUH
#define QUIRE_CUDA_DEVICE_DIRECTED_CUH

static __device__ __forceinline__ double add_down(double a, double b) { return __dadd_rd(a, b); }
static __device__ __forceinline__ double add_up(double a, double b) { return __dadd_ru(a, b); }
static __device__ __forceinline__ float add_down(float a, float b) { return __fadd_rd(a, b); }
static __device__ __forceinline__ float add_up(float a, float b) { return __fadd_ru(a, b); }

/* a * b + c, rounded once. */
static __device__ __forceinline__ double fma_down(double a, double b, double c) { return __fma_rd(a, b, c); }
static __device__ __forceinline__ double fma_up(double a, double b, double c) { return __fma_ru(a, b, c); }

#endif
