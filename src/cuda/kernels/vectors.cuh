/* vectors.cuh - ordered segments, and ordered vectors at any stride; and the tables of all kernels of a format.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_KERNELS_VECTORS_CUH
#define QUIRE_CUDA_KERNELS_VECTORS_CUH

#include "cuda/grid/vector_source.cuh"
#include "cuda/grid/vectors_parts.cuh"
#include "cuda/kernels/exact_array.cuh"
#include "cuda/kernels/exact_columns.cuh"
#include "cuda/kernels/exact_limbs.cuh"
#include "cuda/kernels/exact_rows.cuh"
#include "cuda/kernels/exact_segments.cuh"
#include "cuda/kernels/ordered_array.cuh"
#include "cuda/kernels/ordered_columns.cuh"
#include "cuda/kernels/ordered_rows.cuh"

/* How many threads share a vector of a bundle of segments, by the longest: one group of each holds it, or all 32 do
 * not. Answers whether this lane's is put aside. */
template <class Agent>
static __device__ __forceinline__ bool look_at_segments(const vectors_job &job, size_t v, bool is_there,
                                                        unsigned &threads, size_t &longest) {
    size_t n = is_there ? vector_at<float_format>(job.at, job.vectors, v).n : 0;
    const bool left_out = put_aside(job, v, n, LONG_SEGMENT);
    if (left_out) n = 0;
    longest = (size_t)warp_max((int)min(n, (size_t)LONG_SEGMENT));
    for (threads = 1; threads < WARP && threads * Agent::count < longest;) threads *= 2;
    return left_out;
}

/* A bundle: as many vectors at once as fit the warp, turn by turn; what lane i finishes is vector first + i. Of vectors
 * that are one group of each thread the next ones are under way while those of a turn are added up. */
template <class Format, class Agent, class Method>
static __device__ __forceinline__ void one_bundle(const vectors_job &job, size_t first, unsigned bundle, int lane) {
    unsigned threads = job.threads;
    size_t longest = job.at.x_layout.n;
    const bool is_there = (unsigned)lane < bundle && first + lane < job.vectors;
    bool left_out = false;
    if (job.at.begin) left_out = look_at_segments<Agent>(job, first + lane, is_there, threads, longest);
    const unsigned out = __ballot_sync(WHOLE_WARP, left_out);
    const unsigned groups = WARP / threads, group = lane / threads, thread = lane % threads;
    const bool is_short = longest <= (size_t)threads * Agent::count;
    auto vector_of = [&](unsigned turn) {
        const unsigned number = turn * groups + group;
        vector_pair<Format> at = vector_at<Format>(job.at, job.vectors, first + number);
        if (number >= bundle || (out >> number & 1)) at.n = 0;
        return at;
    };
    typename Agent::group next;
    auto load = [&](unsigned turn) {
        const vector_pair<Format> at = vector_of(turn);
        next.load(at, 0, at.n, thread, threads);
    };
    vector_total mine = {};
    if (is_short) load(0);
    for (unsigned turn = 0; turn * groups < bundle; turn++) {
        vector_total t;
        if (is_short) {
            const typename Agent::group now = next;
            if ((turn + 1) * groups < bundle) load(turn + 1);
            t = Agent::of_group(now, job.magnitude, threads);
        } else {
            const vector_pair<Format> at = vector_of(turn);
            t = Agent::consume(at, 0, at.n, job.rows, job.magnitude, thread, threads);
        }
        const int from = (lane % groups) * threads;
        const bool is_mine = lane / groups == turn;
        for (int i = 0; i < Agent::words; i++) {
            const double word = __shfl_sync(WHOLE_WARP, t.word[i], from);
            if (is_mine) mine.word[i] = word;
        }
    }
    const size_t v = first + lane;
    if (is_there && !left_out)
        store_words<Method>(job, v, vector_at<Format>(job.at, job.vectors, v).n, mine.word[0], mine.word[1]);
}

