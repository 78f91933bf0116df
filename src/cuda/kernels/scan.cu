/* scan.cu - running sums on a device, the plain way: totals of stretches, these added up, then each stretch again from
 * where it starts.
 *
 * If any result is not told so, all are found by limbs instead. Where results stand in the place of elements, a first
 * pass over the stretches stores nothing, so that elements are there still if limbs need them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cuda/kernels/calls.cuh"

#include "cuda/block/block_sums.cuh"
#include "cuda/group/row_sum.cuh"
#include "cuda/kernels/scan_limbs.cuh"
#include "cuda/thread/scan_state.cuh"

#define SCAN_BLOCKS_OF_ONE 3 /* blocks that a multiprocessor has room for, */
#define SCAN_WIDE_BLOCKS 2   /* and where results are wide */
#define STARTS_THREADS 1024  /* of a block that adds up totals */

static_assert(sizeof(scan_state) * SCAN_STATES <= sizeof(vectors_workspace::place), "a state for each stretch");

static __device__ __forceinline__ scan_state *states_of(const scan_job &job) {
    return (scan_state *)job.workspace->place;
}

/* ---------------------------------------------------------------------------------------------------------- results */

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

/* ---------------------------------------------------------------------------------------------------------- kernels */

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

/* The total of a stretch of one vector, whose elements stand side by side, in thread 0, as rows are added up; false: it
 * is not finite, and the elements have to be looked at. By a whole block. */
template <class Format>
static __device__ __forceinline__ bool total_of_row(const scan_job &job, const scan_unit &unit, scan_state *to) {
    typedef range_sums<Format, ROW_NUMBERS, long_sum<2>> sums;
    const ptrdiff_t at = vector_offset(job.x.layout, unit.tile.vector) + (ptrdiff_t)unit.tile.first;
    const row_place<Format, false> row = { (const typename Format::element *)job.x.memory + at, NULL };
    const sums all = sum_of_block<SCAN_THREADS>(sum_of_row<sums, GROUPS_LOADS, true>(
        row, unit.last - unit.tile.first, job.magnitude, threadIdx.x, SCAN_THREADS));
    to->clear();
    to->sum = all.numbers;
    return !__syncthreads_or(threadIdx.x == 0 && !double_is_finite(all.numbers.width()));
}

template <class Format>
static __global__ void __launch_bounds__(SCAN_THREADS, SCAN_BLOCKS_OF_ONE)
    scan_totals(const __grid_constant__ scan_job job) {
    extern __shared__ uint4 slots[];
    __shared__ scan_room<SCAN_THREADS / WARP> room;
    unsigned char *const first_slot = (unsigned char *)slots;
    const scan_place place(job);
    const bool is_row = job.threads == SCAN_THREADS && job.x.layout.stride == 1 &&
                        job.rounding != QUIRE_DOWNWARD; /* whose zeros tell */
    for (size_t u = blockIdx.x; u < scan_unit::all(job); u += gridDim.x) {
        scan_unit unit(job, u);
        scan_state mine, all;
        if (is_row && total_of_row<Format>(job, unit, &all)) {
            if (threadIdx.x == 0) *unit.state(job, 0) = all;
            continue;
        }
        mine.clear();
        for (; unit.has_tile(place.room); unit.tile.first += place.room) {
            load_tile(job, unit.tile, first_slot);
            add_slot<Format>(job, slot_at(job, first_slot, threadIdx.x), place.count(unit.tile), &mine);
            __syncthreads();
        }
        states_before(mine, job.threads, room, &all);
        __syncthreads();
        if (place.slot == 0 && place.row < unit.tile.vectors) *unit.state(job, place.row) = all;
    }
}

/* From totals to where stretches start. threads: that share a vector, those of a warp or of a block. */
static __global__ void __launch_bounds__(STARTS_THREADS)
    scan_starts(const __grid_constant__ scan_job job, unsigned threads) {
    __shared__ scan_room<STARTS_THREADS / WARP> room;
    const unsigned rows = STARTS_THREADS / threads, thread = threadIdx.x % threads;
    for (size_t v = blockIdx.x * (size_t)rows + threadIdx.x / threads; v < job.vectors; v += gridDim.x * (size_t)rows) {
        scan_state *const of = states_of(job) + v * job.stretches;
        scan_state start;
        start.clear();
        for (size_t i = thread; i - thread < job.stretches; i += threads) {
            scan_state own, all, now = start;
            own.clear();
            if (i < job.stretches) own = of[i];
            now.merge(states_before(own, threads, room, &all));
            if (i < job.stretches) of[i] = now;
            start.merge(all);
            if (threads > WARP) __syncthreads();
        }
    }
}

/* In place, what is stored has been looked at before: nothing is if limbs will do it all. */
template <class Format, class Prefix>
static __global__ void __launch_bounds__(SCAN_THREADS, (Prefix::is_wide ? SCAN_WIDE_BLOCKS : SCAN_BLOCKS_OF_ONE))
    scan_stretches(const __grid_constant__ scan_job job, bool stores) {
    extern __shared__ uint4 slots[];
    __shared__ scan_room<SCAN_THREADS / WARP> room;
    unsigned char *const first_slot = (unsigned char *)slots, *const slot = slot_at(job, first_slot, threadIdx.x);
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

/* --------------------------------------------------------------------------------------------------------- launches */

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

/* Bytes of shared memory for the slots of a block. */
static unsigned room_of(const scan_job *job) {
    return SCAN_THREADS * job->slot + SCAN_THREADS / job->threads * job->apart;
}

static cudaError_t start_tiles(const scan_job *job, void (*kernel)(scan_job, bool), bool stores, cudaStream_t stream) {
    return start_kernel(job->blocks, SCAN_THREADS, room_of(job), stream, kernel, *job, stores);
}

static cudaError_t start_totals(const scan_job *job, void (*kernel)(scan_job), cudaStream_t stream) {
    const unsigned threads = job->stretches > 4 * WARP ? STARTS_THREADS : WARP, together = STARTS_THREADS / threads;
    const cudaError_t error = start_kernel(job->blocks, SCAN_THREADS, room_of(job), stream, kernel, *job);
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
    cudaError_t error = load_functions({ (const void *)scan_starts, (const void *)scan_limb_totals,
                                         (const void *)scan_limb_starts, (const void *)scan_limbs });
    for (int type = 1; type < FORMAT_NUMBERS && !error; type++) {
        const scan_kernels k = find_kernels((quire_type)type);
        error = load_functions({ (const void *)k.totals, (const void *)k.by_ends, (const void *)k.wide });
    }
    return error;
}
