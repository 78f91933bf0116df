/* vectors_parts.cuh - parts of vectors: each leaves its total in a place, and the last of a bundle to end brings them
 * together. No part waits for another.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_GRID_VECTORS_PARTS_CUH
#define QUIRE_CUDA_GRID_VECTORS_PARTS_CUH

#include "cuda/grid/vectors_finish.cuh"

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

/* A part whose total is not exact goes to the vector's limbs; by a whole warp. */
template <class Format, bool PRODUCT>
static __device__ __noinline__ void part_by_cells(const vectors_job &job, warp_cells &cells,
                                                  const vector_pair<Format> &v, size_t begin, size_t end,
                                                  quire_accumulator *to, int lane) {
    cells.clear(lane);
    add_by_cells<Format, PRODUCT>(cells, v.x, v.y, begin, end, job.magnitude, !job.accumulator, lane);
    add_to_shared(to, cells, lane);
}

/* The parts of a vector as one accumulator in cells: the words of those that are exact; what those say that are not
 * finite, whose elements then are not; and the limbs that the others have gone to, which are cleared; NULL: all are
 * exact. Of doubles, which may overflow, all have gone there where parts is 0. squares: the sum of squares of parts
 * that have both. By a whole warp. */
template <class Format, bool PRODUCT>
static __device__ __noinline__ void cells_of_parts(const vectors_job &job, warp_cells &cells,
                                                   const vector_pair<Format> &at, const part_state *place,
                                                   unsigned parts, bool squares, quire_accumulator *limbs, int lane) {
    constexpr int words = exact_terms<Format, PRODUCT>::words;
    const int from = squares ? PART_SQUARES : 0;
    int64_t *word = cells.sum.limb, *of_unknown = limbs ? limbs->limb : NULL;
    bool nonzero = false;
    seen_terms seen = {};
    cells.clear(lane);
    for (unsigned first = 0; first < parts; first += CELL_ELEMENTS / 4) {
        for (unsigned p = first + lane; p < parts && p < first + CELL_ELEMENTS / 4; p += WARP) {
            const double total = __ldcg(&place[p].word[from]);
            if (!exact_terms<Format, PRODUCT>::is_double && !double_is_finite(total)) seen.note_special(total);
            for (int i = 0; i < words && __ldcg(&place[p].width[squares]) == 0; i++) {
                const double number = __ldcg(&place[p].word[from + i]);
                nonzero |= number != 0;
                cells.add_double(number);
            }
        }
        cells.empty(lane);
    }
    seen.store(cells.sum, lane);
    for (int i = lane; limbs && i < QUIRE_ACCUMULATOR_WORDS; i += WARP)
        word[i] += __ldcg(&of_unknown[i]), of_unknown[i] = 0;
    nonzero = __any_sync(WHOLE_WARP, nonzero);
    __syncwarp();
    const bool is_told = nonzero || cells.sum.other >= OTHER_NONZERO;
    const int64_t other = is_told
                              ? OTHER_NONZERO
                              : other_terms<Format, PRODUCT>(at.x, PRODUCT ? at.y : at.x, 0, at.n, job.magnitude, lane);
    __syncwarp();
    if (lane == 0) cells.sum.other |= other, cells.sum.count = (int64_t)at.n;
    __syncwarp();
}

/* An exact vector, all of whose parts have ended: by a few doubles, if these hold the sum. */
template <class Format, bool PRODUCT>
static __device__ __noinline__ void finish_exact_parts(const vectors_job &job, warp_cells &cells, size_t v, size_t slot,
                                                       const part_state *place, unsigned parts, int lane) {
    typedef exact_agent<Format, PRODUCT> agent;
    typename agent::sum s;
    bool some_unknown = false;
    s.clear();
    for (unsigned p = lane; p < parts; p += WARP) {
        some_unknown |= __ldcg(&place[p].width[0]) != 0;
        for (int i = 0; i < agent::words; i++) s.add_word(i, __ldcg(&place[p].word[i]));
    }
    some_unknown = __any_sync(WHOLE_WARP, some_unknown);
    vector_total t = agent::merged(s, WARP);
    bool is_stored = !some_unknown && !job.accumulator;
    if (is_stored && lane == 0) is_stored = store_vector<agent>(job, v, vector_at<Format>(job.at, job.vectors, v).n, t);
    if (__shfl_sync(WHOLE_WARP, (int)is_stored, 0)) return; /* the others may have other words */
    if (some_unknown && slot >= VECTORS_LIMBS) {
        sum_by_cells<Format, PRODUCT>(job, cells, v, true, lane);
        return;
    }
    const vector_pair<Format> at = vector_at<Format>(job.at, job.vectors, v);
    quire_accumulator *limbs = some_unknown ? &job.workspace->limbs[slot] : NULL;
    cells_of_parts<Format, PRODUCT>(job, cells, at, place, parts, false, limbs, lane);
    store_limbs(job, cells.sum, v, at.n, lane);
    __syncwarp();
}

