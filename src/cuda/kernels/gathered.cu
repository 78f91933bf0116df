/* gathered.cu - segments of rows that are found through an index: a graph's neighbours, the rows of a sparse matrix, an
 * embedding bag. Memory is what these kernels wait for, so that those that load elements one by one are compiled once
 * for all formats.
 *
 * Exact sums: where rows are whole chunks of 16 bytes a thread has a chunk of columns of a segment, or of a long one
 * whole blocks. What their ends do not tell, and all else, the kernels of by_element.cuh have.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cuda/grid/sums_finish.cuh"
#include "cuda/grid/vector_source.cuh"
#include "cuda/kernels/by_element.cuh"
#include "cuda/kernels/calls.cuh"
#include "cuda/kernels/gathered_entries.cuh"
#include "cuda/kernels/ordered_vectors.cuh"
#include "cuda/thread/lane_sums.cuh"
#include "cuda/thread/panel_chunks.cuh"

/* ---------------------------------------------------------------------------------------------- the canonical order */

/* Vectors that miss an element, so that all behind it move up, which the kernels of ordered_vectors.cuh have marked: a
 * warp takes the elements that are there, 256 at a time, a row of lanes. */
#define ORDERED_WARPS 4 /* of a block */

/* The elements that are there, in their order, until there is a row of lanes. */
template <class Real> struct lane_row { Real x[2 * ORDER_LANES], y[2 * ORDER_LANES]; };

/* One vector: a lane of the warp has every 32nd lane of the order, from its own number on. */
template <class Format, class Method, bool PRODUCT> struct gathered_order {
    typedef typename Format::real real;
    static constexpr unsigned AT_ONCE = GATHERED_AHEAD * WARP;
    const gathered_job &g;
    lane_row<real> &row;
    const unsigned lane;
    lane_sums<Format, Method> of[1];
    tile_tree<real, Method> tree;

    /* Adds the row, of which n elements are there: -0 in place of the others changes no sum. */
    __device__ __forceinline__ void add_row(unsigned n) {
        real x[VECTORS_LANES], y[VECTORS_LANES];
#pragma unroll
        for (int i = 0; i < VECTORS_LANES; i++) {
            const unsigned at = lane + i * WARP;
            x[i] = at < n ? row.x[at] : (real)-0.0;
            y[i] = at < n ? row.y[at] : (real)0.0;
        }
        of[0].template add_numbers<false, PRODUCT>(0, x, y, g.job.magnitude);
    }
    /* Takes the row away, but for what stands beyond it. */
    __device__ __forceinline__ void take_row(unsigned filled) {
        __syncwarp();
        add_row(ORDER_LANES);
        __syncwarp();
        for (unsigned at = lane; ORDER_LANES + at < filled; at += WARP)
            row.x[at] = row.x[ORDER_LANES + at], row.y[at] = row.y[ORDER_LANES + at];
        __syncwarp();
    }
    __device__ __forceinline__ void end_tile() {
        __syncwarp();
        fold_lanes<1>(of, lane, WARP);
        tree.add(of[0].state[0]);
        of[0].clear();
    }
    /* The elements of some entries, behind those that are there; answers how many are there then. */
    __device__ __forceinline__ unsigned append(const gathered_vector &v, size_t k, unsigned filled) {
        gathered_entries<PRODUCT> some;
        some.find(g, v, k + lane, WARP);
        some.load(g);
#pragma unroll
        for (int u = 0; u < GATHERED_AHEAD; u++) {
            const bool is_there = some.present >> u & 1;
            const unsigned those = __ballot_sync(WHOLE_WARP, is_there),
                           at = filled + __popc(those & ((1u << lane) - 1));
            if (is_there) row.x[at] = (real)some.number(g, u), row.y[at] = (real)(PRODUCT ? some.other(g, u) : 0);
            filled += __popc(those);
        }
        return filled;
    }
    static __device__ __forceinline__ size_t count(const gathered_job &g, const gathered_vector &v, unsigned lane) {
        size_t n = 0;
        for (size_t k = 0; k < v.entries; k += AT_ONCE) {
            gathered_entries<PRODUCT> some;
            some.find(g, v, k + lane, WARP);
            n += __popc(some.present);
        }
        for (unsigned bit = WARP / 2; bit; bit /= 2) n += __shfl_xor_sync(WHOLE_WARP, n, bit);
        return n;
    }
    __device__ __forceinline__ void store(size_t number) {
        const gathered_vector v(g, number);
        const size_t n = count(g, v, lane), tile = order_tile(n, g.job.rows);
        size_t in_tile = 0;
        unsigned filled = 0;
        tree.tiles = 0;
        of[0].clear();
        for (size_t k = 0; k < v.entries; k += AT_ONCE) {
            filled = append(v, k, filled);
            if (filled < ORDER_LANES) continue;
            take_row(filled);
            filled -= ORDER_LANES, in_tile += ORDER_LANES;
            if (in_tile == tile) end_tile(), in_tile = 0;
        }
        __syncwarp();
        add_row(filled);
        if (in_tile + filled || !tree.tiles) end_tile();
        tree.total(of[0].state[0]);
        if (lane == 0) store_ordered<Method>(g.job, number, n, of[0].state[0][0], of[0].state[0][Method::words - 1]);
        __syncwarp();
    }
};

