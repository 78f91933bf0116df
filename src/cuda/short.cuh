/* short.cuh - exact sums of short arrays: every thread loads all it takes at once, and there is one way to the result.
 *
 * A warp places a window (method/window.h) on what it has loaded: one bin if that holds it, else two, else columns. What it
 * counts is an integer, and so is all that follows: a warp's sum, a block's, the grid's (fixed.cuh). Blocks hand theirs to
 * the last as in gather.cuh. What does not fit goes to limbs on the way.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_SHORT_CUH
#define QUIRE_CUDA_SHORT_CUH

#include "cuda/exact.cuh"
#include "cuda/fixed.cuh"

/* What follows from the choices. */
template <class Format, class Term> struct short_choice : exact_choice<Format, Term, true> {
    typedef exact_choice<Format, Term, true> Choice;
    static constexpr int E = vector_elements<Format>, packs = Choice::policy.vectors;
    static constexpr int least = Format::description.least_exponent * (Choice::is_product ? 2 : 1);
    static constexpr int precision = Format::description.precision * (Choice::is_product ? 2 : 1);
    /* One window holds all there is, or it is placed by what is seen; in one bin, if that is ever enough, or in two. */
    static constexpr int bins = Choice::fits && WINDOW_RANGE(1) >= Choice::fixed_top - least ? 1 : 2;
    static constexpr bool one_is_enough = !Choice::fits && WINDOW_RANGE(1) >= precision;
    /* A grid sums up 2^24 elements below 2^87 units, which may be FIXED_STEP too large. */
    static_assert(EXACT_SHORT / sizeof(typename Format::element) <= 1 << 24, "integers of 128 bits are too small");
    /* Products of other formats have more bits than two bins hold of ordinary data. */
    static constexpr bool is_there = !Choice::is_product || Choice::fits;
    /* The unit that a block counts in if its elements are below 2^top. */
    static __device__ __forceinline__ int unit_for(int top) {
        const int above = Choice::fits ? 0 : top - WINDOW_RANGE(bins) - least;
        return least + (above > 0 ? (above + FIXED_STEP - 1) / FIXED_STEP * FIXED_STEP : 0);
    }
    static_assert(!is_there || !Choice::fits || WINDOW_RANGE(bins) >= Choice::fixed_top - least, "the window does not fit");
};

/* ------------------------------------------------------------------------------------------------------- what is there */

/* Of the elements of a warp that are not zero: the greatest is below 2^top, and all are multiples of 2^low; none if they are
 * zeros; special if Inf or NaN is among them. */
struct warp_extent {
    int top, low;
    bool none, special;
};

/* Loads that a batch has; the others are -0. */
template <int E, class Batch> static __device__ __forceinline__ bool is_beyond(const Batch &b, int load) {
    return load && load * WARP * E >= b.count;
}

/* The upper bits of |x|, with the exponent; not zero unless x is. */
template <class Format> static __device__ __forceinline__ uint32_t upper_bits(typename Format::element x) {
    if constexpr (sizeof x == 8) {
        const uint64_t bits = bits_of_double(x);
        return ((uint32_t)(bits >> 32) & 0x7fffffff) | ((uint32_t)bits != 0);
    } else {
        return bits_of_float(x) & 0x7fffffff;
    }
}

template <class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ warp_extent extent_of(const batch_of<Format, E, PACKS> &b) {
    constexpr format_description f = Format::description;
    constexpr int size = (int)sizeof(typename Format::element), lost = size == 8 ? 32 : 0, stored = f.precision - 1 - lost;
    uint32_t most = 0, least = ~0u; /* least: of bits - 1, so that zeros are the greatest */
    if constexpr (size == 2) {
        most = narrow_most<Format, Term>(b);
        least = narrow_least(b) - 1;
    } else {
#pragma unroll
        for (int i = 0; i < E * PACKS; i++) {
            if (i % E == 0 && is_beyond<E>(b, i / E)) break;
            const uint32_t bits = upper_bits<Format>(b.x[i / E][i % E]);
            most = max(most, bits);
            least = __viaddmin_u32(bits, ~0u, least);
        }
    }
    most = (uint32_t)warp_max((int)most);
    least = (uint32_t)-warp_max(-(int)min(least, (uint32_t)INT_MAX)) + 1;
    const int upper = max((int)(most >> stored), 1), lower = max((int)(least >> stored), 1);
    return { f.least_exponent + upper - 1 + f.precision, f.least_exponent + lower - 1, !most,
             most >= (uint32_t)(f.infinity >> lost) };
}

