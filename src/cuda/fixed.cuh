/* fixed.cuh - sums of warps, blocks and grids as integers of 128 bits, a power of two beside them: what exact sums become
 * in the end, unless they are too wide for that. Integers add up in any order, and quickly: a warp's sum takes one
 * instruction for every 27 bits.
 *
 * What is rare stands in functions of its own, out of line: a short kernel runs once through its code, which must be
 * fetched, so that every line of it that is jumped over counts.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_FIXED_CUH
#define QUIRE_CUDA_FIXED_CUH

#include <limits.h>

#include "cuda/gather.cuh"
#include "cuda/rest.cuh"

/* What a sum has besides: something other than -0; more, in limbs; and that it has dropped some, less than what all batches
 * may drop from a window of its unit. */
enum { FIXED_OTHER = 1, FIXED_LIMBS = 2, FIXED_DROPPED = 4, FIXED_FLAGS = 3 };

/* units * 2^unit. A sum of zeros alone has no unit. */
struct fixed_sum {
    __int128 units;
    int unit;
    unsigned flags;
};
#define NO_UNIT INT_MIN
#define FIXED_NOTHING                                                                                                       \
    { 0, NO_UNIT, 0 }

#define PIECE_BITS 27 /* so many bits of 32 lanes add up to 32 */

#if __CUDA_ARCH__ >= 800
/* The sum over a warp of piece k of numbers that have so many, the last of which has the sign. */
template <int PIECES, class Integer> static __device__ __forceinline__ int64_t sum_of_piece(Integer x, int k) {
    if (k == PIECES - 1) return __reduce_add_sync(WHOLE_WARP, (int)(x >> PIECE_BITS * k));
    return __reduce_add_sync(WHOLE_WARP, (uint32_t)(x >> PIECE_BITS * k) & ((1u << PIECE_BITS) - 1));
}
#endif

/* The sum over a warp, in all lanes, of numbers that make less than 2^(27 PIECES + 4). */
template <int PIECES, class Integer> static __device__ __forceinline__ Integer warp_sum_units(Integer x) {
#if __CUDA_ARCH__ >= 800
    Integer sum = 0;
#pragma unroll
    for (int k = (PIECES - 1) / 2 * 2; k >= 0; k -= 2) { /* two of them are 64 bits, so that few additions wait for others */
        const int64_t low = sum_of_piece<PIECES>(x, k), high = k + 1 < PIECES ? sum_of_piece<PIECES>(x, k + 1) : 0;
        sum = (sum << 2 * PIECE_BITS) + ((high << PIECE_BITS) + low);
    }
    return sum;
#else
    for (int w = WARP / 2; w; w /= 2) {
        const __int128 wide = x;
        const uint64_t low = __shfl_xor_sync(WHOLE_WARP, (uint64_t)wide, w);
        const int64_t high = __shfl_xor_sync(WHOLE_WARP, (int64_t)(wide >> 64), w);
        x += (Integer)((__int128)high << 64 | low);
    }
    return x;
#endif
}

static __device__ __noinline__ void limbs_add_units(int64_t *limb, __int128 units, int unit) {
    limbs_add_atomic(limb, (int64_t)units & 0xffffffffffff, unit);
    limbs_add_atomic(limb, (int64_t)(units >> 48) & 0xffffffffffff, unit + 48);
    limbs_add_atomic(limb, (int64_t)(units >> 96), unit + 96);
}

/* A sum in another unit. If it is no multiple of that it goes to limbs; if that is smaller, 128 bits must do. */
static __device__ __noinline__ fixed_sum in_unit(fixed_sum s, int unit, int64_t *limb) {
    if (s.unit == NO_UNIT || unit == NO_UNIT) return s;
    const int up = s.unit - unit, down = min(-up, 127);
    if (up >= 0) return { s.units << up, unit, s.flags };
    if (s.units >> down << down == s.units) return { s.units >> down, unit, s.flags };
    limbs_add_units(limb, s.units, s.unit);
    return { 0, NO_UNIT, s.flags | FIXED_LIMBS };
}

