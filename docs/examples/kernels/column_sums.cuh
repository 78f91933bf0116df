/* column_sums.cuh - gradients of weights: sums over the rows of a batch, one for each column, in float or exact. Blocks
 * share the rows; each leaves a sum for each of its columns, which a second kernel merges. A float sum depends on how
 * rows are shared; an exact one does not. */
#ifndef QUIRE_COLUMN_SUMS_CUH
#define QUIRE_COLUMN_SUMS_CUH

#include "rows.cuh"

/* What the threads of a column of the block have, merged, for the first of them. room: a Sum for each thread. */
template <class Sum> static __device__ Sum merged(const Sum &mine, Sum *room) {
    Sum all = mine;
    room[threadIdx.y * blockDim.x + threadIdx.x] = mine;
    __syncthreads();
    for (unsigned y = 1; threadIdx.y == 0 && y < blockDim.y; y++) all.merge(room[y * blockDim.x + threadIdx.x]);
    __syncthreads();
    return all;
}

/* Sums of neighbouring columns that one thread has; a term gives the factors of row r and some columns. */
template <class Sum, class Term>
static __global__ void __launch_bounds__(1024)
    part_columns(Term term, int rows, int rows_of_block, int columns, Sum *part) {
    constexpr int count = Term::count;
    extern __shared__ double room[];
    Sum mine[count];
    const int column = (blockIdx.x * blockDim.x + threadIdx.x) * count;
    const int end = min(rows, (int)(blockIdx.y + 1) * rows_of_block);
    const bool is_there = column < columns;
    for (int r = blockIdx.y * rows_of_block + threadIdx.y; is_there && r < end; r += blockDim.y)
        term.add(mine, r, column);
    for (int i = 0; i < count; i++) {
        const Sum all = merged(mine[i], (Sum *)room);
        if (threadIdx.y == 0 && is_there) part[(size_t)blockIdx.y * columns + column + i] = all;
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

/* A block has 32 columns; its first warp finishes them. */
template <class Sum, class Term>
static __global__ void __launch_bounds__(1024)
    join_columns(Term term, int rows, int parts, int columns, const Sum *part, float *result) {
    extern __shared__ double room[];
    __shared__ quire::warp_scratch scratch;
    const int column = blockIdx.x * 32 + threadIdx.x;
    const bool is_there = column < columns;
    Sum sum;
    for (int p = threadIdx.y; is_there && p < parts; p += blockDim.y) sum.merge(part[(size_t)p * columns + column]);
    sum = merged(sum, (Sum *)room);
    if (threadIdx.y) return;
    const float all = sum.result(scratch, term, rows, column, is_there);
    if (is_there) result[column] = all;
}

/* Launches both. threads: how many a column has in a block, if all lanes of a warp have columns. */
template <class Sum, class Term>
static void sum_columns(const Term &term, int rows, int columns, int threads, int parts, Sum *part, float *result) {
    const int chunks = (columns + Term::count - 1) / Term::count, width = std::min(32, chunks);
    const int rows_of_block = (rows + parts - 1) / parts, ways = std::min(parts, 32);
    const dim3 grid((chunks + width - 1) / width, parts), block(width, 32 * threads / width);
    part_columns<<<grid, block, width * block.y * sizeof(Sum)>>>(term, rows, rows_of_block, columns, part);
    join_columns<<<(columns + 31) / 32, dim3(32, ways), 32 * ways * sizeof(Sum)>>>(term, rows, parts, columns, part,
                                                                                   result);
}

static const char GRADIENT_LAUNCHES[] =
    "100 rows in batches of 1 to 100, each shared by 8 to 1024 threads; of columns by 48 ways to share the batch";

/* Of 8 numbers of blocks, more of them where columns are few, and of 6 numbers of rows that a block has at a time: the
 * best time, and the results. */
template <class Sum, class Term> static outcome try_columns(const Term &term, int rows, int columns, float *result) {
    outcome o;
    const int more = std::max(1, 1024 / columns);
    device_array<Sum> part((size_t)64 * more * columns);
    for (int parts : { 1, 2, 3, 5, 8, 16, 32, 64 })
        for (int threads : { 1, 2, 4, 8, 16, 32 }) {
            const auto run = [&] { sum_columns<Sum>(term, rows, columns, threads, parts * more, part, result); };
            if (parts >= 8 && threads >= 4) o.best = std::min(o.best, time_of(run));
            forget(result, columns);
            run();
            must(cudaGetLastError(), "sum_columns");
            o.results.insert(bits_of(result, columns));
        }
    return o;
}

#endif
