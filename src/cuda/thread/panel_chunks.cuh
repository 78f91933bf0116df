/* panel_chunks.cuh - a thread's rows of a tile of columns, a chunk of 16 bytes of each. Where rows do not stand at
 * multiples of a chunk's bytes, chunks do, and begin before the row or end behind it: what is not the row's is loaded,
 * added to columns that nobody wants, and forgotten. Only the first and the last rows of a matrix have nothing beside
 * them that is sure to be memory: of these the elements are loaded one by one.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_PANEL_CHUNKS_CUH
#define QUIRE_CUDA_THREAD_PANEL_CHUNKS_CUH

#include "cuda/thread/range_sums.cuh"

/* Elements without their signs. */
template <class Format> static __device__ __forceinline__ void clear_signs(chunk_of<Format> &chunk) {
    const chunk_of<Format> signs = zero_chunk<Format>(false);
#pragma unroll
    for (int i = 0; i < chunk_of<Format>::WORDS; i++) chunk.word[i] &= ~signs.word[i];
}

/* The chunks of one array: where the thread's first row of the tile stands, the first of its columns, and how many
 * elements apart rows and columns are. */
template <class Format> struct panel_view {
    const typename Format::element *x;
    ptrdiff_t row, column;

    __device__ __forceinline__ panel_view(const void *of, const quire_layout &l)
        : x((const typename Format::element *)of), row(l.stride), column(l.inner_stride) {}
    __device__ __forceinline__ void advance(ptrdiff_t rows) { x += rows * row; }
    __device__ __forceinline__ const typename Format::element *at(ptrdiff_t rows) const { return x + rows * row; }
    /* Elements "from" to "end" of a chunk. */
    __device__ __forceinline__ void load_some(chunk_of<Format> &to, const typename Format::element *p, int from,
                                              int end, bool plus) const {
        to = zero_chunk<Format>(plus);
#pragma unroll
        for (int e = 0; e < chunk_elements<Format>; e++)
            if (e >= from && e < end) to.of[e] = p[e * column];
    }
};

/* What a thread has of a bundle: a chunk of a panel. */
struct panel_thread {
    unsigned columns; /* of the panel; 0: there is none */
    int before;       /* columns that the panel's first chunk has before them */
    int from, end;    /* which of the chunk's elements are a row's; none: the thread has no chunk */

    /* slot: which of the bundle's chunks; turn: the thread's first row. x and y then show the chunk in row 0. */
    template <class Format>
    __device__ __forceinline__ void take(const vectors_job &job, size_t bundle, unsigned slot, unsigned turn,
                                         panel_view<Format> &x, panel_view<Format> &y) {
        typedef typename Format::element element;
        constexpr int E = chunk_elements<Format>;
        const panel_share &share = job.panels;
        const quire_layout &l = job.at.x_layout;
        const size_t panel = bundle * share.bundle + slot / share.chunks, /* divisions take long */
            outer = share.panels == 1      ? panel
                    : panel < share.panels ? 0
                                           : panel / share.panels,
                     first = (panel - outer * share.panels) * share.columns;
        before = from = end = 0, columns = 0;
        if (outer >= l.outer || turn >= share.threads) return;
        columns = (unsigned)min(share.columns, l.inner - first);
        x.x += (ptrdiff_t)outer * l.outer_stride + (ptrdiff_t)first * x.column;
        y.x += (ptrdiff_t)outer * job.at.y_layout.outer_stride + (ptrdiff_t)first * y.column;
        if (!share.by_elements) before = (int)((uintptr_t)x.at(turn) % (E * sizeof(element)) / sizeof(element));
        const int column = (int)(slot % share.chunks) * E - before;
        if (column >= (int)columns) return;
        x.x += column * x.column, y.x += column * y.column;
        from = first == 0 && column < 0 ? -column : 0;
        end = (int)min((size_t)E, l.inner - (first + column));
    }
};

/* The turn of the lane that is number k of a thread's, and the other way round. */
static __device__ __forceinline__ unsigned turn_of_lane(unsigned k, unsigned lanes) {
    return __brev(k) >> 1 >> __clz((int)lanes);
}

/* Which of its rows of a tile a thread loads as chunks; row d is the d-th from its first one on. */
struct panel_rows {
    unsigned left;           /* rows from the thread's first one on */
    unsigned first, whole;   /* from here on, and so many, as chunks: all but the first, or the last */
    bool has_last;           /* the last one is no chunk */
    unsigned turn_with_last; /* of its lane */