/* ---------------------------------------------------------------------------------------------------- what a warp makes */

/* The sum of a batch in a window of so many bins below 2^top. */
template <int BINS, class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ fixed_sum window_sum(const batch_of<Format, E, PACKS> &b, int top) {
    constexpr int shrunk = term_as_double<Format, Term>::shrunk;
    double bin[BINS];
    for (int k = 0; k < BINS; k++) bin[k] = window_start(top - shrunk, k);
#pragma unroll
    for (int i = 0; i < E * PACKS; i++) {
        if (i % E == 0 && is_beyond<E>(b, i / E)) break;
        double part[1];
        batch_parts<Format, Term, 1>(b, i, part);
        window_add_f64(bin, BINS, part[0]);
    }
    int64_t count[BINS];
    for (int k = 0; k < BINS; k++) count[k] = window_count_f64(bin[k], window_start(top - shrunk, k));
    if constexpr (BINS == 1)
        return { warp_sum_units<2>(count[0]), window_unit(top, 0), 0 };
    else
        return { warp_sum_units<4>(((__int128)count[0] << WINDOW_STEP) + count[1]), window_unit(top, 1), 0 };
}

/* By way of columns, whatever it is; answers what they have seen. */
template <class Choice, class Format, class Term, int E, int PACKS>
static __device__ __noinline__ unsigned column_sum(batch_of<Format, E, PACKS> b, cell_total *total, int thread) {
    typedef typename Choice::column Column;
    column_clear<Column, Choice::threads>();
    for (int k = thread; k < Column::cells; k += WARP) total[k] = { 0, 0 };
    __syncwarp();
    unsigned saw = column_batch<Choice, Format, Term>(b, 0);
    saw |= columns_flush<Column, Choice::threads>(total);
    return warp_or(saw);
}

/* The sum of a batch; *top: its elements are below 2^top, if it has a unit. FIXED_LIMBS: there is more in the warp's totals,
 * and *saw is what they have seen. */
template <class Choice, class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ fixed_sum batch_sum(const batch_of<Format, E, PACKS> &b, cell_total *total, int thread,
                                                      int *top, unsigned *saw) {
    fixed_sum sum = FIXED_NOTHING;
    bool in_window = true;
    if constexpr (Choice::fits) {
        in_window = !__any_sync(WHOLE_WARP, batch_is_special<Format, Term>(b));
        *top = Choice::least + window_range(Choice::bins);
        if (in_window) sum = window_sum<Choice::bins, Format, Term>(b, *top);
    } else {
        const warp_extent x = extent_of<Format, Term>(b);
        const int one = max(x.top, Choice::least + window_range(1)), two = Choice::unit_for(x.top) + window_range(2);
        *top = x.top;
        if (x.special)
            in_window = false;
        else if (x.none)
            ;
        else if (Choice::one_is_enough && x.low >= window_unit(one, 0))
            sum = window_sum<1, Format, Term>(b, one);
        else if (two <= WINDOW_GREATEST_TOP && x.low >= window_unit(two, 1))
            sum = window_sum<2, Format, Term>(b, two);
        else
            in_window = false;
    }
    if (!in_window) {
        *saw = column_sum<Choice, Format, Term>(b, total, thread);
        sum.flags = FIXED_LIMBS;
    } else if (sum.units != 0 || __any_sync(WHOLE_WARP, signs_of_batch<Term>(b, false) != 0)) {
        sum.flags = FIXED_OTHER;
    }
    return sum;
}

/* ---------------------------------------------------------------------------------------- what a block and a grid make */

#define GATHER_STATES 4 /* blocks whose sums a thread takes at once, where there are many */
#define NOBODY ~0u

template <class Choice> struct short_memory {
    static constexpr int warps = Choice::threads / WARP;
    fixed_sum sum[warps], gathered[warps + 1];
    int top[warps];
    unsigned saw[warps];
    quire_accumulator rest; /* what the last block has beside integers */
};

/* Where a block puts what integers do not take. */
template <class Choice>
static __device__ __forceinline__ quire_accumulator *rest_of(const cuda_job &job, short_memory<Choice> &block) {
    return gridDim.x == 1 ? &block.rest : &job.workspace->sum;
}

