/* whole_chunks.cuh - how elements side by side stand to chunks of 16 bytes, which begin at multiples of that.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_WHOLE_CHUNKS_CUH
#define QUIRE_CUDA_THREAD_WHOLE_CHUNKS_CUH

#include <stddef.h>
#include <stdint.h>

/* The whole chunks of a range of n elements at x, and how many elements stand before and behind these. */
template <class Element> struct whole_chunks {
    static constexpr int E = 16 / sizeof(Element);
    size_t before, count, behind;

    __device__ __forceinline__ whole_chunks(const Element *x, size_t n) {
        before = min((size_t)(-(uintptr_t)x % 16) / sizeof(Element), n);
        count = (n - before) / E, behind = n - before - count * E;
    }
};

#endif
