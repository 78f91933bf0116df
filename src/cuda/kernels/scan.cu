/* scan.cu - running sums on a device, the plain way. A state is an exact sum in a few doubles (a sum, and two ends of
 * what its additions lost) and what is to be known of its terms. Totals of stretches, these added up, then each stretch
 * again from where it starts. A result is stored where both ends round to it.
 *
 * If any result is not told so, all are found by limbs instead. Where results stand in the place of elements, a first
 * pass over the stretches stores nothing, so that elements are there still if limbs need them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cuda/kernels/scan.cuh"

#include "cuda/thread/atomic_limbs.cuh"
#include "cuda/thread/elements.cuh"
#include "cuda/thread/exact_sum.cuh"
#include "cuda/thread/round_number.cuh"
#include "cuda/warp/total.cuh"

#define SCAN_THREADS (32 * SCAN_WARPS)
#define LIMB_WARPS 4 /* of a block, of which each has limbs in shared memory */

/* What sums do not tell of their terms: which of these there were. */
enum { SEEN_OTHER = 1, SEEN_POSITIVE = 2, SEEN_NEGATIVE = 4, SEEN_NAN = 8 }; /* no zero, infinities, NaN */

static __device__ __forceinline__ unsigned seen_of(double term) {
    const uint64_t bits = bits_of_double(term), magnitude = bits << 1;
    const unsigned special = double_is_nan(term) ? SEEN_NAN : bits >> 63 ? SEEN_NEGATIVE : SEEN_POSITIVE;
    return (double_is_finite(term) ? 0 : special) | (magnitude ? SEEN_OTHER : 0);
}

struct scan_state {
    exact_sum<2> sum;
    unsigned seen;

    __device__ __forceinline__ void clear() { sum.clear(), seen = 0; }
    __device__ __forceinline__ void add(double term) { sum.add(term), seen |= seen_of(term); }
    __device__ __forceinline__ void merge(const scan_state &other) { sum.merge(other.sum), seen |= other.seen; }
    /* That of another lane; by a whole warp. */
    __device__ __forceinline__ scan_state of_lane(unsigned lane) const {
        scan_state other;
        other.sum.word[0] = __shfl_sync(WHOLE_WARP, sum.word[0], (int)lane);
        other.sum.down = __shfl_sync(WHOLE_WARP, sum.down, (int)lane);
        other.sum.up = __shfl_sync(WHOLE_WARP, sum.up, (int)lane);
        other.seen = __shfl_sync(WHOLE_WARP, seen, (int)lane);
        return other;
    }
};
static_assert(sizeof(scan_state) * SCAN_STRETCHES * 2 <= sizeof(vectors_workspace::place), "a state for each stretch");

static __device__ __forceinline__ scan_state *states_of(const scan_job &job) {
    return (scan_state *)job.workspace->place;
}

/* ---------------------------------------------------------------------------------------------------------- elements
 */

static __device__ __forceinline__ double widened(float x) { return wide(x); }
static __device__ __forceinline__ double widened(double x) { return x; }

static __device__ __forceinline__ ptrdiff_t vector_offset(const quire_layout &l, size_t v) {
    return (ptrdiff_t)(v / l.inner) * l.outer_stride + (ptrdiff_t)(v % l.inner) * l.inner_stride;
}

/* Elements k, k + step, ... of the vector that begins at an offset; -0 from last on. */
template <class Format, int COUNT>
static __device__ __forceinline__ void load_of(const scan_job &job, ptrdiff_t offset, size_t k, size_t step,
                                               size_t last, double (&value)[COUNT]) {
    const auto *x = (const typename Format::element *)job.x + offset;
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        const size_t at = k + (size_t)i * step;
        value[i] = at < last ? widened(decode(Format(), x[(ptrdiff_t)at * job.x_layout.stride])) : -0.0;
        if (job.magnitude && at < last) value[i] = abs_f64(value[i]);
    }
}

