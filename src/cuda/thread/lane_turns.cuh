/* lane_turns.cuh - the elements of a tile of the canonical order, as one thread takes them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_LANE_TURNS_CUH
#define QUIRE_CUDA_THREAD_LANE_TURNS_CUH

#include "order/order.h"

/* Steps through the elements of a tile lane by lane, in the order in which a binary counter merges lanes: that of
 * their numbers with all bits reversed. */
struct lane_turns {
    size_t from;
    unsigned lanes, rows, turn, row; /* lanes: a power of two */

    __device__ __forceinline__ lane_turns(size_t begin, size_t n)
        : from(begin), lanes(1), rows((unsigned)((n + ORDER_LANES - 1) / ORDER_LANES)), turn(0), row(0) {
        while (lanes < ORDER_LANES && lanes < n) lanes *= 2;
        if (rows == 0) rows = 1;
    }
    __device__ __forceinline__ bool are_left() const { return turn < lanes; }
    __device__ __forceinline__ size_t element() const {
        const unsigned lane = lanes > 1 ? __brev(turn) >> (__clz((int)lanes) + 1) : 0;
        return are_left() ? from + lane + (size_t)row * ORDER_LANES : SIZE_MAX;
    }
    /* Answers whether that was a lane's last element. */
    __device__ __forceinline__ bool advance() {
        if (++row < rows) return false;
        row = 0, turn++;
        return true;
    }
};

#endif