/* What a lane has, or several neighbours' sums. */
template <int COUNT> struct fixed_sums { fixed_sum of[COUNT]; };

/* The sum of what the lanes of a warp have, in that unit. */
template <int COUNT>
static __device__ __noinline__ fixed_sum warp_sum_in_unit(fixed_sums<COUNT> s, int unit, int64_t *limb) {
    __int128 sum = 0;
    unsigned flags = 0;
    for (int i = 0; i < COUNT; i++) {
        const fixed_sum its = in_unit(s.of[i], unit, limb);
        sum += its.units, flags |= its.flags;
    }
    return { warp_sum_units<5>(sum), unit, warp_or(flags) };
}

static __device__ __forceinline__ int dropped_unit_of(fixed_sum s) { return s.flags & FIXED_DROPPED ? s.unit : NO_UNIT; }

template <int COUNT> static __device__ __forceinline__ int greatest_unit(const fixed_sums<COUNT> &s) {
    int most = NO_UNIT;
#pragma unroll
    for (int i = 0; i < COUNT; i++) most = max(most, s.of[i].unit);
    return warp_max(most);
}

/* A unit for all that the lanes have: the least, but no more than room binades below the greatest. */
template <int COUNT> static __device__ __noinline__ int common_unit(fixed_sums<COUNT> s, int room) {
    const int most = greatest_unit(s);
    int least = INT_MAX;
    for (int i = 0; i < COUNT; i++)
        if (s.of[i].unit != NO_UNIT) least = min(least, s.of[i].unit);
    least = -warp_max(-least);
    return most == NO_UNIT ? NO_UNIT : max(least, most - room);
}

/* The sum of what the lanes of a warp have: quickly if they have nothing that the first has not, in unit or flags; else in
 * the unit that unit_for finds. */
template <int PIECES, int COUNT, class Unit>
static __device__ __forceinline__ fixed_sum warp_sum_fixed(fixed_sums<COUNT> s, Unit unit_for, int64_t *limb) {
    const int unit = __shfl_sync(WHOLE_WARP, s.of[0].unit, 0);
    const unsigned flags = __shfl_sync(WHOLE_WARP, s.of[0].flags, 0);
    bool differs = false;
    __int128 sum = 0;
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        differs = differs || (s.of[i].flags & ~flags) || (s.of[i].unit != unit && s.of[i].unit != NO_UNIT);
        sum += s.of[i].units;
    }
    if (__any_sync(WHOLE_WARP, differs)) return warp_sum_in_unit(s, unit_for(), limb);
    return { warp_sum_units<PIECES>(sum), unit, flags };
}

/* The sum of two that have different units, in one that is no more than room below the greatest; by a single thread. */
static __device__ __noinline__ fixed_sum join_unlike(fixed_sum a, fixed_sum b, int greatest, int room, int64_t *limb) {
    const int unit = max(min(a.unit, b.unit), greatest - room);
    a = in_unit(a, unit, limb);
    b = in_unit(b, unit, limb);
    return { a.units + b.units, unit, a.flags | b.flags };
}

/* Adds a sum to another. greatest: the greatest unit of all that have been added to it. */
static __device__ __forceinline__ void join(fixed_sum &to, fixed_sum s, int greatest, int room, int64_t *limb) {
    if (s.unit == to.unit || s.unit == NO_UNIT || to.unit == NO_UNIT)
        to = { to.units + s.units, max(to.unit, s.unit), to.flags | s.flags };
    else
        to = join_unlike(to, s, greatest, room, limb);
}

/* ------------------------------------------------------------------------------------------------------- from blocks on */

/* What a block tells of itself: its sum, below 2^FIXED_BITS units, which unit, and the flags, whose limbs are the
 * workspace's. The sum's lower bits are the first word; its upper ones, made positive by FIXED_BIAS, are the second's upper:
 * so both parts of four blocks add up in 64 bits. The highest bit of a word is not set: see gather.cuh. */
struct alignas(16) fixed_state {
    uint64_t word[2];
};
#define FIXED_LOW 62
#define FIXED_META 16 /* bits of the second word that are not the sum's */
#define FIXED_BIAS ((int64_t)1 << (62 - FIXED_META))
#define FIXED_BITS (FIXED_LOW + 62 - FIXED_META)