    /* Of tile number q; columns: of a chunk. Rows nearer to the matrix' ends than a chunk is long are no chunks, if
     * these have columns that are not theirs. Where the last tile has few rows, the one before has such rows, too. */
    __device__ __forceinline__ panel_rows(const panel_thread &at, unsigned turn, unsigned q, const panel_share &share,
                                          int columns) {
        const bool is_cut = at.from > 0 || at.end < columns, is_last = q + 1 == share.tiles;
        const unsigned here = is_last ? share.last_tile : share.tile,
                       next = q + 2 == share.tiles ? share.last_tile : share.tile, behind = is_last ? 0 : next;
        const size_t apart = share.apart, least = (size_t)columns;
        left = at.from < at.end && here > turn ? here - turn : 0;
        first = is_cut && q == 0 && left && turn * apart < least;
        const unsigned beyond = left ? (left - 1) % share.threads : 0; /* rows behind the thread's last one */
        left -= beyond;
        has_last = is_cut && left > first && (beyond + behind) * apart < least;
        turn_with_last = turn_of_lane((left - 1) % ORDER_LANES / share.threads, share.lanes);
        whole = left - first - has_last;
    }
    /* Whether some lanes have rows that are no chunks. */
    __device__ __forceinline__ bool have_others(unsigned turn, unsigned turns) const {
        return (first && turn == 0) || (has_last && turn_with_last - turn < turns);
    }
};

/* What a thread has of the columns of a chunk: an exact sum of each, to which it adds rows. */
template <class Format, row_terms TERMS, class Sum> struct chunk_columns {
    typedef typename Format::real real;
    typedef range_sums<Format, TERMS, Sum> sums;
    typedef chunk_of<Format> group;
    typedef chunk_terms<Format, false> numbers;
    typedef chunk_terms<Format, true> products;
    static constexpr int E = chunk_elements<Format>;
    sums of[E];

    __device__ __forceinline__ void clear() {
#pragma unroll
        for (int e = 0; e < E; e++) of[e].clear();
    }
    /* The sum of a column. */
    __device__ __forceinline__ sums column(int e) const {
        sums one = of[0];
#pragma unroll
        for (int i = 1; i < E; i++) one.take_if(i == e, of[i]);
        return one;
    }
    /* A term, to a sum; or to a batch of them, whose sum always is one number. */
    template <bool PRODUCT, class Batch, class Real>
    static __device__ __forceinline__ void take(Sum &sum, Batch &batch, bool is_first, Real a, Real b, bool magnitude) {
        typedef chunk_terms<Format, PRODUCT> terms;
        if constexpr (terms::fit_double) {
            Batch term;
            if constexpr (sizeof(Real) == 8 && !PRODUCT)
                term = (Batch)a;
            else
                term = (Batch)terms::term(a, b, magnitude);
            batch = is_first ? term : batch + term;
        } else if constexpr (PRODUCT && sizeof(Real) == 8) {
            add_product_to<Format>(sum, a, b);
        } else {
            add_term<Format, PRODUCT>(sum, a, b, magnitude);
        }
    }
    /* Some rows, no more than a chunk has elements if there are batches. PAIR: products are of two arrays, else of x
     * with itself. Where both sums are wanted one conversion serves both. */
    template <bool PAIR, int ROWS>
    __device__ __forceinline__ void add(const group (&x)[ROWS], const group *y, bool magnitude) {
        static_assert(ROWS <= E || !(numbers::fit_double || products::fit_double), "a batch has more bits");
        typedef std::conditional_t<TERMS == ROW_MOMENTS && !products::fit_double, double, real> wide;
        typename numbers::sum_type number[E];
        typename products::sum_type product[E];
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            real a[E], b[E];
            decode_chunk(Format(), x[r], a);
            if constexpr (PAIR) decode_chunk(Format(), y[r], b);
#pragma unroll
            for (int e = 0; e < E; e++) {
                const wide one = a[e], other = PAIR ? b[e] : a[e];
                if constexpr (sums::has_numbers) take<false>(of[e].numbers, number[e], r == 0, one, one, magnitude);
                if constexpr (sums::has_products) take<true>(of[e].products, product[e], r == 0, one, other, false);
            }
        }
#pragma unroll
        for (int e = 0; e < E; e++) {
            if constexpr (sums::has_numbers && numbers::fit_double) of[e].numbers.add(number[e]);
            if constexpr (sums::has_products && products::fit_double) of[e].products.add(product[e]);
        }
    }
};

/* Blocks of a multiprocessor that registers are to leave room for: one where a thread has very many sums. */
template <class Format, row_terms TERMS, class Sum>
constexpr int columns_blocks = range_sums<Format, TERMS, Sum>::sums *(int)sizeof(Sum) * chunk_elements<Format> > 256
                                   ? 1
                                   : COLUMNS_BLOCKS;

#endif
