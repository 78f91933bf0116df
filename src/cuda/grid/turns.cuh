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
struct vector_totals {
    vector_total sum, squares;
};

template <class Format, row_terms TERMS>
static __device__ __forceinline__ vector_totals totals_of(const range_sums<Format, TERMS, long_sum<2>> &s) {
    const vector_total products = total_of_words(s.products);
    return { s.has_numbers ? total_of_words(s.numbers) : products, products };
}

template <bool MOMENTS>
static __device__ __forceinline__ vector_totals totals_of_lane(const vector_totals &t, unsigned lane) {
    return { total_of_lane(t.sum, lane), MOMENTS ? total_of_lane(t.squares, lane) : t.squares };
}

/* Vectors of which lanes have found one each, in turns: as many as a warp has groups of threads. */
class marked_turns {
    unsigned left, threads, lane;

  public:
    __device__ __forceinline__ marked_turns(unsigned found, unsigned of_vector, int of_lane)
        : left(found), threads(of_vector), lane((unsigned)of_lane) {}
    __device__ __forceinline__ bool are_there() const { return left != 0; }
    __device__ __forceinline__ void advance() {
        for (unsigned i = 0; i < WARP / threads; i++) left &= left - 1;
    }
    /* The lane that has found the vector of this lane's group, or WARP if there is none. */
    __device__ __forceinline__ unsigned finder() const {
        unsigned from = left;
        for (unsigned i = 0; i < lane / threads; i++) from &= from - 1;
        return from ? (unsigned)__ffs((int)from) - 1 : WARP;
    }
    __device__ __forceinline__ unsigned thread() const { return lane % threads; }
    /* The first lane of the group that has the vector this lane has found, if it has one in this turn. */
    __device__ __forceinline__ unsigned group() const { return __popc(left & ((1u << lane) - 1)) * threads; }
    __device__ __forceinline__ bool has_mine() const { return (left >> lane & 1) && group() < WARP; }
};

/* Calls total(number, is_there, thread) for the vectors of all turns; mine becomes that of the vector that this lane
 * has found, v: so all of them are rounded together. */
template <bool MOMENTS, class Total>
static __device__ __forceinline__ void each_marked(unsigned found, unsigned threads, size_t v, int lane,
                                                   vector_totals &mine, Total total) {
    for (marked_turns turns(found, threads, lane); turns.are_there(); turns.advance()) {
        const unsigned finder = turns.finder();
        const size_t number = __shfl_sync(WHOLE_WARP, v, (int)(finder % WARP));
        const vector_totals of_group = total(number, finder < WARP, turns.thread());
        const vector_totals its = totals_of_lane<MOMENTS>(of_group, turns.group());
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
