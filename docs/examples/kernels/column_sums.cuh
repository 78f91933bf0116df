/* column_sums.cuh - gradients of weights: sums over the rows of a batch, one for each column, in float or exact. Blocks
 * share the rows; each leaves a sum for each of its columns, which a second kernel merges. A float sum depends on how
 * rows are shared; an exact one does not. */
#ifndef QUIRE_COLUMN_SUMS_CUH
#define QUIRE_COLUMN_SUMS_CUH

#include "norm_rows.cuh"

/* Sums of neighbouring columns that one thread has; a term gives the factors of row r and some columns. */
template <class Sum, class Term>
static __global__ void __launch_bounds__(1024)
    part_columns(Term term, int rows, int rows_of_block, int columns, Sum *part) {
    constexpr int count = Term::count;
    extern __shared__ unsigned char room[]; /* a Sum for each thread, of one of its columns at a time */
    Sum *sums = (Sum *)room, mine[count];
    const int column = (blockIdx.x * 32 + threadIdx.x) * count, end = min(rows, (int)(blockIdx.y + 1) * rows_of_block);
    const bool is_there = column < columns;
    for (int r = blockIdx.y * rows_of_block + threadIdx.y; is_there && r < end; r += blockDim.y)
        term.add(mine, r, column);
    for (int i = 0; i < count; i++) {
        sums[threadIdx.y * 32 + threadIdx.x] = mine[i];
        __syncthreads();
        for (int y = 1; threadIdx.y == 0 && y < (int)blockDim.y; y++) mine[i].merge(sums[y * 32 + threadIdx.x]);
        __syncthreads();
        if (threadIdx.y == 0 && is_there) part[(size_t)blockIdx.y * columns + column + i] = mine[i];
    }
}

struct float_column {
    float sum = 0;
    __device__ void add(float x) { sum += x; }
    __device__ void add_product(float x, float y) { sum += x * y; }
    __device__ void merge(const float_column &other) { sum += other.sum; }
    template <class Term> __device__ float result(quire::warp_scratch &, const Term &, int, int, bool) const {
        return sum;
    }
};

/* What two ends do not tell, the warp sums again, column by column. */
struct exact_column : quire::exact<float> {
    template <class Term>
    __device__ float result(quire::warp_scratch &scratch, const Term &term, int rows, int column, bool is_there) const {
        float sum = 0;
        for (unsigned open = __ballot_sync(0xffffffffu, is_there && !value(&sum)); open; open &= open - 1) {
            const int lane = __ffs((int)open) - 1, c = __shfl_sync(0xffffffffu, column, lane);
            const float again = quire::warp_dot<float>(
                scratch, rows, [=](size_t r) { return term.x(r, c); }, [=](size_t r) { return term.y(r, c); });
            if ((int)threadIdx.x == lane) sum = again;
        }
        return sum;
    }
};

template <class Sum, class Term>
static __global__ void __launch_bounds__(32)
    join_columns(Term term, int rows, int parts, int columns, const Sum *part, float *result) {
    __shared__ quire::warp_scratch scratch;
    const int column = blockIdx.x * 32 + threadIdx.x;
    const bool is_there = column < columns;
    Sum sum;
    for (int p = 0; is_there && p < parts; p++) sum.merge(part[(size_t)p * columns + column]);
    const float all = sum.result(scratch, term, rows, column, is_there);
    if (is_there) result[column] = all;
}

/* Launches both; threads: rows that a block has at a time. part has room for 64 sums of each column. */
template <class Sum, class Term>
static void sum_columns(const Term &term, int rows, int columns, int threads, int parts, void *part, float *result) {
    const int chunks = (columns + Term::count - 1) / Term::count, rows_of_block = (rows + parts - 1) / parts;
    const dim3 grid((chunks + 31) / 32, parts), block(32, threads);
    part_columns<Sum><<<grid, block, 32 * threads * sizeof(Sum)>>>(term, rows, rows_of_block, columns, (Sum *)part);
    join_columns<Sum><<<(columns + 31) / 32, 32>>>(term, rows, parts, columns, (const Sum *)part, result);
}

/* Over 1 to 64 blocks a column and 1 to 32 rows a block at a time: the best time, and the results. */
template <class Sum, class Term>
static outcome try_columns(const Term &term, int rows, int columns, void *part, float *result) {
    outcome o;
    for (int parts : { 1, 2, 3, 5, 8, 16, 32, 64 })
        for (int threads : { 1, 2, 4, 8, 16, 32 }) {
            const auto run = [&] { sum_columns<Sum>(term, rows, columns, threads, parts, part, result); };
            if (parts >= 8 && threads >= 4)
                o.best = std::min(o.best, time_of(run));
            else
                run();
            must(cudaGetLastError(), "sum_columns");
            o.results.insert(bits_of(result, columns));
        }
    return o;
}

#endif
