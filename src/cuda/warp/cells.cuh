/* cells.cuh - the slow way of exact sums, for whatever exact_sum.cuh cannot hold: a warp's cells in shared memory, one
 * for every 16 bits from 2^-2148 on, to which all lanes add by 32-bit atomics, and an accumulator into which cells are
 * emptied.
 *
 * A cell takes 16 bits of a term, with their sign; so it holds 2^15 of them. An element has at most two terms (the
 * product of two doubles), which meet in a cell at most once each. So a warp empties its cells after 2^14 elements,
 * which adds less than 2^47 to a limb; and carries after 2^15 times that.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_WARP_CELLS_CUH
#define QUIRE_CUDA_WARP_CELLS_CUH

#include "accumulator/limbs.h"
#include "cuda/thread/choices.cuh"
#include "cuda/warp/total.cuh"

#define CELL_BITS 16
#define CELLS (2 * QUIRE_ACCUMULATOR_LIMBS)
#define CELL_ELEMENTS ((size_t)(1 << 14)) /* that a warp adds before it empties its cells */
#define CELL_EMPTIES (1u << 15)           /* how often it empties them before it carries */
#define CELL_MOST (2 * (int64_t)CELL_ELEMENTS * 0xffff)

static_assert(CELL_MOST <= INT32_MAX, "a cell overflows before it is emptied");
static_assert((INT64_MAX - LIMB_MASK) / (CELL_MOST + (CELL_MOST << CELL_BITS)) >= CELL_EMPTIES,
              "a carried limb overflows before it is carried again");

struct warp_cells {
    int cell[CELLS];
    quire_accumulator sum;
    unsigned emptied; /* since the limbs were carried */

    /* These are for a whole warp. */
    __device__ __forceinline__ void clear(int lane) {
        int64_t *word = sum.limb;
        for (int i = lane; i < CELLS; i += WARP) cell[i] = 0;
        for (int i = lane; i < QUIRE_ACCUMULATOR_WORDS; i += WARP) word[i] = 0;
        if (lane == 0) emptied = 0;
        __syncwarp();
    }
    __device__ __forceinline__ void carry(int lane) {
        __syncwarp();
        if (lane == 0) limbs_carry(sum.limb), emptied = 0;
        __syncwarp();
    }
    __device__ __forceinline__ void empty(int lane) {
        __syncwarp();
        for (int i = lane; i < QUIRE_ACCUMULATOR_LIMBS; i += WARP) {
            sum.limb[i] += (int64_t)cell[2 * i] + (int64_t)cell[2 * i + 1] * (1 << CELL_BITS);
            cell[2 * i] = cell[2 * i + 1] = 0;
        }
        __syncwarp();
        if (lane == 0 && ++emptied == CELL_EMPTIES) limbs_carry(sum.limb), emptied = 0;
        __syncwarp();
    }

    /* These for any of its lanes. m * 2^q, q >= LIMB_LEAST_EXPONENT. */
    __device__ __forceinline__ void add(uint64_t m, int q, bool negative) {
        const int place = q - LIMB_LEAST_EXPONENT, shift = place % CELL_BITS;
        int at = place / CELL_BITS;
        int piece = (int)(m << shift & 0xffff);
        for (m >>= CELL_BITS - shift; piece || m; m >>= CELL_BITS) {
            if (piece) atomicAdd(&cell[at], negative ? -piece : piece);
            piece = (int)(m & 0xffff);
            at++;
        }
    }
    __device__ __forceinline__ void add_double(double x) {
        int64_t m;
        int q;
        double_decompose(x, &m, &q);
        add((uint64_t)(m < 0 ? -m : m), q, m < 0);
    }
    __device__ __forceinline__ void add_product(double x, double y) {
        const product_pieces p = multiply_doubles(x, y);
        add(p.lower, p.q, p.is_negative);
        add(p.upper, p.q + 53, p.is_negative);
    }
};

/* What a lane has seen beside finite numbers. */
struct seen_terms {
    bool nan, positive_infinity, negative_infinity, positive_zero, nonzero;

    /* A finite term, of which the sign alone may be right: it may have over- or underflowed. */
    __device__ __forceinline__ void note_finite(double term, bool is_zero) {
        if (!is_zero)
            nonzero = true;
        else if (!(bits_of_double(term) >> 63))
            positive_zero = true;
    }
    __device__ __forceinline__ void note_special(double term) {
        nonzero = true;
        if (double_is_nan(term))
            nan = true;
        else
            (term > 0 ? positive_infinity : negative_infinity) = true;
    }
    /* Any term; answers whether it is a finite one other than 0, to be added. is_zero: it has a factor that is. */
    __device__ __forceinline__ bool note(double term, bool is_finite, bool is_zero) {
        if (is_finite)
            note_finite(term, is_zero);
        else
            note_special(term);
        return is_finite && !is_zero;
    }
    /* Adds all that the warp has seen, by a whole warp. */
    __device__ __forceinline__ void store(quire_accumulator &sum, int lane) const {
        const bool n = __any_sync(WHOLE_WARP, nan), p = __any_sync(WHOLE_WARP, positive_infinity),
                   m = __any_sync(WHOLE_WARP, negative_infinity), z = __any_sync(WHOLE_WARP, positive_zero),
                   t = __any_sync(WHOLE_WARP, nonzero);
        if (lane == 0)
            sum.nan |= n, sum.positive_infinity |= p, sum.negative_infinity |= m,
                sum.other |= (t ? OTHER_NONZERO : 0) | z;
        __syncwarp();
    }
};

#endif
