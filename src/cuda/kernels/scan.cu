/* scan.cu - running sums on a device, the plain way: totals of stretches, these added up, then each stretch again from
 * where it starts.
 *
 * If any result is not told so, all are found by limbs instead. Where results stand in the place of elements, a first
 * pass over the stretches stores nothing, so that elements are there still if limbs need them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cuda/kernels/scan.cuh"

#include "cuda/kernels/launch.cuh"
#include "cuda/kernels/scan_tile.cuh"
#include "cuda/thread/any_element.cuh"
#include "cuda/thread/atomic_limbs.cuh"
#include "cuda/thread/scan_state.cuh"
#include "cuda/warp/total.cuh"

#define SCAN_BLOCKS_OF_ONE 3 /* blocks that a multiprocessor has room for, */
#define SCAN_WIDE_BLOCKS 2   /* and where results are wide */
#define STARTS_THREADS 1024  /* of a block that adds up totals */
#define LIMB_WARPS 4         /* of a block, of which each has limbs in shared memory */

static_assert(sizeof(scan_state) * SCAN_STATES <= sizeof(vectors_workspace::place), "a state for each stretch");

static __device__ __forceinline__ scan_state *states_of(const scan_job &job) {
    return (scan_state *)job.workspace->place;
}

/* ----------------------------------------------------------------------------------------------------------- results
 */

/* A thread's results where it takes more than a few instructions to tell them; false: one is not told. */
template <class Format>
static __device__ __noinline__ bool settle_slot(const scan_job &job, unsigned char *slot, scan_state now,
                                                unsigned count, bool is_first) {
    double value[SCAN_ITEMS];
    uint64_t bits[SCAN_ITEMS] = {};
    bool is_told = true;
    load_slot<Format>(job, slot, count, value);
    for (unsigned i = 0; i < count; i++) {
        if (!job.exclusive) now.add(value[i]);
        if (!(job.exclusive && is_first && i == 0)) is_told &= round_state(job, now, &bits[i]);
        if (job.exclusive) now.add(value[i]);
    }
    store_slot(job, slot, bits);
    return is_told;
}

/* The same, to nearest, by a few instructions each, if these tell all of them: else nothing is stored. */
template <class Format, class Prefix, int PRECISION>
static __device__ __forceinline__ bool sum_quickly(const scan_job &job, unsigned char *slot, const scan_state &now,
                                                   unsigned count, bool is_first) {
    double value[SCAN_ITEMS]; /* once more: registers would not hold them */
    typename Prefix::result before = 0, bits[SCAN_ITEMS];
    Prefix sum(now.sum);
    bool is_told = true;
    load_slot<Format>(job, slot, count, value);
    if (job.exclusive && !is_first) is_told = sum.template round<PRECISION>(&before);
#pragma unroll
    for (int i = 0; i < SCAN_ITEMS; i++) {
        sum.add(value[i]);
        is_told &= sum.template round<PRECISION>(&bits[i]);
    }
    if (!is_told) return false;
    if (job.exclusive) {
#pragma unroll
        for (int i = SCAN_ITEMS - 1; i > 0; i--) bits[i] = bits[i - 1];
        bits[0] = before;
    }
    store_slot(job, slot, bits);
    return true;
}

/* A thread's results in the place of its elements. now: the sum of all elements before them. is_first: there are none,
 * and their sum is +0. */
template <class Format, class Prefix>
static __device__ __forceinline__ bool sum_slot(const scan_job &job, unsigned char *slot, const scan_state &now,
                                                unsigned count, bool is_first) {
    bool is_told = false;
    const int precision = job.rounding == QUIRE_TO_NEAREST && !now.is_special() ? job.format.precision : 0;
    if constexpr (std::is_same_v<Prefix, wide_prefix>) /* ends are for results of fewer bits */
        if (precision == 53) is_told = sum_quickly<Format, Prefix, 53>(job, slot, now, count, is_first);
    if (precision == 24) is_told = sum_quickly<Format, Prefix, 24>(job, slot, now, count, is_first);
    if (precision == 11) is_told = sum_quickly<Format, Prefix, 11>(job, slot, now, count, is_first);
    if (precision == 8) is_told = sum_quickly<Format, Prefix, 8>(job, slot, now, count, is_first);
    return is_told || settle_slot<Format>(job, slot, now, count, is_first);
}

/* ----------------------------------------------------------------------------------------------------------- kernels
 */

template <class Format>
static __device__ __forceinline__ void add_slot(const scan_job &job, const unsigned char *slot, unsigned count,
                                                scan_state *to) {
    double value[SCAN_ITEMS];
    load_slot<Format>(job, slot, count, value);
    to->add_all(value, job.rounding == QUIRE_DOWNWARD);
}

