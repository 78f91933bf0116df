/* round_exact.cuh - from an exact sum in a few doubles (exact_sum.cuh) to its result, if what its ends enclose rounds
 * to one. SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_ROUND_EXACT_CUH
#define QUIRE_CUDA_THREAD_ROUND_EXACT_CUH

#include "cuda/thread/exact_sum.cuh"
#include "cuda/thread/round_number.cuh"

/* Of n terms. has_signs: terms may cancel. overflows: finite terms may have come to what is not finite. */
template <class Job>
static __device__ __forceinline__ bool round_exact(const Job &job, const exact_sum<2> &s, size_t n, bool has_signs,
                                                   bool overflows, uint64_t *bits) {
    const double sum = s.word[0], down = sum + s.down, up = sum + s.up;
    if (!double_is_finite(sum)) {
        *bits = round_total(job, total_of_double(sum), n);
        return !overflows;
    }
    if (s.is_one_number() && sum == 0) { /* whose sign is that of the sum, but for one direction */
        *bits = round_total(job, total_of_double(sum), n);
        return !has_signs || job.rounding != QUIRE_DOWNWARD;
    }
    if (!double_is_finite(s.width()) || (down <= 0 && up >= 0)) return false; /* a zero, perhaps */
    *bits = round_total(job, total_of_two(sum, s.up), n);
    return s.down == s.up || *bits == round_total(job, total_of_two(sum, s.down), n);
}

/* What a few instructions tell, as mostly: the sum itself as a double, to nearest. */
static __device__ __forceinline__ bool round_exact_quickly(const exact_sum<2> &s, uint64_t *bits) {
    const double down = s.down == 0 ? s.word[0] : s.word[0] + s.down, up = s.up == 0 ? s.word[0] : s.word[0] + s.up;
    *bits = bits_of_double(up);
    return down == up && double_is_finite(up);
}

#endif
