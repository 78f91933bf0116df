/* bounds.cuh - kahan where no addition rounds: then its compensation stays what it is, and its sum is the exact one. A
 * lane is summed rounded up and rounded down, and if both come to the same, no addition has rounded; why is in
 * cpu/block/bounds.h.
 *
 * That is two additions an element, where kahan has seven. A lane whose bounds differ is added kahan's own way, while
 * its warp waits: of 16 rows of uniform halves one lane in 500, of bfloat16s one in 4000.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_BOUNDS_CUH
#define QUIRE_CUDA_THREAD_BOUNDS_CUH

#include "cuda/thread/chunk.cuh"
#include "cuda/thread/lane_sums.cuh"

/* Sums of products round, and so do those of elements that are as wide as the sum. */
template <class Format, bool PRODUCT, class Method>
constexpr bool adds_by_bounds = Method::words > 1 && sizeof(typename Format::element) < sizeof(typename Format::real) &&
                                !PRODUCT;

/* Adds rows to a thread's lanes. pays: whether bounds are to be tried; then, whether they are for the rows after these.
 */
template <class Format, class Method, int E, int ROWS>
static __device__ __forceinline__ void add_rows_by_bounds(lane_state<Method, float> (&lane)[E],
                                                          const element_group<Format, E> (&x)[ROWS], bool magnitude,
                                                          bool &pays) {
    bool is_exact[E] = {};
    if (pays) {
        float up[E], down[E];
#pragma unroll
        for (int e = 0; e < E; e++) up[e] = down[e] = lane[e].word[0];
#pragma unroll
        for (int row = 0; row < ROWS; row++) {
            float number[E];
            decode_chunk(Format(), x[row], number);
#pragma unroll
            for (int e = 0; e < E; e++) {
                const float value = element_term<Format, false>::linear(number[e], magnitude);
                up[e] = __fadd_ru(up[e], value), down[e] = __fadd_rd(down[e], value);
            }
        }
#pragma unroll
        for (int e = 0; e < E; e++) {
            is_exact[e] = up[e] == down[e];
            if (is_exact[e]) lane[e].word[0] = up[e];
        }
    }
    int again = 0;
#pragma unroll
    for (int e = 0; e < E; e++) {
        if (is_exact[e]) continue;
        again++;
#pragma unroll
        for (int row = 0; row < ROWS; row++)
            Method::add(lane[e].word, element_term<Format, false>::linear(decode(Format(), x[row].of[e]), magnitude),
                        0.0f, false);
    }
    pays = again <= (E + 1) / 2;
}

#endif
