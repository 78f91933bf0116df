/* gathered.cu - segments of rows that are found through an index: a graph's neighbours, the rows of a sparse matrix, an
 * embedding bag. Memory is what these kernels wait for, so that those that load elements one by one are compiled once
 * for all formats.
 *
 * Exact sums: where rows are whole chunks of 16 bytes a thread has a chunk of columns of a segment. What their ends do
 * not tell, and all else, the kernels of by_element.cuh have.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cuda/kernels/gathered.cuh"

#include "cuda/grid/sums_finish.cuh"
#include "cuda/kernels/by_element.cuh"
#include "cuda/kernels/gathered_order.cuh"
#include "cuda/kernels/launch.cuh"
#include "cuda/kernels/ordered_vectors.cuh"
#include "cuda/thread/chunk_columns.cuh"
#include "cuda/thread/panel_chunks.cuh"

#define GATHERED_THREADS 256 /* of a block, of rows of chunks */

/* ---------------------------------------------------------------------------------------------------- rows of chunks
 */

/* A chunk of neighbouring columns of a segment. What its ends, or wider sums, do not tell is marked. */
template <class Format, row_terms TERMS, class Sum> struct gathered_chunk {
    typedef typename Format::element element;
    typedef chunk_of<Format> group;
    static constexpr bool PAIR = TERMS == ROW_PRODUCTS;
    static constexpr int E = chunk_elements<Format>, ROWS = GATHERED_AHEAD;

    /* Of how many elements each column's sum is. */
    static __device__ __forceinline__ size_t add(const gathered_job &g, const gathered_vector &v,
                                                 chunk_columns<Format, TERMS, Sum> &to) {
        size_t n = 0;
        for (size_t k = 0; k < v.entries; k += ROWS) {
            gathered_entries<PAIR> some;
            group x[ROWS], y[ROWS];
            some.find(g, v, k, 1);
#pragma unroll
            for (int u = 0; u < ROWS; u++) {
                const bool is_there = some.present >> u & 1;
                load_panel<Format>(x[u], (const element *)g.job.at.x + some.x[u], is_there, false);
                if (PAIR) load_panel<Format>(y[u], (const element *)g.job.at.y + some.y[PAIR ? u : 0], is_there, true);
            }
            to.template add<PAIR>(x, y, g.job.magnitude);
            n += __popc(some.present);
        }
        return n;
    }
    static __device__ __forceinline__ void store(const gathered_job &g, size_t first, size_t n,
                                                 const chunk_columns<Format, TERMS, Sum> &sums) {
        const term_count terms = terms_of_vector<TERMS>(g.job, n);
#pragma unroll
        for (int e = 0; e < E; e++)
            if (n)
                finish_sums(g.job, terms, first + e, sums.of[e]);
            else
                store_none(g.job, first + e);
    }
    /* Whether all columns of a long segment are put aside. */
    static __device__ __forceinline__ bool put_all_aside(const vectors_job &job, size_t first, size_t entries) {
        bool are_aside = entries >= ELEMENTS_LONG;
        for (int e = 0; e < E && are_aside; e++) are_aside = put_aside(job, first + e, entries, ELEMENTS_LONG);
        return are_aside;
    }
};

template <class Format, row_terms TERMS, class Sum>
static __global__ void __launch_bounds__(GATHERED_THREADS, (columns_blocks<Format, TERMS, Sum>))
    gathered_chunks_kernel(const __grid_constant__ gathered_job g) {
    typedef gathered_chunk<Format, TERMS, Sum> chunk;
    const size_t chunks = g.job.vectors / chunk::E, step = gridDim.x * (size_t)GATHERED_THREADS;
    for (size_t c = blockIdx.x * (size_t)GATHERED_THREADS + threadIdx.x; c < chunks; c += step) {
        const size_t first = c * chunk::E;
        const gathered_vector v(g, first);
        if (chunk::put_all_aside(g.job, first, v.entries)) continue;
        chunk_columns<Format, TERMS, Sum> sums;
        sums.clear();
        const size_t n = chunk::add(g, v, sums);
        chunk::store(g, first, n, sums);
    }
}

/* ---------------------------------------------------------------------------------------------------------- launches
 */

typedef void (*gathered_function)(gathered_job);

/* missing: of vectors that miss an element. */
struct order_kernels {
    gathered_function whole, parts, missing;
};

static order_kernels find_ordered(bool has_doubles, bool is_product, quire_method method) {
    return with_method(has_doubles, is_product, method, [](auto lanes, auto its_method, auto product) {
        typedef decltype(lanes) of_lanes;
        typedef decltype(its_method) of_method;
        constexpr bool PRODUCT = decltype(product)::value;
        return order_kernels{ ordered_vectors_kernel<of_lanes, of_method, PRODUCT, gathered_job>,
                              ordered_parts_kernel<of_lanes, of_method, PRODUCT, gathered_job>,
                              ordered_gathered_kernel<of_lanes, of_method, PRODUCT> };
    });
}

/* chunks: NULL, there is none. */
struct exact_kernels {
    gathered_function chunks, shorts, marked, longs;
};