template <class Format, class Agent, class Method>
__global__ void __launch_bounds__(VECTORS_THREADS, VECTORS_BLOCKS)
    vectors_kernel(const __grid_constant__ vectors_job job) {
    const int lane = threadIdx.x % WARP;
    const unsigned groups = WARP / job.threads, bundle = job.at.begin ? job.turns : groups * job.turns;
    const size_t bundles = (job.vectors + bundle - 1) / bundle;
    for (size_t unit = warp_of_grid(); unit < bundles * job.parts; unit += warps_of_grid()) {
        const size_t slot = unit / job.parts * bundle;
        if (job.parts == 1)
            one_bundle<Format, Agent, Method>(job, slot, bundle, lane);
        else
            one_part<Format, Agent, Method>(job, slot, job.threads, slot, slot * job.parts,
                                            (unsigned)(unit % job.parts), job.part, job.parts, lane);
    }
}

/* How many parts each of the slots has places for. */
static __device__ __forceinline__ unsigned most_parts(size_t slots) {
    return VECTORS_PLACES / (unsigned)max(slots, (size_t)1);
}

/* The segments that were put aside, each in a slot, 32 slots at a time: a lane has the parts of one. */
struct aside_slots {
    size_t vector, part;      /* elements of a part */
    unsigned parts, end, all; /* end: the number of the first part of the next slot's, of all there are in 32 slots */

    __device__ __forceinline__ aside_slots(const vectors_job &job, size_t slot, size_t count, unsigned lane)
        : vector(slot < count ? job.workspace->long_segment[slot] : 0), part(0), parts(0) {
        const unsigned most = most_parts(count);
        const size_t n = slot < count ? vector_at<float_format>(job.at, job.vectors, vector).n : 0;
        part = order_tile(n, job.rows);
        while (n && (n - 1) / part >= most) part *= 2;
        if (n) parts = (unsigned)((n - 1) / part + 1);
        end = parts;
        for (unsigned apart = 1; apart < WARP; apart *= 2) {
            const unsigned before = __shfl_up_sync(WHOLE_WARP, end, apart);
            if (lane >= apart) end += before;
        }
        all = __shfl_sync(WHOLE_WARP, end, WARP - 1);
    }
};

/* The segments that were put aside, cut into parts for as many as there is room: all parts, one after the other, go to
 * the warps of the grid in turn. The last block to end forgets them. */
template <class Format, class Agent, class Method>
__global__ void __launch_bounds__(VECTORS_THREADS, VECTORS_BLOCKS)
    long_segments_kernel(const __grid_constant__ vectors_job job) {
    const int lane = threadIdx.x % WARP;
    vectors_workspace &w = *job.workspace;
    const size_t count = min(__ldcg(&w.long_segments), (unsigned)LONG_SEGMENTS), warps = warps_of_grid();
    size_t ahead = warp_of_grid(); /* parts until this warp's next one */
    for (size_t base = 0; base < count; base += WARP) {
        const aside_slots own(job, base + lane, count, lane);
        for (; ahead < own.all; ahead += warps) {
            const unsigned at = __popc(__ballot_sync(WHOLE_WARP, own.end <= ahead));
            const unsigned parts = __shfl_sync(WHOLE_WARP, own.parts, at), end = __shfl_sync(WHOLE_WARP, own.end, at);
            const size_t slot = base + at;
            one_part<Format, Agent, Method>(job, __shfl_sync(WHOLE_WARP, own.vector, at), WARP, slot,
                                            slot * most_parts(count), (unsigned)ahead - (end - parts),
                                            __shfl_sync(WHOLE_WARP, own.part, at), parts, lane);
        }
        ahead -= own.all;
    }
    if (is_last_block(&w.ended[ENDED_SEGMENTS])) w.ended[ENDED_SEGMENTS] = 0, w.long_segments = 0;
}

/* -------------------------------------------------------------------------------------------------------- the table */

