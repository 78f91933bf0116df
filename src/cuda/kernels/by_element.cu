/* by_element.cu - what kernels of vectors have left: marked results, and parts.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cuda/kernels/by_element.cuh"

/* The sums of the parts of a vector that a thread has. */
template <row_terms TERMS>
static __device__ __forceinline__ void add_parts_of(element_sums<TERMS> &to, const part_state *place, unsigned parts,
                                                    unsigned thread, unsigned threads) {
    constexpr int second = TERMS == ROW_MOMENTS ? PART_SQUARES : 0;
    for (unsigned p = thread; p < parts; p += threads) {
        const double *word = place[p].word, *width = place[p].width;
        for (int i = 0; i < PART_SQUARES; i++) {
            if (TERMS != ROW_PRODUCTS) to.sums.numbers.add_word(i, __ldcg(&word[i]));
            if (TERMS != ROW_NUMBERS) to.sums.products.add_word(i, __ldcg(&word[second + i]));
        }
        if (TERMS != ROW_PRODUCTS) to.sums.numbers.widen(__ldcg(&width[0]), 0);
        if (TERMS != ROW_NUMBERS) to.sums.products.widen(__ldcg(&width[TERMS == ROW_MOMENTS]), 0);
    }
}

/* Neighbouring parts are brought together, job.join of them to one: where these are all of a vector's, to its result,
 * or if they do not tell it to its mark; else to another part, of which the new ones stand behind all the others. Some
 * threads of a warp share them. */
template <row_terms TERMS>
__global__ void __launch_bounds__(ELEMENT_THREADS) parts_kernel(const __grid_constant__ vectors_job job) {
    const unsigned lane = threadIdx.x % WARP, threads = job.threads, thread = lane % threads, groups = WARP / threads;
    const unsigned joined = job.parts / job.join + (job.parts % job.join != 0);
    const size_t all = job.vectors * joined, behind = job.first_place + job.vectors * job.parts;
    for (size_t first = warp_of_grid() * groups; first < all; first += warps_of_grid() * groups) {
        const size_t i = first + lane / threads, v = i / joined;
        const unsigned begin = (unsigned)(i % joined) * job.join;
        const unsigned parts = i < all ? min(job.parts - begin, job.join) : 0;
        element_sums<TERMS> sums;
        sums.clear();
        add_parts_of(sums, &job.workspace->place[job.first_place + v * job.parts + begin], parts, thread, threads);
        __syncwarp();
        sums.merge(threads);
        sums.n = job.at.x_layout.n;
        if (thread != 0 || i >= all) continue;
        if (joined > 1)
            store_part(*job.workspace, behind + i, sums.sums);
        else if (!store_element_sums(job, v, sums))
            mark_result(job, v);
    }
}

template <row_terms TERMS> static element_kernels kernels_with() {
    return { (const void *)marked_vectors_kernel<TERMS, vectors_job>, (const void *)parts_kernel<TERMS> };
}

element_kernels quire_element_kernels(quire_term term, bool has_moments) {
    if (has_moments) return kernels_with<ROW_MOMENTS>();
    return term == TERM_PRODUCT ? kernels_with<ROW_PRODUCTS>() : kernels_with<ROW_NUMBERS>();
}
