/* keys.cu - rows in the order of their groups, and their elements in that order. The sort is CUB's, by radix: stable,
 * without waiting, and in memory that is given to it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cuda/kernels/calls.cuh"

#define CCCL_DISABLE_NVTX /* or every call looks for a profiler */
#define NVTX_DISABLE
#include <cub/device/device_radix_sort.cuh>

#include "workspace.h"

#define KEYS_THREADS 256
#define KEYS_BLOCKS 4096 /* at most: more than these have threads for is taken in turns */
#define TILE 32          /* rows, and columns, that a block gathers at a time */

static __device__ __forceinline__ size_t thread_of_grid() { return blockIdx.x * (size_t)blockDim.x + threadIdx.x; }
static __device__ __forceinline__ size_t threads_of_grid() { return gridDim.x * (size_t)blockDim.x; }

/* Blocks for so many things, each of which a thread has at a time; 0: nothing to do. */
static unsigned blocks_for(size_t count) {
    const size_t blocks = count / KEYS_THREADS + (count % KEYS_THREADS != 0);
    return (unsigned)(blocks < KEYS_BLOCKS ? blocks : KEYS_BLOCKS);
}

template <class... Expected, class... Given>
static cudaError_t start(unsigned blocks, cudaStream_t stream, void (*kernel)(Expected...), const Given &...given) {
    return start_kernel(blocks, KEYS_THREADS, 0, stream, kernel, given...);
}

/* Calls use(it), "it" of the type of a sort's groups and rows; of an index; of elements of so many bytes. */
template <class Use> static cudaError_t with_number(bool is_wide, Use use) {
    return is_wide ? use(uint64_t()) : use(uint32_t());
}
template <class Use> static cudaError_t with_index(quire_index index, Use use) {
    return index == QUIRE_I64 ? use(int64_t()) : use(int32_t());
}
template <class Use> static cudaError_t with_element(size_t size, Use use) {
    switch (size) {
    case 1: return use(uint8_t());
    case 2: return use(uint16_t());
    case 4: return use(uint32_t());
    default: return use(uint64_t());
    }
}

static int bits_of(size_t number) {
    int bits = 1;
    while (bits < 64 && number >> bits) bits++;
    return bits;
}

/* ---------------------------------------------------------------------------------------------------------- sorting */

/* row: NULL if no numbers of rows are wanted. */
template <class Key, class Number>
static __global__ void __launch_bounds__(KEYS_THREADS)
    number_rows(const Key *keys, size_t n, size_t groups, Number *group, Number *row) {
    for (size_t i = thread_of_grid(); i < n; i += threads_of_grid()) {
        const uint64_t key = (uint64_t)(int64_t)keys[i];
        group[i] = (Number)(key < groups ? key : groups);
        if (row) row[i] = (Number)i;
    }
}

template <class Number> static cudaError_t start_numbers(const key_sort *s, Number *row, cudaStream_t stream) {
    const size_t n = s->keys.n;
    return with_index(s->keys.index, [&](auto key) {
        typedef decltype(key) Key;
        return start(blocks_for(n), stream, number_rows<Key, Number>, (const Key *)s->keys.keys, n, s->keys.groups,
                     (Number *)s->groups, row);
    });
}

/* One call of CUB's, of numbers of groups and what goes with them; temporary NULL: it says how many bytes it needs. CUB
 * would take an earlier error of the caller's for its own: that is forgotten, unless it stays. */
template <class Number, class Payload>
static cudaError_t sort_pairs(const key_sort *s, const void *from, void *to, size_t *bytes, cudaStream_t stream) {
    cudaGetLastError();
    return cub::DeviceRadixSort::SortPairs(s->temporary, *bytes, (const Number *)s->groups, (Number *)s->sorted_groups,
                                           (const Payload *)from, (Payload *)to, s->keys.n, 0, bits_of(s->keys.groups),
                                           stream);
}

static cudaError_t sort_elements(const key_sort *s, const void *x, size_t size, void *to, size_t *bytes,
                                 cudaStream_t stream) {
    return with_element(size,
                        [&](auto element) { return sort_pairs<uint32_t, decltype(element)>(s, x, to, bytes, stream); });
}

cudaError_t quire_cuda_sort_bytes(const quire_keys *keys, size_t element, size_t *bytes) {
    key_sort s = {};
    size_t of_rows = 0, of_elements = 0;
    s.keys = *keys;
    cudaError_t error = with_number(key_sort_is_wide(keys), [&](auto number) {
        return sort_pairs<decltype(number), decltype(number)>(&s, NULL, NULL, &of_rows, NULL);
    });
    if (!error && !key_sort_is_wide(keys)) error = sort_elements(&s, NULL, element, NULL, &of_elements, NULL);
    *bytes = of_rows > of_elements ? of_rows : of_elements;
    return error;
}

