/* segment_turns.cuh - segments of a warp, a lane each: groups of a warp's threads share them, those of about a length
 * together, and what they come to goes back to the lanes, which finish them together.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_WARP_SEGMENT_TURNS_CUH
#define QUIRE_CUDA_WARP_SEGMENT_TURNS_CUH

#include "cuda/kernels/vectors_job.h"
#include "cuda/thread/elements.cuh"

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

/* From where to where the segments stand that 2^(5 - log) neighbouring lanes have, one of which this is: from the begin
 * of the first that has elements to the end of the last one. By a whole warp. */
struct lanes_span {
    int64_t low, high;

    __device__ __forceinline__ lanes_span(const segment_place &own, unsigned log, unsigned lane) {
        const unsigned count = WARP >> log, first = lane & ~(count - 1),
                       lanes = (WHOLE_WARP >> (WARP - count)) << first,
                       some = __ballot_sync(WHOLE_WARP, own.n() != 0) & lanes;
        low = __shfl_sync(WHOLE_WARP, own.begin, some ? __ffs((int)some) - 1 : 0);
        high = __shfl_sync(WHOLE_WARP, own.end, some ? 31 - __clz((int)some) : 0);
        if (!some) high = low;
    }
    __device__ __forceinline__ size_t n() const { return (size_t)(high - low); }
    __device__ __forceinline__ lanes_span of_lane(unsigned from) const {
        lanes_span other = *this;
        other.low = __shfl_sync(WHOLE_WARP, low, (int)from), other.high = __shfl_sync(WHOLE_WARP, high, (int)from);
        return other;
    }
    /* Whether all of the warp's segments are within the spans of their lanes, none of which has more than so many
     * elements, and a quarter of all these are the segments'. */
    __device__ __forceinline__ bool are_side_by_side(const segment_place &own, size_t most, unsigned log) const {
        if (!__all_sync(WHOLE_WARP, n() <= most && (own.n() == 0 || (own.begin >= low && own.end <= high))))
            return false;
        return 4 * warp_sum((int)own.n()) >= warp_sum((int)n()) >> (5 - log);
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