/* Where a thread stands: its vector among those of the block, and its slot among those of the vector. */
struct scan_place {
    unsigned row, slot, room; /* elements of a vector that a tile has room for */

    __device__ __forceinline__ scan_place(const scan_job &job)
        : row(threadIdx.x / job.threads), slot(threadIdx.x % job.threads), room(SCAN_ITEMS * job.threads) {}
    /* How many elements of a tile the thread has. */
    __device__ __forceinline__ unsigned count(const scan_tile &tile) const {
        const unsigned before = slot * SCAN_ITEMS;
        return row < tile.vectors && before < tile.n ? min(tile.n - before, (unsigned)SCAN_ITEMS) : 0;
    }
};

/* Unit number u: a stretch of some neighbouring vectors, from its first tile on. */
struct scan_unit {
    scan_tile tile;
    size_t stretch, last;

    static __device__ __forceinline__ size_t all(const scan_job &job) {
        const unsigned rows = SCAN_THREADS / job.threads;
        return (job.vectors + rows - 1) / rows * job.stretches;
    }
    __device__ __forceinline__ scan_unit(const scan_job &job, size_t u) {
        const unsigned rows = SCAN_THREADS / job.threads;
        tile.vector = u / job.stretches * rows, tile.vectors = (unsigned)min(job.vectors - tile.vector, (size_t)rows);
        stretch = u % job.stretches;
        tile.first = stretch * job.stretch, last = min(tile.first + job.stretch, job.x.layout.n);
    }
    /* The state of a row. */
    __device__ __forceinline__ scan_state *state(const scan_job &job, unsigned row) const {
        return states_of(job) + (tile.vector + row) * job.stretches + stretch;
    }
    /* Whether there is another tile, which it is then. */
    __device__ __forceinline__ bool has_tile(unsigned room) {
        tile.n = tile.first < last ? (unsigned)min(last - tile.first, (size_t)room) : 0;
        return tile.n > 0;
    }
};

template <class Format>
static __global__ void __launch_bounds__(SCAN_THREADS, SCAN_BLOCKS_OF_ONE)
    scan_totals(const __grid_constant__ scan_job job) {
    extern __shared__ uint4 slots[];
    __shared__ scan_room<SCAN_THREADS / WARP> room;
    unsigned char *const first_slot = (unsigned char *)slots;
    const scan_place place(job);
    for (size_t u = blockIdx.x; u < scan_unit::all(job); u += gridDim.x) {
        scan_unit unit(job, u);
        scan_state mine, all;
        mine.clear();
        for (; unit.has_tile(place.room); unit.tile.first += place.room) {
            load_tile(job, unit.tile, first_slot);
            add_slot<Format>(job, first_slot + threadIdx.x * job.slot, place.count(unit.tile), &mine);
            __syncthreads();
        }
        states_before(mine, job.threads, room, &all);
        if (place.slot == 0 && place.row < unit.tile.vectors) *unit.state(job, place.row) = all;
    }
}

/* From totals to where stretches start. threads: that share a vector, those of a warp or of a block. */
static __global__ void __launch_bounds__(STARTS_THREADS)
    scan_starts(const __grid_constant__ scan_job job, unsigned threads) {
    __shared__ scan_room<STARTS_THREADS / WARP> room;
    const unsigned rows = STARTS_THREADS / threads, thread = threadIdx.x % threads;
    const size_t share = (job.stretches + threads - 1) / threads;
    const size_t first = min(thread * share, job.stretches), last = min(first + share, job.stretches);
    for (size_t v = blockIdx.x * (size_t)rows + threadIdx.x / threads; v < job.vectors; v += gridDim.x * (size_t)rows) {
        scan_state *const of = states_of(job) + v * job.stretches;
        scan_state mine, all;
        mine.clear();
        for (size_t i = first; i < last; i++) mine.merge(of[i]);
        scan_state now = states_before(mine, threads, room, &all);
        for (size_t i = first; i < last; i++) {
            const scan_state total = of[i];
            of[i] = now;
            now.merge(total);
        }
    }
}

