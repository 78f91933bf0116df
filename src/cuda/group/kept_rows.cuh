/* kept_rows.cuh - rows that the groups of a warp's threads have added up: each is kept by one thread of its group,
 * until all of these have one, and then they finish theirs together. They know no grid.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_GROUP_KEPT_ROWS_CUH
#define QUIRE_CUDA_GROUP_KEPT_ROWS_CUH

#include <stddef.h>

#define NO_ROW (~(size_t)0)

template <class Total> struct kept_rows {
    Total mine;
    size_t row;
    unsigned taken; /* rows of a group that have a thread */

    __device__ __forceinline__ kept_rows() : row(NO_ROW), taken(0) {}
    /* COUNT totals of a group, a power of two, which all its threads have: of rows first, first + step, ... visit(row,
     * total) may be called, by whole warps; of NO_ROW, too. It is once in the code. */
    template <unsigned COUNT, class Visit>
    __device__ __forceinline__ void take(const Total (&totals)[COUNT], size_t first, size_t step, unsigned thread,
                                         unsigned threads, Visit visit) {
#pragma unroll 1
        for (unsigned from = 0; from < COUNT; from += threads) {
            const unsigned i = from + thread - taken;
            keep(totals, i);
            if (i < COUNT) row = first + i * step;
            taken += COUNT;
            if (taken < threads) return;
            visit(row, mine);
            taken = 0, row = NO_ROW;
        }
    }
    /* Behind the last of them. */
    template <class Visit> __device__ __forceinline__ void end(Visit visit) {
        if (taken) visit(row, mine);
    }

  private:
    template <unsigned COUNT> __device__ __forceinline__ void keep(const Total (&totals)[COUNT], unsigned i) {
#pragma unroll
        for (unsigned u = 0; u < COUNT; u++)
            if (u == i) mine = totals[u];
    }
};

#endif
