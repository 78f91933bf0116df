/* finish.cuh - the end of a single array's reduction: what the grid has gathered is rounded once and stored, or added
 * to an accumulator. By a warp of the last block.
 *
 * "finish" takes the state of a method of the canonical order, one or two numbers; or an exact sum, an integer, limbs,
 * or both, which may lack up to a radius.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_GRID_FINISH_CUH
#define QUIRE_CUDA_GRID_FINISH_CUH

#include "cuda/device/registers.cuh"
#include "cuda/grid/gather_exact.cuh"
#include "cuda/grid/result.cuh"
#include "cuda/warp/loose.cuh"
#include "method/ball.h"

/* From a total, by a thread. */
static __device__ void finish(const cuda_job &job, quire_total total) {
    if (job.zero && total.kind == TOTAL_FINITE && !total.high && !total.negative) *job.zero = 1;
    format_store(round_total(job, total, job.n), job.format.size, job.result);
}

/* The total of a state, by a whole warp. */
template <class Method> static __device__ quire_total total_of_words(const double *words, int64_t *limb, int thread) {
    if constexpr (Method::words == 1) {
        return Method::total(words);
    } else {
        if (kahan_sum_alone(words)) return total_of_double(words[0]);
        for (int i = thread; i < QUIRE_ACCUMULATOR_LIMBS; i += WARP) limb[i] = 0;
        __syncwarp();
        if (thread == 0)
            for (int w = 0; w < Method::words; w++) limbs_add_double(limb, words[w]);
        __syncwarp();
        quire_total t = warp_total(limb, thread);
        t.cancelled = !t.high; /* the words are no zeros */
        return t;
    }
}

/* From the state of the grid, which the first thread has. limb: room for a sum. By a whole warp. */
template <class Method, class Real>
static __device__ __forceinline__ void finish(const cuda_job &job, const lane_state<Method, Real> &total, int64_t *limb,
                                              int thread) {
    double words[QUIRE_STATE_WORDS] = { 0, 0 };
    for (int w = 0; w < Method::words; w++) words[w] = __shfl_sync(WHOLE_WARP, total.word[w], 0);
    double number = words[0];
    if constexpr (Method::words == 2)
        if (!kahan_sum_alone(words)) number = sum_of_two(words[0], words[1], job.format.precision);
    if (job.is_number && job.n) {
        const uint64_t bits = double_is_nan(number) ? job.format.quiet_nan : round_number(number, job.format.precision);
        if (thread == 0) format_store(bits, job.format.size, job.result);
        return;
    }
    const quire_total sum = job.n ? total_of_words<Method>(words, limb, thread) : total_zero(0);
    if (thread == 0) finish(job, sum);
}

/* ------------------------------------------------------------------------------------------------------ exact sums */

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

/* From limbs; or adds them to an accumulator. By a whole warp. */
static __device__ __noinline__ void finish(const cuda_job &job, quire_accumulator *sum, int thread) {
    int64_t *word = sum->limb, *to = (int64_t *)job.accumulator;
    if (!to) {
        const quire_total limbs = warp_total(word, thread);
        if (thread) return;
        sum->count = (int64_t)job.n;
        finish(job, accumulator_total_of(sum, limbs));
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
    bool is_number, is_empty, accumulates; /* see cuda_job; it is of nothing; it goes to an accumulator */
    int precision, size;                   /* of the result */
    void *result;
    fixed_state *places;
};

static __device__ __forceinline__ job_end end_of(const cuda_job &job) {
    job_end end = { job.is_number,   !job.n,     job.accumulator != NULL, job.format.precision,
                    job.format.size, job.result, places_of(job) };
    make_opaque(end.precision, end.size, end.result, end.places);
    return end;
}

/* From a sum; or adds it to an accumulator. By a whole warp. rest: what went to limbs, or zeros. */
static __device__ __forceinline__ void finish(const cuda_job &job, const job_end &end, fixed_sum s,
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

/* Stores a result, if both ends of a ball round alike, which lanes 0 and 1 have; or says that this is not enough, as it
 * is where both are the NaN of a format without infinities: a number may lie between; or both are 0 and its sign
 * matters. By a whole warp. */
static __device__ __forceinline__ void finish_ends(const cuda_job &job, uint64_t bits, int thread) {
    const bool alike = __shfl_sync(WHOLE_WARP, bits, 0) == __shfl_sync(WHOLE_WARP, bits, 1);
    const bool unsure = (!job.format.has_infinity && bits == job.format.quiet_nan) || (job.zero && !bits);
    const bool decided = alike && !unsure;
    if (thread) return;
    if (decided)
        format_store(bits, job.format.size, job.result);
    else
        job.workspace->undecided = 1;
}

/* Rounds the sum, which may lack up to the radius (and 2^-LOOSE_RELATIVE of itself, if it is made of totals), or says
 * that this is not enough to round it. By a whole warp; lanes 0 and 1 each round an end. */
template <class Choice>
static __device__ __noinline__ void finish_ball(const cuda_job &job, quire_accumulator *sum, ball_radius r,
                                                int thread) {
    ball_radius more = BALL_EXACT;
    if (Choice::loose == LOOSE_TOTALS) more = radius_relative(warp_total(sum->limb, thread), LOOSE_RELATIVE);
    quire_total end[2];
    for (int side = 0; side < 2; side++) {
        if (thread == 0) {
            for (int back = 0; back < 1 + side; back++) { /* from the lower end by way of the middle */
                ball_move(sum->limb, r, side);
                ball_move(sum->limb, more, side);
            }
            sum->count = (int64_t)job.n;
        }
        __syncwarp();
        end[side] = warp_total(sum->limb, thread);
        __syncwarp();
    }
    const quire_total mine = accumulator_total_of(sum, thread ? end[1] : end[0]);
    finish_ends(job, round_total(job, mine, job.n), thread);
}

/* The same in units, if nothing went to limbs, and 128 bits will do; answers whether it is so. */
template <class Choice>
static __device__ __noinline__ bool finish_ball_of_units(const cuda_job &job, fixed_sum sum,
                                                         const quire_accumulator &rest, ball_radius r, int thread) {
    __syncwarp();
    const int rise = r.unit - sum.unit; /* a radius below 2^63 may rise to 2^113, below a sum of 2^124 */
    bool in_limbs = sum.unit == NO_UNIT || rise > 50 || sum.units >> 124 != sum.units >> 127;
    for (int i = thread; i < QUIRE_ACCUMULATOR_LIMBS; i += WARP) in_limbs = in_limbs || rest.limb[i];
    if (__any_sync(WHOLE_WARP, in_limbs || rest.nan || rest.positive_infinity || rest.negative_infinity)) return false;
    __int128 radius = rise >= 0 ? (__int128)r.count << rise : (r.count >> min(-rise, 62)) + 1;
    if (Choice::loose == LOOSE_TOTALS) radius += (sum.units >> LOOSE_RELATIVE) + 1; /* none is negative */
    sum.units += thread ? radius : -radius;
    finish_ends(job, round_units(job, sum), thread);
    return true;
}

/* From a sum that may lack up to a radius. */
template <class Choice>
static __device__ __forceinline__ void finish(const cuda_job &job, fixed_sum sum, ball_radius radius,
                                              quire_accumulator *rest, int thread) {
    if constexpr (Choice::loose) {
        if (radius.count) {
            if (finish_ball_of_units<Choice>(job, sum, *rest, radius, thread)) return;
            add_sum(rest, sum, thread);
            finish_ball<Choice>(job, rest, radius, thread);
            return;
        }
    }
    finish(job, end_of(job), sum, rest, thread);
}

#endif
