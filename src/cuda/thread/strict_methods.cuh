/* strict_methods.cuh - the methods of the canonical order (method/methods.h) for strict floats and doubles: the same
 * files as for the library's kernels, compiled for types whose operators are IEEE 754's whatever the flags are.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_STRICT_METHODS_CUH
#define QUIRE_CUDA_THREAD_STRICT_METHODS_CUH

#include "cuda/device/strict.cuh"
#include "cuda/thread/choices.cuh"

/* Functions of both types have one name, and are told apart by what they are called with. */
#pragma push_macro("QUIRE_INLINE")
#undef QUIRE_INLINE
#define QUIRE_INLINE static __device__ __forceinline__

#define REAL strict_float
#define SUFFIX strict
#include "operation/term.h"

#define REAL strict_double
#define SUFFIX strict
#include "operation/term.h"

#define REAL strict_float
#define SUFFIX strict
#include "method/lanes.h"

#define REAL strict_double
#define SUFFIX strict
#include "method/lanes.h"

#pragma pop_macro("QUIRE_INLINE")

/* What an element is added as. */
#define STRICT_TERM(term, TERM, product, pair, sign, unused)                                                           \
    struct strict_##term##_term {                                                                                      \
        static constexpr bool is_product = product;                                                                    \
        template <class Real> static __device__ __forceinline__ Real value(Real x, Real y) {                           \
            return term##_value_strict(x, y);                                                                          \
        }                                                                                                              \
        template <class Real> static __device__ __forceinline__ Real error(Real x, Real y, Real v) {                   \
            return term##_error_strict(x, y, v);                                                                       \
        }                                                                                                              \
    };
QUIRE_TERMS(STRICT_TERM, )
#undef STRICT_TERM

/* A method's arithmetic, and its tiles. */
#define STRICT_METHOD(method, METHOD, word_count, tile_rows, unused)                                                   \
    struct strict_##method {                                                                                           \
        static constexpr int words = word_count;                                                                       \
        static constexpr order_rows rows = tile_rows;                                                                  \
        template <class Real> static __device__ __forceinline__ void add(Real *s, Real v, Real e, int has_error) {     \
            method##_add_strict(s, v, e, has_error);                                                                   \
        }                                                                                                              \
        template <class Real> static __device__ __forceinline__ void merge(Real *s, const Real *o) {                   \
            method##_merge_strict(s, o);                                                                               \
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
