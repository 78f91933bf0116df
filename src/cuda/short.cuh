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
    /* See warp_sum_units: a block sums up 2^13 elements below 2^43 or 2^87 units, and a grid 2^12 blocks in FIXED_STEP more.
     */
    static constexpr int pieces = bins == 1 ? 2 : 4, grid_pieces = pieces + 1;
    static_assert(Choice::threads * E * packs <= 1 << 13, "a block sums up more");
    /* Products of other formats have more bits than two bins hold of ordinary data. */
    static constexpr bool is_there = !Choice::is_product || Choice::fits;
    static_assert(!is_there || !Choice::fits || WINDOW_RANGE(bins) >= Choice::fixed_top - least, "the window does not fit");
};

/* ------------------------------------------------------------------------------------------------------- what is there */

/* Of the elements of a warp that are not zero: the greatest is below 2^top, and all are multiples of 2^low; none if they are
 * zeros; special if Inf or NaN is among them. */
struct warp_extent {
    int top, low;
    bool none, special;
};

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
template <int BINS, int PIECES, class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ fixed_sum window_sum(const batch_of<Format, E, PACKS> &b, int top) {
    constexpr int shrunk = term_as_double<Format, Term>::shrunk;
    double bin[BINS];
    for (int k = 0; k < BINS; k++) bin[k] = window_start(top - shrunk, k);
#pragma unroll
    for (int i = 0; i < E * PACKS; i++) {
        if (i && i % E == 0 && i / E * WARP * E >= b.count) break;
        double part[1];
        batch_parts<Format, Term, 1>(b, i, part);
        window_add_f64(bin, BINS, part[0]);
    }
    __int128 units = 0;
    for (int k = 0; k < BINS; k++) units = (units << WINDOW_STEP) + window_count_f64(bin[k], window_start(top - shrunk, k));
    return { warp_sum_units<PIECES>(units), window_unit(top, BINS - 1) };
}

/* A warp's share of a block, and what it makes of it. */
struct warp_share {
    fixed_sum sum;
    int top;        /* the elements are below 2^top; NO_UNIT if all are zeros */
    unsigned flags; /* FIXED_OTHER; FIXED_LIMBS: there is more in the warp's totals */
    unsigned saw;
};

/* By way of columns, whatever it is. */
template <class Choice, class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ unsigned column_sum(const batch_of<Format, E, PACKS> &b, cell_total *total, int thread) {
    typedef typename Choice::column Column;
    column_clear<Column, Choice::threads>();
    for (int k = thread; k < Column::cells; k += WARP) total[k] = { 0, 0 };
    __syncwarp();
    unsigned saw = column_batch<Choice, Format, Term>(b.forgotten(), 0);
    saw |= columns_flush<Column, Choice::threads>(total);
    return warp_or(saw);
}

template <class Choice, class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ warp_share warp_sum_of(const batch_of<Format, E, PACKS> &b, cell_total *total,
                                                         int thread) {
    warp_share w = { { 0, NO_UNIT }, NO_UNIT, 0, 0 };
    bool in_window = true;
    if constexpr (Choice::fits) {
        in_window = !__any_sync(WHOLE_WARP, batch_is_special<Format, Term>(b));
        if (in_window) {
            w.top = Choice::least + window_range(Choice::bins);
            w.sum = window_sum<Choice::bins, Choice::pieces, Format, Term>(b, w.top);
        }
    } else {
        const warp_extent x = extent_of<Format, Term>(b);
        if (x.special || x.top > WINDOW_GREATEST_TOP) {
            in_window = false;
        } else if (!x.none) {
            const int one = max(x.top, Choice::least + window_range(1)), two = max(x.top, Choice::least + window_range(2));
            w.top = x.top;
            if (Choice::one_is_enough && x.low >= window_unit(one, 0))
                w.sum = window_sum<1, 2, Format, Term>(b, one);
            else if (x.low >= window_unit(two, 1))
                w.sum = window_sum<2, Choice::pieces, Format, Term>(b, two);
            else
                in_window = false;
        }
    }
    if (!in_window) {
        w.saw = column_sum<Choice, Format, Term>(b, total, thread);
        w.top = NO_UNIT;
        w.flags = FIXED_LIMBS;
    } else if (w.sum.units != 0 || __any_sync(WHOLE_WARP, signs_of_batch<Term>(b, false) != 0)) {
        w.flags = FIXED_OTHER;
    }
    return w;
}

/* --------------------------------------------------------------------------------------------- what a block and a grid make
 */

