/* pair_finish.cuh - from accumulators to results that several sums make: all their bits.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_GRID_PAIR_FINISH_CUH
#define QUIRE_CUDA_GRID_PAIR_FINISH_CUH

#include "cuda/grid/limbs_finish.cuh"
#include "operation/pairs.h"

/* Shared memory of a block that has all bits of a vector's sums. */
struct pair_end {
    quire_accumulator sum[MOST_PAIR_SUMS];
    union {
        average_room average;
        pair_moment_room pairs;
        accumulated_moment_room moments;
    } room;
};

/* An average, by a whole warp; lane 0 has it. */
static __device__ __forceinline__ quire_total warp_average(const quire_accumulator *products,
                                                           const quire_accumulator *weights, average_room *room,
                                                           int lane) {
    const quire_total above = accumulator_total_of(products, warp_total(products->limb, lane)),
                      below = accumulator_total_of(weights, warp_total(weights->limb, lane));
    return lane ? total_zero(0) : average_quotient(products, above, weights, below, room);
}

/* Stores the result of vector v from its sums, in the order of operation/pairs.h, or as number and squares; by a whole
 * warp. */
static __device__ __noinline__ void store_pair_end(const vectors_job &job, pair_end &end, size_t v, int lane) {
    const quire_accumulator *const sums[MOST_PAIR_SUMS] = { &end.sum[0], &end.sum[1], &end.sum[2], &end.sum[3],
                                                            &end.sum[4] };
    quire_total total = total_special(TOTAL_NAN, 0);
    uint64_t bits;
    if (job.finish == FINISH_AVERAGE)
        total = warp_average(sums[PAIR_PRODUCTS], sums[PAIR_OF_Y], &end.room.average, lane);
    if (lane == 0) {
        if (needs_squares(job.finish)) {
            bits = accumulated_moments_round(sums[0], sums[1], job.finish, job.correction, job.format, job.rounding,
                                             &end.room.moments);
        } else {
            if (job.finish != FINISH_AVERAGE)
                pair_moment_total(sums, job.finish, job.correction, &end.room.pairs, &total);
            bits = round_total(total, FINISH_KEEP, 1, job.format, job.rounding);
        }
        format_store(bits, job.format.size, result_at(job, v));
    }
    __syncwarp();
}

#endif
