/* gathered.cu - segments of rows that are found through an index: a graph's neighbours, the rows of a sparse matrix, an
 * embedding bag. Memory is what these kernels wait for, so that those that load elements one by one are compiled once
 * for all formats.
 *
 * Exact sums: where rows are whole chunks of 16 bytes a thread has a chunk of columns of a segment. What their ends do
 * not tell, and all else, a second kernel has, where some threads share a vector; what a few doubles do not tell either
 * is done again by limbs, by the same warp. Long segments are put aside for a third, whose blocks have one each.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cuda/kernels/gathered.cuh"

#include "cuda/grid/limbs_finish.cuh"
#include "cuda/grid/sums_finish.cuh"
#include "cuda/kernels/gathered_order.cuh"
#include "cuda/kernels/launch.cuh"
#include "cuda/thread/atomic_limbs.cuh"
#include "cuda/thread/chunk_columns.cuh"
#include "cuda/thread/panel_chunks.cuh"
#include "cuda/warp/segment_turns.cuh"

#define GATHERED_THREADS 256 /* of a block */
#define GATHERED_LONG 2048   /* entries of a segment that a block has, from here on */

/* ------------------------------------------------------------------------------------------------------- exact sums
 */

template <row_terms TERMS> using gathered_sums = range_sums<double_format, TERMS, long_sum<2>>;

/* What a thread has of a vector; answers of how many elements. */
template <row_terms TERMS>
static __device__ __forceinline__ size_t add_entries(const gathered_job &g, const gathered_vector &v,
                                                     gathered_sums<TERMS> &to, unsigned thread, unsigned threads) {
    const bool is_double = has_double_lanes(g.type);
    return each_element<TERMS == ROW_PRODUCTS>(g, v, 0, v.entries, thread, threads, [&](double a, double b) {
        const double other = TERMS == ROW_MOMENTS ? a : b;
        if constexpr (TERMS != ROW_PRODUCTS) to.numbers.add(a);
        if constexpr (TERMS != ROW_NUMBERS) {
            if (is_double)
                to.products.add_long_product(a, other);
            else
                to.products.add_product(a, other);
        }
    });
}

/* The result of no elements. */
template <row_terms TERMS> static __device__ __forceinline__ void store_none(const vectors_job &job, size_t v) {
    const uint64_t bits = TERMS == ROW_MOMENTS ? job.format.quiet_nan : round_total(job, total_zero(0), 0);
    format_store(bits, job.format.size, result_at(job, v));
}

/* Stores the result of vector v, of n elements, if a few doubles tell it; once in a kernel's code. */
template <row_terms TERMS>
static __device__ __noinline__ bool store_gathered(const gathered_job &g, size_t v, size_t n,
                                                   const gathered_sums<TERMS> &sums) {
    const vectors_job &job = g.job;
    vector_totals t = totals_of(sums);
    if (n == 0) {
        store_none<TERMS>(job, v);
        return true;
    }
    if (has_double_lanes(g.type)) return store_totals_here<double_format, TERMS>(job, v, n, t.sum, t.squares);
    return store_totals_here<float_format, TERMS>(job, v, n, t.sum, t.squares);
}

/* By limbs, in shared memory; by a warp or a block. */
template <row_terms TERMS>
static __device__ __noinline__ void store_by_limbs(const gathered_job &g, limbs_end<TERMS> &room, size_t number,
                                                   size_t n, unsigned thread, unsigned threads) {
    const gathered_vector v(g, number);
    auto wait = [&] {
        if (threads > WARP)
            __syncthreads();
        else
            __syncwarp();
    };
    for (unsigned i = thread; i < sizeof room.sum / sizeof(int64_t); i += threads) ((int64_t *)room.sum)[i] = 0;
    wait();
    for (size_t first = 0; first < v.entries; first += ATOMIC_TERMS) {
        const size_t last = min(first + ATOMIC_TERMS, v.entries);
        each_element<TERMS == ROW_PRODUCTS>(g, v, first, last, thread, threads, [&](double a, double b) {
            if (TERMS != ROW_PRODUCTS) atomic_add_number(&room.sum[0], a);
            if (TERMS != ROW_NUMBERS) atomic_add_product_of(&room.sum[1], a, TERMS == ROW_MOMENTS ? a : b);
        });
        wait();
        if (thread == 0) accumulator_carry(&room.sum[0]), accumulator_carry(&room.sum[1]);
        wait();
    }
    if (thread < WARP) store_all_limbs<TERMS>(g.job, room, number, n, (int)thread);
    wait();
}