/* The same in the canonical order: a lane takes neighbouring parts, a subtree, and lanes merge with their neighbours.
 */
template <class Format, class Agent, class Method>
static __device__ __noinline__ void finish_ordered_parts(const vectors_job &job, size_t v, const part_state *place,
                                                         unsigned parts, int lane) {
    typedef typename Format::real real;
    unsigned each = 1;
    while (each * WARP < parts) each *= 2;
    real state[Method::words];
    tile_tree<real, Method> tree;
    tree.tiles = 0;
    for (int i = 0; i < Method::words; i++) state[i] = (real)-0.0;
    for (unsigned p = lane * each; p < parts && p < (lane + 1) * each; p++) {
        for (int i = 0; i < Method::words; i++) state[i] = (real)__ldcg(&place[p].word[i]);
        tree.add(state);
    }
    if (tree.tiles) tree.total(state);
    __syncwarp();
    for (unsigned apart = 1; apart < WARP; apart *= 2) {
        real other[Method::words];
        for (int i = 0; i < Method::words; i++) other[i] = __shfl_xor_sync(WHOLE_WARP, state[i], apart);
        Method::merge(state, other);
    }
    if (lane == 0)
        store_ordered<Method>(job, v, vector_at<Format>(job.at, job.vectors, v).n, state[0], state[Method::words - 1]);
}

/* Whether this is the last of the units to end: all that the others wrote is then seen. By a whole warp. */
static __device__ __forceinline__ bool is_last_unit(unsigned *ended, unsigned units, int lane) {
    unsigned before = 0;
    __threadfence();
    __syncwarp();
    if (lane == 0) before = atomicAdd(ended, 1u);
    const bool is_last = __shfl_sync(WHOLE_WARP, before, 0) == units - 1;
    if (is_last && lane == 0) *ended = 0;
    __threadfence();
    return is_last;
}

/* Part number "part" of "parts", "elements" each, of the vectors that a warp has at once: from first on, in slots from
 * slot on, whose places are those from "places" on. */
template <class Format, bool PRODUCT, class Agent, class Method>
static __device__ __forceinline__ void one_part(const vectors_job &job, warp_cells &cells, size_t first,
                                                unsigned threads, size_t slot, size_t places, unsigned part,
                                                size_t elements, unsigned parts, int lane) {
    vectors_workspace &w = *job.workspace;
    const unsigned group = lane / threads, thread = lane % threads, groups = WARP / threads;
    const bool is_there = first + group < job.vectors;
    const vector_pair<Format> at = vector_at<Format>(job.at, job.vectors, first + group);
    const size_t begin = min((size_t)part * elements, at.n), end = min(begin + elements, at.n);
    const vector_total t = Agent::consume(at, begin, end, job.rows, job.magnitude, thread, threads);
    if (thread == 0 && is_there) {
        part_state *to = &w.place[places + group * parts + part];
        for (int i = 0; i < VECTORS_WORDS; i++) to->word[i] = t.width == 0 ? t.word[i] : i ? 0 : -0.0;
        to->width[0] = t.width;
    }
    if constexpr (Agent::is_exact)
        for (unsigned left = __ballot_sync(WHOLE_WARP, thread == 0 && is_there && t.width != 0); left;
             left &= left - 1) {
            const unsigned g = (unsigned)(__ffs((int)left) - 1) / threads;
            const vector_pair<Format> unknown = vector_at<Format>(job.at, job.vectors, first + g);
            const size_t from = min((size_t)part * elements, unknown.n), to = min(from + elements, unknown.n);
            if (slot + g < VECTORS_LIMBS)
                part_by_cells<Format, PRODUCT>(job, cells, unknown, from, to, &w.limbs[slot + g], lane);
        }
    if (!is_last_unit(&w.ended[slot], parts, lane)) return;
    for (unsigned g = 0; g < groups && first + g < job.vectors; g++)
        if constexpr (Agent::is_exact)
            finish_exact_parts<Format, PRODUCT>(job, cells, first + g, slot + g, &w.place[places + g * parts], parts,
                                                lane);
        else
            finish_ordered_parts<Format, Agent, Method>(job, first + g, &w.place[places + g * parts], parts, lane);
}

#endif
