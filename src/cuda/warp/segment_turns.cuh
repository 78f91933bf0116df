/* segment_turns.cuh - segments of a warp, a lane each: groups of a warp's threads share them, those of about a length
 * together, and what they come to goes back to the lanes, which finish them together.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_WARP_SEGMENT_TURNS_CUH
#define QUIRE_CUDA_WARP_SEGMENT_TURNS_CUH

#include "cuda/kernels/vectors_job.h"
#include "cuda/thread/any_element.cuh"

#define NO_LANE WARP

/* A lane's segment: where it begins and ends in the arrays; nowhere if it is not there. */
struct segment_place {
    int64_t begin, end;

    __device__ __forceinline__ segment_place(const vectors_job &job, size_t v, bool is_there) : begin(0), end(0) {
        if (!is_there) return;
        begin = index_at(job.at.begin, job.at.is_64_bit, v);
        end = index_at(job.at.end, job.at.is_64_bit, v);
    }
    __device__ __forceinline__ size_t n() const { return end > begin ? (size_t)(end - begin) : 0; }
    /* Of another lane, or of NO_LANE, which has none. By a whole warp. */
    __device__ __forceinline__ segment_place of_lane(unsigned from) const {
        segment_place other = *this;
        other.begin = __shfl_sync(WHOLE_WARP, begin, from % WARP),
        other.end = __shfl_sync(WHOLE_WARP, end, from % WARP);
        if (from == NO_LANE) other.end = other.begin;
        return other;
    }
};

/* How many threads share a segment of so many bytes: short ones one, so that no lane waits for others; long ones a
 * warp. */
static __device__ __forceinline__ unsigned threads_of_segment(size_t bytes) {
    return bytes <= SEGMENTS_OF_ONE ? 1 : bytes <= SEGMENTS_OF_FOUR ? 4 : bytes <= SEGMENTS_OF_EIGHT ? 8 : WARP;
}

/* What the lanes' segments of n elements, of size bytes each, come to, as many at once as fit the warp: add(sums, from,
 * thread, threads) adds a thread's elements of the segment of lane "from". mine: of the lane's own segment. order: room
 * for the lanes.
 */
template <class Sums, class Kept, class Add>
static __device__ __forceinline__ void sum_segments(size_t n, unsigned size, uint8_t *order, Kept &mine, unsigned lane,
                                                    Add add) {
    const unsigned kind = n ? threads_of_segment(n * size) : 0;
    if (__any_sync(WHOLE_WARP, kind == 1)) {
        Sums sums;
        sums.clear();
        if (kind == 1) {
            add(sums, lane, 0, 1);
            mine.set(sums);
        }
        __syncwarp();
    }
    if (!__any_sync(WHOLE_WARP, kind > 1)) return;
    for (unsigned threads = 4; threads <= WARP; threads *= threads == 8 ? 4 : 2) {
        const unsigned those = __ballot_sync(WHOLE_WARP, kind == threads), count = __popc(those),
                       at_once = WARP / threads;
        const unsigned rank = __popc(those & ((1u << lane) - 1)), group = lane / threads;
        if (!count) continue;
        if (kind == threads) order[rank] = (uint8_t)lane;
        __syncwarp();
        for (unsigned first = 0; first < count; first += at_once) {
            Sums sums;
            sums.clear();
            add(sums, first + group < count ? order[first + group] : NO_LANE, lane % threads, threads);
            __syncwarp();
            sums.merge(threads);
            mine.keep(sums, kind == threads && rank - first < at_once, (int)((rank - first) * threads % WARP));
        }
        __syncwarp();
    }
}

#endif