static __device__ __forceinline__ fixed_state state_of(fixed_sum s) {
    const unsigned number = s.unit == NO_UNIT ? 0 : (unsigned)(s.unit - LIMB_LEAST_EXPONENT) + 1;
    const uint64_t high = (uint64_t)((int64_t)(s.units >> FIXED_LOW) + FIXED_BIAS);
    return { { (uint64_t)s.units & (((uint64_t)1 << FIXED_LOW) - 1),
               high << FIXED_META | number << FIXED_FLAGS | s.flags } };
}

static __device__ __forceinline__ unsigned meta_of(fixed_state s) { return (unsigned)s.word[1] & ((1 << FIXED_META) - 1); }

static __device__ __forceinline__ fixed_sum sum_of_meta(__int128 units, unsigned meta) {
    const unsigned number = meta >> FIXED_FLAGS;
    return { units, number ? (int)number - 1 + LIMB_LEAST_EXPONENT : NO_UNIT, meta & ((1 << FIXED_FLAGS) - 1) };
}

static __device__ __forceinline__ fixed_sum sum_of(fixed_state s) {
    const int64_t high = (int64_t)(s.word[1] >> FIXED_META) - FIXED_BIAS;
    return sum_of_meta(((__int128)high << FIXED_LOW) + s.word[0], meta_of(s));
}

/* Of nothing. */
template <> __device__ __forceinline__ fixed_state identity<fixed_state>(void) {
    return { { 0, (uint64_t)FIXED_BIAS << FIXED_META } };
}

/* As the others', where the highest bits tell. */
template <int STATES>
static __device__ __forceinline__ void take_states(fixed_state (&s)[STATES], fixed_state *places, unsigned begin,
                                                   unsigned count) {
    if (begin < count) {
        uint64_t empty;
        do {
            empty = 0;
#pragma unroll
            for (int i = 0; i < STATES; i++) look(places[begin + i].word, s[i].word);
#pragma unroll
            for (int i = 0; i < STATES; i++)
                if (begin + i < count) empty |= s[i].word[0] | s[i].word[1];
        } while ((int64_t)empty < 0);
        leave_empty<STATES>(places + begin);
    }
#pragma unroll
    for (int i = 0; i < STATES; i++)
        if (begin + i >= count) s[i] = identity<fixed_state>();
}

template <int COUNT> struct fixed_states { fixed_state of[COUNT]; };

/* The sum of what the lanes of a warp have, where that has different units. */
template <int COUNT>
static __device__ __noinline__ fixed_sum sum_of_unlike_states(fixed_states<COUNT> s, int room, int64_t *limb) {
    fixed_sums<COUNT> part;
    for (int i = 0; i < COUNT; i++) part.of[i] = sum_of(s.of[i]);
    return warp_sum_in_unit(part, common_unit(part, room), limb);
}

/* The sum of what the lanes of a warp have: quickly if all have the first's unit and flags, or neither. room: by so many
 * binades the units may differ without that 128 bits are too few. */
template <int COUNT>
static __device__ __forceinline__ fixed_sum sum_of_states(const fixed_states<COUNT> &s, int room, int64_t *limb) {
    static_assert(COUNT <= 4, "words overflow");
    const unsigned meta = __shfl_sync(WHOLE_WARP, meta_of(s.of[0]), 0);
    uint64_t low = 0, high = 0;
    bool differs = false;
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        const unsigned its = meta_of(s.of[i]);
        differs = differs || (its && its != meta);
        low += s.of[i].word[0];
        high += s.of[i].word[1] >> FIXED_META;
    }
    if (__any_sync(WHOLE_WARP, differs)) return sum_of_unlike_states(s, room, limb);
    const int64_t upper = warp_sum_units<2>((int64_t)high) - WARP * COUNT * FIXED_BIAS;
    return sum_of_meta(((__int128)upper << FIXED_LOW) + warp_sum_units<3>((__int128)low), meta);
}