cudaError_t quire_cuda_sort(const key_sort *sort, cudaStream_t stream) {
    if (!sort->keys.n) return cudaSuccess;
    return with_number(sort->is_wide, [&](auto number) {
        typedef decltype(number) Number;
        size_t bytes = sort->temporary_bytes;
        const cudaError_t error = start_numbers(sort, (Number *)sort->rows, stream);
        return error ? error : sort_pairs<Number, Number>(sort, sort->rows, sort->sorted_rows, &bytes, stream);
    });
}

cudaError_t quire_cuda_sort_elements(const key_sort *sort, const void *x, size_t size, void *to, cudaStream_t stream) {
    size_t bytes = sort->temporary_bytes;
    if (!sort->keys.n) return cudaSuccess;
    const cudaError_t error = start_numbers(sort, (uint32_t *)NULL, stream);
    return error ? error : sort_elements(sort, x, size, to, &bytes, stream);
}

/* The first row of each group, found by halving: as long for a group of many rows as for an empty one. */
template <class Number, class Index>
static __global__ void __launch_bounds__(KEYS_THREADS)
    find_offsets(const Number *sorted, size_t n, size_t groups, Index *offsets) {
    for (size_t g = thread_of_grid(); g <= groups; g += threads_of_grid()) {
        size_t first = 0, count = n;
        while (count) {
            const size_t half = count / 2;
            const bool is_below = sorted[first + half] < g;
            if (is_below) first += half + 1;
            count = is_below ? count - half - 1 : half;
        }
        offsets[g] = (Index)first;
    }
}

cudaError_t quire_cuda_offsets(const key_sort *sort, quire_index index, void *offsets, cudaStream_t stream) {
    const size_t n = sort->keys.n, groups = sort->keys.groups;
    return with_number(sort->is_wide, [&](auto number) {
        const auto *sorted = (const decltype(number) *)sort->sorted_groups;
        return with_index(index, [&](auto of) {
            typedef decltype(of) Index;
            return start(blocks_for(groups + 1), stream, find_offsets<decltype(number), Index>, sorted, n, groups,
                         (Index *)offsets);
        });
    });
}

template <class Number, class Index>
static __global__ void __launch_bounds__(KEYS_THREADS) copy_rows(const Number *rows, size_t n, Index *order) {
    for (size_t i = thread_of_grid(); i < n; i += threads_of_grid()) order[i] = (Index)rows[i];
}

cudaError_t quire_cuda_order(const key_sort *sort, quire_index index, void *order, cudaStream_t stream) {
    const size_t n = sort->keys.n;
    if (!n) return cudaSuccess;
    return with_number(sort->is_wide, [&](auto number) {
        const auto *rows = (const decltype(number) *)sort->sorted_rows;
        return with_index(index, [&](auto of) {
            typedef decltype(of) Index;
            return start(blocks_for(n), stream, copy_rows<decltype(number), Index>, rows, n, (Index *)order);
        });
    });
}

static __global__ void __launch_bounds__(KEYS_THREADS)
    count_groups(const int64_t *offsets, size_t groups, int64_t *counts) {
    for (size_t g = thread_of_grid(); g < groups; g += threads_of_grid()) counts[g] = offsets[g + 1] - offsets[g];
}

cudaError_t quire_cuda_counts(const int64_t *offsets, size_t groups, int64_t *counts, cudaStream_t stream) {
    return start(blocks_for(groups), stream, count_groups, offsets, groups, counts);
}

/* -------------------------------------------------------------------------------------------------------- gathering */

/* Of one column. */
template <class Number, class Element>
static __global__ void __launch_bounds__(KEYS_THREADS)
    gather_column(const Number *rows, const quire_layout l, const Element *x, Element *to) {
    const size_t all = l.outer * l.n;
    for (size_t i = thread_of_grid(); i < all; i += threads_of_grid()) {
        const size_t vector = l.outer > 1 ? i / l.n : 0, row = i - vector * l.n; /* divisions are slow */
        to[i] = x[(ptrdiff_t)vector * l.outer_stride + (ptrdiff_t)rows[row] * l.stride];
    }
}

/* Of many: a square of rows and columns at a time, which is read along the rows and written along the columns. */
template <class Number, class Element>
static __global__ void __launch_bounds__(KEYS_THREADS)
    gather_columns(const Number *rows, const quire_layout l, const Element *x, Element *to) {
    __shared__ Element square[TILE][TILE + 1];
    const size_t down = (l.n + TILE - 1) / TILE, across = (l.inner + TILE - 1) / TILE;
    const unsigned lane = threadIdx.x % TILE, line = threadIdx.x / TILE;
    for (size_t t = blockIdx.x; t < l.outer * down * across; t += gridDim.x) {
        const size_t i = t / across / down, row = t / across % down * TILE, column = t % across * TILE;
        for (unsigned r = line; r < TILE; r += KEYS_THREADS / TILE)
            if (row + r < l.n && column + lane < l.inner)
                square[r][lane] = x[(ptrdiff_t)i * l.outer_stride + (ptrdiff_t)rows[row + r] * l.stride +
                                    (ptrdiff_t)(column + lane) * l.inner_stride];
        __syncthreads();
        for (unsigned c = line; c < TILE; c += KEYS_THREADS / TILE)
            if (row + lane < l.n && column + c < l.inner)
                to[(i * l.inner + column + c) * l.n + row + lane] = square[lane][c];
        __syncthreads();
    }
}

