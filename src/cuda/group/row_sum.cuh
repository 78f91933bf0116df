/* row_sum.cuh - what a group of threads adds up of elements that stand side by side, wherever they begin; or of the
 * products of two such rows. They know no grid.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_GROUP_ROW_SUM_CUH
#define QUIRE_CUDA_GROUP_ROW_SUM_CUH

#include "cuda/group/row_chunks.cuh"
#include "cuda/thread/whole_chunks.cuh"

/* Where a row stands; PAIR: and the other one. */
template <class Format, bool PAIR> struct row_place {
    typedef typename Format::element element;
    const element *x, *y;

    __device__ __forceinline__ row_place moved(ptrdiff_t by) const { return { x + by, PAIR ? y + by : y }; }
    __device__ __forceinline__ bool are_alike() const { return !PAIR || ((uintptr_t)x - (uintptr_t)y) % 16 == 0; }
};

/* The arrays of a job from element k on. */
template <class Format, bool PAIR>
static __device__ __forceinline__ row_place<Format, PAIR> arrays_from(const vectors_job &job, int64_t k) {
    typedef const typename Format::element *pointer;
    return { (pointer)job.at.x + k, PAIR ? (pointer)job.at.y + k : NULL };
}

/* COUNT chunks of a row. */
template <class Format, bool PAIR, int COUNT> struct row_chunks {
    chunk_of<Format> x[COUNT], y[PAIR ? COUNT : 1];

    __device__ __forceinline__ void load(int i, const row_place<Format, PAIR> &at, bool wanted) {
        load_chunk<Format>(x[i], at.x, wanted);
        if constexpr (PAIR) load_chunk<Format, true>(y[i], at.y, wanted);
    }
    /* Of the first chunk n elements alone: in place of the others stand zeros that change no sum. */
    __device__ __forceinline__ void keep(unsigned n) {
#pragma unroll
        for (unsigned i = 0; i < chunk_elements<Format>; i++)
            if (i >= n) {
                x[0].of[i] = zero_element<Format>(false);
                if constexpr (PAIR) y[0].of[i] = zero_element<Format>(true);
            }
    }
    template <class Sums> __device__ __forceinline__ void add(Sums &to, int i, bool magnitude) const {
        if constexpr (PAIR)
            sum_chunks<Format>(to, x[i], y[i]);
        else
            sum_chunk<Format>(to, x[i], magnitude);
    }
};

/* Adds some elements, which are loaded one by one. */
template <class Format, bool PAIR, class Sums>
static __device__ __forceinline__ void add_singles(Sums &sums, row_place<Format, PAIR> at, size_t n, bool magnitude) {
    constexpr int E = chunk_elements<Format>;
    for (; n; n -= min(n, (size_t)E), at = at.moved(E)) {
        row_chunks<Format, PAIR, 1> few;
        few.load(0, at, false);
#pragma unroll
        for (int i = 0; i < E; i++)
            if (i < n) {
                few.x[0].of[i] = at.x[i];
                if constexpr (PAIR) few.y[0].of[i] = at.y[i];
            }
        few.add(sums, 0, magnitude);
    }
}
/* The same once in a kernel's code. */
template <class Format, bool PAIR, class Sums>
static __device__ __noinline__ void add_few(Sums &sums, const row_place<Format, PAIR> &at, size_t n, bool magnitude) {
    add_singles(sums, at, n, magnitude);
}

/* Adds what a thread has of the n elements of a row, chunks cut from what stands around them; of two rows that begin
 * differently behind chunks. AHEAD: loads that are under way together. */
template <int AHEAD, class Format, bool PAIR, class Sums>
static __device__ __forceinline__ void add_cut_row(Sums &to, const row_place<Format, PAIR> &row, size_t n,
                                                   bool magnitude, unsigned thread, unsigned threads) {
    constexpr int E = chunk_elements<Format>;
    const size_t step = (size_t)threads * E;
    for (size_t k = (size_t)thread * E; k < n; k += AHEAD * step) {
        row_chunks<Format, PAIR, AHEAD> chunk;
        auto place = [&](const typename Format::element *x, int i) {
            const size_t at = k + i * step;
            return chunk_place<Format>{ x + at, at < n ? (int)min(n - at, (size_t)(2 * E)) : 0, at == 0 };
        };
        load_chunks<Format, false>(chunk.x, false, false, [&](int i) { return place(row.x, i); });
        if constexpr (PAIR) load_chunks<Format, true>(chunk.y, false, false, [&](int i) { return place(row.y, i); });
#pragma unroll
        for (int i = 0; i < AHEAD; i++)
            if (i == 0 || k + i * step < n) chunk.add(to, i, magnitude);
    }
}

/* The same of elements at any stride, gathered into chunks: what is missing changes no sum. Once in a kernel's code. */
template <class Sums, class Format, bool PAIR>
static __device__ __noinline__ Sums sum_of_strided(const row_place<Format, PAIR> &row, ptrdiff_t step_x,
                                                   ptrdiff_t step_y, size_t n, bool magnitude, unsigned thread,
                                                   unsigned threads) {
    constexpr unsigned E = chunk_elements<Format>, ONES = PAIR ? STRIDED_LOADS / 2 : STRIDED_LOADS,
                       AHEAD = ONES > E ? ONES / E : 1;
    const vector_view<Format> x = { row.x, step_x }, y = { row.y, step_y };
    Sums total;
    total.clear();
    for (size_t k = thread; k < n; k += (size_t)AHEAD * E * threads) {
        row_chunks<Format, PAIR, AHEAD> chunk;
#pragma unroll
        for (unsigned u = 0; u < AHEAD; u++) {
            chunk.x[u].load(x, k + u * E * threads, threads, n, false);
            if constexpr (PAIR) chunk.y[u].load(y, k + u * E * threads, threads, n, true);
        }
#pragma unroll
        for (unsigned u = 0; u < AHEAD; u++) chunk.add(total, u, magnitude);
    }
    return total;
}

/* The same of whole chunks, and of the elements before and behind them. ALL: those of a turn are added up whether they
 * are there or not, for what is missing changes no sum. */
template <class Sums, int AHEAD, bool ALL, class Format, bool PAIR>
static __device__ __forceinline__ Sums sum_of_row(row_place<Format, PAIR> row, size_t n, bool magnitude,
                                                  unsigned thread, unsigned threads) {
    constexpr int E = chunk_elements<Format>;
    Sums total;
    total.clear();
    if (PAIR && !row.are_alike()) {
        add_cut_row<AHEAD / 2>(total, row, n, magnitude, thread, threads);
        return total;
    }
    const whole_chunks<typename Format::element> whole(row.x, n);
    const unsigned step = threads * E;
    if (whole.before | whole.behind) {
        Sums few = total;
        if (thread == 0) add_few<Format>(few, row, whole.before, magnitude);
        if (thread == threads - 1)
            add_few<Format>(few, row.moved(whole.before + whole.count * E), whole.behind, magnitude);
        total = few;
    }
    row = row.moved(whole.before + thread * E);
    for (size_t c = thread; c < whole.count; c += threads * AHEAD, row = row.moved(AHEAD * step)) {
        const unsigned left = (unsigned)min(whole.count - c, (size_t)(threads * AHEAD));
        row_chunks<Format, PAIR, AHEAD> chunk;
#pragma unroll
        for (unsigned u = 0; u < AHEAD; u++) chunk.load(u, row.moved(u * step), u * threads < left);
#pragma unroll
        for (unsigned u = 0; u < AHEAD; u++)
            if (ALL || u * threads < left) chunk.add(total, u, magnitude);
    }
    return total;
}

#endif