/* All vectors, or those that have been marked: all are looked at if the list has not room for these. */
struct gathered_source {
    size_t count;
    bool is_list, is_marked_alone;

    __device__ __forceinline__ gathered_source(const vectors_job &job) : count(job.vectors) {
        const unsigned marked = job.source == MARKED_RESULTS ? *(volatile unsigned *)&job.workspace->marked : 0;
        is_marked_alone = job.source == MARKED_RESULTS, is_list = is_marked_alone && marked < MARKED_LISTED;
        if (is_list) count = marked;
    }
    /* The number of vector i of these; job.vectors: it is not wanted. */
    __device__ __forceinline__ size_t number(const vectors_job &job, size_t i) const {
        if (i >= count) return job.vectors;
        if (is_list) return job.workspace->marked_vector[i];
        return is_marked_alone && !is_marked(job, i) ? job.vectors : i;
    }
};

/* As many vectors as the job's threads go into a warp. */
template <row_terms TERMS>
static __global__ void __launch_bounds__(GATHERED_THREADS) gathered_kernel(const __grid_constant__ gathered_job g) {
    __shared__ limbs_end<TERMS> rooms[GATHERED_THREADS / WARP];
    const unsigned lane = threadIdx.x % WARP, threads = g.job.threads, rows = WARP / threads, thread = lane % threads;
    const gathered_source source(g.job);
    for (size_t first = warp_of_grid() * rows; first < source.count; first += warps_of_grid() * rows) {
        const size_t number = source.number(g.job, first + lane / threads);
        const gathered_vector v(g, number);
        const bool is_first = thread == 0 && number < g.job.vectors;
        bool is_aside = is_first && put_aside(g.job, number, v.entries, GATHERED_LONG);
        is_aside = __shfl_sync(WHOLE_WARP, is_aside, lane / threads * threads);
        gathered_sums<TERMS> sums;
        sums.clear();
        size_t n = is_aside ? 0 : add_entries<TERMS>(g, v, sums, thread, threads);
        __syncwarp();
        for (unsigned bit = threads / 2; bit; bit /= 2) {
            sums.merge_across(bit);
            n += __shfl_xor_sync(WHOLE_WARP, n, bit);
        }
        const bool is_left = is_first && !is_aside && !store_gathered<TERMS>(g, number, n, sums);
        for (unsigned left = __ballot_sync(WHOLE_WARP, is_left); left; left &= left - 1) {
            const int from = __ffs((int)left) - 1;
            store_by_limbs<TERMS>(g, rooms[threadIdx.x / WARP], __shfl_sync(WHOLE_WARP, number, from),
                                  __shfl_sync(WHOLE_WARP, n, from), lane, WARP);
        }
    }
    if (!source.is_marked_alone) return;
    unsigned *const ended = &g.job.workspace->ended[ENDED_MARKED];
    if (is_last_block(ended)) *ended = 0, g.job.workspace->marked = 0;
}

/* What has been put aside, a block each. The last block to end forgets it. */
template <row_terms TERMS>
static __global__ void __launch_bounds__(GATHERED_THREADS)
    long_gathered_kernel(const __grid_constant__ gathered_job g) {
    __shared__ limbs_end<TERMS> room;
    __shared__ gathered_sums<TERMS> of_warp[GATHERED_THREADS / WARP];
    __shared__ size_t n_of_warp[GATHERED_THREADS / WARP];
    vectors_workspace &w = *g.job.workspace;
    const unsigned lane = threadIdx.x % WARP, count = min(__ldcg(&w.long_segments), (unsigned)LONG_SEGMENTS);
    for (unsigned slot = blockIdx.x; slot < count; slot += gridDim.x) {
        const size_t number = w.long_segment[slot];
        const gathered_vector v(g, number);
        gathered_sums<TERMS> sums;
        sums.clear();
        size_t n = add_entries<TERMS>(g, v, sums, threadIdx.x, GATHERED_THREADS);
        __syncwarp();
        for (unsigned bit = WARP / 2; bit; bit /= 2) {
            sums.merge_across(bit);
            n += __shfl_xor_sync(WHOLE_WARP, n, bit);
        }
        if (lane == 0) of_warp[threadIdx.x / WARP] = sums, n_of_warp[threadIdx.x / WARP] = n;
        __syncthreads();
        sums = of_warp[0], n = n_of_warp[0];
        for (unsigned i = 1; i < GATHERED_THREADS / WARP; i++) sums.join(of_warp[i]), n += n_of_warp[i];
        const bool is_left = threadIdx.x == 0 && !store_gathered<TERMS>(g, number, n, sums);
        if (__syncthreads_or(is_left)) store_by_limbs<TERMS>(g, room, number, n, threadIdx.x, GATHERED_THREADS);
    }
    if (is_last_block(&w.ended[ENDED_SEGMENTS])) w.ended[ENDED_SEGMENTS] = 0, w.long_segments = 0;
}

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
        const vectors_job &job = g.job;
        term_count terms = { n, {}, {} };
        if (TERMS == ROW_MOMENTS || job.finish == FINISH_DIVIDE) terms.each = reciprocal_around((double)n);
        if (TERMS == ROW_MOMENTS) terms.less = reciprocal_around((double)((int64_t)n - job.correction));