template <class Format, bool PRODUCT, class Method> static vectors_kernels kernels_of() {
    typedef ordered_agent<Format, PRODUCT, Method> agent;
    constexpr int E = array_lanes(Format::description.size);
    vectors_kernels k = {};
    k.vectors = (const void *)vectors_kernel<Format, agent, Method>;
    k.long_segments = (const void *)long_segments_kernel<Format, agent, Method>;
    k.rows = (const void *)ordered_rows_kernel<Format, Method, PRODUCT, false>;
    k.columns = (const void *)ordered_columns_kernel<Format, PRODUCT, Method>;
    k.array = (const void *)ordered_array_kernel<Format, Method, PRODUCT, false, E>;
    k.elements = (const void *)ordered_array_kernel<Format, Method, PRODUCT, false, 1>;
    if constexpr (PRODUCT) {
        k.pair_rows = (const void *)ordered_rows_kernel<Format, Method, true, true>;
        k.pair_array = (const void *)ordered_array_kernel<Format, Method, true, true, E>;
        k.pair_elements = (const void *)ordered_array_kernel<Format, Method, true, true, 1>;
    }
    return k;
}

template <class Format, bool PRODUCT> static vectors_kernels vectors_kernels_of(quire_method method) {
    switch (method) {
    case QUIRE_EXACT: break; /* exact ones have a table of their own */
    case QUIRE_KAHAN: return kernels_of<Format, PRODUCT, kahan_method>();
    case QUIRE_PAIRWISE: /* plain's arithmetic, in tiles of another size */
    case QUIRE_PLAIN: return kernels_of<Format, PRODUCT, plain_method>();
    }
    return {};
}

template <class Format, row_terms TERMS, class Sum, bool PAIR> static void add_kernels(sum_kernels &k) {
    k.rows[PAIR] = (const void *)exact_rows_kernel<Format, TERMS, Sum, PAIR>;
    k.segments[PAIR] = (const void *)exact_segments_kernel<Format, TERMS, Sum, PAIR>;
    k.array[PAIR] = (const void *)exact_array_kernel<Format, TERMS, Sum, PAIR>;
    /* Of formats of few bits two ends tell nearly all sums for results of any precision. */
    if constexpr (has_two_ends<Sum> || Format::description.precision >= 24)
        k.columns[PAIR] = (const void *)exact_columns_kernel<Format, TERMS, Sum, PAIR>;
}
template <class Format, row_terms TERMS, class Sum> static sum_kernels kernels_by() {
    sum_kernels k = {};
    add_kernels<Format, TERMS, Sum, false>(k);
    if constexpr (TERMS == ROW_PRODUCTS) add_kernels<Format, TERMS, Sum, true>(k);
    return k;
}

template <class Format, row_terms TERMS> static row_kernels row_kernels_with() {
    row_kernels k = {};
    if constexpr (!exact_terms<Format, false>::is_double) k.by_ends = kernels_by<Format, TERMS, ends>();
    if constexpr (!has_ends_alone(Format::description)) k.by_sums = kernels_by<Format, TERMS, long_sum<2>>();
    k.limbs = (const void *)exact_limbs_kernel<Format, TERMS>;
    k.limbs_threads = limbs_of<Format, TERMS>::THREADS, k.limbs_blocks = limbs_of<Format, TERMS>::BLOCKS;
    return k;
}

template <class Format> static row_kernels row_kernels_of(quire_term term, bool has_moments) {
    if (has_moments) return row_kernels_with<Format, ROW_MOMENTS>();
    return term == TERM_PRODUCT ? row_kernels_with<Format, ROW_PRODUCTS>() : row_kernels_with<Format, ROW_NUMBERS>();
}

#define QUIRE_VECTORS_OF(name)                                                                                         \
    vectors_kernels quire_vectors_##name(bool is_product, quire_method method) {                                       \
        return is_product ? vectors_kernels_of<name##_format, true>(method)                                            \
                          : vectors_kernels_of<name##_format, false>(method);                                          \
    }                                                                                                                  \
    row_kernels quire_rows_##name(quire_term term, bool has_moments) {                                                 \
        return row_kernels_of<name##_format>(term, has_moments);                                                       \
    }

#endif
