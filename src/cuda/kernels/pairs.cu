/* pairs.cu - averages, covariances and correlations: the sums of two arrays, and of their products. Two doubles for
 * each sum tell most results; what they do not tell is marked, and done again by cells, which hold all bits.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cuda/grid/pair_finish.cuh"
#include "cuda/kernels/calls.cuh"
#include "cuda/kernels/pair_vectors.cuh"
#include "cuda/thread/elements.cuh"
#include "cuda/thread/long_sum.cuh"

/* What a thread has of the sums that a result is made of: each in two doubles (thread/long_sum.cuh). */
struct pair_sums {
    long_sum<2> sum[MOST_PAIR_SUMS];
    uint64_t n; /* elements */

    __device__ __forceinline__ void clear() {
        for (long_sum<2> &one : sum) one.clear();
        n = 0;
    }
    /* Two numbers. The product of two that are no DOUBLES is a double. */
    template <bool DOUBLES> __device__ __forceinline__ void add_numbers(const sum_kinds &k, double a, double b) {
#pragma unroll
        for (int i = 0; i < MOST_PAIR_SUMS; i++) {
            if (i >= k.count) break;
            const double first = pair_begins_with_x(i) ? a : b, second = pair_ends_with_x(i) ? a : b;
            if (pair_term(i) != TERM_PRODUCT)
                sum[i].add(first);
            else if (DOUBLES)
                sum[i].add_long_product(first, second);
            else
                sum[i].add_product(first, second);
        }
        n++;
    }
    /* Elements as they stand in memory. */
    __device__ __forceinline__ void add(const sum_kinds &k, uint64_t x, uint64_t y) {
        const double a = number_of_bits(k.type, x), b = number_of_bits(k.type, y);
        if (has_double_lanes(k.type))
            add_numbers<true>(k, a, b);
        else
            add_numbers<false>(k, a, b);
    }
    /* Those of "threads" neighbouring threads, a power of two, of which "count" sums are used; by whole warps. */
    __device__ __forceinline__ void merge(unsigned threads, int count = MOST_PAIR_SUMS) {
#pragma unroll
        for (int i = 0; i < MOST_PAIR_SUMS; i++)
            if (i < count) sum[i].merge(threads);
        for (unsigned bit = threads / 2; bit; bit /= 2) n += __shfl_xor_sync(WHOLE_WARP, n, (int)bit);
    }
    __device__ __forceinline__ void join(const pair_sums &other) {
        for (int i = 0; i < MOST_PAIR_SUMS; i++) sum[i].join(other.sum[i]);
        n += other.n;
    }
};

template <class Format>
static __device__ __noinline__ pair_sums sum_of_pairs(const typed_range<typename Format::element> r,
                                                      const sum_kinds kinds, unsigned thread, unsigned threads) {
    pair_sums sums;
    sums.clear();
    each_group(r, thread, threads, [&](const auto &x, const auto &y) {
        constexpr unsigned COUNT = sizeof x / sizeof x[0];
#pragma unroll
        for (unsigned e = 0; e < COUNT; e++)
            sums.add_numbers<sizeof(typename Format::real) == 8>(kinds, decode(Format(), x[e]), decode(Format(), y[e]));
    });
    return sums;
}

static __device__ __forceinline__ bool add_typed(pair_sums &to, const pairs_job &job, const pair_vector &v,
                                                 size_t first, size_t n, unsigned thread, unsigned threads) {
#define PAIRS(name, NAME, number, real, unused)                                                                        \
    case number:                                                                                                       \
        to = sum_of_pairs<name##_format>(range_of<name##_element>(job.rows.job, v, first, n), job.kinds, thread,       \
                                         threads);                                                                     \
        return true;
    switch ((int)job.kinds.type) { QUIRE_FORMATS(PAIRS, ) }
#undef PAIRS
    return false;
}

/* Once in a kernel's code. */
static __device__ __noinline__ bool store_sums(const pairs_job &job, size_t v, const pair_sums &sums) {
    const vectors_job &its = job.rows.job;
    uint64_t bits;
    if (!round_pair(sums.sum, sums.n, its, &bits)) return false;
    format_store(bits, its.format.size, result_at(its, v));
    return true;
}

struct no_room {};

static __device__ __forceinline__ void finish_sums(const pairs_job &job, size_t v, const pair_sums &sums, no_room &) {
    if (threadIdx.x == 0 && !store_sums(job, v, sums)) mark_result(job.rows.job, v);
}

/* --------------------------------------------------------------------------------------------------------- all bits */

struct pair_cells {
    warp_cells of_warp[ELEMENT_THREADS / WARP];
    pair_end end;
};

