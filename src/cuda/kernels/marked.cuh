/* marked.cuh - what a first kernel has left. Parts of vectors are brought together. The results that have been marked,
 * or all of a job's, are found by some threads each: by a few doubles and a width (thread/row_sums.cuh) if these tell
 * the result, and else by cells, by a warp.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_KERNELS_MARKED_CUH
#define QUIRE_CUDA_KERNELS_MARKED_CUH

#include "cuda/grid/grid_warps.cuh"
#include "cuda/grid/row_finish.cuh"
#include "cuda/grid/vectors_parts.cuh"
#include "operation/moments.h"

/* A warp's shared memory. */
template <row_terms TERMS> struct marked_room { warp_cells cells; };
template <> struct marked_room<ROW_MOMENTS> {
    warp_cells cells, squares;
    accumulated_moment_room moment;
};

/* How many words a sum has here. */
template <class Format, bool PRODUCT> constexpr int marked_words = exact_terms<Format, PRODUCT>::words;

/* As row_sums say it. */
template <class Format> struct moment_words {
    static constexpr int number_words = marked_words<Format, false>;
    static constexpr int words = number_words + marked_words<Format, true>;
    static constexpr bool overflows = exact_terms<Format, false>::is_double;
};

/* A lane's total, in all of them: lanes may have different words of the same sum. */
static __device__ __forceinline__ vector_total total_of_lane(vector_total t, int lane) {
    for (int i = 0; i < VECTORS_WORDS; i++) t.word[i] = __shfl_sync(WHOLE_WARP, t.word[i], lane);
    t.width = __shfl_sync(WHOLE_WARP, t.width, lane);
    return t;
}

static __device__ __forceinline__ part_state *place_of_part(const vectors_job &job, size_t v, unsigned part) {
    return &job.workspace->place[job.first_place + v * job.parts + part];
}

/* The workspace's limbs of a vector of which there are parts: of its sum, or that of its squares; NULL: none are left.
 */
template <row_terms TERMS>
static __device__ __forceinline__ quire_accumulator *limbs_of_parts(const vectors_job &job, size_t v, bool squares) {
    const size_t slot = TERMS == ROW_MOMENTS ? 2 * v + squares : v;
    return job.parts > 1 && slot < VECTORS_LIMBS ? &job.workspace->limbs[slot] : NULL;
}

/* Takes back what parts of a vector have left there, if its result is known without. By a whole warp. */
template <row_terms TERMS>
static __device__ __forceinline__ void clear_limbs_of_parts(const vectors_job &job, size_t v, int lane) {
    for (int squares = 0; squares <= (TERMS == ROW_MOMENTS); squares++) {
        quire_accumulator *limbs = limbs_of_parts<TERMS>(job, v, squares);
        int64_t *word = limbs ? limbs->limb : NULL;
        for (int i = lane; word && i < QUIRE_ACCUMULATOR_WORDS; i += WARP) word[i] = 0;
    }
}

/* A range of a vector, whose total is t, as an accumulator in cells: by the few doubles of t, if they are its exact
 * sum. */
template <class Format, bool PRODUCT>
static __device__ __forceinline__ void fill_cells(const vectors_job &job, warp_cells &cells,
                                                  const vector_pair<Format> &at, size_t begin, size_t end,
                                                  const vector_total &t, int lane) {
    const bool is_zero = t.word[0] == 0 && t.word[1] == 0 && t.word[2] == 0;
    cells.clear(lane);
    if (t.width == 0 && !is_zero) {
        if (lane < VECTORS_WORDS) cells.add_double(t.word[lane]);
        cells.empty(lane);
        if (lane == 0) cells.sum.other = OTHER_NONZERO;
    } else { /* a zero's sign depends on the terms */
        add_by_cells<Format, PRODUCT>(cells, at.x, PRODUCT ? at.y : at.x, begin, end, job.magnitude,
                                      !double_is_finite(t.word[0]) && !job.accumulator, lane);
    }
    if (lane == 0) cells.sum.count = (int64_t)(end - begin);
    __syncwarp();
}