template <int COUNT>
static __device__ __forceinline__ void load_terms(const scan_job &job, ptrdiff_t offset, size_t k, size_t step,
                                                  size_t last, double (&value)[COUNT]) {
#define LOAD(name, NAME, number, real, unused)                                                                         \
    case number: load_of<name##_format, COUNT>(job, offset, k, step, last, value); break;
    switch ((int)job.type) { QUIRE_FORMATS(LOAD, ) }
#undef LOAD
}

/* ---------------------------------------------------------------------------------------------------------- rounding
 */

/* The bits of sum + lost, which is finite. */
static __device__ __forceinline__ uint64_t round_two(const scan_job &job, double sum, double lost) {
    if (job.rounding == QUIRE_TO_NEAREST && job.format.precision >= 8) {
        const double both = sum_of_two(sum, lost, job.format.precision);
        if (both != 0) return round_number(both, job.format.precision);
    }
    return round_total(job, total_of_two(sum, lost), 0);
}

/* The result where there were NaN or infinities. */
static __device__ __forceinline__ uint64_t round_special(const scan_job &job, unsigned seen) {
    const unsigned both = SEEN_POSITIVE | SEEN_NEGATIVE;
    const bool is_nan = seen & SEEN_NAN || (seen & both) == both;
    return is_nan ? job.format.quiet_nan : infinity_bits(job.format, seen & SEEN_NEGATIVE ? job.format.sign : 0);
}

/* The result of a state, if it tells it. A sum of doubles that overflows on the way does not. */
static __device__ __forceinline__ bool round_state(const scan_job &job, const scan_state &s, uint64_t *bits) {
    const double sum = s.sum.word[0], down = s.sum.down, up = s.sum.up;
    if (s.seen & ~SEEN_OTHER) {
        *bits = round_special(job, s.seen);
        return true;
    }
    if (!double_is_finite(sum) || !double_is_finite(down) || !double_is_finite(up)) return false;
    if (s.sum.is_one_number() && sum == 0) {
        const bool is_negative = bits_of_double(sum) >> 63 || (s.seen && job.rounding == QUIRE_DOWNWARD);
        *bits = is_negative ? job.format.sign : 0;
        return true;
    }
    *bits = round_two(job, sum, up);
    if (down == up) return true;
    const double low = sum + down, high = sum + up;
    return ((low > 0 && high > 0) || (low < 0 && high < 0)) && *bits == round_two(job, sum, down);
}

/* ------------------------------------------------------------------------------------------------------------ states
 */

/* Of each thread's state the sum of those before it in the block; and of all of them. By whole blocks. */
template <int WARPS>
static __device__ __forceinline__ scan_state states_before(scan_state mine, scan_state *room, scan_state *all) {
    const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    for (unsigned w = 1; w < WARP; w *= 2) {
        const scan_state other = mine.of_lane(lane >= w ? lane - w : lane);
        if (lane >= w) mine.merge(other);
    }
    scan_state of_warp = mine.of_lane(lane ? lane - 1 : 0), before;
    if (lane == 0) of_warp.clear();
    if (WARPS == 1) {
        *all = mine.of_lane(WARP - 1);
        return of_warp;
    }
    if (lane == WARP - 1) room[warp] = mine;
    __syncthreads();
    before.clear(), all->clear();
    for (unsigned i = 0; i < WARPS; i++) {
        if (i == warp) before = *all;
        all->merge(room[i]);
    }
    before.merge(of_warp);
    __syncthreads();
    return before;
}

/* ----------------------------------------------------------------------------------------------------------- kernels
 */

/* Where unit number u, a vector's stretch, stands. */
struct stretch_place {
    size_t vector, first, last;
    __device__ __forceinline__ stretch_place(const scan_job &job, size_t u, size_t length, size_t stretches)
        : vector(u / stretches), first(u % stretches * length), last(min(first + length, job.x_layout.n)) {}
};

