/* row_sum.cuh - what a group of threads adds up of elements that stand side by side, wherever they begin, in chunks of
 * 16 bytes; or of the products of two such rows. They know no grid.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_GROUP_ROW_SUM_CUH
#define QUIRE_CUDA_GROUP_ROW_SUM_CUH

#include <cuda_pipeline_primitives.h>
#include <stddef.h>

#include "cuda/thread/chunk.cuh"

/* ---------------------------------------------------------------------------------- chunks at multiples of 16 bytes */

/* Adds the terms of a chunk to a sum; or those of two. Signs of short elements are taken off a word at a time. */
template <class Format, class Sums>
static __device__ __forceinline__ void sum_chunk(Sums &sums, chunk_of<Format> chunk, bool magnitude) {
    constexpr bool is_short = Format::description.size < 4;
    typename Format::real x[chunk_elements<Format>];
    if constexpr (is_short && Sums::has_magnitudes) {
        constexpr uint32_t signs = Format::description.size == 1 ? 0x80808080 : 0x80008000;
        const uint32_t keep = magnitude ? ~signs : ~0u;
#pragma unroll
        for (int i = 0; i < 4; i++) chunk.word[i] &= keep;
    }
    decode_chunk(Format(), chunk, x);
    sums.add(x, x, magnitude && !is_short);
}
template <class Format, class Sums>
static __device__ __forceinline__ void sum_chunks(Sums &sums, const chunk_of<Format> &of_x,
                                                  const chunk_of<Format> &of_y) {
    typename Format::real x[chunk_elements<Format>], y[chunk_elements<Format>];
    decode_chunk(Format(), of_x, x);
    decode_chunk(Format(), of_y, y);
    sums.add(x, y, false);
}

/* --------------------------------------------------------------------------------------- chunks that begin anywhere */

/* They are counted from a vector's first element: 16 bytes that may begin within those that one load brings, and end in
 * the next. Nothing is read that stands behind the vector's end.
 *
 * Where a chunk begins, and how many elements the vector has from there on: if there are none, or fewer than none,
 * nothing is to be loaded. is_first: none of the vector's elements stand before it. */
template <class Format> struct chunk_place {
    const typename Format::element *x;
    int left;
    bool is_first;
};

/* Loads the elements that are left of a vector, one by one, into a chunk of zeros. */
template <class Format>
static __device__ __forceinline__ void load_last(chunk_of<Format> &to, const chunk_place<Format> &at) {
#pragma unroll
    for (int i = 0; i < chunk_elements<Format>; i++)
        if (i < at.left) to.of[i] = at.x[i];
}

/* The two times 16 bytes that a chunk is part of. */
template <class Format, bool PLUS> struct chunk_around {
    typedef typename Format::element element;
    static constexpr int E = chunk_elements<Format>;
    chunk_of<Format> first, second;
    unsigned before; /* bytes */

    /* Answers whether all has been loaded that there is: not so where some of the 32 bytes stand beside the vector. */
    __device__ __forceinline__ bool load(const chunk_place<Format> &at) {
        before = (unsigned)((uintptr_t)at.x % 16);
        const int elements = (int)(before / sizeof(element)), needed = elements ? 2 * E - elements : E;
        const bool is_whole = at.left >= needed && !(at.is_first && elements);
        load_chunk<Format, PLUS>(first, at.x - elements, is_whole);
        load_chunk<Format, PLUS>(second, at.x - elements + E, is_whole && elements);
        return is_whole || at.left <= 0;
    }
    __device__ __forceinline__ void cut(chunk_of<Format> &to) const {
        uint32_t w[9];
#pragma unroll
        for (int i = 0; i < 4; i++) w[i] = first.word[i], w[4 + i] = second.word[i];
        w[8] = 0;
#pragma unroll
        for (int words = 2; words; words /= 2) /* by as many words, if they are before the chunk */
#pragma unroll
            for (int i = 0; i < 4 + words; i++) w[i] = before & 4 * words ? w[i + words] : w[i];
#pragma unroll
        for (int i = 0; i < 4; i++)
            to.word[i] = sizeof(element) < 4 ? __funnelshift_r(w[i], w[i + 1], 8 * (before & 3)) : w[i];
    }
};

/* Loads chunks, number i from place(i); in place of what is not there stand zeros: -0, or +0 where PLUS. is_aligned:
 * all begin at multiples of 16 bytes. What is loaded one by one comes last, so that nothing waits for it yet. */