/* Where blocks hand over. */
static __device__ __forceinline__ fixed_state *places_of(const cuda_job &job) {
    return (fixed_state *)job.workspace->partial;
}

/* Hands a block's sum to the last. By one warp, every thread of which has added to limbs what it had to. */
static __device__ __forceinline__ void deliver_sum(fixed_state *places, unsigned number, fixed_sum sum, int thread) {
    if (sum.flags & FIXED_LIMBS) __threadfence();
    __syncwarp();
    const fixed_state s = state_of(sum);
    fixed_state *to = places + number;
    if (thread == 0) deliver_word(&to->word[0], s.word[0]), deliver_word(&to->word[1], s.word[1]);
}

#define GATHERED_BY_ONE (SUMS_OF_THREAD * WARP) /* so many blocks by one warp, but for one that has nothing */

/* The last block's. */
template <int WARPS, bool DROPS> struct fixed_memory {
    fixed_sum gathered[WARPS];
    quire_accumulator rest; /* what it has beside integers                                                              */
    int dropped_unit;       /* the greatest unit of sums that have dropped some; NO_UNIT to begin with                 */
};

/* The sum of as many blocks as have handed over, COUNT a thread, as soon as they are there, and of the own one, if there is
 * one, by a warp. */
template <int COUNT, bool OWN, int WARPS, bool DROPS>
static __device__ __forceinline__ fixed_sum gather_few(fixed_state *places, unsigned others, fixed_sum own, int room,
                                                       fixed_memory<WARPS, DROPS> &memory, int thread) {
    fixed_states<COUNT> s;
    const unsigned begin = thread * COUNT;
    take_states(s.of, places, begin, others);
    if constexpr (OWN) {
        const fixed_state its = state_of(own);
#pragma unroll
        for (unsigned i = 0; i < COUNT; i++)
            for (int k = 0; k < 2; k++) s.of[i].word[k] = begin + i == others ? its.word[k] : s.of[i].word[k];
    }
    if (DROPS) {
        int most = NO_UNIT;
        for (int i = 0; i < COUNT; i++) most = max(most, dropped_unit_of(sum_of(s.of[i])));
        most = warp_max(most);
        if (thread == 0) memory.dropped_unit = most;
        __syncwarp();
    }
    return sum_of_states(s, room, memory.rest.limb);
}

/* The sum of many blocks, by all warps of the last, in turn; in the first warp, with its own. Warps add up what they take,
 * as it comes, then the block. A warp without a turn takes nothing, as one does that practises. */
template <int WARPS, bool DROPS>
static __device__ __forceinline__ fixed_sum gather_many(const cuda_job &job, unsigned blocks, fixed_sum own, int room,
                                                        fixed_memory<WARPS, DROPS> &memory) {
    const unsigned warp = threadIdx.x / WARP, warps = blockDim.x / WARP;
    const int thread = threadIdx.x % WARP, once = room / 3;
    int64_t *limb = memory.rest.limb;
    fixed_sum sum = FIXED_NOTHING;
    if (warp == 0) sum = own;
    int most = dropped_unit_of(sum), greatest = sum.unit; /* of those that have dropped some; of all                    */
    unsigned begin = warp * GATHERED_BY_ONE, flags = 0;
#pragma unroll 1
    do {
        fixed_states<SUMS_OF_THREAD> s;
        take_states(s.of, places_of(job), begin + thread * SUMS_OF_THREAD, blocks - 1);
        for (int i = 0; DROPS && i < SUMS_OF_THREAD; i++) most = max(most, dropped_unit_of(sum_of(s.of[i])));
        const fixed_sum its = sum_of_states(s, once, limb);
        flags |= its.flags;
        greatest = max(greatest, its.unit);
        if (thread == 0) join(sum, its, greatest, once, limb);
        begin += warps * GATHERED_BY_ONE;
    } while (begin < blocks - 1);
    if (DROPS) {
        most = warp_max(most);
        if (thread == 0) atomicMax(&memory.dropped_unit, most);
    }
    if (flags & FIXED_LIMBS) __threadfence(); /* the first warp will take the limbs */
    if (thread == 0) memory.gathered[warp] = sum;
    __syncthreads();
    fixed_sums<1> part = { { FIXED_NOTHING } };
    if (warp) return part.of[0];
    if ((unsigned)thread < warps) part.of[0] = memory.gathered[thread];
    return warp_sum_fixed<5>(
        part, [&] { return common_unit(part, room - 2 * once); }, limb);
}

