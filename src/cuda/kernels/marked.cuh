/* marked.cuh - what a first kernel has left. The results that have been marked, or all of a job's, are found by some
 * threads each: by a few doubles and a width (thread/long_sum.cuh) if these tell the result, of doubles in a scale
 * (warp/scaled_sum.cuh), and else by cells, by a warp.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_KERNELS_MARKED_CUH
#define QUIRE_CUDA_KERNELS_MARKED_CUH

#include "cuda/grid/grid_warps.cuh"
#include "cuda/grid/scaled_parts.cuh"
#include "cuda/grid/turns.cuh"
#include "operation/moments.h"

/* A warp's shared memory. */
template <row_terms TERMS> struct marked_room { warp_cells cells; };
template <> struct marked_room<ROW_MOMENTS> {
    warp_cells cells, squares;
    accumulated_moment_room moment;
};

template <bool MOMENTS>
static __device__ __forceinline__ scaled_total totals_of_lane(const scaled_total &t, unsigned lane) {
    return { __shfl_sync(WHOLE_WARP, t.special, (int)lane), __shfl_sync(WHOLE_WARP, t.exponent, (int)lane),
             total_of_lane(t.sum, lane), MOMENTS ? total_of_lane(t.squares, lane) : t.squares };
}

static __device__ __forceinline__ part_state *place_of_part(const vectors_job &job, size_t v, unsigned part) {
    return &job.workspace->place[job.first_place + v * job.parts + part];
}

/* The workspace's limbs of a vector of which there are parts: of its sum, or that of its squares; NULL: none are left.
 */
template <row_terms TERMS>
static __device__ __forceinline__ quire_accumulator *limbs_of_parts(const vectors_job &job, size_t v, bool squares) {
    const size_t slot = TERMS == ROW_MOMENTS ? 2 * v + squares : v;
    return job.parts > 1 && slot < VECTORS_LIMBS ? &job.workspace->limbs[slot] : NULL;
}

/* Takes back what parts of a vector have left there, if its result is known without. By a whole warp. */
template <row_terms TERMS>
static __device__ __forceinline__ void clear_limbs_of_parts(const vectors_job &job, size_t v, int lane) {
    for (int squares = 0; squares <= (TERMS == ROW_MOMENTS); squares++) {
        quire_accumulator *limbs = limbs_of_parts<TERMS>(job, v, squares);
        int64_t *word = limbs ? limbs->limb : NULL;
        for (int i = lane; word && i < QUIRE_ACCUMULATOR_WORDS; i += WARP) word[i] = 0;
    }
}

/* Adds a range of a vector, whose total is t, to empty cells: the few doubles of t, if they are its exact sum. */
template <class Format, bool PRODUCT>
static __device__ __forceinline__ void add_range(const vectors_job &job, warp_cells &cells,
                                                 const vector_pair<Format> &at, size_t begin, size_t end,
                                                 const vector_total &t, int lane) {
    const bool is_zero = t.word[0] == 0 && t.word[1] == 0 && t.word[2] == 0;
    if (t.width == 0 && !is_zero) {
        if (lane < VECTORS_WORDS) cells.add_double(t.word[lane]);
        cells.empty(lane);
        if (lane == 0) cells.sum.other |= OTHER_NONZERO;
        __syncwarp();
    } else { /* a zero's sign depends on the terms */
        add_by_cells<Format, PRODUCT>(cells, at.x, PRODUCT ? at.y : at.x, begin, end, job.magnitude,
                                      !double_is_finite(t.word[0]) && !job.accumulator, lane);
    }
}

/* A whole vector, whose total is t, as an accumulator in cells. */
template <class Format, bool PRODUCT>
static __device__ __forceinline__ void fill_cells(const vectors_job &job, warp_cells &cells,
                                                  const vector_pair<Format> &at, const vector_total &t, int lane) {
    cells.clear(lane);
    add_range<Format, PRODUCT>(job, cells, at, 0, at.n, t, lane);
    if (lane == 0) cells.sum.count = (int64_t)at.n;
    __syncwarp();
}

/* The total of a range of a vector, from its elements, for the first of the threads that share it; of moments of the
 * numbers, or of the squares. */
template <class Format, bool PRODUCT>
static __device__ __noinline__ vector_total total_of_elements(const vectors_job &job, const vector_pair<Format> &at,
                                                              size_t begin, size_t end, unsigned thread,
                                                              unsigned threads) {
    return exact_agent<Format, PRODUCT>::consume(at, begin, end, job.rows, job.magnitude, thread, threads);
}