/* What a warp has of sum number i, of its elements of a part; answers how many they are. */
static __device__ __noinline__ size_t add_to_pair_cells(warp_cells &cells, const pairs_job &job, const pair_part &p,
                                                        int i) {
    const int lane = (int)(threadIdx.x % WARP);
    const size_t at_once = CELL_ELEMENTS * (ELEMENT_THREADS / WARP);
    const pair_vector v = pair_vector_of(job, p.number);
    const bool is_product = sum_has_products(job.kinds, i);
    seen_terms seen = {};
    size_t n = 0;
    cells.clear(lane);
    for (size_t from = p.first; from < p.last; from += at_once) {
        n += each_pair(
            job, v, from, min(from + at_once, p.last), threadIdx.x, ELEMENT_THREADS, [&](uint64_t x, uint64_t y) {
                const double a = number_of_bits(job.kinds.type, first_factor(job.kinds, i, x, y)),
                             b = number_of_bits(job.kinds.type, second_factor(job.kinds, i, x, y));
                if (!is_product) {
                    if (seen.note(a, double_is_finite(a), a == 0)) cells.add_double(a);
                } else if (seen.note(__dmul_rn(a, b), double_is_finite(a) && double_is_finite(b), a == 0 || b == 0)) {
                    cells.add_product(a, b);
                }
            });
        cells.empty(lane);
    }
    seen.store(cells.sum, lane);
    for (unsigned bit = WARP / 2; bit; bit /= 2) n += __shfl_xor_sync(WHOLE_WARP, n, (int)bit);
    return n;
}

/* What the blocks of a vector have left, for a warp, which takes it away. */
static __device__ __forceinline__ void take_pair_end(pair_end &end, quire_accumulator *from, int count, int lane) {
    for (int s = 0; s < count; s++) {
        int64_t *word = end.sum[s].limb, *left = from[s].limb;
        for (int i = lane; i < QUIRE_ACCUMULATOR_WORDS; i += WARP) word[i] = __ldcg(&left[i]), left[i] = 0;
    }
    __syncwarp();
    if (lane == 0)
        for (int s = 1; s < count; s++) end.sum[s].count = end.sum[0].count;
    __syncwarp();
}

static __global__ void __launch_bounds__(ELEMENT_THREADS, PAIR_BLOCKS)
    exact_pairs_kernel(const __grid_constant__ pairs_job job) {
    __shared__ pair_cells room;
    const vectors_job &its = job.rows.job;
    const vector_source source(its);
    const unsigned parts = source.parts();
    warp_cells &cells = room.of_warp[threadIdx.x / WARP];
    const int lane = (int)(threadIdx.x % WARP);
    for (size_t unit = blockIdx.x; unit < source.count * parts; unit += gridDim.x) {
        const pair_part p = pair_part_of(job, source, unit, parts);
        if (p.number >= its.vectors) continue;
        quire_accumulator *const limbs = &its.workspace->limbs[MOST_PAIR_SUMS * p.slot];
        for (int i = 0; i < job.kinds.count; i++) {
            const size_t n = add_to_pair_cells(cells, job, p, i);
            add_to_shared(&limbs[i], cells, lane);
            if (i == 0 && lane == 0) atomicAdd((unsigned long long *)&limbs[0].count, (unsigned long long)n);
        }
        if (is_last_of(&its.workspace->ended[p.slot], p.parts) && threadIdx.x < WARP) {
            take_pair_end(room.end, limbs, job.kinds.count, lane);
            store_pair_end(its, room.end, p.number, lane);
        }
        __syncthreads();
    }
    source.forget(its);
}

/* --------------------------------------------------------------------------------------------------------- launches */

static const pairs_function pairs_kernels[] = { pairs_kernel<pair_sums, no_room>, exact_pairs_kernel };

cudaError_t quire_cuda_pairs(const pairs_job *job, bool are_long, const pairs_blocks *blocks, cudaStream_t stream) {
    cudaError_t error = cudaSuccess;
    if (!are_long) error = start_short_pairs(pairs_kernels[0], *job, blocks_of_shorts(*job, *blocks), stream);
    if (!error)
        error = start_pairs(pairs_kernels[0], *job, are_long ? VECTORS_ALL : VECTORS_ASIDE, blocks->longs, stream);
    return error ? error : start_pairs(pairs_kernels[1], *job, VECTORS_MARKED, blocks->exact, stream);
}

cudaError_t quire_cuda_load_pairs() {
    return load_functions({ (const void *)pairs_kernels[0], (const void *)pairs_kernels[1] });
}
