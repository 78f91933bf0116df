/* column_totals.cuh - the totals that the columns of a warp (thread/column.cuh) are emptied into. In shared memory they
 * stand behind the columns of the block.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_WARP_COLUMN_TOTALS_CUH
#define QUIRE_CUDA_WARP_COLUMN_TOTALS_CUH

#include "cuda/device/warp.cuh"
#include "cuda/thread/column.cuh"

template <class Choice> static __device__ __forceinline__ cell_total *totals_of_block(void) {
    return (cell_total *)&cell_at<typename Choice::cell, Choice::column::row>(Choice::column::cells, 0);
}

/* Of a warp's columns. */
template <class Choice> static __device__ __forceinline__ cell_total *totals_of_warp(void) {
    return totals_of_block<Choice>() + threadIdx.x / WARP * Choice::column::cells;
}

/* Adds the columns of a warp to its totals, empties them, and answers what their cells have seen. Lanes take rows, and
 * go through them in step but from different cells on, so that they do not meet in a bank. */
template <class Column> static __device__ __noinline__ unsigned columns_flush(cell_total *total) {
    const unsigned thread = threadIdx.x % WARP, first = threadIdx.x - thread;
    unsigned saw = 0;
    __syncwarp();
    for (int k = thread; k < Column::cells; k += WARP) {
        cell_total sum = total[k];
        int64_t row = 0;
#pragma unroll 8
        for (int i = 0; i < WARP; i++) {
            const typename Column::cell c =
                cell_at<typename Column::cell, Column::row>(k, first + ((i + thread) & (WARP - 1)));
            if (Column::knows_zero) saw |= seen(c);
            const int64_t units = Column::units(c, k);
            if (Column::narrow)
                row += units;
            else
                cell_total_add(&sum, units);
        }
        cell_total_add(&sum, row);
        total[k] = sum;
    }
    __syncwarp();
    column_clear<Column>();
    return saw;
}

/* How a warp uses its columns. */
struct alignas(8) column_use {
    int additions; /* of a lane since they were emptied */
    unsigned saw;  /* what the lane's own has seen; WARP_USED: they are in use */
};

/* Before the columns of a warp take terms, that number a lane: they are cleared at first, and emptied into its totals
 * before they could overflow. */
template <class Choice>
static __device__ __forceinline__ void columns_prepare(column_use &use, cell_total *total, int terms) {
    typedef typename Choice::column Column;
    const int more = terms * Column::of_term;
    if (!(use.saw & WARP_USED)) {
        column_clear<Column>();
        for (int k = threadIdx.x % WARP; k < Column::cells; k += WARP) total[k] = { 0, 0 };
        use.saw |= WARP_USED;
    } else if (Choice::columns_fill && use.additions + more > Column::additions) {
        use.saw |= columns_flush<Column>(total);
        use.additions = 0;
    }
    use.additions += more;
}

#endif
