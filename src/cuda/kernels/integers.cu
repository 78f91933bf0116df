/* integers.cu - all operations on integers, whose sums are exact: most results are told by the thread that has the
 * sums. Variances and what is of pairs are told by a ball (grid/pair_finish.cuh), or else by a block that has the room
 * for integers of many digits.
 *
 * SPDX-License-Identifier: MIT
 */
#include <type_traits>

#include "accumulator/integers.h"
#include "cuda/device/arithmetic.cuh"
#include "cuda/device/warp.cuh"
#include "cuda/grid/pair_finish.cuh"
#include "cuda/kernels/calls.cuh"
#include "cuda/kernels/pair_vectors.cuh"
#include "cuda/thread/long_sum.cuh"

/* What a thread has of the sums of integers: all their bits. */
struct integer_sums {
    integer_sum sum[MOST_PAIR_SUMS];
    uint64_t n, has_terms; /* elements; whether a term of the first sum was not zero */

    __device__ __forceinline__ void clear() {
        for (integer_sum &one : sum) one.word[0] = one.word[1] = one.word[2] = 0;
        n = has_terms = 0;
    }
    __device__ __forceinline__ void add(const sum_kinds &k, uint64_t x, uint64_t y) {
        const uint64_t a = integer_of_bits(k.type, x), b = integer_of_bits(k.type, y);
        const bool is_signed = k.type != QUIRE_UINT64;
#pragma unroll
        for (int i = 0; i < MOST_PAIR_SUMS; i++) {
            if (i >= k.count) break;
            const uint64_t first = first_factor(k, i, a, b), second = second_factor(k, i, a, b);
            if (sum_has_products(k, i)) {
                const uint64_t high =
                    is_signed ? (uint64_t)__mul64hi((long long)first, (long long)second) : __umul64hi(first, second);
                const uint64_t sign = sign_word(high, is_signed);
                add_three_words(sum[i].word, first * second, high, sign);
                if (i == 0) has_terms |= first && second;
            } else {
                const bool turns = k.is_magnitude && is_signed && first >> 63;
                const uint64_t value = turns ? 0 - first : first, sign = turns ? 0 : sign_word(value, is_signed);
                add_three_words(sum[i].word, value, sign, sign);
                if (i == 0) has_terms |= first != 0;
            }
        }
        n++;
    }
    /* Those of "threads" neighbouring threads, a power of two, of which "count" sums are used; by whole warps. */
    __device__ __forceinline__ void merge(unsigned threads, int count = MOST_PAIR_SUMS) {
        for (unsigned bit = threads / 2; bit; bit /= 2) {
#pragma unroll
            for (int i = 0; i < MOST_PAIR_SUMS; i++) {
                if (i >= count) break;
                uint64_t word[INTEGER_WORDS];
                for (int w = 0; w < INTEGER_WORDS; w++) word[w] = __shfl_xor_sync(WHOLE_WARP, sum[i].word[w], (int)bit);
                add_three_words(sum[i].word, word[0], word[1], word[2]);
            }
            n += __shfl_xor_sync(WHOLE_WARP, n, (int)bit);
            has_terms |= __shfl_xor_sync(WHOLE_WARP, has_terms, (int)bit);
        }
    }
    __device__ __forceinline__ void join(const integer_sums &other) {
        for (int i = 0; i < MOST_PAIR_SUMS; i++)
            add_three_words(sum[i].word, other.sum[i].word[0], other.sum[i].word[1], other.sum[i].word[2]);
        n += other.n, has_terms |= other.has_terms;
    }
};

#define LANE_TERMS ((size_t)1 << 30) /* of 32 bits and a sign, whose sum fits in 63 bits */

/* A sum of terms of 32 bits and a sign. */
struct small_total {
    int64_t sum;

    __device__ __forceinline__ void clear() { sum = 0; }
    __device__ __forceinline__ void add(int64_t term) { sum += term; }
    __device__ __forceinline__ void end(integer_sum &to) const {
        const uint64_t sign = sign_word((uint64_t)sum, true);
        add_three_words(to.word, (uint64_t)sum, sign, sign);
    }
};
/* The same of longer ones, whose words above the first are high and sign. */
struct wide_total {
    integer_sum sum;

    __device__ __forceinline__ void clear() { sum = INTEGER_ZERO; }
    __device__ __forceinline__ void add(uint64_t low, uint64_t high, uint64_t sign) {
        add_three_words(sum.word, low, high, sign);
    }
    __device__ __forceinline__ void end(integer_sum &to) const {
        add_three_words(to.word, sum.word[0], sum.word[1], sum.word[2]);
    }
};