/* The total of a range of a vector, from its elements, for the first of the threads that share it; of moments of the
 * numbers, or of the squares. */
template <class Format, bool PRODUCT>
static __device__ __noinline__ vector_total total_of_elements(const vectors_job &job, const vector_pair<Format> &at,
                                                              size_t begin, size_t end, unsigned thread,
                                                              unsigned threads) {
    return exact_agent<Format, PRODUCT>::consume(at, begin, end, job.rows, job.magnitude, thread, threads);
}

/* The same for all lanes of a warp, which share it. */
template <class Format, bool PRODUCT>
static __device__ __forceinline__ vector_total warp_total_of_elements(const vectors_job &job,
                                                                      const vector_pair<Format> &at, size_t begin,
                                                                      size_t end, int lane) {
    return total_of_lane(total_of_elements<Format, PRODUCT>(job, at, begin, end, (unsigned)lane, WARP), 0);
}

/* The same of parts, from their totals, for the first of the threads that share them. */
template <class Format, bool PRODUCT>
static __device__ __forceinline__ vector_total total_of_parts(const part_state *place, unsigned parts, bool squares,
                                                              unsigned thread, unsigned threads) {
    typedef exact_agent<Format, PRODUCT> agent;
    constexpr int words = marked_words<Format, PRODUCT>;
    const int from = squares ? PART_SQUARES : 0;
    typename agent::sum s;
    s.clear();
    for (unsigned p = thread; p < parts; p += threads) {
        for (int i = 0; i < words; i++) s.add_word(i, __ldcg(&place[p].word[from + i]));
        s.widen(__ldcg(&place[p].width[squares]), 0);
    }
    return agent::merged(s, threads);
}

/* The total of a whole vector, or of its squares, likewise. */
template <class Format, bool PRODUCT>
static __device__ __forceinline__ vector_total total_of_vector(const vectors_job &job, const vector_pair<Format> &at,
                                                               size_t v, bool squares, unsigned thread,
                                                               unsigned threads) {
    if (job.parts == 1) return total_of_elements<Format, PRODUCT>(job, at, 0, at.n, thread, threads);
    return total_of_parts<Format, PRODUCT>(place_of_part(job, v, 0), job.parts, squares, thread, threads);
}

/* The result of a vector, if its total and that of its squares tell it. */
template <class Format, row_terms TERMS>
static __device__ __noinline__ bool store_totals(const vectors_job &job, size_t v, size_t n, vector_total &s,
                                                 const vector_total &q) {
    if constexpr (TERMS == ROW_MOMENTS) {
        typedef moment_words<Format> both;
        const double width[PART_SUMS] = { s.width, q.width };
        double word[both::words];
        for (int i = 0; i < both::words; i++)
            word[i] = i < both::number_words ? s.word[i] : q.word[i - both::number_words];
        return store_moment<both>(job, v, n, word, width);
    } else {
        return store_if_told<marked_words<Format, TERMS == ROW_PRODUCTS>, exact_terms<Format, false>::is_double>(job, v,
                                                                                                                 n, s);
    }
}

/* The result of a vector of which some terms are not finite, whose sum is this. */
template <row_terms TERMS>
static __device__ __noinline__ void store_special(const vectors_job &job, size_t v, size_t n, double special) {
    const double word[VECTORS_WORDS] = { special, 0, 0 };
    if (TERMS == ROW_MOMENTS)
        format_store(job.format.quiet_nan, job.format.size, result_at(job, v));
    else
        store_sum(job, v, n, word, true);
}