template <class Format, bool PLUS, int COUNT, class Place>
static __device__ __forceinline__ void load_chunks(chunk_of<Format> (&chunk)[COUNT], bool is_aligned, bool are_whole,
                                                   Place place) {
    constexpr int E = chunk_elements<Format>;
    if (is_aligned) {
#pragma unroll
        for (int i = 0; i < COUNT; i++) load_chunk<Format, PLUS>(chunk[i], place(i).x, place(i).left >= E);
        if (are_whole) return;
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            if (place(i).left > 0 && place(i).left < E) load_last<Format>(chunk[i], place(i));
        return;
    }
    chunk_around<Format, PLUS> around[COUNT];
    bool is_loaded[COUNT];
#pragma unroll
    for (int i = 0; i < COUNT; i++) is_loaded[i] = around[i].load(place(i));
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        if (!is_loaded[i]) {
            load_last<Format>(around[i].first, place(i));
            around[i].before = 0;
        }
#pragma unroll
    for (int i = 0; i < COUNT; i++) around[i].cut(chunk[i]);
}

/* ------------------------------------------------------------------------------------------------------------- rows */

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

/* ---------------------------------------------------------------------------------------- elements in shared memory */

/* Starts to copy count chunks. By THREADS threads. */
template <unsigned THREADS>
static __device__ __forceinline__ void copy_chunks(uint4 *room, const uint4 *from, unsigned count, unsigned thread) {
    room += thread, from += thread;
#pragma unroll 4
    for (unsigned c = thread; c < count; c += THREADS, room += THREADS, from += THREADS)
        __pipeline_memcpy_async(room, from, sizeof *room);
}

/* How many of n elements each of 2^log threads has that share them in shared memory: an odd number, so that they read
 * different banks; and not as many short ones as nearly fill all banks. */
template <class Format> static __device__ __forceinline__ unsigned share_of(unsigned n, unsigned log) {
    constexpr unsigned size = Format::description.size, more = ROWS_CHUNK / size;
    const unsigned share = ((n + (1u << log) - 1) >> log) | 1;
    return size < 4 && (share * size + ROWS_CHUNK / 2) % (4 * WARP) < ROWS_CHUNK ? share + more : share;
}

/* A chunk from any element in shared memory on; of two arrays two. Room for 16 bytes more must be behind it. */
template <class Format, bool PAIR, class Element>
static __device__ __forceinline__ row_chunks<Format, PAIR, 1> load_staged(const Element *x, const Element *y) {
    row_chunks<Format, PAIR, 1> chunk;
    chunk.x[0].template load_stage<false>((const unsigned char *)x);
    if constexpr (PAIR) chunk.y[0].template load_stage<false>((const unsigned char *)y);
    return chunk;
}
/* Adds n elements in shared memory that stand side by side, or products of two. */
template <class Format, bool PAIR, class Sums, class Element>
static __device__ __forceinline__ void add_staged(Sums &to, const Element *x, const Element *y, unsigned n,
                                                  bool magnitude) {
    constexpr unsigned E = chunk_elements<Format>;
#pragma unroll 2
    for (; n >= E; n -= E, x += E, y += E) load_staged<Format, PAIR>(x, y).add(to, 0, magnitude);
    if (!n) return;
    row_chunks<Format, PAIR, 1> last = load_staged<Format, PAIR>(x, y);
    last.keep(n);
    last.add(to, 0, magnitude);
}

#define NO_ROW (~(size_t)0)

/* Rows that the groups of a warp's threads have added up: each is kept by one thread of its group, until all of these
 * have one, and then they finish theirs together. */
template <class Total> struct kept_rows {
    Total mine;
    size_t row;
    unsigned taken; /* rows of a group that have a thread */

    __device__ __forceinline__ kept_rows() : row(NO_ROW), taken(0) {}
    /* COUNT totals of a group, a power of two, which all its threads have: of rows first, first + step, ... visit(row,
     * total) may be called, by whole warps; of NO_ROW, too. It is once in the code. */
    template <unsigned COUNT, class Visit>
    __device__ __forceinline__ void take(const Total (&totals)[COUNT], size_t first, size_t step, unsigned thread,
                                         unsigned threads, Visit visit) {
#pragma unroll 1
        for (unsigned from = 0; from < COUNT; from += threads) {
            const unsigned i = from + thread - taken;
            keep(totals, i);
            if (i < COUNT) row = first + i * step;
            taken += COUNT;
            if (taken < threads) return;
            visit(row, mine);
            taken = 0, row = NO_ROW;
        }
    }
    /* Behind the last of them. */
    template <class Visit> __device__ __forceinline__ void end(Visit visit) {
        if (taken) visit(row, mine);
    }

  private:
    template <unsigned COUNT> __device__ __forceinline__ void keep(const Total (&totals)[COUNT], unsigned i) {
#pragma unroll
        for (unsigned u = 0; u < COUNT; u++)
            if (u == i) mine = totals[u];
    }
};

#endif
