/* exact.cuh - exact sums on a GPU: warps take batches in turn, add them to their windows and columns; blocks add up what
 * their warps have counted and add it to the limbs of the workspace; the last block rounds. All of it is integers that
 * commute, so nothing of who did what can show.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_EXACT_CUH
#define QUIRE_CUDA_EXACT_CUH

#include <type_traits>

#include "cuda/last_block.cuh"
#include "cuda/window.cuh"

#define UNDERFLOW_WORD (64u << 20) /* the error of a product of at least 2^-959 is exact                                  */

/* What follows from the choices. */
template <class Format, class Term> struct exact_choice {
    typedef typename Format::element element;
    typedef typename Format::real real;
    static constexpr bool is_product = Term::is_product, is_double = sizeof(real) == 8;
    static constexpr bool fits = sizeof(element) == 2 && Format::description.precision == 11; /* half: one window, always */
    static constexpr int streams = is_double && is_product ? 2 : 1;
    static constexpr int bins = is_double || is_product ? 2 : 1;
    static constexpr int least = is_double ? -1074 : is_product ? 2 * -149 : -149; /* no term has bits below 2^least     */
    static constexpr int fixed_top = is_product ? 32 : 16;
    typedef std::conditional_t<is_double,
                               std::conditional_t<is_product, integer_column<2 * -1074, 2 * 1024>,
                                                  integer_column<-1074, 1024>>,
                               std::conditional_t<is_product, integer_column<2 * -149 - 52, 2 * 128>, indexed_column>>
        column;
    static constexpr exact_policy policy = EXACT_POLICY(sizeof(element), Term::is_pair);
    /* Bytes of shared memory a thread: its column, and its share of the warp's totals. */
    static constexpr unsigned shared = column::cells * 8 + (column::cells * sizeof(cell_total) + WARP - 1) / WARP;
    static constexpr int additions = streams; /* to a column, of an element                                              */
};

/* A warp at work. */
template <class Choice> struct exact_warp {
    warp_window<Choice::streams, Choice::bins> window;
    typename Choice::column::cell *column; /* this lane's                                                               */
    cell_total *total;                     /* of the warp's columns                                                     */
    int64_t *limb;                         /* the workspace's                                                           */
    int thread, additions;                 /* to columns since they were emptied                                        */
    bool used;                             /* whether the columns were ever used                                        */
    unsigned saw;
};

template <class Format, int E, int PACKS> struct batch_of {
    pack<Format, E> x[PACKS], y[PACKS]; /* y of pairs alone                                                             */

    __device__ __forceinline__ batch_of forgotten() const {
        batch_of b = *this;
        for (int k = 0; k < PACKS; k++) b.x[k].forget(), b.y[k].forget();
        return b;
    }
};

template <class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ void load_batch(batch_of<Format, E, PACKS> &b, const typename Format::element *x,
                                                  const typename Format::element *y, int thread) {
#pragma unroll
    for (int k = 0; k < PACKS; k++) {
        b.x[k].load(x + (k * WARP + thread) * E);
        if (Term::is_pair) b.y[k].load(y + (k * WARP + thread) * E);
    }
}

/* ------------------------------------------------------------------------------------------------------- the slow way */

/* Before a warp adds so many terms a lane to its columns. */
template <class Choice> static __device__ __forceinline__ void columns_prepare(exact_warp<Choice> &w, int additions) {
    if (!w.used) {
        column_clear<typename Choice::column>(w.column, blockDim.x);
        for (int k = w.thread; k < Choice::column::cells; k += WARP) w.total[k] = { 0, 0 };
        w.used = true;
    }
    if (w.additions + additions > Choice::column::additions) {
        columns_flush<typename Choice::column>(w.column - w.thread, blockDim.x, w.total, w.thread);
        w.additions = 0;
    }
    w.additions += additions;
}

/* Fewer elements than a batch has, by the whole warp. */
template <class Format, class Term>
static __device__ __noinline__ unsigned few_elements(typename exact_choice<Format, Term>::column::cell *column, int stride,
                                                     const typename Format::element *x, const typename Format::element *y,
                                                     int n, int thread) {
    unsigned saw = 0;
#pragma unroll 1
    for (int i = thread; i < n; i += WARP) {
        const typename Format::real a = decode(Format(), x[i]), b = Term::is_pair ? decode(Format(), y[i]) : a;
        saw |= exact_choice<Format, Term>::column::template add<Term>(column, stride, a, b);
    }
    return saw;
}

