/* exact_sum.cuh - a thread's exact sum: by its two ends, or in a few doubles.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_EXACT_SUM_CUH
#define QUIRE_CUDA_THREAD_EXACT_SUM_CUH

#include "cuda/device/arithmetic.cuh"
#include "cuda/device/warp.cuh"
#include "cuda/thread/choices.cuh"

/* A sum by its two ends: every term is added twice, rounded down and rounded up, so that the exact sum lies between the
 * two, whatever the data and the order. Where both round to the same result that is the correctly rounded sum, for
 * rounding is monotonic.
 *
 * A lower end of -0 and an upper end of +0 come from zeros alone, or from terms that cancel; the upper end is -0 only
 * if every term was. An end of floats' terms or of their products is infinite or NaN only if a term was: 2^64 of them
 * are below 2^320. */
struct ends {
    static constexpr int words = 1;
    double down, up;

    __device__ __forceinline__ void clear() { down = up = -0.0; }
    __device__ __forceinline__ void add(double term) { down = add_down(down, term), up = add_up(up, term); }
    __device__ __forceinline__ void add_product(double a, double b) {
        down = fma_down(a, b, down), up = fma_up(a, b, up);
    }
    __device__ __forceinline__ void join(const ends &other) {
        down = add_down(down, other.down), up = add_up(up, other.up);
    }
    /* That of another lane; by whole warps. */
    __device__ __forceinline__ ends of_lane(unsigned lane) const {
        return { __shfl_sync(WHOLE_WARP, down, (int)lane), __shfl_sync(WHOLE_WARP, up, (int)lane) };
    }
    /* That of the thread whose number differs in one bit, too. */
    __device__ __forceinline__ void merge_across(unsigned bit) {
        down = add_down(down, __shfl_xor_sync(WHOLE_WARP, down, bit));
        up = add_up(up, __shfl_xor_sync(WHOLE_WARP, up, bit));
    }
    /* The sums of "threads" threads, a power of two, that stand "apart"; by whole warps. */
    __device__ __forceinline__ void merge(unsigned threads, unsigned apart = 1) {
        for (unsigned lanes = threads / 2 * apart; lanes >= apart; lanes /= 2) merge_across(lanes);
    }
    __device__ __forceinline__ double width() const { return add_up(up, -down); }
    __device__ __forceinline__ double word(int) const { return up; } /* whose zero has the sign that nearest gives it */
};

/* Products of doubles of a lesser magnitude have errors that may be no doubles: of 106 bits the last is below 2^-1074
 * then. Value and error together are off by half of that at most. */
#define PRODUCT_UNDERFLOWS 0x1p-960

/* An exact sum in a few doubles, WORDS numbers: a sum, what its additions have lost, what the additions of that have
 * lost, one word for each; the last of these is added up twice, rounded down and rounded up. As long as the two are
 * equal nothing is lost: all the numbers together are the exact sum of all terms. If they differ, the sum lies between
 * them.
 *
 * The loss of an addition is found by TwoSum (Knuth, TAOCP 2, 4.2.2, Theorem B). Rounded down the last sum is never
 * above the exact one, rounded up never below, so that equal ends are the sum itself. What is not finite has ends that
 * are NaN, which equal nothing; the first number is then the infinity or NaN that the sum is, where terms cannot
 * overflow: it is the sum of terms as IEEE arithmetic has it. */