/* The result of a vector whose totals do not tell it, by cells. */
template <class Format, row_terms TERMS>
static __device__ __forceinline__ void store_by_cells(const vectors_job &job, marked_room<TERMS> &room, size_t v,
                                                      const vector_pair<Format> &at, const vector_total &s,
                                                      const vector_total &q, int lane) {
    quire_accumulator *limbs = limbs_of_parts<TERMS>(job, v, false);
    const part_state *place = place_of_part(job, v, 0);
    if constexpr (TERMS == ROW_MOMENTS) {
        quire_accumulator *of_squares = limbs_of_parts<TERMS>(job, v, true);
        if (limbs && of_squares) {
            cells_of_parts<Format, false>(job, room.cells, at, place, job.parts, false, limbs, lane);
            cells_of_parts<Format, true>(job, room.squares, at, place, job.parts, true, of_squares, lane);
        } else {
            fill_cells<Format, false>(job, room.cells, at, 0, at.n, s, lane);
            fill_cells<Format, true>(job, room.squares, at, 0, at.n, q, lane);
        }
        if (lane == 0)
            format_store(accumulated_moments_round(&room.cells.sum, &room.squares.sum, job.finish, job.correction,
                                                   job.format, job.rounding, &room.moment),
                         job.format.size, result_at(job, v));
    } else if (limbs) {
        cells_of_parts<Format, TERMS == ROW_PRODUCTS>(job, room.cells, at, place, job.parts, false, limbs, lane);
        store_limbs(job, room.cells.sum, v, at.n, lane);
    } else {
        sum_by_cells<Format, TERMS == ROW_PRODUCTS>(job, room.cells, v, job.parts > 1, lane);
    }
    __syncwarp();
}

/* Vector v, of which a moment needs the numbers alone; the empty one if it is not there. */
template <class Format, row_terms TERMS>
static __device__ __forceinline__ vector_pair<Format> marked_vector_at(const vectors_job &job, size_t v,
                                                                       bool is_there) {
    vector_pair<Format> at = vector_at<Format>(job.at, is_there ? job.vectors : 0, v);
    if (TERMS == ROW_MOMENTS) at.y = at.x;
    return at;
}

/* The results of as many vectors as a warp has groups of threads; v: that of this lane's group, if there is
 * one. Those that have been cut have a whole warp. */
template <class Format, row_terms TERMS>
static __device__ __noinline__ void some_marked(const vectors_job &job, marked_room<TERMS> &room, size_t v,
                                                bool is_there, unsigned threads, int lane) {
    constexpr bool has_moments = TERMS == ROW_MOMENTS;
    const unsigned thread = (unsigned)lane % threads;
    const vector_pair<Format> at = marked_vector_at<Format, TERMS>(job, v, is_there);
    vector_total q = {}, s = total_of_vector<Format, TERMS == ROW_PRODUCTS>(job, at, v, false, thread, threads);
    if constexpr (has_moments) q = total_of_vector<Format, true>(job, at, v, true, thread, threads);
    bool is_left = is_there && thread == 0;
    if (is_left) is_left = !store_totals<Format, TERMS>(job, v, at.n, s, q);
    if constexpr (exact_terms<Format, false>::is_double)
        if (job.parts == 1 &&
            __any_sync(WHOLE_WARP, is_left && !double_is_finite(has_moments ? q.word[0] : s.word[0]))) {
            const double special =
                sum_of_specials<Format, TERMS != ROW_NUMBERS>(at.x, at.y, 0, at.n, job.magnitude, thread, threads);
            if (is_left && special != 0) store_special<TERMS>(job, v, at.n, special), is_left = false;
        }
    if (job.parts > 1 && !__any_sync(WHOLE_WARP, is_left)) clear_limbs_of_parts<TERMS>(job, v, lane);
    for (unsigned left = __ballot_sync(WHOLE_WARP, is_left); left; left &= left - 1) {
        const int from = __ffs((int)left) - 1;
        const size_t unknown = __shfl_sync(WHOLE_WARP, v, from);
        store_by_cells<Format, TERMS>(job, room, unknown, marked_vector_at<Format, TERMS>(job, unknown, true),
                                      total_of_lane(s, from), total_of_lane(q, from), lane);
    }
}