/* ------------------------------------------------------------------------------------------------------- the fast way */

/* A term as a double, times 2^-shrunk: halves and bfloat16 are made doubles by moving their bits, which leaves the exponent
 * short by a constant, of subnormals too; infinities become finite, but are found by their magnitude. */
template <class Format, class Term> struct term_as_double {
    typedef typename Format::real real;
    static constexpr int shrunk = 0;
    static constexpr uint32_t infinite = 0x7ff00000;
    static __device__ __forceinline__ double of(typename Format::element x, typename Format::element y) {
        const real a = decode(Format(), x), b = Term::is_pair ? decode(Format(), y) : a;
        return Term::is_product ? Term::value((double)a, (double)b) : (double)Term::value(a, b);
    }
};

template <int SHIFT, class Term> struct bits_as_double {
    static __device__ __forceinline__ double of(uint32_t x) {
        const int bits = (int)(x << 16) >> SHIFT; /* the sign, copied SHIFT times, and the rest in its place */
        return __hiloint2double(Term::value(-1.0f, 0.0f) > 0 ? bits & (0x7fffffff >> SHIFT) : bits & (int)(0x80000000u | 0x7fffffffu >> SHIFT), 0);
    }
};

template <class Term> struct narrow_as_double_half {
    static constexpr int shrunk = 1023 - 15;
    static constexpr uint32_t infinite = 0x7c00u << 10;
    static __device__ __forceinline__ double of(half_element x, half_element) { return bits_as_double<6, Term>::of(x); }
};

template <class Term> struct narrow_as_double_bfloat16 {
    static constexpr int shrunk = 1023 - 127;
    static constexpr uint32_t infinite = 0x7f80u << 13;
    static __device__ __forceinline__ double of(bfloat16_element x, bfloat16_element) { return bits_as_double<3, Term>::of(x); }
};

/* A product of halves is a float. */
template <class Term> struct product_as_double_half {
    static constexpr int shrunk = 0;
    static constexpr uint32_t infinite = 0x7ff00000;
    static __device__ __forceinline__ double of(half_element x, half_element y) {
        const float a = decode(half_format(), x), b = Term::is_pair ? decode(half_format(), y) : a;
        return a * b;
    }
};

template <> struct term_as_double<half_format, product_term> : product_as_double_half<product_term> {};
template <> struct term_as_double<half_format, square_term> : product_as_double_half<square_term> {};
template <> struct term_as_double<half_format, identity_term> : narrow_as_double_half<identity_term> {};
template <> struct term_as_double<half_format, magnitude_term> : narrow_as_double_half<magnitude_term> {};
template <> struct term_as_double<bfloat16_format, identity_term> : narrow_as_double_bfloat16<identity_term> {};
template <> struct term_as_double<bfloat16_format, magnitude_term> : narrow_as_double_bfloat16<magnitude_term> {};

/* The parts of term i of a batch: itself, or the rounded product and its error. */
template <class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ void batch_parts(const batch_of<Format, E, PACKS> &b, int i,
                                                   double (&part)[exact_choice<Format, Term>::streams]) {
    const auto x = b.x[i / E][i % E], y = Term::is_pair ? b.y[i / E][i % E] : x;
    part[0] = term_as_double<Format, Term>::of(x, y);
    if constexpr (exact_choice<Format, Term>::streams == 2) part[1] = Term::error(x, y, part[0]);
}

/* Whether a product of doubles may have lost bits below the least double. */
template <class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ bool underflows(const batch_of<Format, E, PACKS> &b, int i, double product) {
    if constexpr (exact_choice<Format, Term>::streams == 1) return false;
    else return magnitude_word(product) < UNDERFLOW_WORD && b.x[i / E][i % E] != 0 && (!Term::is_pair || b.y[i / E][i % E] != 0);
}

