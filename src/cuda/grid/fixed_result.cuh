/* fixed_result.cuh - the one rounding of a sum that is an integer and a power of two (fixed.cuh).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_GRID_FIXED_RESULT_CUH
#define QUIRE_CUDA_GRID_FIXED_RESULT_CUH

#include "cuda/device/registers.cuh"
#include "cuda/grid/fixed_gather.cuh"
#include "cuda/grid/result.cuh"

/* A double that rounds to a format of that precision like the sum; whether there is one, and it is easily found:
 * integers of 106 bits are two doubles. Not for zero. */
#define DOUBLE_BITS 53
static __device__ __forceinline__ bool number_of_units(fixed_sum s, int precision, double *number) {
    const int64_t upper = (int64_t)(s.units >> DOUBLE_BITS);
    const int64_t lower = (int64_t)((uint64_t)s.units & (((uint64_t)1 << DOUBLE_BITS) - 1));
    *number = sum_of_two((double)upper * power_of_two(DOUBLE_BITS), (double)lower, precision) * power_of_two(s.unit);
    const int beyond = (int)(s.units >> 2 * DOUBLE_BITS);
    return (beyond == 0 || beyond == -1) && s.unit >= -1022 && s.unit <= 1023 - 2 * DOUBLE_BITS;
}

/* Adds a sum to an accumulator; by a whole warp. */
static __device__ __noinline__ void add_sum(quire_accumulator *to, fixed_sum s, int thread) {
    if (thread == 0) {
        if (s.units) limbs_add_units(to->limb, s.units, s.unit);
        if (s.flags & FIXED_OTHER) to->other = 1;
    }
    __syncwarp();
}

/* The total of a sum of n terms that has no limbs. */
static __device__ quire_total total_of_units(fixed_sum s, size_t n) {
    const bool negative = s.units < 0;
    const unsigned __int128 magnitude = (unsigned __int128)(negative ? -s.units : s.units);
    if (!magnitude) return total_zero(n && !(s.flags & FIXED_OTHER));
    const quire_total t = { TOTAL_FINITE, negative, (uint64_t)(magnitude >> 64), (uint64_t)magnitude, s.unit, 0, 0 };
    return total_normalize(t);
}

/* The result from a sum that the hardware does not round. */
static __device__ __noinline__ uint64_t round_units(const cuda_job &job, fixed_sum s) {
    return round_total(job, total_of_units(s, job.n), job.n);
}

/* Rounds the sum, or adds it to an accumulator; by a whole warp. */
static __device__ __noinline__ void finish(const cuda_job &job, quire_accumulator *sum, int thread) {
    int64_t *word = sum->limb, *to = (int64_t *)job.accumulator;
    if (!to) {
        const quire_total limbs = warp_total(word, thread);
        if (thread) return;
        sum->count = (int64_t)job.n;
        store_total(job, accumulator_total_of(sum, limbs));
        return;
    }
    /* The caller's may be full: its limbs are eased, and of flags the greater one is that of both. */
    for (int i = thread; i < QUIRE_ACCUMULATOR_WORDS; i += WARP) {
        if (i < QUIRE_ACCUMULATOR_LIMBS)
            word[i] += limb_eased(to, i);
        else if (&word[i] == &sum->count)
            word[i] += to[i];
        else
            word[i] = max((long long)word[i], (long long)to[i]);
    }
    __syncwarp();
    if (thread == 0) {
        accumulator_carry(sum);
        accumulator_count(sum, job.n);
    }
    __syncwarp();
    for (int i = thread; i < QUIRE_ACCUMULATOR_WORDS; i += WARP) to[i] = word[i];
}

/* What the end needs of the job. To be loaded before it is needed: constants take a while to come. */
struct job_end {
    bool is_number, is_empty,
        accumulates;     /* see cuda_job; whether it is of nothing; whether it goes to an accumulator */
    int precision, size; /* of the result */
    void *result;
    fixed_state *places;
};

static __device__ __forceinline__ job_end end_of(const cuda_job &job) {
    job_end end = { job.is_number,   !job.n,     job.accumulator != NULL, job.format.precision,
                    job.format.size, job.result, places_of(job) };
    make_opaque(end.precision, end.size, end.result, end.places);
    return end;
}

/* Rounds and stores a sum, or adds it to an accumulator; by a whole warp. rest: what went to limbs, or zeros. */
static __device__ __forceinline__ void finish_fixed(const cuda_job &job, const job_end &end, fixed_sum s,
                                                    quire_accumulator *rest, int thread) {
    if ((s.flags & FIXED_LIMBS) || end.accumulates) {
        add_sum(rest, s, thread);
        finish(job, rest, thread);
    } else if (thread == 0) {
        double number = (s.flags & FIXED_OTHER) || end.is_empty ? 0.0 : -0.0;
        const bool is_number = end.is_number && (!s.units || number_of_units(s, end.precision, &number));
        if (job.zero && !s.units && (s.flags & FIXED_OTHER)) *job.zero = 1;
        const uint64_t bits = is_number ? round_number(number, end.precision) : round_units(job, s);
        format_store(bits, end.size, end.result);
    }
}

#endif
