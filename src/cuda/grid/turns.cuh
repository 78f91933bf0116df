/* turns.cuh - vectors that lanes of a warp have found, one each: groups of its threads share them, one after the other,
 * and the totals go back to the lanes, which round them together.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_GRID_TURNS_CUH
#define QUIRE_CUDA_GRID_TURNS_CUH

#include "cuda/grid/row_finish.cuh"
#include "cuda/thread/range_sums.cuh"

/* How many words a sum has here. */
template <class Format, bool PRODUCT> constexpr int marked_words = exact_terms<Format, PRODUCT>::words;

/* As sums of rows say it. */
template <class Format> struct moment_words {
    static constexpr int number_words = marked_words<Format, false>;
    static constexpr int words = number_words + marked_words<Format, true>;
    static constexpr bool overflows = exact_terms<Format, false>::is_double;
};

/* A lane's total, in others; lanes may have different words of the same sum. By a whole warp, as the next ones are. */
static __device__ __forceinline__ vector_total total_of_lane(vector_total t, unsigned lane) {
    for (int i = 0; i < VECTORS_WORDS; i++) t.word[i] = __shfl_sync(WHOLE_WARP, t.word[i], (int)lane);
    t.width = __shfl_sync(WHOLE_WARP, t.width, (int)lane);
    return t;
}

/* Of numbers, or of numbers and their squares. */
template <row_terms TERMS> struct vector_totals {
    vector_total sum, squares;

    __device__ __forceinline__ vector_totals of_lane(unsigned lane) const {
        return { total_of_lane(sum, lane), TERMS == ROW_MOMENTS ? total_of_lane(squares, lane) : squares };
    }
};

template <class Format, row_terms TERMS>
static __device__ __forceinline__ vector_totals<TERMS> totals_of(const range_sums<Format, TERMS, long_sum<2>> &s) {
    const vector_total products = total_of_words(s.products);
    return { s.has_numbers ? total_of_words(s.numbers) : products, products };
}

/* The place of bit n of those that are set, from 0 on; at least 32 if there are not so many. */
static __device__ __forceinline__ unsigned place_of_bit(unsigned word, unsigned n) {
    unsigned place = 0;
#pragma unroll
    for (unsigned half = WARP / 2; half; half /= 2) {
        const unsigned before = __popc(word & ((1u << half) - 1));
        if (n >= before) n -= before, word >>= half, place += half;
    }
    return n || !(word & 1) ? WARP : place;
}

/* How many threads share a vector, of some that a warp has found, none longer than this: as many as there are for all
 * of them at once, if each has "some" elements at least. A power of two. */
static __device__ __forceinline__ unsigned threads_again(unsigned found, size_t longest, unsigned some) {
    unsigned threads = WARP;
    for (unsigned groups = 1; groups < found && (size_t)threads / 2 * some >= longest; groups *= 2) threads /= 2;
    return threads;
}

/* Vectors of which lanes have found one each, in turns: as many as a warp has groups of threads. */
class marked_turns {
    unsigned left, log, lane; /* a vector has 2^log threads */

  public:
    __device__ __forceinline__ marked_turns(unsigned found, unsigned threads, unsigned of_lane) {
        left = found, log = 31 - __clz((int)threads), lane = of_lane;
    }
    __device__ __forceinline__ bool are_there() const { return left != 0; }
    __device__ __forceinline__ void advance() {
        const unsigned next = place_of_bit(left, WARP >> log);
        left = next < WARP ? left >> next << next : 0;
    }
    /* The lane that has found the vector of this lane's group, or WARP if there is none. */
    __device__ __forceinline__ unsigned finder() const { return place_of_bit(left, lane >> log); }
    __device__ __forceinline__ unsigned thread() const { return lane & ((1u << log) - 1); }
    /* The first lane of the group that has the vector this lane has found, if it has one in this turn. */
    __device__ __forceinline__ unsigned group() const { return __popc(left & ((1u << lane) - 1)) << log; }
    __device__ __forceinline__ bool has_mine() const { return (left >> lane & 1) && group() < WARP; }
};

/* Calls sum(number, is_there, thread) for the vectors of all turns; mine becomes that of the vector that this lane has
 * found, v: so all of them are rounded together. */
template <class Sum, class Add>
static __device__ __forceinline__ void each_marked(unsigned found, unsigned threads, size_t v, Sum &mine, Add sum) {
    for (marked_turns turns(found, threads, threadIdx.x % WARP); turns.are_there(); turns.advance()) {
        const unsigned finder = turns.finder();
        const size_t number = __shfl_sync(WHOLE_WARP, v, (int)(finder % WARP));
        const Sum of_group = sum(number, finder < WARP, turns.thread());
        const Sum its = of_group.of_lane(turns.group() % WARP);
        if (turns.has_mine()) mine = its;
    }
}

/* The result of a vector, if its total and that of its squares tell it. */
template <class Format, row_terms TERMS>
static __device__ __forceinline__ bool store_totals_here(const vectors_job &job, size_t v, size_t n, vector_total &s,
                                                         const vector_total &q) {
    if constexpr (TERMS == ROW_MOMENTS) {
        typedef moment_words<Format> both;
        const double width[PART_SUMS] = { s.width, q.width };
        double word[both::words];
        for (int i = 0; i < both::words; i++)
            word[i] = i < both::number_words ? s.word[i] : q.word[i - both::number_words];
        return store_moment<both>(job, v, n, word, width);
    } else {
        return store_if_told<marked_words<Format, TERMS == ROW_PRODUCTS>, exact_terms<Format, false>::is_double>(job, v,
                                                                                                                 n, s);
    }
}
/* The same once in a kernel's code. */
template <class Format, row_terms TERMS>
static __device__ __noinline__ bool store_totals(const vectors_job &job, size_t v, size_t n, vector_total &s,
                                                 const vector_total &q) {
    return store_totals_here<Format, TERMS>(job, v, n, s, q);
}

#endif