/* The greatest magnitude_word of a batch's terms. */
template <class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ uint32_t batch_most(const batch_of<Format, E, PACKS> &b) {
    uint32_t most = 0;
    if constexpr (sizeof(typename Format::element) == 2 && !Term::is_product && E % 2 == 0) { /* two at a time */
        uint32_t two = 0;
#pragma unroll
        for (int k = 0; k < PACKS; k++)
#pragma unroll
            for (int i = 0; i < 4; i += 2)
                two = __vimax3_u16x2(two, b.x[k].word[i] & 0x7fff7fff, b.x[k].word[i + 1] & 0x7fff7fff);
        most = max(two >> 16, two & 0xffff) << (20 + 1 - Format::description.precision);
    } else if constexpr (sizeof(typename Format::element) == 4 && !Term::is_product) {
        float greatest = 0; /* fmaxf does not see NaN; the rest will be one */
#pragma unroll
        for (int i = 0; i < PACKS * E; i++) greatest = fmaxf(greatest, fabsf(b.x[i / E][i % E]));
        most = magnitude_word(greatest);
    } else {
#pragma unroll
        for (int i = 0; i < PACKS * E; i++) {
            double part[exact_choice<Format, Term>::streams];
            batch_parts<Format, Term>(b, i, part);
            most = max(most, magnitude_word(part[0]));
        }
    }
    return most;
}

/* Adds the terms of a batch to the lane's bins; answers whether something was left over, and the greatest magnitude_word. */
template <class Format, class Term, int E, int PACKS, class Bins>
static __device__ __forceinline__ bool window_batch(Bins &bin, const batch_of<Format, E, PACKS> &b, uint32_t &most) {
    typedef exact_choice<Format, Term> Choice;
    constexpr bool apart = !Choice::is_double && !Choice::is_product; /* found without the doubles                       */
    most = apart ? batch_most<Format, Term>(b) : 0;
    int rest_high = 0, rest_low = 0;
    bool underflow = false;
#pragma unroll
    for (int i = 0; i < E * PACKS; i++) {
        double part[Choice::streams];
        batch_parts<Format, Term>(b, i, part);
        if (!apart) most = max(most, magnitude_word(part[0]));
        underflow |= underflows<Format, Term>(b, i, part[0]);
#pragma unroll
        for (int s = 0; s < Choice::streams; s++) {
            if constexpr (Choice::fits) {
                window_add_f64(bin[s], Choice::bins, part[s]);
            } else {
                const double rest = window_extract(bin[s], Choice::bins, part[s]);
                rest_high |= __double2hiint(rest);
                rest_low |= __double2loint(rest);
            }
        }
    }
    return ((rest_high & 0x7fffffff) | rest_low) != 0 || underflow; /* a rest of -0 is none */
}

/* Adds to the lane's column what a batch leaves over beyond bins that stood so before it; the column takes it all if whole. */
template <class Format, class Term, int E, int PACKS, class Bins>
static __device__ __forceinline__ unsigned column_batch(typename exact_choice<Format, Term>::column::cell *column,
                                                        Bins &before, const batch_of<Format, E, PACKS> &b, bool whole) {
    typedef exact_choice<Format, Term> Choice;
    const int stride = blockDim.x;
    unsigned saw = 0;
    if (whole) {
#pragma unroll
        for (int i = 0; i < E * PACKS; i++) {
            const auto x = decode(Format(), b.x[i / E][i % E]);
            const auto y = Term::is_pair ? decode(Format(), b.y[i / E][i % E]) : x;
            saw |= Choice::column::template add<Term>(column, stride, x, y);
        }
        return saw;
    }
#pragma unroll
    for (int i = 0; i < E * PACKS; i++) {
        double part[Choice::streams];
        batch_parts<Format, Term>(b, i, part);
#pragma unroll
        for (int s = 0; s < Choice::streams; s++) {
            const double rest = window_extract(before[s], Choice::bins, part[s]);
            if (rest != 0) Choice::column::add_rest(column, stride, rest, term_as_double<Format, Term>::shrunk);
        }
    }
    return saw;
}