static __global__ void __launch_bounds__(SCAN_THREADS) scan_totals(const __grid_constant__ scan_job job) {
    __shared__ scan_state room[SCAN_WARPS];
    for (size_t u = blockIdx.x; u < job.vectors * job.stretches; u += gridDim.x) {
        const stretch_place p(job, u, job.stretch, job.stretches);
        const ptrdiff_t offset = vector_offset(job.x_layout, p.vector);
        scan_state mine, all;
        mine.clear();
        for (size_t k = p.first + threadIdx.x; k < p.last; k += SCAN_ITEMS * SCAN_THREADS) {
            double value[SCAN_ITEMS];
            load_terms(job, offset, k, SCAN_THREADS, p.last, value);
            for (int i = 0; i < SCAN_ITEMS; i++) mine.add(value[i]);
        }
        states_before<SCAN_WARPS>(mine, room, &all);
        if (threadIdx.x == 0) states_of(job)[u] = all;
    }
}

/* From totals to where stretches start, a block a vector. */
static __global__ void __launch_bounds__(SCAN_THREADS) scan_starts(const __grid_constant__ scan_job job) {
    __shared__ scan_state room[SCAN_WARPS];
    const size_t share = (job.stretches + SCAN_THREADS - 1) / SCAN_THREADS;
    const size_t first = min(threadIdx.x * share, job.stretches), last = min(first + share, job.stretches);
    for (size_t v = blockIdx.x; v < job.vectors; v += gridDim.x) {
        scan_state *const of = states_of(job) + v * job.stretches;
        scan_state mine, all;
        mine.clear();
        for (size_t i = first; i < last; i++) mine.merge(of[i]);
        scan_state now = states_before<SCAN_WARPS>(mine, room, &all);
        for (size_t i = first; i < last; i++) {
            const scan_state total = of[i];
            of[i] = now;
            now.merge(total);
        }
    }
}

/* The elements that a block has at a time, from number k on; start becomes where the next ones start. */
template <int WARPS>
static __device__ __forceinline__ void scan_tile(const scan_job &job, size_t vector, size_t k, size_t last, bool stores,
                                                 scan_state *start, scan_state *room) {
    const size_t mine = k + threadIdx.x * SCAN_ITEMS;
    const ptrdiff_t to = vector_offset(job.results_layout, vector), size = job.format.size;
    double value[SCAN_ITEMS];
    uint64_t bits[SCAN_ITEMS];
    bool is_told = true;
    scan_state own, all, now = *start;
    own.clear();
    load_terms(job, vector_offset(job.x_layout, vector), mine, 1, last, value);
#pragma unroll
    for (int i = 0; i < SCAN_ITEMS; i++) own.add(value[i]);
    now.merge(states_before<WARPS>(own, room, &all));
    start->merge(all);
#pragma unroll
    for (int i = 0; i < SCAN_ITEMS; i++) {
        bits[i] = 0; /* the empty sum is +0 */
        if (!job.exclusive) now.add(value[i]);
        if (mine + i < last && !(job.exclusive && mine + i == 0)) is_told &= round_state(job, now, &bits[i]);
        if (job.exclusive) now.add(value[i]);
    }
    if (!is_told) *(volatile unsigned *)&job.workspace->undecided = 1;
#pragma unroll
    for (int i = 0; i < SCAN_ITEMS; i++)
        if (stores && mine + i < last)
            format_store(bits[i], job.format.size,
                         (char *)job.results + (to + (ptrdiff_t)(mine + i) * job.results_layout.stride) * size);
}

/* In place, what is stored has been looked at before: nothing is if limbs will do it all. */
template <int WARPS>
static __global__ void __launch_bounds__(WARP *WARPS)
    scan_stretches(const __grid_constant__ scan_job job, bool stores) {
    __shared__ scan_state room[WARPS];
    if (job.is_in_place && stores && job.workspace->undecided) return;
    for (size_t u = blockIdx.x; u < job.vectors * job.stretches; u += gridDim.x) {
        const stretch_place p(job, u, job.stretch, job.stretches);
        scan_state start;
        start.clear();
        if (job.stretches > 1) start = states_of(job)[u];
        for (size_t k = p.first; k < p.last; k += WARPS * SCAN_TILE)
            scan_tile<WARPS>(job, p.vector, k, p.last, stores, &start, room);
    }
}

