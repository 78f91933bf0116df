/* strict_methods.cuh - the methods of the canonical order (method/methods.h) for strict floats and doubles: the same
 * files as for the library's kernels, compiled for types whose operators are IEEE 754's whatever the flags are.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_STRICT_METHODS_CUH
#define QUIRE_CUDA_THREAD_STRICT_METHODS_CUH

#include "cuda/device/strict.cuh"
#include "cuda/thread/choices.cuh"

static __device__ __forceinline__ strict_float abs_strict_f32(strict_float x) { return strict_abs(x); }
static __device__ __forceinline__ strict_double abs_strict_f64(strict_double x) { return strict_abs(x); }
static __device__ __forceinline__ strict_float fma_strict_f32(strict_float x, strict_float y, strict_float z) {
    return strict_fma(x, y, z);
}
static __device__ __forceinline__ strict_double fma_strict_f64(strict_double x, strict_double y, strict_double z) {
    return strict_fma(x, y, z);
}

#pragma push_macro("QUIRE_INLINE")
#undef QUIRE_INLINE
#define QUIRE_INLINE static __device__ __forceinline__

#define REAL strict_float
#define SUFFIX strict_f32
#include "operation/term.h"

#define REAL strict_double
#define SUFFIX strict_f64
#include "operation/term.h"

#define REAL strict_float
#define SUFFIX strict_f32
#include "method/lanes.h"

#define REAL strict_double
#define SUFFIX strict_f64
#include "method/lanes.h"

#pragma pop_macro("QUIRE_INLINE")

/* What an element is added as. */
#define STRICT_TERM(term, TERM, product, pair, sign, unused)                                                           \
    struct strict_##term##_term {                                                                                      \
        static constexpr bool is_product = product;                                                                    \
        static __device__ __forceinline__ strict_float value(strict_float x, strict_float y) {                         \
            return term##_value_strict_f32(x, y);                                                                      \
        }                                                                                                              \
        static __device__ __forceinline__ strict_double value(strict_double x, strict_double y) {                      \
            return term##_value_strict_f64(x, y);                                                                      \
        }                                                                                                              \
        static __device__ __forceinline__ strict_float error(strict_float x, strict_float y, strict_float v) {         \
            return term##_error_strict_f32(x, y, v);                                                                   \
        }                                                                                                              \
        static __device__ __forceinline__ strict_double error(strict_double x, strict_double y, strict_double v) {     \
            return term##_error_strict_f64(x, y, v);                                                                   \
        }                                                                                                              \
    };
QUIRE_TERMS(STRICT_TERM, )
#undef STRICT_TERM

/* A method's arithmetic, and its tiles. */
#define STRICT_METHOD(method, METHOD, word_count, tile_rows, unused)                                                   \
    struct strict_##method {                                                                                           \
        static constexpr int words = word_count;                                                                       \
        static constexpr order_rows rows = tile_rows;                                                                  \
        static __device__ __forceinline__ void add(strict_float *s, strict_float v, strict_float e, int has_error) {   \
            method##_add_strict_f32(s, v, e, has_error);                                                               \
        }                                                                                                              \
        static __device__ __forceinline__ void add(strict_double *s, strict_double v, strict_double e,                 \
                                                   int has_error) {                                                    \
            method##_add_strict_f64(s, v, e, has_error);                                                               \
        }                                                                                                              \
        static __device__ __forceinline__ void merge(strict_float *s, const strict_float *o) {                         \
            method##_merge_strict_f32(s, o);                                                                           \
        }                                                                                                              \
        static __device__ __forceinline__ void merge(strict_double *s, const strict_double *o) {                       \
            method##_merge_strict_f64(s, o);                                                                           \
        }                                                                                                              \
        static __device__ __forceinline__ quire_total total(const double *s) { return method##_total(s); }             \
    };
QUIRE_LANE_METHODS(STRICT_METHOD, )
#undef STRICT_METHOD

/* What macros say, as constants, which outlive them in quire/device.cuh; and the levels of a tree over as many tiles as
 * a vector can have. */
constexpr unsigned TILE_LANES = ORDER_LANES;
template <class Method> constexpr int tree_levels = Method::rows == ROWS_GROW ? 16 : 53;
static_assert(ORDER_TILES == 1 << 15 && ORDER_LANES * ORDER_ROWS == 1 << 12, "as many levels as there are");

#endif