/* The same for all lanes of a warp, which share it. */
template <class Format, bool PRODUCT>
static __device__ __forceinline__ vector_total warp_total_of_elements(const vectors_job &job,
                                                                      const vector_pair<Format> &at, size_t begin,
                                                                      size_t end, int lane) {
    return total_of_lane(total_of_elements<Format, PRODUCT>(job, at, begin, end, (unsigned)lane, WARP), 0);
}

/* The same of parts, from their totals, for the first of the threads that share them. */
template <class Format, bool PRODUCT>
static __device__ __forceinline__ vector_total total_of_parts(const part_state *place, unsigned parts, bool squares,
                                                              unsigned thread, unsigned threads) {
    typedef exact_agent<Format, PRODUCT> agent;
    constexpr int words = marked_words<Format, PRODUCT>;
    const int from = squares ? PART_SQUARES : 0;
    typename agent::sum s;
    s.clear();
    for (unsigned p = thread; p < parts; p += threads) {
        for (int i = 0; i < words; i++) s.add_word(i, __ldcg(&place[p].word[from + i]));
        s.widen(__ldcg(&place[p].width[squares]), 0);
    }
    return agent::merged(s, threads);
}

/* The total of a whole vector, or of its squares, likewise. */
template <class Format, bool PRODUCT>
static __device__ __forceinline__ vector_total total_of_vector(const vectors_job &job, const vector_pair<Format> &at,
                                                               size_t v, bool squares, unsigned thread,
                                                               unsigned threads) {
    if (job.parts == 1) return total_of_elements<Format, PRODUCT>(job, at, 0, at.n, thread, threads);
    return total_of_parts<Format, PRODUCT>(place_of_part(job, v, 0), job.parts, squares, thread, threads);
}

/* The same of doubles, in a scale. */
template <class Format, row_terms TERMS>
static __device__ __forceinline__ scaled_total scaled_total_of_vector(const vectors_job &job,
                                                                      const vector_pair<Format> &at, size_t v,
                                                                      unsigned thread, unsigned threads) {
    if (job.parts == 1) return scaled_total_of<Format, TERMS>(at, 0, at.n, job.magnitude, thread, threads);
    return total_of_scaled_parts<Format, TERMS>(place_of_part(job, v, 0), job.parts, (int)thread);
}

/* The result of a vector whose totals do not tell it, by cells. */
template <class Format, row_terms TERMS>
static __device__ __forceinline__ void store_by_cells(const vectors_job &job, marked_room<TERMS> &room, size_t v,
                                                      const vector_pair<Format> &at, const vector_total &s,
                                                      const vector_total &q, int lane) {
    quire_accumulator *limbs = limbs_of_parts<TERMS>(job, v, false);
    const part_state *place = place_of_part(job, v, 0);
    const unsigned parts = exact_terms<Format, false>::is_double ? 0 : job.parts; /* see learn_part */
    if constexpr (TERMS == ROW_MOMENTS) {
        quire_accumulator *of_squares = limbs_of_parts<TERMS>(job, v, true);
        if (limbs && of_squares) {
            cells_of_parts<Format, false>(job, room.cells, at, place, parts, false, limbs, lane);
            cells_of_parts<Format, true>(job, room.squares, at, place, parts, true, of_squares, lane);
        } else {
            fill_cells<Format, false>(job, room.cells, at, s, lane);
            fill_cells<Format, true>(job, room.squares, at, q, lane);
        }
        if (lane == 0)
            format_store(accumulated_moments_round(&room.cells.sum, &room.squares.sum, job.finish, job.correction,
                                                   job.format, job.rounding, &room.moment),
                         job.format.size, result_at(job, v));
    } else if (limbs) {
        cells_of_parts<Format, TERMS == ROW_PRODUCTS>(job, room.cells, at, place, parts, false, limbs, lane);
        store_limbs(job, room.cells.sum, v, at.n, lane);
    } else {
        sum_by_cells<Format, TERMS == ROW_PRODUCTS>(job, room.cells, v, job.parts > 1, lane);
    }
    __syncwarp();
}

/* The longest of the vectors that a warp has found, one of which has n elements; what is longer than this counts the
 * same. */
static __device__ __forceinline__ size_t longest_of(const vectors_job &job, size_t n) {
    return job.at.begin ? (size_t)warp_max((int)min(n, (size_t)LONG_SEGMENT)) : job.at.x_layout.n;
}

/* How many threads share a vector, of those that a warp has found, none longer than this: as many as there are for
 * all of them at once, if a few groups of elements of each thread are the vector. Where a lane can have a whole column
 * its neighbours have the next ones, and read memory side by side. */