/* Sums of integers of one type: numbers of 32 bits and less, and products of 16 and less, in one word of 64 bits, which
 * holds so many of them; all others in three. */
template <class T, row_terms TERMS> struct integer_lane {
    static constexpr bool IS_SIGNED = std::is_signed<T>::value, HAS_NUMBERS = TERMS != ROW_PRODUCTS,
                          HAS_PRODUCTS = TERMS != ROW_NUMBERS, ARE_SMALL = sizeof(T) <= 4,
                          ARE_SMALL_PRODUCTS = sizeof(T) <= 2;
    std::conditional_t<ARE_SMALL, small_total, wide_total> numbers;
    std::conditional_t<ARE_SMALL_PRODUCTS, small_total, wide_total> products;
    bool has_terms; /* one of the first sum was not zero */

    __device__ __forceinline__ void clear() { numbers.clear(), products.clear(), has_terms = false; }

    template <unsigned COUNT> __device__ __forceinline__ void add_numbers(const T (&x)[COUNT], bool magnitude) {
        if constexpr (ARE_SMALL) {
            std::conditional_t<sizeof(T) <= 2, int32_t, int64_t> some = 0; /* of 16 of them */
#pragma unroll
            for (unsigned e = 0; e < COUNT; e++) {
                const decltype(some) value = x[e];
                some += magnitude && value < 0 ? -value : value;
            }
            numbers.add(some);
        } else {
#pragma unroll
            for (unsigned e = 0; e < COUNT; e++) {
                const bool turns = IS_SIGNED && magnitude && x[e] < 0;
                const uint64_t value = turns ? 0 - (uint64_t)x[e] : (uint64_t)x[e],
                               sign = turns ? 0 : sign_word(value, IS_SIGNED);
                numbers.add(value, sign, sign);
            }
        }
    }
    template <unsigned COUNT> __device__ __forceinline__ void add_products(const T (&x)[COUNT], const T (&y)[COUNT]) {
        if constexpr (ARE_SMALL_PRODUCTS) {
            std::conditional_t<sizeof(T) == 1, int32_t, int64_t> some = 0; /* of 16 of them */
#pragma unroll
            for (unsigned e = 0; e < COUNT; e++) some += (decltype(some))x[e] * y[e];
            products.add(some);
        } else {
#pragma unroll
            for (unsigned e = 0; e < COUNT; e++) {
                const uint64_t a = (uint64_t)x[e], b = (uint64_t)y[e]; /* with their signs */
                const uint64_t high = sizeof(T) == 4 ? sign_word(a * b, IS_SIGNED)
                                      : IS_SIGNED    ? (uint64_t)__mul64hi((long long)a, (long long)b)
                                                     : __umul64hi(a, b);
                products.add(a * b, high, sign_word(high, IS_SIGNED));
            }
        }
    }
    template <unsigned COUNT>
    __device__ __forceinline__ void add(const T (&x)[COUNT], const T (&y)[COUNT], bool magnitude) {
        if constexpr (HAS_NUMBERS) add_numbers(x, magnitude);
        if constexpr (HAS_PRODUCTS) add_products(x, y);
#pragma unroll
        for (unsigned e = 0; e < COUNT; e++) has_terms |= HAS_NUMBERS ? x[e] != 0 : x[e] != 0 && y[e] != 0;
    }
    __device__ __forceinline__ void end(integer_sums &to) const {
        if constexpr (HAS_NUMBERS) numbers.end(to.sum[0]);
        if constexpr (HAS_PRODUCTS) products.end(to.sum[HAS_NUMBERS]);
        to.has_terms |= has_terms;
    }
};

template <class T, row_terms TERMS>
static __device__ __noinline__ integer_sums sum_of_integers(const typed_range<T> r, bool magnitude, unsigned thread,
                                                            unsigned threads) {
    integer_sums sums;
    sums.clear();
    for (size_t from = 0; from < r.n; from += LANE_TERMS) {
        integer_lane<T, TERMS> lane;
        lane.clear();
        each_group(r.part(from, LANE_TERMS), thread, threads, [&](const auto &x, const auto &y) {
            lane.add(x, y, magnitude);
            sums.n += sizeof x / sizeof x[0];
        });
        lane.end(sums);
    }
    return sums;
}