/* The totals of the columns that warps have used go to limbs. */
template <class Choice>
static __device__ __noinline__ void deliver_totals(const cuda_job &job, short_memory<Choice> &block, const cell_total *total,
                                                   int thread) {
    typedef typename Choice::column Column;
    quire_accumulator *to = rest_of(job, block);
    unsigned saw = 0;
    for (int w = 0; w < (int)(blockDim.x / WARP); w++) {
        if (!(block.sum[w].flags & FIXED_LIMBS)) continue;
        saw |= block.saw[w];
        for (int k = thread; k < Column::cells; k += WARP) {
            limbs_add_atomic(to->limb, total[w * Column::cells + k].low, Column::exponent(k));
            limbs_add_atomic(to->limb, total[w * Column::cells + k].high, Column::exponent(k) + 32);
        }
    }
    if (thread == 0) add_flags(to, saw);
}

/* Nothing but zeros has no top. */
template <class Choice> static __device__ __forceinline__ int unit_of_block(const short_memory<Choice> &block, int thread) {
    const bool mine = thread < (int)(blockDim.x / WARP) && block.sum[thread].unit != NO_UNIT;
    const int top = warp_max(mine ? block.top[thread] : NO_UNIT);
    return top == NO_UNIT ? NO_UNIT : Choice::unit_for(top);
}

/* The sum of a block from what its warps left, by its first warp; in units as other blocks have them, if there are any. */
template <class Choice>
static __device__ __forceinline__ fixed_sum block_sum(const cuda_job &job, short_memory<Choice> &block,
                                                      const cell_total *total, int thread) {
    fixed_sums<1> part = { { FIXED_NOTHING } };
    if (thread < (int)(blockDim.x / WARP)) part.of[0] = block.sum[thread];
    fixed_sum sum = warp_sum_fixed<4>(
        part, [&] { return unit_of_block(block, thread); }, rest_of(job, block)->limb);
    if (__any_sync(WHOLE_WARP, part.of[0].flags & FIXED_LIMBS)) deliver_totals(job, block, total, thread);
    if (!Choice::fits && gridDim.x > 1) {
        const int unit = unit_of_block(block, thread);
        if (sum.unit >= unit) {
            sum = { sum.units << (sum.unit - unit), unit, sum.flags };
        } else {
            if (thread == 0) sum = in_unit(sum, unit, rest_of(job, block)->limb);
            sum = of_first(sum);
        }
    }
    return sum;
}

static __device__ __forceinline__ int less_step(int unit) { return unit == NO_UNIT ? NO_UNIT : unit - FIXED_STEP; }

/* The sum of STATES blocks a thread from begin on, as soon as they are there, by a warp; number own_at is the own one. */
template <class Choice, int STATES>
static __device__ __forceinline__ fixed_sum gather_sums(const cuda_job &job, unsigned begin, unsigned own_at, fixed_sum own,
                                                        int64_t *limb, int thread) {
    fixed_state s[STATES];
    fixed_sums<STATES> part;
    begin += thread * STATES;
    take_states(s, (fixed_state *)job.workspace->partial, begin, gridDim.x - 1);
#pragma unroll
    for (unsigned i = 0; i < STATES; i++) part.of[i] = choose(begin + i == own_at, own, sum_of<Choice::least>(s[i]));
    return warp_sum_fixed<5>(
        part, [&] { return less_step(greatest_unit(part)); }, limb);
}

/* The sum of STATES blocks a thread and time, by all warps of the last, in turn; in the first warp, with its own. */
template <class Choice, int STATES>
static __device__ __forceinline__ fixed_sum gather_by_warps(const cuda_job &job, fixed_sum own,
                                                            short_memory<Choice> &memory) {
    constexpr unsigned ONCE = STATES * WARP;
    const fixed_sum none = FIXED_NOTHING;
    const unsigned warp = threadIdx.x / WARP, warps = blockDim.x / WARP;
    const int thread = threadIdx.x % WARP;
    int64_t *limb = memory.rest.limb;
    fixed_sum sum = none;
    for (unsigned begin = warp * ONCE; begin < gridDim.x - 1; begin += warps * ONCE) {
        const fixed_sum some = gather_sums<Choice, STATES>(job, begin, NOBODY, none, limb, thread);
        sum = begin < warps * ONCE ? some : join_sums(choose(thread == 0, sum, choose(thread == 1, some, none)), limb);
    }
    if (thread == 0) memory.gathered[warp + 1] = sum;
    if (threadIdx.x == 0) memory.gathered[0] = own;
    __syncthreads();
    if (warp) return none;
    fixed_sums<1> part = { { none } };
    if ((unsigned)thread <= warps) part.of[0] = memory.gathered[thread];
    return warp_sum_fixed<5>(
        part, [&] { return greatest_unit(part); }, limb);
}

/* The result. To be called by all threads of the last block; sum: its own, in the first warp, which gathers what few there
 * are. */