/* How many threads share a vector, of those that a warp has found, none longer than this: as many as there are for
 * all of them at once, if one group of elements of each thread is the vector. Where a lane can have a whole column its
 * neighbours have the next ones, and read memory side by side. */
template <class Format>
static __device__ __forceinline__ unsigned marked_threads(const vectors_job &job, int found, size_t longest) {
    if (job.parts > 1) return WARP;
    if (!job.at.begin && job.at.x_layout.inner_stride == 1 && found == WARP) return 1;
    unsigned threads = WARP;
    while (WARP / threads < (unsigned)found && threads / 2 * (size_t)exact_terms<Format, false>::count >= longest)
        threads /= 2;
    return threads;
}

/* The same of up to 32 vectors, of which a lane has found one each: v, if this lane has. */
template <class Format, row_terms TERMS>
static __device__ __forceinline__ void all_marked(const vectors_job &job, marked_room<TERMS> &room, size_t v, bool is,
                                                  int lane) {
    unsigned left = __ballot_sync(WHOLE_WARP, is);
    if (!left) return; /* as mostly */
    size_t longest = job.at.x_layout.n;
    if (job.at.begin)
        longest = (size_t)warp_max((int)min(marked_vector_at<Format, TERMS>(job, v, is).n, (size_t)LONG_SEGMENT));
    const unsigned threads = marked_threads<Format>(job, __popc(left), longest), group = (unsigned)lane / threads;
    while (left) {
        unsigned from = left;
        for (unsigned i = 0; i < group; i++) from &= from - 1;
        const size_t of_group = __shfl_sync(WHOLE_WARP, v, from ? __ffs((int)from) - 1 : 0);
        some_marked<Format, TERMS>(job, room, of_group, from != 0, threads, lane);
        for (unsigned i = 0; i < WARP / threads; i++) left &= left - 1;
    }
}

/* Elements begin to end of a vector, added to limbs of the workspace. Few of them may be what no doubles hold. */
#define LEARNT_ELEMENTS ((size_t)2048)

template <class Format, bool PRODUCT>
static __device__ __noinline__ void add_to_limbs(const vectors_job &job, warp_cells &cells,
                                                 const vector_pair<Format> &at, size_t begin, size_t end,
                                                 quire_accumulator *to, int lane) {
    for (size_t from = begin; from < end; from += LEARNT_ELEMENTS) {
        const size_t to_end = min(from + LEARNT_ELEMENTS, end);
        const vector_total t = warp_total_of_elements<Format, PRODUCT>(job, at, from, to_end, lane);
        fill_cells<Format, PRODUCT>(job, cells, at, from, to_end, t, lane);
        add_to_shared(to, cells.sum, lane);
    }
}

/* What a part has come to: its total, and that of its squares. */
template <bool MOMENTS>
static __device__ __forceinline__ void store_totals_of_part(part_state *place, const vector_total &s,
                                                            const vector_total &q) {
    for (int i = 0; i < VECTORS_WORDS; i++) {
        if (!MOMENTS || i < PART_SQUARES) place->word[i] = s.word[i];
        if (MOMENTS) place->word[PART_SQUARES + i] = q.word[i];
    }
    place->width[0] = s.width, place->width[1] = MOMENTS ? q.width : 0;
}

/* Part number "part" of vector v, which the parts did not tell: now it is exact, or special, or it goes to the vector's
 * limbs. */