/* ------------------------------------------------------------------------------------------------------------- limbs
 */

/* All words of an accumulator, by a block or a warp. */
static __device__ __forceinline__ void set_words(quire_accumulator *to, const quire_accumulator *from, unsigned thread,
                                                 unsigned threads) {
    for (unsigned i = thread; i < sizeof *to / sizeof(int64_t); i += threads)
        ((int64_t *)to)[i] = from ? ((const int64_t *)from)[i] : 0;
}

static __global__ void __launch_bounds__(SCAN_THREADS) scan_limb_totals(const __grid_constant__ scan_job job) {
    __shared__ quire_accumulator sum;
    if (!job.workspace->undecided) return;
    const size_t u = blockIdx.x;
    const stretch_place p(job, u, job.limb_stretch, job.limb_stretches);
    const ptrdiff_t offset = vector_offset(job.x_layout, p.vector);
    set_words(&sum, NULL, threadIdx.x, SCAN_THREADS);
    __syncthreads();
    for (size_t from = p.first; from < p.last; from += ATOMIC_TERMS) {
        const size_t to = min(from + ATOMIC_TERMS, p.last);
        for (size_t k = from + threadIdx.x; k < to; k += SCAN_THREADS) {
            double value[1];
            load_terms(job, offset, k, 1, to, value);
            atomic_add_number(&sum, value[0]);
        }
        __syncthreads();
        if (threadIdx.x == 0) accumulator_carry(&sum), accumulator_count(&sum, to - from);
        __syncthreads();
    }
    set_words(&job.workspace->limbs[u], &sum, threadIdx.x, SCAN_THREADS);
}

/* A thread a word: words add up. */
static __global__ void __launch_bounds__(SCAN_THREADS) scan_limb_starts(const __grid_constant__ scan_job job) {
    if (!job.workspace->undecided || threadIdx.x >= sizeof(quire_accumulator) / sizeof(int64_t)) return;
    quire_accumulator *const of = &job.workspace->limbs[blockIdx.x * job.limb_stretches];
    int64_t now = 0;
    for (size_t i = 0; i < job.limb_stretches; i++) {
        int64_t *const word = (int64_t *)&of[i] + threadIdx.x, total = *word;
        *word = now;
        now += total;
    }
}

/* A warp's elements, one by one; each lane has one and keeps its total. By a whole warp. */
static __device__ __forceinline__ void scan_by_limbs(const scan_job &job, quire_accumulator *sum, size_t vector,
                                                     size_t k, size_t last, unsigned lane) {
    const ptrdiff_t to = vector_offset(job.results_layout, vector);
    double value[1];
    quire_total mine = total_zero(0);
    load_terms(job, vector_offset(job.x_layout, vector), k + lane, 1, last, value);
    for (unsigned i = 0; i < WARP && k + i < last; i++) {
        const double term = __shfl_sync(WHOLE_WARP, value[0], (int)i);
        for (int turn = 0; turn < 2; turn++) { /* exclusive: the total first */
            if (turn == (int)job.exclusive) {
                if (lane == 0) {
                    accumulator_note(sum, term);
                    if (double_is_finite(term)) limbs_add_double(sum->limb, term);
                    accumulator_count(sum, 1);
                }
            } else {
                const quire_total total = accumulator_total_of(sum, warp_total(sum->limb, (int)lane));
                if (lane == i) mine = total;
            }
            __syncwarp();
        }
    }
    if (k + lane < last)
        format_store(round_total(job, mine, 0), job.format.size,
                     (char *)job.results +
                         (to + (ptrdiff_t)(k + lane) * job.results_layout.stride) * (ptrdiff_t)job.format.size);
}