template <class Format>
static __device__ __forceinline__ unsigned marked_threads(const vectors_job &job, int found, size_t longest) {
    if (job.parts > 1) return WARP;
    if (!job.at.begin && job.at.x_layout.inner_stride == 1 && found == WARP) return 1;
    unsigned threads = WARP;
    while (WARP / threads < (unsigned)found &&
           threads / 2 * MARKED_GROUPS * (size_t)exact_terms<Format, false>::count >= longest)
        threads /= 2;
    return threads;
}

/* The results of up to 32 vectors, of which a lane has found one each: v, if this lane has. Those that have been cut
 * have a whole warp. */
template <class Format, row_terms TERMS>
static __device__ __forceinline__ void all_marked(const vectors_job &job, marked_room<TERMS> &room, size_t v, bool is,
                                                  int lane) {
    constexpr bool has_moments = TERMS == ROW_MOMENTS, is_double = exact_terms<Format, false>::is_double;
    const unsigned found = __ballot_sync(WHOLE_WARP, is);
    if (!found) return; /* as mostly */
    const size_t n = marked_vector_at<Format, TERMS>(job, v, is).n;
    const unsigned threads = marked_threads<Format>(job, __popc(found), longest_of(job, n));
    bool is_left = is;
    vector_totals mine = {};
    if (!is_double || job.source == MARKED_ALL) { /* else the first kernel has tried it */
        each_marked<Format, TERMS>(
            job, found, threads, v, lane, mine, [&](const vector_pair<Format> &at, size_t number, unsigned thread) {
                vector_totals t = {};
                t.sum = total_of_vector<Format, TERMS == ROW_PRODUCTS>(job, at, number, false, thread, threads);
                if constexpr (has_moments)
                    t.squares = total_of_vector<Format, true>(job, at, number, true, thread, threads);
                return t;
            });
        if (is) is_left = !store_totals<Format, TERMS>(job, v, n, mine.sum, mine.squares);
    }
    if constexpr (is_double) {
        scaled_total scaled = {};
        each_marked<Format, TERMS>(job, __ballot_sync(WHOLE_WARP, is_left), threads, v, lane, scaled,
                                   [&](const vector_pair<Format> &at, size_t number, unsigned thread) {
                                       return scaled_total_of_vector<Format, TERMS>(job, at, number, thread, threads);
                                   });
        if (is_left) is_left = !store_scaled<Format, TERMS>(job, v, n, scaled);
        if constexpr (has_moments) {
            mine.sum = total_unscaled(scaled.sum, scaled.exponent);
            mine.squares = total_unscaled(scaled.squares, 2 * scaled.exponent);
        }
    }
    const unsigned left = __ballot_sync(WHOLE_WARP, is_left);
    for (unsigned some = left; some; some &= some - 1) {
        const unsigned from = (unsigned)__ffs((int)some) - 1;
        const size_t number = __shfl_sync(WHOLE_WARP, v, (int)from);
        store_by_cells<Format, TERMS>(job, room, number, marked_vector_at<Format, TERMS>(job, number, true),
                                      total_of_lane(mine.sum, from), total_of_lane(mine.squares, from), lane);
    }
    for (unsigned told = job.parts > 1 ? found & ~left : 0; told; told &= told - 1)
        clear_limbs_of_parts<TERMS>(job, __shfl_sync(WHOLE_WARP, v, __ffs((int)told) - 1), lane);
}

/* The last block to end forgets what was marked. */
template <class Format, row_terms TERMS>
__global__ void __launch_bounds__(MARKED_THREADS, MARKED_BLOCKS)
    marked_kernel(const __grid_constant__ vectors_job job) {
    __shared__ marked_room<TERMS> rooms[MARKED_THREADS / WARP];
    marked_room<TERMS> &room = rooms[threadIdx.x / WARP];
    vectors_workspace &w = *job.workspace;
    const int lane = threadIdx.x % WARP;
    const bool is_listed = job.source == MARKED_RESULTS;
    const size_t marked = is_listed ? *(volatile unsigned *)&w.marked : job.vectors;
    if (!marked) return;
    const bool is_full = is_listed && marked >= MARKED_LISTED; /* then it may lack some */
    const size_t looked_at = is_full ? job.vectors : marked;
    for (grid_items items(looked_at, lane); items.are_there(); items.advance()) {
        const bool is_there = items.mine() < looked_at;
        const size_t v = is_there && is_listed && !is_full ? w.marked_vector[items.mine()] : items.mine();
        all_marked<Format, TERMS>(job, room, v, is_there && (!is_full || is_marked(job, v)), lane);
    }
    if (is_listed && is_last_block(&w.ended[ENDED_MARKED])) w.ended[ENDED_MARKED] = 0, w.marked = 0;
}

#endif
