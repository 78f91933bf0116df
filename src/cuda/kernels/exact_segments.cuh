/* exact_segments.cuh - exact sums of segments, read where they stand: a warp takes 32 at a time, or fewer where there
 * are few, and groups of its threads those of about a length together. What two ends, or wider sums, do not tell is
 * marked, and long segments are put aside, for by_element.cuh.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_KERNELS_EXACT_SEGMENTS_CUH
#define QUIRE_CUDA_KERNELS_EXACT_SEGMENTS_CUH

#include "cuda/grid/grid_warps.cuh"
#include "cuda/grid/sums_finish.cuh"
#include "cuda/grid/vector_source.cuh"
#include "cuda/group/row_sum.cuh"
#include "cuda/warp/segment_turns.cuh"

/* What a lane keeps of its own segment. */
template <class Sums> struct kept_sums {
    Sums sums;

    __device__ __forceinline__ void set(const Sums &its) { sums = its; }
    /* Those of lane "from", if this lane wants them; by a whole warp. */
    __device__ __forceinline__ void keep(const Sums &its, bool wants, int from) {
        sums.take_if(wants, its.of_lane((unsigned)from));
    }
};

/* Sum, PAIR: see exact_rows.cuh. */
template <class Format, row_terms TERMS, class Sum, bool PAIR> struct exact_segments {
    typedef typename Format::element element;
    typedef row_place<Format, PAIR> place;
    typedef range_sums<Format, TERMS, Sum> sums;

    /* The result of segment v, of n elements; or a mark. */
    static __device__ __forceinline__ void finish(const vectors_job &job, size_t v, size_t n, const sums &its) {
        if (n == 0)
            store_none(job, v);
        else
            finish_sums(job, terms_of_vector<TERMS>(job, n), v, its);
    }

    /* A warp's segments, a lane each: the lane's is number v, if it is there. order: room for the lanes. */
    static __device__ __forceinline__ void sum_bundle(const vectors_job &job, size_t v, bool is_there,
                                                      const segment_place &own, uint8_t *order, unsigned lane) {
        const bool is_aside = put_aside(job, v, own.n(), LONG_SEGMENT),
                   are_few = !__any_sync(WHOLE_WARP, own.n() > SEGMENTS_SINGLE && own.n() <= SEGMENTS_OF_ONE);
        kept_sums<sums> mine;
        mine.sums.clear();
        sum_segments<sums>(
            is_aside ? 0 : own.n(), (unsigned)sizeof(element), order, mine, lane,
            [&](sums &to, unsigned from, unsigned thread, unsigned threads) {
                if (threads == 1 && are_few) {
                    add_singles<Format>(to, arrays_from<Format, PAIR>(job, own.begin), own.n(), job.magnitude);
                } else if (threads == 1) {
                    add_cut_row<1>(to, arrays_from<Format, PAIR>(job, own.begin), own.n(), job.magnitude, 0, 1);
                } else {
                    const segment_place its = own.of_lane(from);
                    to = sum_of_row<sums, GROUPS_LOADS / 2, false>(arrays_from<Format, PAIR>(job, its.begin), its.n(),
                                                                   job.magnitude, thread, threads);
                }
            });
        if (is_there && !is_aside) finish(job, v, own.n(), mine.sums);
        __syncwarp();
    }

    static __device__ __forceinline__ void all(const vectors_job &job) {
        __shared__ uint8_t orders[GROUPS_THREADS];
        const unsigned lane = threadIdx.x % WARP;
        const size_t step = warps_of_grid() * job.turns;
        size_t first = warp_of_grid() * job.turns;
        auto is_there = [&](size_t bundle) { return lane < job.turns && bundle + lane < job.vectors; };
        segment_place next(job, first + lane, is_there(first));
        for (; first < job.vectors; first += step) {
            const segment_place own = next;
            next = segment_place(job, first + step + lane, is_there(first + step));
            sum_bundle(job, first + lane, is_there(first), own, &orders[threadIdx.x - lane], lane);
        }
    }
};

/* Two ends come first, but of doubles, and mostly of results that are doubles. */
template <class Format, row_terms TERMS, class Sum, bool PAIR>
__global__ void __launch_bounds__(GROUPS_THREADS, has_two_ends<Sum> ? SEGMENTS_BLOCKS : SEGMENTS_WIDE_BLOCKS)
    exact_segments_kernel(const __grid_constant__ vectors_job job) {
    exact_segments<Format, TERMS, Sum, PAIR>::all(job);
}

#endif