/* A full batch. */
template <class Format, class Term, int E, int PACKS>
static __device__ __forceinline__ void warp_batch(exact_warp<exact_choice<Format, Term>> &w,
                                                  const batch_of<Format, E, PACKS> &b) {
    typedef exact_choice<Format, Term> Choice;
    typedef term_as_double<Format, Term> as_double;
    constexpr int shrunk = as_double::shrunk;
    constexpr uint32_t infinite = as_double::infinite;
    auto &window = w.window;
    bool whole = true, outside = true; /* whether the lane's column takes all of the batch; whether the window did not */
    uint32_t finite = 0;
    double before[Choice::streams][Choice::bins];
    const bool slow = window.slow > 0;
    if (slow) {
        window.slow--;
    } else {
        if (!window.limit) {
            const uint32_t first = Choice::fits ? 0 : batch_most<Format, Term>(b.forgotten());
            window.place(Choice::fits ? Choice::fixed_top - shrunk
                                      : window.top_for(warp_max(first < infinite ? first : 0), Choice::least - shrunk));
        }
        if (window.additions + E * PACKS > 1 << WINDOW_HEADROOM) {
            window.read();
            if (window.readings == READINGS) window.deposit(w.limb, w.thread, shrunk);
        }
        window.additions += E * PACKS;
        for (int s = 0; s < Choice::streams; s++)
            for (int k = 0; k < Choice::bins; k++) before[s][k] = window.bin[s][k];
        uint32_t most;
        const bool left = window_batch<Format, Term>(window.bin, b, most);
        finite = most < infinite ? most : 0;
        if (most) w.saw |= SAW_OTHER;
        const bool large = most >= window.limit || most >= infinite;
        outside = left || large;
        whole = large || !(w.saw & SAW_OTHER); /* the window cannot tell -0 from +0 */
        whole |= left && (Choice::streams == 2 || !double_is_finite(window.bin[0][0]));
        if (!__any_sync(WHOLE_WARP, whole || outside)) return;
    }
    columns_prepare(w, E * PACKS * Choice::additions);
    if (whole && !slow)
        for (int s = 0; s < Choice::streams; s++)
            for (int k = 0; k < Choice::bins; k++) window.bin[s][k] = before[s][k];
    if (whole || outside) w.saw |= column_batch<Format, Term>(w.column, before, b.forgotten(), whole);
    __syncwarp();
    if (!Choice::fits && !slow) window.learn(outside, finite, Choice::least - shrunk, w.limb, w.thread, shrunk);
}

/* --------------------------------------------------------------------------------------------------------- the blocks */

/* What a block has counted, in shared memory. */
struct block_sum {
    int64_t limb[QUIRE_ACCUMULATOR_LIMBS];
    unsigned saw;
};

/* Adds the words of a block to the workspace's, those that are not zero. */
static __device__ void deliver(const block_sum &block, quire_accumulator *sum) {
    for (int i = threadIdx.x; i < QUIRE_ACCUMULATOR_LIMBS; i += blockDim.x) atomic_add(&sum->limb[i], block.limb[i]);
    if (threadIdx.x) return;
    if (block.saw & SAW_OTHER && !*(volatile int64_t *)&sum->other) atomic_add(&sum->other, 1);
    if (block.saw & SAW_NAN) atomic_add(&sum->nan, 1);
    if (block.saw & SAW_POSITIVE_INFINITY) atomic_add(&sum->positive_infinity, 1);
    if (block.saw & SAW_NEGATIVE_INFINITY) atomic_add(&sum->negative_infinity, 1);
}

/* What the last block does: takes the workspace's words, leaves zeros, and rounds the sum or adds it to an accumulator. */
static __device__ __noinline__ void finish(const cuda_job &job) {
    __shared__ quire_accumulator sum;
    int64_t *word = sum.limb, *from = job.workspace->sum.limb, *to = (int64_t *)job.accumulator;
    for (int i = threadIdx.x; i < QUIRE_ACCUMULATOR_WORDS; i += blockDim.x) {
        word[i] = __ldcg((const long long *)&from[i]);
        if (to) word[i] += to[i];
        from[i] = 0;
    }
    __syncthreads();
    if (!to) {
        if (threadIdx.x >= WARP) return;
        const quire_total limbs = warp_total(word, threadIdx.x);
        if (threadIdx.x) return;
        sum.count = (int64_t)job.n;
        store_total(job, accumulator_total_of(&sum, limbs));
        return;
    }
    if (threadIdx.x == 0) {
        accumulator_carry(&sum);
        sum.count += (int64_t)job.n;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < QUIRE_ACCUMULATOR_WORDS; i += blockDim.x) to[i] = word[i];
}