template <class Choice> struct short_memory {
    static constexpr int warps = Choice::threads / WARP, gatherers = 2 * WARP;
    fixed_sum sum[warps > gatherers ? warps : gatherers];
    int top[warps];
    unsigned flags[warps], saw[warps];
    quire_accumulator rest; /* what the last block has beside integers */
};

/* The totals of the columns that warps have used go to limbs. */
template <class Choice>
static __device__ __noinline__ void deliver_totals(const short_memory<Choice> &block, const cell_total *total,
                                                   quire_accumulator *to, int thread) {
    typedef typename Choice::column Column;
    const int warps = blockDim.x / WARP;
    unsigned saw = 0;
    for (int w = 0; w < warps; w++) {
        if (!(block.flags[w] & FIXED_LIMBS)) continue;
        saw |= block.saw[w];
        for (int k = thread; k < Column::cells; k += WARP) {
            limbs_add_atomic(to->limb, total[w * Column::cells + k].low, Column::exponent(k));
            limbs_add_atomic(to->limb, total[w * Column::cells + k].high, Column::exponent(k) + 32);
        }
    }
    if (thread == 0) add_flags(to, saw);
}

/* The sum of a block from what its warps left, by its first warp. */
template <class Choice>
static __device__ __forceinline__ fixed_sum block_sum(const short_memory<Choice> &block, const cell_total *total,
                                                      quire_accumulator *limbs, int thread, unsigned *flags) {
    const int warps = blockDim.x / WARP;
    const bool mine = thread < warps;
    const fixed_sum part[1] = { mine ? block.sum[thread] : fixed_sum{ 0, NO_UNIT } };
    const int top = warp_max(mine ? block.top[thread] : NO_UNIT);
    bool to_limbs = false;
    fixed_sum sum = { 0, NO_UNIT };
    *flags = warp_or(mine ? block.flags[thread] : 0);
    if (top != NO_UNIT) {
        const int above = top - window_range(Choice::bins) - Choice::least;
        const int unit = Choice::least + (above > 0 ? (above + FIXED_STEP - 1) / FIXED_STEP * FIXED_STEP : 0);
        sum = warp_sum_fixed<Choice::pieces>(part, unit, limbs->limb, &to_limbs);
    }
    if (*flags & FIXED_LIMBS) deliver_totals<Choice>(block, total, limbs, thread);
    if (!Choice::fits && __any_sync(WHOLE_WARP, to_limbs)) *flags |= FIXED_LIMBS;
    return sum;
}

/* The sum of STATES groups a thread from begin on, as soon as they are there, by a warp. The last group is the own one. */
template <class Choice, int STATES>
static __device__ __forceinline__ fixed_sum gather_sums(fixed_state *partial, unsigned begin, unsigned groups,
                                                        const fixed_sum &own, quire_accumulator *rest, int thread,
                                                        unsigned *flags) {
    fixed_state s[STATES];
    fixed_sum part[STATES];
    bool to_limbs = false;
    unsigned seen = 0;
    begin += thread * STATES;
    take_states(s, partial, begin, groups - 1);
#pragma unroll
    for (unsigned i = 0; i < STATES; i++) {
        part[i] = sum_of<Choice::least>(s[i]);
        seen |= (unsigned)s[i].word[1] & (FIXED_OTHER | FIXED_LIMBS);
        if (begin + i == groups - 1) part[i] = own;
    }
    const int unit = common_unit(part, FIXED_STEP);
    fixed_sum sum = { 0, NO_UNIT };
    if (unit != NO_UNIT) sum = warp_sum_fixed<Choice::grid_pieces>(part, unit, rest->limb, &to_limbs);
    *flags |= warp_or(seen | (to_limbs ? FIXED_LIMBS : 0));
    return sum;
}

/* The result from the sums of blocks. To be called by all threads of the last block; sum and flags: its own, in the first
 * warp. */
