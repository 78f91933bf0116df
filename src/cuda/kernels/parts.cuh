/* parts.cuh - vectors that a first kernel has cut. Their parts' totals are brought together; where these do not tell a
 * result, it is marked, and its parts are summed again: doubles in a scale (warp/scaled_sum.cuh); and if that does not
 * tell it either, all bits, in limbs. marked.cuh then has the results.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_KERNELS_PARTS_CUH
#define QUIRE_CUDA_KERNELS_PARTS_CUH

#include "cuda/kernels/marked.cuh"

/* A part of a vector, added to limbs of the workspace, at once. Few of its elements may be what no doubles hold. */
#define LEARNT_ELEMENTS ((size_t)2048)

template <class Format, bool PRODUCT>
static __device__ __noinline__ void add_to_limbs(const vectors_job &job, warp_cells &cells,
                                                 const vector_pair<Format> &at, size_t begin, size_t end,
                                                 quire_accumulator *to, int lane) {
    cells.clear(lane);
    for (size_t from = begin; from < end; from += LEARNT_ELEMENTS) {
        const size_t to_end = min(from + LEARNT_ELEMENTS, end);
        const vector_total t = warp_total_of_elements<Format, PRODUCT>(job, at, from, to_end, lane);
        add_range<Format, PRODUCT>(job, cells, at, from, to_end, t, lane);
    }
    add_to_shared(to, cells, lane);
}

/* A part of a marked vector. */
template <class Format> struct marked_part {
    size_t v, begin, end;
    vector_pair<Format> at;
    part_state *place;
};

/* Number i of all. */
template <class Format, row_terms TERMS>
static __device__ __forceinline__ marked_part<Format> marked_part_at(const vectors_job &job, size_t i) {
    const size_t v = i / job.parts, part = i % job.parts;
    const vector_pair<Format> at = marked_vector_at<Format, TERMS>(job, v, true);
    const size_t begin = min(part * job.part, at.n);
    return { v, begin, min(begin + job.part, at.n), at, place_of_part(job, v, (unsigned)part) };
}

/* Sums a part again that is not exact; answers whether its total now says what the vector is: it is exact, or special.
 * By a whole warp. */
template <class Format, row_terms TERMS>
static __device__ __forceinline__ bool is_part_told(const vectors_job &job, const marked_part<Format> &part, int lane) {
    constexpr bool has_moments = TERMS == ROW_MOMENTS, is_product = TERMS == ROW_PRODUCTS;
    const vector_total s = warp_total_of_elements<Format, is_product>(job, part.at, part.begin, part.end, lane);
    vector_total q = {};
    if (has_moments) q = warp_total_of_elements<Format, true>(job, part.at, part.begin, part.end, lane);
    const bool is_exact = s.width == 0 && q.width == 0;
    if (lane == 0) {
        store_totals_of_part<has_moments>(part.place, s, q);
        for (int i = 0; i < PART_SUMS; i++) part.place->width[i] = is_exact ? 0 : NAN;
    }
    __syncwarp();
    return is_exact || !double_is_finite(has_moments ? q.word[0] : s.word[0]);
}

/* The same of doubles, whose parts have been summed in scales: whether they all tell the vector's result, which the
 * first part's warp then stores. Each part's warp asks that; all find the same, for none of them writes a place. */
template <class Format, row_terms TERMS>
static __device__ __forceinline__ bool are_scaled_parts_told(const vectors_job &job, const marked_part<Format> &part,
                                                             int lane) {
    const scaled_total t = total_of_scaled_parts<Format, TERMS>(place_of_part(job, part.v, 0), job.parts, lane);
    uint64_t bits;
    const bool is_told = lane == 0 && round_scaled_vector<Format, TERMS>(job, part.at.n, t, &bits);
    if (is_told && part.begin == 0) format_store(bits, job.format.size, result_at(job, part.v));
    return __any_sync(WHOLE_WARP, is_told);
}