template <class Format, class Term, int E>
__global__ void __launch_bounds__((exact_choice<Format, Term>::policy.threads), (exact_choice<Format, Term>::policy.blocks))
    exact_kernel(const __grid_constant__ cuda_job job) {
    typedef exact_choice<Format, Term> Choice;
    typedef typename Choice::column Column;
    typedef typename Choice::element element;
    constexpr int PACKS = E == 1 ? 8 : Choice::policy.vectors;
    constexpr size_t BATCH = WARP * E * PACKS;
    extern __shared__ __align__(16) unsigned char dynamic[];
    __shared__ block_sum block;

    typename Column::cell *columns = (typename Column::cell *)dynamic;
    cell_total *totals = (cell_total *)(columns + Column::cells * blockDim.x);
    const unsigned warp = threadIdx.x / WARP, warps = blockDim.x / WARP;
    exact_warp<Choice> w;
    w.window.open();
    w.column = columns + threadIdx.x;
    w.total = totals + warp * Column::cells;
    w.limb = job.workspace->sum.limb;
    w.thread = threadIdx.x % WARP;
    w.additions = 0, w.used = false, w.saw = 0;
    for (int i = threadIdx.x; i < QUIRE_ACCUMULATOR_LIMBS; i += blockDim.x) block.limb[i] = 0;
    if (threadIdx.x == 0) block.saw = 0;
    __syncthreads();

    /* Elements before the first that is aligned are the first warp's, and those that fill no batch the last warp's. */
    const element *x = (const element *)job.x, *y = (const element *)job.y;
    size_t n = job.n, head = E == 1 ? 0 : (size_t)(-(uintptr_t)x % 16) / sizeof(element);
    if (head > n) head = n;
    const size_t all = (size_t)gridDim.x * warps, me = (size_t)warp * gridDim.x + blockIdx.x;
    x += head, y += head, n -= head;
    const size_t batches = n / BATCH;
    const int tail = (int)(n % BATCH);
    batch_of<Format, E, PACKS> now, next;
    if (me < batches) load_batch<Format, Term>(next, x + me * BATCH, y + me * BATCH, w.thread);
    for (size_t batch = me; batch < batches; batch += all) {
        now = next;
        if (batch + all < batches) load_batch<Format, Term>(next, x + (batch + all) * BATCH, y + (batch + all) * BATCH, w.thread);
        warp_batch<Format, Term>(w, now);
    }
    if ((head && me == 0) || (tail && me == all - 1)) {
        columns_prepare(w, (PACKS * E + 1) * Choice::additions);
        if (me == 0) w.saw |= few_elements<Format, Term>(w.column, blockDim.x, x - head, y - head, (int)head, w.thread);
        if (me == all - 1)
            w.saw |= few_elements<Format, Term>(w.column, blockDim.x, x + (n - tail), y + (n - tail), tail, w.thread);
    }

    w.window.deposit(block.limb, w.thread, term_as_double<Format, Term>::shrunk);
    if (w.used) {
        columns_flush<Column>(w.column - w.thread, blockDim.x, w.total, w.thread);
        for (int k = w.thread; k < Column::cells; k += WARP) {
            limbs_add_atomic(block.limb, w.total[k].low, Column::exponent(k));
            limbs_add_atomic(block.limb, w.total[k].high, Column::exponent(k) + 32);
        }
    }
    for (int i = WARP / 2; i; i /= 2) w.saw |= __shfl_xor_sync(WHOLE_WARP, w.saw, i);
    if (w.thread == 0 && w.saw) atomicOr(&block.saw, w.saw);
    __syncthreads();
    deliver(block, &job.workspace->sum);
    if (last_block(&job.workspace->ticket)) finish(job);
}

#endif