template <class Format, row_terms TERMS>
static __device__ __forceinline__ void learn_part(const vectors_job &job, warp_cells &cells, size_t v, unsigned part,
                                                  int lane) {
    constexpr bool has_moments = TERMS == ROW_MOMENTS, is_product = TERMS == ROW_PRODUCTS;
    quire_accumulator *of_sum = limbs_of_parts<TERMS>(job, v, false), *of_squares = limbs_of_parts<TERMS>(job, v, true);
    if (!of_sum || !of_squares) return;
    const vector_pair<Format> at = marked_vector_at<Format, TERMS>(job, v, true);
    part_state *place = place_of_part(job, v, part);
    const size_t begin = min((size_t)part * job.part, at.n), end = min(begin + job.part, at.n);
    const vector_total s = warp_total_of_elements<Format, is_product>(job, at, begin, end, lane);
    vector_total q = {};
    if (has_moments) q = warp_total_of_elements<Format, true>(job, at, begin, end, lane);
    const bool is_exact = s.width == 0 && q.width == 0;
    if (lane == 0) {
        store_totals_of_part<has_moments>(place, s, q);
        for (int i = 0; i < PART_SUMS; i++) place->width[i] = is_exact ? 0 : NAN;
    }
    __syncwarp();
    const bool is_special =
        !exact_terms<Format, false>::is_double && !double_is_finite(has_moments ? q.word[0] : s.word[0]);
    if (is_exact || is_special) return; /* its total says what the vector is */
    add_to_limbs<Format, is_product>(job, cells, at, begin, end, of_sum, lane);
    if (has_moments) add_to_limbs<Format, true>(job, cells, at, begin, end, of_squares, lane);
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

/* Between the kernel that looks at parts and the one that does again what these did not tell: their parts that are not
 * exact.
 */
template <class Format, row_terms TERMS>
__global__ void __launch_bounds__(MARKED_THREADS) unknown_parts_kernel(const __grid_constant__ vectors_job job) {
    __shared__ warp_cells rooms[MARKED_THREADS / WARP];
    const int lane = threadIdx.x % WARP;
    const size_t places = job.vectors * job.parts;
    if (!*(volatile unsigned *)&job.workspace->marked) return;
    for (grid_items items(places, lane); items.are_there(); items.advance()) {
        bool is = items.mine() < places && is_marked(job, items.mine() / job.parts);
        if (is) {
            const double *width = place_of_part(job, 0, 0)[items.mine()].width;
            is = width[0] != 0 || width[1] != 0;
        }
        for (unsigned left = __ballot_sync(WHOLE_WARP, is); left; left &= left - 1) {
            const size_t place = items.of_lane((unsigned)__ffs((int)left) - 1);
            learn_part<Format, TERMS>(job, rooms[threadIdx.x / WARP], place / job.parts, (unsigned)(place % job.parts),
                                      lane);
        }
    }
}

/* The last block to end forgets what was marked. */
template <class Format, row_terms TERMS>
__global__ void __launch_bounds__(MARKED_THREADS) marked_kernel(const __grid_constant__ vectors_job job) {
    __shared__ marked_room<TERMS> rooms[MARKED_THREADS / WARP];
    marked_room<TERMS> &room = rooms[threadIdx.x / WARP];
    vectors_workspace &w = *job.workspace;
    const int lane = threadIdx.x % WARP;
    const bool is_listed = job.source == MARKED_RESULTS;
    const size_t marked = is_listed ? *(volatile unsigned *)&w.marked : job.vectors;
    if (!marked) return;
    const bool is_full = is_listed && marked >= MARKED_LISTED; /* then it may lack some */
    const size_t looked_at = is_full ? job.vectors : marked;
    for (grid_items items(looked_at, lane); items.are_there(); items.advance()) {
        const bool is_there = items.mine() < looked_at;
        const size_t v = is_there && is_listed && !is_full ? w.marked_vector[items.mine()] : items.mine();
        all_marked<Format, TERMS>(job, room, v, is_there && (!is_full || is_marked(job, v)), lane);
    }
    if (is_listed && is_last_block(&w.ended[ENDED_MARKED])) w.ended[ENDED_MARKED] = 0, w.marked = 0;
}

#endif
