/* integers.cu - all operations on integers, whose sums are exact: most results are told by the thread that has the
 * sums. Variances and what is of pairs are told by a ball (grid/pair_ball.cuh), or else by a block that has the room
 * for integers of many digits.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cuda/grid/pair_ball.cuh"
#include "cuda/grid/pair_finish.cuh"
#include "cuda/kernels/pair_vectors.cuh"
#include "cuda/thread/integer_lane.cuh"

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

cudaError_t quire_cuda_load_integers() {
    cudaFuncAttributes is;
    return cudaFuncGetAttributes(&is, (const void *)integers_kernel);
}