template <class Choice>
static __device__ __forceinline__ void finish_grid(const cuda_job &job, fixed_sum sum, short_memory<Choice> &memory) {
    const unsigned blocks = gridDim.x;
    const int thread = threadIdx.x % WARP;
    if (blocks > GATHER_STATES * WARP) sum = gather_by_warps<Choice, GATHER_STATES>(job, sum, memory);
    if (threadIdx.x >= WARP) return;
    if (blocks > 1 && blocks <= WARP)
        sum = gather_sums<Choice, 1>(job, 0, blocks - 1, sum, memory.rest.limb, thread);
    else if (blocks > WARP && blocks <= GATHER_STATES * WARP)
        sum = gather_sums<Choice, GATHER_STATES>(job, 0, blocks - 1, sum, memory.rest.limb, thread);
    if ((sum.flags & FIXED_LIMBS) && blocks > 1) take_limbs(memory.rest, job.workspace->sum, thread);
    finish_fixed(job, sum, &memory.rest, thread);
}

/* ---------------------------------------------------------------------------------------------------------- the kernel */

template <class Format>
static __device__ __noinline__ pack<Format, vector_elements<Format>> part_of_pack(const typename Format::element *p,
                                                                                  int from, int count, uint32_t upper) {
    pack<Format, vector_elements<Format>> some;
    some.load_part(p, from, count, upper);
    return some;
}

/* The packs of a thread: those of its block that are threads apart. x and y lie skip elements behind a multiple of 16
 * bytes, from where packs are counted. */
template <class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ void load_share(batch_of<Format, E, PACKS> &b, const cuda_job &job, size_t first,
                                                  unsigned skip) {
    typedef typename Format::element element;
    const element *x = (const element *)job.x - skip, *y = (const element *)job.y - skip;
    const size_t end = job.n + skip;
    b.count = job.run * WARP * E;
#pragma unroll
    for (int k = 0; k < PACKS; k++) {
        const size_t at = first + (size_t)(k * blockDim.x + threadIdx.x) * E;
        if (k >= (int)job.run) {
            b.x[k].fill(0x80), b.y[k].fill(0);
        } else if (at >= skip && at + E <= end) {
            b.x[k].load(x + at);
            if (Term::is_pair) b.y[k].load(y + at);
        } else {
            const int from = at < skip ? (int)(skip - at) : 0, count = at < end ? (int)min(end - at, (size_t)E) : 0;
            b.x[k] = part_of_pack<Format>(x + at, from, count, 0x80);
            if (Term::is_pair) b.y[k] = part_of_pack<Format>(y + at, from, count, 0);
        }
    }
}

template <class Format, class Term>
__global__ void __launch_bounds__((short_choice<Format, Term>::threads), 2 * 256 / short_choice<Format, Term>::threads)
    short_kernel(const __grid_constant__ cuda_job job) {
    typedef short_choice<Format, Term> Choice;
    constexpr int E = Choice::E, PACKS = Choice::packs;
    __shared__ short_memory<Choice> memory;
    cell_total *totals = (cell_total *)(column_bytes + Choice::column_size);
    const unsigned warp = threadIdx.x / WARP;
    const int thread = threadIdx.x % WARP;
    const bool is_last = blockIdx.x == gridDim.x - 1;
    after_earlier_work();

    batch_of<Format, E, PACKS> b;
    load_share<Format, Term>(b, job, blockIdx.x * job.share,
                             (unsigned)((uintptr_t)job.x % 16 / sizeof(typename Format::element)));
    if (is_last) clear_accumulator(memory.rest);
    int top;
    unsigned saw = 0;
    fixed_sum sum = batch_sum<Choice, Format, Term>(b, totals + warp * Choice::column::cells, thread, &top, &saw);
    if (job.overlap) let_later_work_start();
    if (thread == 0) memory.sum[warp] = sum, memory.top[warp] = top, memory.saw[warp] = saw;
    __syncthreads();
    if (warp == 0) sum = block_sum(job, memory, totals, thread);
    if (is_last) {
        finish_grid<Choice>(job, sum, memory);
    } else if (warp == 0) {
        if (sum.flags & FIXED_LIMBS) __threadfence();
        __syncwarp();
        const fixed_state s = state_of<Choice::least>(sum);
        fixed_state *to = (fixed_state *)job.workspace->partial + blockIdx.x;
        if (thread == 0) deliver_word(&to->word[0], s.word[0]), deliver_word(&to->word[1], s.word[1]);
    }
}

#endif