#pragma unroll
        for (int e = 0; e < E; e++)
            if (n)
                finish_sums(job, terms, first + e, sums.of[e]);
            else
                store_none<TERMS>(job, first + e);
    }
    /* Whether all columns of a long segment are put aside. */
    static __device__ __forceinline__ bool put_all_aside(const vectors_job &job, size_t first, size_t entries) {
        bool are_aside = entries >= GATHERED_LONG;
        for (int e = 0; e < E && are_aside; e++) are_aside = put_aside(job, first + e, entries, GATHERED_LONG);
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

template <class Format, class Method> static gathered_function ordered_of(bool is_product) {
    return is_product ? ordered_gathered_kernel<Format, Method, true> : ordered_gathered_kernel<Format, Method, false>;
}

/* has_doubles: what terms are added up in. */
static gathered_function find_ordered(bool has_doubles, bool is_product, quire_method method) {
    if (method == QUIRE_KAHAN)
        return has_doubles ? ordered_of<double_format, kahan_method>(is_product)
                           : ordered_of<float_format, kahan_method>(is_product);
    return has_doubles ? ordered_of<double_format, plain_method>(is_product) /* pairwise: in tiles of another size */
                       : ordered_of<float_format, plain_method>(is_product);
}

/* chunks: NULL, there is none. */
struct exact_kernels {
    gathered_function chunks, all, longs;
};

template <class Format, row_terms TERMS> static gathered_function chunks_of(bool has_ends) {
    if constexpr (Format::description.precision <= 24)
        if (has_ends) return gathered_chunks_kernel<Format, TERMS, ends>;
    if constexpr (Format::description.precision >= 24) return gathered_chunks_kernel<Format, TERMS, long_sum<2>>;
    return NULL;
}
template <row_terms TERMS> static exact_kernels exact_of(quire_type type, bool has_ends) {
    exact_kernels k = { NULL, gathered_kernel<TERMS>, long_gathered_kernel<TERMS> };
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
    const exact_kernels k = find_exact(g.type, terms_of(g.job.finish, term), g.has_ends);
    gathered_job rest = g;
    cudaError_t error = cudaSuccess;
    rest.job.source = MARKED_ALL;
    if (g.has_chunks && k.chunks) {
        error = start_gathered(k.chunks, g, GATHERED_THREADS, (g.job.vectors * g.job.threads) >> (4 - g.log_size),
                               blocks, stream);
        rest.job.source = MARKED_RESULTS;
    }
    if (!error) error = start_gathered(k.all, rest, GATHERED_THREADS, g.job.vectors * g.job.threads, blocks, stream);
    return error ? error : start_kernel(blocks, GATHERED_THREADS, 0, stream, k.longs, g);
}

cudaError_t quire_cuda_gathered(const gathered_job *job, quire_term term, quire_method method, size_t blocks,
                                cudaStream_t stream) {
    if (method == QUIRE_EXACT) return start_exact(*job, term, blocks, stream);
    return start_gathered(find_ordered(has_double_lanes(job->type), term == TERM_PRODUCT, method), *job,
                          ORDERED_WARPS * WARP, job->job.vectors * WARP, blocks, stream);
}

cudaError_t quire_cuda_load_gathered() {
    cudaFuncAttributes is;
    cudaError_t error = cudaSuccess;
    for (bool yes : { false, true }) {
        for (quire_method method : { QUIRE_KAHAN, QUIRE_PLAIN })
            for (bool is_product : { false, true })
                if (!error) error = cudaFuncGetAttributes(&is, (const void *)find_ordered(yes, is_product, method));
        for (int type = 1; type < FORMAT_NUMBERS; type++)
            for (row_terms terms : { ROW_NUMBERS, ROW_PRODUCTS, ROW_MOMENTS }) {
                const exact_kernels k = find_exact((quire_type)type, terms, yes);
                for (gathered_function kernel : { k.chunks, k.all, k.longs })
                    if (!error && kernel) error = cudaFuncGetAttributes(&is, (const void *)kernel);
            }
    }
    return error;
}