/* A part that does not tell what its vector is goes to the vector's limbs; of doubles all parts do, or none. */
template <class Format, row_terms TERMS>
static __device__ __forceinline__ void learn_part(const vectors_job &job, warp_cells &cells, size_t i, int lane) {
    const marked_part<Format> part = marked_part_at<Format, TERMS>(job, i);
    quire_accumulator *of_sum = limbs_of_parts<TERMS>(job, part.v, false),
                      *of_squares = limbs_of_parts<TERMS>(job, part.v, true);
    if (!of_sum || !of_squares) return;
    if constexpr (exact_terms<Format, false>::is_double) {
        if (are_scaled_parts_told<Format, TERMS>(job, part, lane)) return;
    } else {
        if (is_part_told<Format, TERMS>(job, part, lane)) return;
    }
    add_to_limbs<Format, TERMS == ROW_PRODUCTS>(job, cells, part.at, part.begin, part.end, of_sum, lane);
    if (TERMS == ROW_MOMENTS) add_to_limbs<Format, true>(job, cells, part.at, part.begin, part.end, of_squares, lane);
}

/* Neighbouring parts are brought together, job.join of them to one: where these are all of a vector's, to its result,
 * or if they do not tell it to its mark; else to another part, of which the new ones stand behind all the others. Some
 * threads of a warp share them.
 */
template <class Format, row_terms TERMS>
__global__ void __launch_bounds__(MARKED_THREADS) parts_kernel(const __grid_constant__ vectors_job job) {
    constexpr bool has_moments = TERMS == ROW_MOMENTS;
    const unsigned lane = threadIdx.x % WARP, threads = job.threads, thread = lane % threads, groups = WARP / threads;
    const unsigned joined = job.parts / job.join + (job.parts % job.join != 0);
    const size_t all = job.vectors * joined;
    part_state *to = place_of_part(job, job.vectors, 0);
    for (size_t first = warp_of_grid() * groups; first < all; first += warps_of_grid() * groups) {
        const size_t i = first + lane / threads, v = i / joined;
        const unsigned begin = (unsigned)(i % joined) * job.join;
        const unsigned parts = i < all ? min(job.parts - begin, job.join) : 0;
        const part_state *from = place_of_part(job, v, begin);
        vector_total q = {}, s = total_of_parts<Format, TERMS == ROW_PRODUCTS>(from, parts, false, thread, threads);
        if (has_moments) q = total_of_parts<Format, true>(from, parts, true, thread, threads);
        if (thread != 0 || i >= all) continue;
        if (joined > 1)
            store_totals_of_part<has_moments>(&to[i], s, q);
        else if (!store_totals<Format, TERMS>(job, v, vector_at<Format>(job.at, job.vectors, v).n, s, q))
            mark_result(job, v);
    }
}

/* Calls use(number) for the parts of marked vectors that are to be summed again: of doubles all, else those that are
 * not exact. By whole warps. */
template <class Format, class Use>
static __device__ __forceinline__ void each_marked_part(const vectors_job &job, int lane, Use use) {
    const size_t places = job.vectors * job.parts;
    if (!*(volatile unsigned *)&job.workspace->marked) return;
    for (grid_items items(places, lane); items.are_there(); items.advance()) {
        bool is = items.mine() < places && is_marked(job, items.mine() / job.parts);
        if (is && !exact_terms<Format, false>::is_double) {
            const double *width = place_of_part(job, 0, 0)[items.mine()].width;
            is = width[0] != 0 || width[1] != 0;
        }
        for (unsigned left = __ballot_sync(WHOLE_WARP, is); left; left &= left - 1)
            use(items.of_lane((unsigned)__ffs((int)left) - 1));
    }
}

/* Behind the kernel that looks at parts: those of doubles, in scales. */
template <class Format, row_terms TERMS>
__global__ void __launch_bounds__(MARKED_THREADS) scaled_parts_kernel(const __grid_constant__ vectors_job job) {
    const int lane = threadIdx.x % WARP;
    each_marked_part<Format>(job, lane, [&](size_t i) {
        const marked_part<Format> part = marked_part_at<Format, TERMS>(job, i);
        const scaled_total t =
            scaled_total_of<Format, TERMS>(part.at, part.begin, part.end, job.magnitude, (unsigned)lane, WARP);
        if (lane == 0) store_scaled_part<TERMS>(part.place, t);
    });
}

/* And behind that, or of other formats at once, those of vectors that are not told yet. */
template <class Format, row_terms TERMS>
__global__ void __launch_bounds__(MARKED_THREADS) unknown_parts_kernel(const __grid_constant__ vectors_job job) {
    __shared__ warp_cells rooms[MARKED_THREADS / WARP];
    const int lane = threadIdx.x % WARP;
    each_marked_part<Format>(job, lane,
                             [&](size_t i) { learn_part<Format, TERMS>(job, rooms[threadIdx.x / WARP], i, lane); });
}

#endif