template <class Format, class Method, bool PRODUCT>
static __global__ void __launch_bounds__(ORDERED_WARPS *WARP)
    ordered_gathered_kernel(const __grid_constant__ gathered_job g) {
    __shared__ lane_row<typename Format::real> rows[ORDERED_WARPS];
    const vector_source source(g.job);
    gathered_order<Format, Method, PRODUCT> order = { g, rows[threadIdx.x / WARP], threadIdx.x % WARP };
    for (size_t i = warp_of_grid(); i < source.count; i += warps_of_grid()) {
        const size_t v = source.number(g.job, i);
        if (v < g.job.vectors) order.store(v);
    }
    source.forget(g.job);
}

/* --------------------------------------------------------------------------------------------------- rows of chunks */

#define GATHERED_THREADS 256 /* of a block */

/* A chunk of neighbouring columns of a segment. What its ends, or wider sums, do not tell is marked. */
template <class Format, row_terms TERMS, class Sum> struct gathered_chunk {
    typedef typename Format::element element;
    typedef chunk_of<Format> group;
    static constexpr bool PAIR = TERMS == ROW_PRODUCTS;
    static constexpr int E = chunk_elements<Format>, ROWS = GATHERED_AHEAD;

    typedef element_sums<TERMS, Format, Sum> column;

    /* Of entries first, first + step, ...: of how many elements each column's sum is. */
    static __device__ __forceinline__ size_t add(const gathered_job &g, const gathered_vector &v, size_t first,
                                                 size_t step, chunk_columns<Format, TERMS, Sum> &to) {
        size_t n = 0;
        for (size_t k = first; k < v.entries; k += ROWS * step) {
            gathered_entries<PAIR> some;
            group x[ROWS], y[ROWS];
            some.find(g, v, k, step);
#pragma unroll
            for (int u = 0; u < ROWS; u++) {
                const bool is_there = some.present >> u & 1;
                load_chunk<Format>(x[u], (const element *)g.job.at.x + some.x[u], is_there);
                if (PAIR) load_chunk<Format, true>(y[u], (const element *)g.job.at.y + some.y[PAIR ? u : 0], is_there);
            }
            to.template add<PAIR>(x, y, g.job.magnitude);
            n += __popc(some.present);
        }
        return n;
    }
    static __device__ __forceinline__ void store(const vectors_job &job, size_t v, const term_count &terms,
                                                 const typename column::range &sums) {
        if (terms.n)
            finish_sums(job, terms, v, sums);
        else
            store_none(job, v);
    }

    /* Lists the parts of a run, while there is room; answers whether it has done so. */
    static __device__ __forceinline__ bool list_run(const gathered_job &g, size_t first, size_t entries) {
        vectors_workspace &w = *g.job.workspace;
        const unsigned columns = g.run * E;
        unsigned parts = (unsigned)min(entries / (g.long_rows * GATHERED_PART) + 1, (size_t)GATHERED_RUNS);
        unsigned long long place = 0; /* what does not fit is counted, too */
        if (parts > 1) place = atomicAdd(&w.run_places, (unsigned long long)parts * columns);
        if (place + parts * columns > VECTORS_PLACES) parts = 1;
        const unsigned long long at = atomicAdd(&w.runs, (unsigned long long)parts);
        const bool fit = at + parts <= GATHERED_RUNS;
        for (unsigned i = 0; i < parts && at + i < GATHERED_RUNS; i++)
            w.run[at + i] = run_part{ first, i, fit ? parts : 0, (unsigned)place };
        return fit;
    }
    /* Puts the run of chunk c aside, by the threads that have its chunks, which are neighbours. */
    static __device__ __forceinline__ bool put_run_aside(const gathered_job &g, size_t c, size_t entries) {
        const unsigned lane = threadIdx.x % WARP, first = lane & ~(g.run - 1);
        const bool is_aside = lane == first && list_run(g, c * E, entries);
        return __shfl_sync((WHOLE_WARP >> (WARP - g.run)) << first, is_aside, (int)first);
    }
    /* Chunks of segments, a thread each. Those of long ones are put aside. */
    static __device__ __forceinline__ void all(const gathered_job &g) {
        const size_t chunks = g.job.vectors / E, step = gridDim.x * (size_t)GATHERED_THREADS;
        for (size_t c = blockIdx.x * (size_t)GATHERED_THREADS + threadIdx.x; c < chunks; c += step) {
            const gathered_vector v(g, c * E);
            if (v.entries >= g.long_rows && put_run_aside(g, c, v.entries)) continue;
            chunk_columns<Format, TERMS, Sum> sums;
            sums.clear();
            const term_count terms = terms_of_vector<TERMS>(g.job, add(g, v, 0, 1, sums));
#pragma unroll
            for (int e = 0; e < E; e++) store(g.job, c * E + e, terms, sums.of[e]);
        }
    }

    /* A column of each chunk of a run, every run-th thread of a block having a share of the same one. The block's first
     * threads have the sums, one each. */
    static __device__ __forceinline__ column sum_of_runs(column one, unsigned run) {
        constexpr unsigned WARPS = GATHERED_THREADS / WARP;
        __shared__ column of_warp[WARPS][GATHERED_RUN];
        const unsigned lane = threadIdx.x % WARP;
        for (unsigned bit = WARP / 2; bit >= run; bit /= 2) one.merge_across(bit);
        __syncthreads(); /* it may have been used before */
        if (lane < run) of_warp[threadIdx.x / WARP][lane] = one;
        __syncthreads();
        if (threadIdx.x < run)
            for (unsigned w = 1; w < WARPS; w++) one.join(of_warp[w][lane]);
        return one;
    }
    /* A part of a run, by a block: the last to end brings all together. */
    static __device__ __forceinline__ void part_of(const gathered_job &g, gathered_vector v, const run_part &its,
                                                   unsigned *ended) {
        part_state *const place = &g.job.workspace->place[its.place];
        const unsigned chunk = threadIdx.x % g.run, row = threadIdx.x / g.run, rows = GATHERED_THREADS / g.run;
        chunk_columns<Format, TERMS, Sum> sums;
        auto finish = [&](int e, const column &sum) {
            if (row == 0) store(g.job, its.first + chunk * E + e, terms_of_vector<TERMS>(g.job, sum.n), sum.sums);
        };
        const unsigned parts = its.parts;
        const size_t each = v.entries / parts + 1, from = min(its.part * each, v.entries);
        v.first += (int64_t)from, v.entries = min(v.entries - from, each);
        sums.clear();
        const size_t n = add(g, v, row, rows, sums);
#pragma unroll 1
        for (int e = 0; e < E; e++) {
            const column one = sum_of_runs(column{ sums.column(e), n }, g.run);
            if (parts == 1)
                finish(e, one);
            else if (row == 0)
                store_record(&place[(chunk * E + e) * parts + its.part], one);
        }
        if (parts == 1 || !is_last_of(ended, parts)) return;
#pragma unroll 1
        for (int e = 0; e < E; e++) {
            column whole;
            whole.clear();
            for (unsigned p = row; p < parts; p += rows)
                whole.join(load_record<column>(&place[(chunk * E + e) * parts + p]));
            finish(e, sum_of_runs(whole, g.run));
        }
    }
    static __device__ __forceinline__ void aside(const gathered_job &g) {
        vectors_workspace &w = *g.job.workspace;
        const unsigned count =
            (unsigned)min(*(volatile unsigned long long *)&w.runs, (unsigned long long)GATHERED_RUNS);
        for (unsigned i = blockIdx.x; i < count; i += gridDim.x) {
            const run_part its = w.run[i];
            const gathered_vector v(g, its.first + threadIdx.x % g.run * E);
            if (its.parts) part_of(g, v, its, &w.ended[i - its.part]);
            __syncthreads();
        }
        if (is_last_block(&w.ended[ENDED_SEGMENTS])) w.runs = w.run_places = w.ended[ENDED_SEGMENTS] = 0;
    }
};

