/* quire/device.cuh - sums inside kernels of your own: correctly rounded ones, and those of the canonical order.
 *
 *     #include <quire/device.cuh>
 *
 *     __global__ void __launch_bounds__(256) norms(const float *x, size_t n, float *result) { // a block a row
 *         __shared__ quire::block_scratch<256> scratch;
 *         const float *row = x + blockIdx.x * n;
 *         const float norm = quire::block_nrm2(scratch, n, [=](size_t k) { return row[k]; });
 *         if (threadIdx.x == 0) result[blockIdx.x] = norm;
 *     }
 *
 * A sum by these calls has the bits that quire_sum, quire_dot, quire_nrm2, ... give for the same elements with
 * QUIRE_EXACT: the exact sum, rounded once. So it depends neither on the number of threads, warps or blocks, nor on the
 * batch, the tile or the order.
 *
 * WHAT IS THERE
 *   device/exact.cuh        quire::exact<T, R>: a thread's sum of elements of T, for a result of R, that can be merged
 *                           with another thread's
 *   device/collectives.cuh  quire::warp_sum, quire::block_sum and their sisters: the sum of elements that a function
 *                           gives, by a warp or a block, always decided
 *   device/moments.cuh      quire::moments<T, R>, quire::block_moments and their sisters: mean, variance and standard
 *                           deviation from one pass, with the bits of quire_mean, quire_variance, quire_stddev
 *   device/accumulate.cuh   quire::atomic_add, quire::block_accumulate: many blocks into one quire_accumulator
 *   device/ordered.cuh      quire::kahan<T>, quire::pairwise<T>, quire::plain<T>: a thread's sum by a cheaper method
 *   device/ordered_collectives.cuh
 *                           quire::warp_sum, quire::block_sum, ... by these methods, in the canonical order
 *                           (docs/order.md): the bits of quire_sum, quire_dot, ... with QUIRE_KAHAN, QUIRE_PAIRWISE or
 *                           QUIRE_PLAIN, whatever the number of threads
 *
 * ELEMENTS T and results R are float, double, __half, __nv_bfloat16, __nv_fp8_e4m3 and __nv_fp8_e5m2. Products are
 * exact. Special values, signs of zeros and roundings are as quire.h has them.
 *
 * UNDECIDED. A thread keeps a sum as an interval: it adds every element twice, rounded down and rounded up (two ends).
 * If both ends round to the same result, that is the correctly rounded sum, since rounding is monotonic. If they do
 * not, the sum is undecided. quire::exact then says so. A collective asks for the elements again, adds them to a wider
 * state, and at last to fixed-point limbs in its scratch, which always decide.
 *
 * NEEDED: CUDA 12.6 or later, C++17 or later, compute capability 7.5 or later; nothing to link. Flags of the compiler
 * (--use_fast_math, -fmad, -ftz) do not change the results.
 *
 * Everything is in namespace quire; quire::detail is not for users.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_DEVICE_CUH
#define QUIRE_DEVICE_CUH

#include <quire/device/accumulate.cuh>
#include <quire/device/collectives.cuh>
#include <quire/device/exact.cuh>
#include <quire/device/moments.cuh>
#include <quire/device/ordered.cuh>
#include <quire/device/ordered_collectives.cuh>

#endif