/* In place, what is stored has been looked at before: nothing is if limbs will do it all. */
template <class Format, class Prefix>
static __global__ void __launch_bounds__(SCAN_THREADS, (Prefix::is_wide ? SCAN_WIDE_BLOCKS : SCAN_BLOCKS_OF_ONE))
    scan_stretches(const __grid_constant__ scan_job job, bool stores) {
    extern __shared__ uint4 slots[];
    __shared__ scan_room<SCAN_THREADS / WARP> room;
    unsigned char *const first_slot = (unsigned char *)slots, *const slot = first_slot + threadIdx.x * job.slot;
    const scan_place place(job);
    bool is_told = true;
    if (job.is_in_place && stores && job.workspace->undecided) return;
    for (size_t u = blockIdx.x; u < scan_unit::all(job); u += gridDim.x) {
        scan_unit unit(job, u);
        scan_state start;
        start.clear();
        if (job.stretches > 1 && place.row < unit.tile.vectors) start = *unit.state(job, place.row);
        for (; unit.has_tile(place.room); unit.tile.first += place.room) {
            const unsigned count = place.count(unit.tile);
            scan_state own, all, now = start;
            load_tile(job, unit.tile, first_slot);
            own.clear();
            add_slot<Format>(job, slot, count, &own);
            now.merge(states_before(own, job.threads, room, &all));
            start.merge(all);
            if (count) is_told &= sum_slot<Format, Prefix>(job, slot, now, count, unit.tile.first + place.slot == 0);
            if (stores)
                store_tile(job, unit.tile, first_slot);
            else
                __syncthreads();
        }
    }
    if (!is_told) *(volatile unsigned *)&job.workspace->undecided = 1;
}

/* ------------------------------------------------------------------------------------------------------------- limbs
 */

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

/* ---------------------------------------------------------------------------------------------------------- launches
 */

static cudaError_t start_limbs(const scan_job *job, cudaStream_t stream) {
    const size_t stretches = job->vectors * job->limb_stretches;
    cudaError_t error = cudaSuccess;
    if (job->limb_stretches > 1) {
        error = start_kernel(stretches, SCAN_THREADS, 0, stream, scan_limb_totals, *job);
        if (!error) error = start_kernel(job->vectors, SCAN_THREADS, 0, stream, scan_limb_starts, *job);
    }
    const size_t units = (stretches + LIMB_WARPS - 1) / LIMB_WARPS;
    return error ? error
                 : start_kernel(units < job->blocks ? units : job->blocks, WARP * LIMB_WARPS, 0, stream, scan_limbs,
                                *job);
}

/* The kernels of a format; those of two ends: none for doubles. */
struct scan_kernels {
    void (*totals)(scan_job);
    void (*by_ends)(scan_job, bool);
    void (*wide)(scan_job, bool);
};

template <class Format> static scan_kernels kernels_of() {
    if constexpr (Format::description.precision > 24)
        return { scan_totals<Format>, NULL, scan_stretches<Format, wide_prefix> };
    else
        return { scan_totals<Format>, scan_stretches<Format, ends_prefix>, scan_stretches<Format, wide_prefix> };
}

static scan_kernels find_kernels(quire_type type) {
#define FIND(name, NAME, number, real, unused)                                                                         \
    case number: return kernels_of<name##_format>();
    switch ((int)type) { QUIRE_FORMATS(FIND, ) }
#undef FIND
    return {};
}

static cudaError_t start_tiles(const scan_job *job, void (*kernel)(scan_job, bool), bool stores, cudaStream_t stream) {
    return start_kernel(job->blocks, SCAN_THREADS, SCAN_THREADS * job->slot, stream, kernel, *job, stores);
}

static cudaError_t start_totals(const scan_job *job, void (*kernel)(scan_job), cudaStream_t stream) {
    const unsigned threads = job->stretches > 4 * WARP ? STARTS_THREADS : WARP, together = STARTS_THREADS / threads;
    const cudaError_t error = start_kernel(job->blocks, SCAN_THREADS, SCAN_THREADS * job->slot, stream, kernel, *job);
    return error ? error
                 : start_kernel((job->vectors + together - 1) / together, STARTS_THREADS, 0, stream, scan_starts, *job,
                                threads);
}

cudaError_t quire_cuda_scan(const scan_job *job, cudaStream_t stream) {
    const scan_kernels k = find_kernels(job->type);
    const auto stretches = job->has_ends ? k.by_ends : k.wide;
    cudaError_t error = job->stretches > 1 ? start_totals(job, k.totals, stream) : cudaSuccess;
    if (!error && job->is_in_place) error = start_tiles(job, stretches, false, stream);
    if (!error) error = start_tiles(job, stretches, true, stream);
    if (!error) error = start_limbs(job, stream);
    unsigned *const undecided = &job->workspace->undecided;
    return error ? error : cudaMemsetAsync(undecided, 0, sizeof *undecided, stream);
}

cudaError_t quire_cuda_load_scan() {
    cudaFuncAttributes is;
    cudaError_t error = cudaSuccess;
    for (const void *function : { (const void *)scan_starts, (const void *)scan_limb_totals,
                                  (const void *)scan_limb_starts, (const void *)scan_limbs })
        if (!error) error = cudaFuncGetAttributes(&is, function);
    for (int type = 1; type < FORMAT_NUMBERS; type++) {
        const scan_kernels k = find_kernels((quire_type)type);
        for (const void *function : { (const void *)k.totals, (const void *)k.by_ends, (const void *)k.wide })
            if (!error && function) error = cudaFuncGetAttributes(&is, function);
    }
    return error;
}