template <class Choice>
static __device__ __forceinline__ void gather_fixed(const cuda_job &job, fixed_sum sum, unsigned flags,
                                                    short_memory<Choice> &memory) {
    fixed_state *partial = (fixed_state *)job.workspace->partial;
    const unsigned groups = gridDim.x, warp = threadIdx.x / WARP, warps = blockDim.x / WARP;
    const int thread = threadIdx.x % WARP;
    if (groups > GATHER_WARP) {
        unsigned seen = warp ? 0 : flags;
        if (threadIdx.x == 0) memory.sum[0] = sum;
        __syncthreads();
        const fixed_sum own = memory.sum[0];
        __syncthreads();
        for (unsigned begin = warp * GATHER_WARP; begin < groups; begin += warps * GATHER_WARP) {
            const fixed_sum part =
                gather_sums<Choice, GATHER_THREAD>(partial, begin, groups, own, &memory.rest, thread, &seen);
            if (thread == 0) memory.sum[begin / GATHER_WARP] = part;
        }
        if (thread == 0) memory.flags[warp] = seen;
        __syncthreads();
        if (warp) return;
        const unsigned parts = (groups + GATHER_WARP - 1) / GATHER_WARP;
        const fixed_sum part[1] = { (unsigned)thread < parts ? memory.sum[thread] : fixed_sum{ 0, NO_UNIT } };
        const int unit = common_unit(part, 0);
        bool to_limbs = false;
        if (unit != NO_UNIT) sum = warp_sum_fixed<Choice::grid_pieces>(part, unit, memory.rest.limb, &to_limbs);
        flags = warp_or(((unsigned)thread < warps ? memory.flags[thread] : 0) | (to_limbs ? FIXED_LIMBS : 0));
    } else {
        if (warp) return;
        if (groups > WARP)
            sum = gather_sums<Choice, GATHER_THREAD>(partial, 0, groups, sum, &memory.rest, thread, &flags);
        else if (groups > 1)
            sum = gather_sums<Choice, 1>(partial, 0, groups, sum, &memory.rest, thread, &flags);
    }
    if ((flags & FIXED_LIMBS) && groups > 1) take_limbs(memory.rest, job.workspace->sum, thread);
    finish_fixed(job, sum, flags & FIXED_OTHER, flags & FIXED_LIMBS, &memory.rest, thread);
}

/* The packs of a thread: those of its block that are threads apart. x and y lie skip elements behind a multiple of 16
 * bytes, from where packs are counted. */
template <class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ void load_share(batch_of<Format, E, PACKS> &b, const cuda_job &job, size_t first,
                                                  int packs, int skip) {
    typedef typename Format::element element;
    const element *x = (const element *)job.x - skip, *y = (const element *)job.y - skip;
    const size_t end = job.n + skip;
#pragma unroll
    for (int k = 0; k < PACKS; k++) {
        const size_t at = first + (size_t)(k * blockDim.x + threadIdx.x) * E;
        const int from = at ? 0 : skip, count = k < packs && at < end ? end - at < E ? (int)(end - at) : E : 0;
        b.x[k].load_part(x + at, from, count, 0x80);
        if (Term::is_pair) b.y[k].load_part(y + at, from, count, 0);
    }
}

template <class Format, class Term>
__global__ void __launch_bounds__((short_choice<Format, Term>::threads), 3 * 256 / short_choice<Format, Term>::threads)
    short_kernel(const __grid_constant__ cuda_job job) {
    typedef short_choice<Format, Term> Choice;
    constexpr int E = Choice::E, PACKS = Choice::packs;
    __shared__ short_memory<Choice> memory;
    cell_total *totals = (cell_total *)(column_bytes + Choice::column_size);
    const unsigned warp = threadIdx.x / WARP;
    const int thread = threadIdx.x % WARP;
    const bool is_last = blockIdx.x == gridDim.x - 1;
    after_earlier_work();

    const int skip = (int)((uintptr_t)job.x % 16 / sizeof(typename Format::element));
    const int packs = (int)(job.share / (blockDim.x * E));
    batch_of<Format, E, PACKS> b;
    b.count = packs * WARP * E;
    load_share<Format, Term>(b, job, blockIdx.x * job.share, packs, skip);
    if (is_last) clear_accumulator(memory.rest);
    const warp_share w = warp_sum_of<Choice, Format, Term>(b, totals + warp * Choice::column::cells, thread);
    if (job.overlap) let_later_work_start();
    if (thread == 0)
        memory.sum[warp] = w.sum, memory.top[warp] = w.top, memory.flags[warp] = w.flags, memory.saw[warp] = w.saw;
    __syncthreads();
    unsigned flags = 0;
    fixed_sum sum = { 0, NO_UNIT };
    if (warp == 0)
        sum = block_sum<Choice>(memory, totals, gridDim.x == 1 ? &memory.rest : &job.workspace->sum, thread, &flags);
    if (is_last) {
        gather_fixed<Choice>(job, sum, flags, memory);
    } else if (warp == 0) {
        if (flags & FIXED_LIMBS) __threadfence();
        __syncwarp();
        if (thread < 2) {
            const fixed_state s = state_of<Choice::least>(sum, flags);
            deliver_word(&((fixed_state *)job.workspace->partial)[blockIdx.x].word[thread], s.word[thread]);
        }
    }
}

#endif