template <int WORDS> struct exact_sum {
    double word[WORDS - 1], down, up;

    __device__ __forceinline__ void clear() {
        word[0] = -0.0; /* a sum of only -0 is -0 */
        for (int i = 1; i < WORDS - 1; i++) word[i] = 0;
        down = up = 0;
    }
    /* How far the sum may be below the numbers, of which the last is "up": 0, a little, or NaN or infinite. */
    __device__ __forceinline__ double width() const { return add_up(up, -down); }
    __device__ __forceinline__ bool is_one_number() const {
        bool other = down != 0 || up != 0;
        for (int i = 1; i < WORDS - 1; i++) other |= word[i] != 0;
        return !other;
    }
    /* Numbers whose sum is added: of one that is not finite the first says what it is, and the others are NaN; a +0
     * that is lost is no term. */
    __device__ __forceinline__ void add_word(int i, double number) {
        if (i == 0 || (number != 0 && double_is_finite(number))) add(number);
    }
    /* From number FROM on. */
    template <int FROM = 0> __device__ __forceinline__ void add(double term) {
#pragma unroll
        for (int i = FROM; i < WORDS - 1; i++) {
            double total;
            term = two_sum_f64(word[i], term, &total);
            word[i] = total;
        }
        down = add_down(down, term), up = add_up(up, term);
    }
    __device__ __forceinline__ void merge(const exact_sum &other) {
        add(other.word[0]);
        if constexpr (WORDS > 2) add<1>(other.word[1]);
        down = add_down(down, other.down), up = add_up(up, other.up);
    }
    /* That of another lane; by whole warps, as the next one is. */
    __device__ __forceinline__ exact_sum of_lane(unsigned lane) const {
        exact_sum other;
        for (int i = 0; i < WORDS - 1; i++) other.word[i] = __shfl_sync(WHOLE_WARP, word[i], (int)lane);
        other.down = __shfl_sync(WHOLE_WARP, down, (int)lane), other.up = __shfl_sync(WHOLE_WARP, up, (int)lane);
        return other;
    }
    /* That of the thread whose number differs in one bit, too. */
    __device__ __forceinline__ void merge_across(unsigned bit) {
        exact_sum other;
        for (int i = 0; i < WORDS - 1; i++) other.word[i] = __shfl_xor_sync(WHOLE_WARP, word[i], bit);
        other.down = __shfl_xor_sync(WHOLE_WARP, down, bit);
        other.up = __shfl_xor_sync(WHOLE_WARP, up, bit);
        merge(other);
    }
    /* The last term was a number from term - below to term + above. */
    __device__ __forceinline__ void widen(double below, double above) {
        down = add_down(down, -below), up = add_up(up, above);
    }
    /* The product of any two doubles, which is no double; three words keep its error, unless that underflows. By an
     * instruction of its own: a compiler that may contract would make one of it and the addition. */
    __device__ __forceinline__ void add_long_product(double a, double b) {
        const double product = __dmul_rn(a, b);
        add(product);
        if constexpr (WORDS < 3) {
            widen(-fma_down(a, b, -product), fma_up(a, b, -product));
        } else {
            add<1>(fma_f64(a, b, -product));
            if (abs_f64(product) < PRODUCT_UNDERFLOWS && a != 0 && b != 0) widen(0x1p-1074, 0x1p-1074);
        }
    }
};

/* The sums of "threads" threads, a power of two, that stand "apart"; by whole warps. Most are one number each, and
 * their sum is a double, too. */
template <int WORDS>
static __device__ __forceinline__ exact_sum<WORDS> merge_threads(exact_sum<WORDS> s, unsigned threads,
                                                                 unsigned apart = 1) {
    __syncwarp();
    if (__all_sync(WHOLE_WARP, s.is_one_number())) {
        double down = s.word[0], up = down;
        for (unsigned lanes = threads / 2 * apart; lanes >= apart; lanes /= 2) {
            down = add_down(down, __shfl_xor_sync(WHOLE_WARP, down, lanes));
            up = add_up(up, __shfl_xor_sync(WHOLE_WARP, up, lanes));
        }
        if (__all_sync(WHOLE_WARP, down == up && double_is_finite(up))) {
            s.word[0] = up; /* the others are 0 */
            return s;
        }
    }
    for (unsigned lanes = threads / 2 * apart; lanes >= apart; lanes /= 2) s.merge_across(lanes);
    return s;
}

#endif