/* Of pairs there are up to five sums: these are added up by code for all types. */
template <class T>
static __device__ __forceinline__ bool add_integers(integer_sums &to, const pairs_job &job, const pair_vector &v,
                                                    size_t first, size_t n, unsigned thread, unsigned threads) {
    const typed_range<T> r = range_of<T>(job.rows.job, v, first, n);
    const bool magnitude = job.kinds.is_magnitude;
    if (job.kinds.are_pairs) return false;
    to = job.kinds.count > 1    ? sum_of_integers<T, ROW_MOMENTS>(r, magnitude, thread, threads)
         : job.kinds.is_product ? sum_of_integers<T, ROW_PRODUCTS>(r, magnitude, thread, threads)
                                : sum_of_integers<T, ROW_NUMBERS>(r, magnitude, thread, threads);
    return true;
}
static __device__ __forceinline__ bool add_typed(integer_sums &to, const pairs_job &job, const pair_vector &v,
                                                 size_t first, size_t n, unsigned thread, unsigned threads) {
#define INTEGERS(name, NAME, T, is_signed, unused)                                                                     \
    case NAME: return add_integers<T>(to, job, v, first, n, thread, threads);
    switch ((int)job.kinds.type) { QUIRE_INTEGERS(INTEGERS, ) }
#undef INTEGERS
    return false;
}

/* Once in a kernel's code. */
static __device__ __noinline__ bool store_sums(const pairs_job &job, size_t v, const integer_sums &sums) {
    const vectors_job &its = job.rows.job;
    void *const to = (char *)its.results + v * job.result_size;
    uint64_t bits;
    if (job.is_int128) {
        integer_store(&sums.sum[0], to);
        return true;
    }
    if (job.kinds.are_pairs) {
        if (!round_pair(sums.sum, sums.n, its, &bits)) return false;
    } else if (needs_squares(its.finish)) {
        if (!round_integer_moment(sums.sum[0], sums.sum[1], sums.n, its, &bits)) return false;
    } else {
        bits = round_total(its, integer_total(&sums.sum[0], sums.has_terms != 0), sums.n);
    }
    format_store(bits, its.format.size, to);
    return true;
}

/* The sums as accumulators, in which no zero is -0; by a whole warp. */
static __device__ __forceinline__ void put_in_accumulators(pair_end &end, const integer_sums &sums, int count,
                                                           int lane) {
    for (int s = 0; s < count; s++)
        for (int i = lane; i < QUIRE_ACCUMULATOR_WORDS; i += WARP) end.sum[s].limb[i] = 0;
    __syncwarp();
    if (lane == 0)
#pragma unroll
        for (int s = 0; s < MOST_PAIR_SUMS; s++) {
            if (s >= count) break;
            integer_add_to_limbs(end.sum[s].limb, &sums.sum[s]);
            end.sum[s].count = (int64_t)sums.n;
            end.sum[s].other = !sums.n ? 0 : s == 0 && sums.has_terms ? OTHER_NONZERO : 1;
        }
    __syncwarp();
}

/* By the first warp of a block. */
static __device__ __noinline__ void finish_sums(const pairs_job &job, size_t v, const integer_sums &sums,
                                                pair_end &end) {
    const vectors_job &its = job.rows.job;
    const int lane = (int)threadIdx.x;
    if (its.accumulator) {
        put_in_accumulators(end, sums, 1, lane);
        add_to_callers(its.accumulator, end.sum[0], (size_t)sums.n, lane);
        return;
    }
    const bool is_told = lane == 0 && store_sums(job, v, sums);
    if (__any_sync(WHOLE_WARP, is_told)) return;
    put_in_accumulators(end, sums, job.kinds.count, lane);
    store_pair_end(its, end, v, lane);
}

/* --------------------------------------------------------------------------------------------------------- launches */

static const pairs_function integers_kernel = pairs_kernel<integer_sums, pair_end>;

cudaError_t quire_cuda_integers(const pairs_job *job, bool are_long, const pairs_blocks *blocks, cudaStream_t stream) {
    if (are_long) return start_pairs(integers_kernel, *job, VECTORS_ALL, blocks->longs, stream);
    cudaError_t error = start_short_pairs(integers_kernel, *job, blocks_of_shorts(*job, *blocks), stream);
    if (!error) error = start_pairs(integers_kernel, *job, VECTORS_ASIDE, blocks->longs, stream);
    if (error || !is_exact_finish(job->rows.job.finish)) return error;
    return start_pairs(integers_kernel, *job, VECTORS_MARKED, blocks->longs, stream);
}

cudaError_t quire_cuda_load_integers() { return load_functions({ (const void *)integers_kernel }); }