/* A warp a stretch, from its limbs, which are zero again afterwards. */
static __global__ void __launch_bounds__(WARP *LIMB_WARPS) scan_limbs(const __grid_constant__ scan_job job) {
    __shared__ quire_accumulator rooms[LIMB_WARPS];
    const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    quire_accumulator *const sum = &rooms[warp];
    if (!job.workspace->undecided) return;
    for (size_t u = blockIdx.x * (size_t)LIMB_WARPS + warp; u < job.vectors * job.limb_stretches;
         u += gridDim.x * (size_t)LIMB_WARPS) {
        const stretch_place p(job, u, job.limb_stretch, job.limb_stretches);
        quire_accumulator *const starts = job.limb_stretches > 1 ? &job.workspace->limbs[u] : NULL;
        set_words(sum, starts, lane, WARP);
        __syncwarp();
        if (starts) set_words(starts, NULL, lane, WARP);
        size_t since_carry = 0;
        for (size_t k = p.first; k < p.last; k += WARP, since_carry += WARP) {
            scan_by_limbs(job, sum, p.vector, k, p.last, lane);
            if (since_carry < CARRY_ELEMENTS) continue;
            if (lane == 0) limbs_carry(sum->limb);
            __syncwarp();
            since_carry = 0;
        }
    }
}

/* ---------------------------------------------------------------------------------------------------------- launches
 */

/* What a launch answers is its own error. */
template <class... Expected, class... Given>
static cudaError_t start(size_t blocks, unsigned threads, cudaStream_t stream, void (*kernel)(Expected...),
                         const Given &...given) {
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)blocks);
    config.blockDim = dim3(threads);
    config.stream = stream;
    return cudaLaunchKernelEx(&config, kernel, Expected(given)...);
}

static cudaError_t start_limbs(const scan_job *job, size_t blocks, cudaStream_t stream) {
    const size_t stretches = job->vectors * job->limb_stretches;
    cudaError_t error = cudaSuccess;
    if (job->limb_stretches > 1) {
        error = start(stretches, SCAN_THREADS, stream, scan_limb_totals, *job);
        if (!error) error = start(job->vectors, SCAN_THREADS, stream, scan_limb_starts, *job);
    }
    const size_t units = (stretches + LIMB_WARPS - 1) / LIMB_WARPS;
    return error ? error : start(units < blocks ? units : blocks, WARP * LIMB_WARPS, stream, scan_limbs, *job);
}

cudaError_t quire_cuda_scan(const scan_job *job, cudaStream_t stream) {
    const size_t units = job->vectors * job->stretches, blocks = units < job->blocks ? units : job->blocks;
    const auto stretches = job->warps == 1 ? scan_stretches<1> : scan_stretches<SCAN_WARPS>;
    cudaError_t error = cudaSuccess;
    if (job->stretches > 1) {
        error = start(blocks, SCAN_THREADS, stream, scan_totals, *job);
        const size_t vectors = job->vectors < job->blocks ? job->vectors : job->blocks;
        if (!error) error = start(vectors, SCAN_THREADS, stream, scan_starts, *job);
    }
    if (!error && job->is_in_place) error = start(blocks, WARP * job->warps, stream, stretches, *job, false);
    if (!error) error = start(blocks, WARP * job->warps, stream, stretches, *job, true);
    if (!error) error = start_limbs(job, job->blocks, stream);
    unsigned *const undecided = &job->workspace->undecided;
    return error ? error : cudaMemsetAsync(undecided, 0, sizeof *undecided, stream);
}

cudaError_t quire_cuda_load_scan() {
    cudaFuncAttributes is;
    cudaError_t error = cudaSuccess;
    for (const void *function : { (const void *)scan_totals, (const void *)scan_starts, (const void *)scan_stretches<1>,
                                  (const void *)scan_stretches<SCAN_WARPS>, (const void *)scan_limb_totals,
                                  (const void *)scan_limb_starts, (const void *)scan_limbs })
        if (!error) error = cudaFuncGetAttributes(&is, function);
    return error;
}