/* The sum of so many blocks that hand over, and their limbs if there are any, and of the last, which has one or not, where
 * one warp gathers them: its first. room: by so many binades the units of the blocks may differ without that 128 bits are
 * too few. */
template <bool OWN, int WARPS, bool DROPS>
static __device__ __forceinline__ fixed_sum gather_by_one(const cuda_job &job, fixed_state *places, fixed_sum own,
                                                          unsigned others, int room, fixed_memory<WARPS, DROPS> &memory,
                                                          int thread) {
    if (gridDim.x == 1) return own;
    const fixed_sum sum = gridDim.x > WARP ? gather_few<SUMS_OF_THREAD, OWN>(places, others, own, room, memory, thread)
                                           : gather_few<1, OWN>(places, others, own, room, memory, thread);
    if (sum.flags & FIXED_LIMBS) take_limbs(memory.rest, job.workspace->sum, thread);
    return sum;
}

/* The same for any number of blocks, in the first warp. To be called by all threads of the last block, the own sum in the
 * first warp. */
template <int WARPS, bool DROPS>
static __device__ __forceinline__ fixed_sum gather_blocks(const cuda_job &job, fixed_sum sum, unsigned blocks, int room,
                                                          fixed_memory<WARPS, DROPS> &memory) {
    const int thread = threadIdx.x;
    if (gridDim.x <= GATHERED_BY_ONE)
        return thread < WARP ? gather_by_one<true>(job, places_of(job), sum, blocks - 1, room, memory, thread) : sum;
    sum = gather_many(job, blocks, sum, room, memory);
    if (thread < WARP && (sum.flags & FIXED_LIMBS)) take_limbs(memory.rest, job.workspace->sum, thread);
    return sum;
}

/* Where a block puts what integers do not take. */
static __device__ __forceinline__ quire_accumulator *rest_of_block(const cuda_job &job, quire_accumulator *own) {
    return gridDim.x == 1 ? own : &job.workspace->sum;
}

/* ------------------------------------------------------------------------------------------------------------- rounding */

/* A double that rounds to a format of that precision like the sum; whether there is one, and it is easily found: integers of
 * 106 bits are two doubles. Not for zero. */
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
    return round_total(job, total_of_units(s, job.n));
}

/* What the end asks of the job. To be asked for before it is waited for: constants take a while to come. */
struct job_end {
    bool is_number, is_empty, accumulates; /* see cuda_job; whether it is of nothing; whether it goes to an accumulator     */
    int precision, size;                /* of the result                                                                 */
    void *result;
    fixed_state *places;
};

static __device__ __forceinline__ job_end end_of(const cuda_job &job) {
    job_end end = { job.is_number,   !job.n,     job.accumulator != NULL, job.format.precision,
                    job.format.size, job.result, places_of(job) };
    asm volatile("" : "+r"(end.precision), "+r"(end.size), "+l"(end.result), "+l"(end.places));
    return end;
}

/* Rounds and stores a sum, or adds it to an accumulator; by a whole warp. rest: what went to limbs, or zeros. practice:
 * stores nothing. */
static __device__ __forceinline__ void finish_fixed(const cuda_job &job, const job_end &end, fixed_sum s,
                                                    quire_accumulator *rest, bool practice, int thread) {
    if ((s.flags & FIXED_LIMBS) || end.accumulates) {
        add_sum(rest, s, thread);
        finish(job, rest, thread);
    } else if (thread == 0) {
        double number = (s.flags & FIXED_OTHER) || end.is_empty ? 0.0 : -0.0;
        const bool is_number = end.is_number && (!s.units || number_of_units(s, end.precision, &number));
        const uint64_t bits = is_number ? round_number(number, end.precision) : round_units(job, s);
        if (!practice) format_store(bits, end.size, end.result);
    }
}

#endif
