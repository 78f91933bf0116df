/* scan_limbs.cuh - running sums by limbs, which hold all bits, where a first pass has not told all results: totals of
 * stretches, these added up, then each stretch again from where it starts. Else these kernels end at once.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_KERNELS_SCAN_LIMBS_CUH
#define QUIRE_CUDA_KERNELS_SCAN_LIMBS_CUH

#include "cuda/kernels/scan_tile.cuh"
#include "cuda/thread/atomic_limbs.cuh"
#include "cuda/thread/elements.cuh"
#include "cuda/thread/scan_state.cuh"
#include "cuda/warp/total.cuh"

#define LIMB_WARPS 4 /* of a block, of which each has limbs in shared memory */

/* Where stretch number u stands. */
struct limb_stretch {
    size_t vector, first, last;
    __device__ __forceinline__ limb_stretch(const scan_job &job, size_t u)
        : vector(u / job.limb_stretches), first(u % job.limb_stretches * job.limb_stretch),
          last(min(first + job.limb_stretch, job.x.layout.n)) {}
};

/* Element k of a vector. */
static __device__ __forceinline__ double term_at(const scan_job &job, size_t vector, size_t k) {
    const ptrdiff_t at = vector_offset(job.x.layout, vector) + (ptrdiff_t)k * job.x.layout.stride;
    const double term = number_of_bits(job.type, bits_at(job.x.memory, job.x.log_size, at));
    return job.magnitude ? abs_f64(term) : term;
}

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
    const limb_stretch p(job, u);
    set_words(&sum, NULL, threadIdx.x, SCAN_THREADS);
    __syncthreads();
    for (size_t from = p.first; from < p.last; from += ATOMIC_TERMS) {
        const size_t to = min(from + ATOMIC_TERMS, p.last);
        for (size_t k = from + threadIdx.x; k < to; k += SCAN_THREADS)
            atomic_add_number(&sum, term_at(job, p.vector, k));
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
    const quire_layout &l = job.results.layout;
    const ptrdiff_t to = vector_offset(l, vector) + (ptrdiff_t)(k + lane) * l.stride;
    const double value = k + lane < last ? term_at(job, vector, k + lane) : -0.0;
    quire_total mine = total_zero(0);
    for (unsigned i = 0; i < WARP && k + i < last; i++) {
        const double term = __shfl_sync(WHOLE_WARP, value, (int)i);
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
        format_store(round_total(job, mine, 0), job.format.size, job.results.memory + to * (ptrdiff_t)job.format.size);
}

/* A warp a stretch, from its limbs, which are zero again afterwards. */
static __global__ void __launch_bounds__(WARP *LIMB_WARPS) scan_limbs(const __grid_constant__ scan_job job) {
    __shared__ quire_accumulator rooms[LIMB_WARPS];
    const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    quire_accumulator *const sum = &rooms[warp];
    if (!job.workspace->undecided) return;
    for (size_t u = blockIdx.x * (size_t)LIMB_WARPS + warp; u < job.vectors * job.limb_stretches;
         u += gridDim.x * (size_t)LIMB_WARPS) {
        const limb_stretch p(job, u);
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

#endif