template <class Format, row_terms TERMS, class Sum>
static __global__ void __launch_bounds__(GATHERED_THREADS, (columns_blocks<Format, TERMS, Sum>))
    gathered_chunks_kernel(const __grid_constant__ gathered_job g) {
    typedef gathered_chunk<Format, TERMS, Sum> chunk;
    if (g.job.source == VECTORS_ASIDE)
        chunk::aside(g);
    else
        chunk::all(g);
}

/* --------------------------------------------------------------------------------------------------------- launches */

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
    const bool by_chunks = g.has_chunks && k.chunks;
    gathered_job rest = g;
    cudaError_t error =
        by_chunks ? start_gathered(k.chunks, g, GATHERED_THREADS, g.job.vectors >> (4 - g.job.log_size), blocks, stream)
                  : start_gathered(k.shorts, g, ELEMENT_THREADS, g.job.vectors * g.job.threads, blocks, stream);
    rest.job.source = VECTORS_MARKED;
    if (!error) error = start_gathered(k.marked, rest, ELEMENT_THREADS, g.job.vectors, blocks, stream);
    rest.job.source = VECTORS_ASIDE;
    if (!error)
        error = by_chunks ? start_kernel(blocks, GATHERED_THREADS, 0, stream, k.chunks, rest)
                          : start_kernel(of_longs, ELEMENT_THREADS, 0, stream, k.longs, rest);
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
    cudaError_t error = cudaSuccess;
    auto load = [&](std::initializer_list<gathered_function> kernels) {
        for (gathered_function kernel : kernels)
            if (!error) error = load_functions({ (const void *)kernel });
    };
    for (bool yes : { false, true }) {
        for (quire_method method : { QUIRE_KAHAN, QUIRE_PLAIN })
            for (bool is_product : { false, true }) {
                const order_kernels k = find_ordered(yes, is_product, method);
                load({ k.whole, k.parts, k.missing });
            }
        for (int type = 1; type < FORMAT_NUMBERS; type++)
            for (row_terms terms : { ROW_NUMBERS, ROW_PRODUCTS, ROW_MOMENTS }) {
                const exact_kernels k = find_exact((quire_type)type, terms, yes);
                load({ k.chunks, k.shorts, k.marked, k.longs });
            }
    }
    return error;
}