cudaError_t quire_cuda_gather(const key_sort *sort, const quire_layout *layout, const void *x, size_t size, void *to,
                              cudaStream_t stream) {
    const size_t all = layout->outer * layout->n * layout->inner;
    if (!layout->outer || !layout->n || !layout->inner) return cudaSuccess;
    return with_number(sort->is_wide, [&](auto number) {
        return with_element(size, [&](auto element) {
            typedef decltype(number) Number;
            typedef decltype(element) Element;
            const auto kernel = layout->inner == 1 ? gather_column<Number, Element> : gather_columns<Number, Element>;
            return start(blocks_for(all), stream, kernel, (const Number *)sort->sorted_rows, *layout,
                         (const Element *)x, (Element *)to);
        });
    });
}

static __global__ void __launch_bounds__(KEYS_THREADS)
    find_segments(const int64_t *offsets, size_t groups, const quire_layout l, int64_t *begin, int64_t *end) {
    const size_t all = l.outer * groups * l.inner;
    for (size_t v = thread_of_grid(); v < all; v += threads_of_grid()) {
        const size_t j = v % l.inner, g = v / l.inner % groups, i = v / l.inner / groups;
        const int64_t at = (int64_t)((i * l.inner + j) * l.n);
        begin[v] = at + offsets[g];
        end[v] = at + offsets[g + 1];
    }
}

cudaError_t quire_cuda_group_segments(const int64_t *offsets, size_t groups, const quire_layout *layout, int64_t *begin,
                                      int64_t *end, cudaStream_t stream) {
    return start(blocks_for(layout->outer * groups * layout->inner), stream, find_segments, offsets, groups, *layout,
                 begin, end);
}

/* ---------------------------------------------------------------------------------------------------------- loading */

static cudaError_t load_numbers(bool is_wide) {
    return with_number(is_wide, [&](auto number) {
        typedef decltype(number) Number;
        cudaError_t error =
            load_functions({ (const void *)number_rows<int32_t, Number>, (const void *)number_rows<int64_t, Number>,
                             (const void *)find_offsets<Number, int32_t>, (const void *)find_offsets<Number, int64_t>,
                             (const void *)copy_rows<Number, int32_t>, (const void *)copy_rows<Number, int64_t> });
        for (size_t size = 1; size <= sizeof(uint64_t) && !error; size *= 2)
            error = with_element(size, [&](auto element) {
                typedef decltype(element) Element;
                return load_functions(
                    { (const void *)gather_column<Number, Element>, (const void *)gather_columns<Number, Element> });
            });
        return error;
    });
}

/* CUB's own kernels have no names here: they are loaded by sorts, of few numbers and of many, of whatever is in the
 * scratch memory. */
template <class Number, class Payload> static cudaError_t load_sorts(void *scratch, size_t bytes, cudaStream_t stream) {
    cudaError_t error = cudaSuccess;
    for (size_t n = 1; n <= (1 << 14) && !error; n <<= 14) {
        key_sort s = {};
        size_t at = 0;
        char *const room = (char *)scratch;
        s.keys.n = n, s.keys.groups = 1;
        s.groups = room;
        workspace_add(&at, n, sizeof(Number));
        s.sorted_groups = room + at;
        workspace_add(&at, n, sizeof(Number));
        void *const from = room + at;
        workspace_add(&at, n, sizeof(Payload));
        void *const to = room + at;
        workspace_add(&at, n, sizeof(Payload));
        error = sort_pairs<Number, Payload>(&s, from, to, &s.temporary_bytes, stream);
        s.temporary = room + at;
        if (!error && s.temporary_bytes <= bytes - at)
            error = sort_pairs<Number, Payload>(&s, from, to, &s.temporary_bytes, stream);
    }
    return error;
}

cudaError_t quire_cuda_load_keys(void *scratch, size_t bytes, cudaStream_t stream) {
    cudaError_t error = load_functions({ (const void *)count_groups, (const void *)find_segments });
    if (!error) error = load_numbers(false);
    if (!error) error = load_numbers(true);
    for (size_t size = 1; size <= sizeof(uint64_t) && !error; size *= 2)
        error = with_element(
            size, [&](auto element) { return load_sorts<uint32_t, decltype(element)>(scratch, bytes, stream); });
    return error ? error : load_sorts<uint64_t, uint64_t>(scratch, bytes, stream);
}
