/* records.cuh - what blocks that share a vector leave in the workspace, and the last of them to come. No block waits
 * for another.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_GRID_RECORDS_CUH
#define QUIRE_CUDA_GRID_RECORDS_CUH

#include "cuda/block/block_sums.cuh"
#include "cuda/kernels/vectors_job.h"

/* What a block has come to, where the last one finds it: in so many places. Numbers or not, words go as they are. */
template <int PLACES = 1, class Sums>
static __device__ __forceinline__ void store_record(part_state *to, const Sums &sums) {
    constexpr int words = sizeof(Sums) / sizeof(double);
    static_assert(sizeof(Sums) % sizeof(double) == 0 && sizeof(Sums) <= PLACES * sizeof *to, "places are too few");
    double word[words];
    memcpy(word, &sums, sizeof word);
    for (int i = 0; i < words; i++) __stcg((double *)to + i, word[i]);
}
template <class Sums> static __device__ __forceinline__ Sums load_record(const part_state *from) {
    constexpr int words = sizeof(Sums) / sizeof(double);
    double word[words];
    Sums sums;
    for (int i = 0; i < words; i++) word[i] = __ldcg((const double *)from + i);
    memcpy(&sums, word, sizeof word);
    return sums;
}

/* What the records of so many parts come to, by a whole block, in its thread 0. */
template <unsigned THREADS, class Sums>
static __device__ __forceinline__ void sum_of_records(Sums &total, const part_state *from, unsigned parts) {
    total.clear();
    for (unsigned p = threadIdx.x; p < parts; p += THREADS) total.join(load_record<Sums>(&from[p]));
    total = sum_of_block<THREADS>(total);
}

/* Whether this is the last of so many blocks to come here: it sees what all others have written before. By a whole
 * block. */
static __device__ __forceinline__ bool is_last_of(unsigned *ended, unsigned blocks) {
    bool is_last = false;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        is_last = atomicAdd(ended, 1u) == blocks - 1;
        if (is_last) *ended = 0;
    }
    is_last = __syncthreads_or(is_last);
    __threadfence();
    return is_last;
}

#endif
