/* device_calls.h - kernels of the tests' own that sum by the methods of the canonical order, and make variances, by
 * quire/device.cuh. Compiled twice, as device_sums.h. */
#ifndef QUIRE_TESTS_DEVICE_CALLS_H
#define QUIRE_TESTS_DEVICE_CALLS_H

#include "device_sums.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Who sums a vector, as in device_sums.h. The second lists are tried with floats alone, of the methods with
 * kahan. */
#define METHODS_WHO(X) X(-32) X(33) X(256)
#define KAHANS_WHO(X) X(-1) X(-2) X(-8) X(-16) X(1) X(20) X(32) X(64) X(100) X(512) X(1000) X(1024)
#define MOMENTS_WHO(X) X(-32) X(256)
#define FLOATS_MOMENTS_WHO(X) X(-4) X(1) X(33) X(1000)

/* X(method, METHOD, T, type of T, R, type of R): what is tried. Sums of floats by kahan have all operations, the others
 * three. */
#define FEW_METHODS(X)                                                                                                 \
    X(kahan, QUIRE_KAHAN, float, QUIRE_F32, float, QUIRE_F32)                                                          \
    X(pairwise, QUIRE_PAIRWISE, double, QUIRE_F64, double, QUIRE_F64)                                                  \
    X(plain, QUIRE_PLAIN, __half, QUIRE_F16, float, QUIRE_F32)
#define MORE_METHODS(X)                                                                                                \
    X(kahan, QUIRE_KAHAN, double, QUIRE_F64, double, QUIRE_F64)                                                        \
    X(kahan, QUIRE_KAHAN, float, QUIRE_F32, double, QUIRE_F64)                                                         \
    X(kahan, QUIRE_KAHAN, __half, QUIRE_F16, __half, QUIRE_F16)                                                        \
    X(kahan, QUIRE_KAHAN, __nv_fp8_e4m3, QUIRE_E4M3, __nv_fp8_e4m3, QUIRE_E4M3)                                        \
    X(pairwise, QUIRE_PAIRWISE, float, QUIRE_F32, float, QUIRE_F32)                                                    \
    X(pairwise, QUIRE_PAIRWISE, __nv_bfloat16, QUIRE_BF16, __nv_bfloat16, QUIRE_BF16)                                  \
    X(plain, QUIRE_PLAIN, float, QUIRE_F32, float, QUIRE_F32)                                                          \
    X(plain, QUIRE_PLAIN, double, QUIRE_F64, __half, QUIRE_F16)                                                        \
    X(plain, QUIRE_PLAIN, __nv_fp8_e5m2, QUIRE_E5M2, float, QUIRE_F32)

/* X(T, type of T, R, type of R): of variances. */
#define FEW_MOMENTS(X) X(float, QUIRE_F32, float, QUIRE_F32) X(double, QUIRE_F64, double, QUIRE_F64)
#define MORE_MOMENTS(X)                                                                                                \
    X(__half, QUIRE_F16, __half, QUIRE_F16)                                                                            \
    X(__nv_bfloat16, QUIRE_BF16, float, QUIRE_F32)                                                                     \
    X(float, QUIRE_F32, double, QUIRE_F64)                                                                             \
    X(double, QUIRE_F64, __nv_bfloat16, QUIRE_BF16)                                                                    \
    X(__nv_fp8_e4m3, QUIRE_E4M3, __nv_fp8_e5m2, QUIRE_E5M2)

/* All answer a cudaError_t, or -1 where the tables have no such kernel. By collectives; by states of 256 threads that
 * the kernel adds and merges in the canonical order, of vectors of one tile; and means, variances and their roots, by
 * collectives and by states (then flags says whether it is decided). */
#define DEVICE_METHODS(name)                                                                                           \
    int device_methods_##name(const device_sums_job *job);                                                             \
    int device_order_##name(const device_sums_job *job);                                                               \
    int device_moments_##name(const device_sums_job *job);                                                             \
    int device_moment_states_##name(const device_sums_job *job, unsigned seed);
DEVICE_METHODS(careful)
DEVICE_METHODS(fast)

#ifdef __cplusplus
}
#endif

#endif
