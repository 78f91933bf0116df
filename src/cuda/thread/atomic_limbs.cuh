/* atomic_limbs.cuh - additions to an accumulator by any number of threads at once. Nobody carries in between, so the
 * additions to a limb are counted: of pieces below 2^33 it takes 2^30 (accumulator/limbs.h). The sum of a single array
 * makes fewer (block/exact_warp.cuh); parts of a vector add limbs that are carried (grid/vectors_finish.cuh).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_ATOMIC_LIMBS_CUH
#define QUIRE_CUDA_THREAD_ATOMIC_LIMBS_CUH

#include "accumulator/limbs.h"

static __device__ __forceinline__ void atomic_add(int64_t *to, int64_t x) {
    if (x) atomicAdd((unsigned long long *)to, (unsigned long long)x);
}

/* limbs_add, by any number of threads at once. */
static __device__ void limbs_add_atomic(int64_t *limb, int64_t m, int q) {
    int64_t part[3] = { 0, 0, 0 };
    const int place = q - LIMB_LEAST_EXPONENT;
    limbs_add(part, m, place % LIMB_BITS + LIMB_LEAST_EXPONENT);
    for (int i = 0; i < 3; i++) atomic_add(&limb[place / LIMB_BITS + i], part[i]);
}

#endif