template <class Format, row_terms TERMS> static gathered_function chunks_of(bool has_ends) {
    if constexpr (Format::description.precision <= 24)
        if (has_ends) return gathered_chunks_kernel<Format, TERMS, ends>;
    if constexpr (Format::description.precision >= 24) return gathered_chunks_kernel<Format, TERMS, long_sum<2>>;
    return NULL;
}
template <row_terms TERMS> static exact_kernels exact_of(quire_type type, bool has_ends) {
    exact_kernels k = { NULL, short_vectors_kernel<TERMS, gathered_job>, marked_vectors_kernel<TERMS, gathered_job>,
                        long_vectors_kernel<TERMS, gathered_job> };
#define CHUNKS(name, NAME, number, real, unused)                                                                       \
    if ((int)type == number) k.chunks = chunks_of<name##_format, TERMS>(has_ends);
    QUIRE_FORMATS(CHUNKS, )
#undef CHUNKS
    return k;
}
static exact_kernels find_exact(quire_type type, row_terms terms, bool has_ends) {
    return terms == ROW_MOMENTS    ? exact_of<ROW_MOMENTS>(type, has_ends)
           : terms == ROW_PRODUCTS ? exact_of<ROW_PRODUCTS>(type, has_ends)
                                   : exact_of<ROW_NUMBERS>(type, has_ends);
}

static row_terms terms_of(finish_kind finish, quire_term term) {
    return needs_squares(finish) ? ROW_MOMENTS : term == TERM_PRODUCT ? ROW_PRODUCTS : ROW_NUMBERS;
}

/* threads: of a block, of which so many share a vector. */
static cudaError_t start_gathered(gathered_function kernel, const gathered_job &g, unsigned threads, size_t vectors,
                                  size_t blocks, cudaStream_t stream) {
    const size_t wanted = (vectors + threads - 1) / threads;
    return start_kernel(wanted < blocks ? wanted : blocks, threads, 0, stream, kernel, g);
}

static cudaError_t start_exact(const gathered_job &g, quire_term term, size_t blocks, cudaStream_t stream) {
    const exact_kernels k = find_exact(g.job.type, terms_of(g.job.finish, term), g.has_ends);
    const size_t of_longs = blocks < ELEMENT_MOST_BLOCKS ? blocks : ELEMENT_MOST_BLOCKS;
    gathered_job rest = g;
    cudaError_t error =
        g.has_chunks && k.chunks
            ? start_gathered(k.chunks, g, GATHERED_THREADS, (g.job.vectors * g.job.threads) >> (4 - g.job.log_size),
                             blocks, stream)
            : start_gathered(k.shorts, g, ELEMENT_THREADS, g.job.vectors * g.job.threads, blocks, stream);
    rest.job.source = VECTORS_MARKED;
    if (!error) error = start_gathered(k.marked, rest, ELEMENT_THREADS, g.job.vectors, blocks, stream);
    rest.job.source = VECTORS_ASIDE;
    if (!error) error = start_kernel(of_longs, ELEMENT_THREADS, 0, stream, k.longs, rest);
    rest.job.source = VECTORS_MARKED, rest.job.by_cells = true;
    return error ? error : start_kernel(of_longs, ELEMENT_THREADS, 0, stream, k.longs, rest);
}

/* Vectors; then those that are long; then those that miss an element. */
static cudaError_t start_ordered(const gathered_job &g, quire_term term, quire_method method, size_t blocks,
                                 cudaStream_t stream) {
    const order_kernels k = find_ordered(has_double_lanes(g.job.type), term == TERM_PRODUCT, method);
    const size_t warps = (g.job.vectors + g.job.turns - 1) / g.job.turns;
    gathered_job rest = g;
    cudaError_t error = start_gathered(k.whole, g, VECTORS_THREADS, warps * WARP, blocks, stream);
    rest.job.source = VECTORS_ASIDE;
    if (!error) error = start_gathered(k.parts, rest, VECTORS_THREADS, g.job.parts * (size_t)WARP, blocks, stream);
    rest.job.source = VECTORS_MARKED;
    return error ? error : start_gathered(k.missing, rest, ORDERED_WARPS * WARP, g.job.vectors * WARP, blocks, stream);
}

cudaError_t quire_cuda_gathered(const gathered_job *job, quire_term term, quire_method method, size_t blocks,
                                cudaStream_t stream) {
    if (method == QUIRE_EXACT) return start_exact(*job, term, blocks, stream);
    return start_ordered(*job, term, method, blocks, stream);
}

cudaError_t quire_cuda_load_gathered() {
    cudaFuncAttributes is;
    cudaError_t error = cudaSuccess;
    for (bool yes : { false, true }) {
        for (quire_method method : { QUIRE_KAHAN, QUIRE_PLAIN })
            for (bool is_product : { false, true }) {
                const order_kernels k = find_ordered(yes, is_product, method);
                for (gathered_function kernel : { k.whole, k.parts, k.missing })
                    if (!error) error = cudaFuncGetAttributes(&is, (const void *)kernel);
            }
        for (int type = 1; type < FORMAT_NUMBERS; type++)
            for (row_terms terms : { ROW_NUMBERS, ROW_PRODUCTS, ROW_MOMENTS }) {
                const exact_kernels k = find_exact((quire_type)type, terms, yes);
                for (gathered_function kernel : { k.chunks, k.shorts, k.marked, k.longs })
                    if (!error && kernel) error = cudaFuncGetAttributes(&is, (const void *)kernel);
            }
    }
    return error;
}
