/* column.cuh - exact accumulation of anything: a thread's own column of cells in shared memory, one for every range of
 * exponents. No cell is shared, so there are no atomics; lanes of a warp never meet in a bank. What no window holds goes here.
 *
 * Floats, and what is narrower, take the bins of method/indexed.h. All else takes cells of 64-bit integers, COLUMN_BITS apart:
 * an integer below 2^53 in magnitude, shifted to its place, is a low part for one cell and a high part for the next, and each
 * cell takes 2^10 of either. A column is emptied into the warp's totals: for every cell two integers, in units of the cell
 * and of 2^32 times it, which hold whatever comes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_COLUMN_CUH
#define QUIRE_CUDA_COLUMN_CUH

#include "cuda/choices.cuh"
#include "cuda/lanes.cuh"
#include "method/indexed.h"

enum { SAW_NAN = 1, SAW_POSITIVE_INFINITY = 2, SAW_NEGATIVE_INFINITY = 4, SAW_OTHER = 8 };

/* What a term that may be special says of the sum. */
static __device__ __forceinline__ unsigned seen(double term) {
    const unsigned other = bits_of_double(term) != 0x8000000000000000 ? SAW_OTHER : 0;
    if (double_is_finite(term)) return other;
    return other | (double_is_nan(term) ? SAW_NAN : term > 0 ? SAW_POSITIVE_INFINITY : SAW_NEGATIVE_INFINITY);
}

struct cell_total {
    int64_t low, high; /* (low + 2^32 high) units of the cell                                                           */
};

static __device__ __forceinline__ void cell_total_add(cell_total *t, int64_t units) {
    t->low += units & 0xffffffff;
    t->high += units >> 32;
}

/* ------------------------------------------------------------------------------------------------------ indexed bins */

struct indexed_column {
    typedef double cell;
    static constexpr int cells = INDEXED_BINS, additions = INDEXED_ADDITIONS;

    static __device__ __forceinline__ cell empty() { return -0.0; }
    static __device__ __forceinline__ int exponent(int k) { return k ? 16 * k - 150 : -149; }

    template <class Term>
    static __device__ __forceinline__ unsigned add(cell *column, int stride, float x, float y) {
        const float value = Term::value(x, y);
        if (!double_is_finite(value)) return seen(value);
        indexed_add(column, stride, value);
        return bits_of_float(value) != 0x80000000 ? SAW_OTHER : 0;
    }

    /* rest * 2^shrunk, which is a float */
    static __device__ __forceinline__ void add_rest(cell *column, int stride, double rest, int shrunk) {
        indexed_add(column, stride, (float)(rest * double_of_bits((uint64_t)(1023 + shrunk) << 52)));
    }

    static __device__ __forceinline__ int64_t units(cell c, int k) {
        return __double2ll_rz(c * double_of_bits((uint64_t)(1023 - exponent(k)) << 52));
    }
};

/* ------------------------------------------------------------------------------------------------------ integer cells */

#define COLUMN_BITS 52

/* Terms m * 2^q, q >= LEAST, below 2^GREATEST. */
template <int LEAST, int GREATEST> struct integer_column {
    typedef int64_t cell;
    static constexpr int cells = (GREATEST - LEAST + COLUMN_BITS - 1) / COLUMN_BITS + 1, additions = 1 << 9;

    static __device__ __forceinline__ cell empty() { return 0; }
    static __device__ __forceinline__ int exponent(int k) { return LEAST + COLUMN_BITS * k; }

    /* m * 2^q, |m| < 2^53; zero may come with any q */
    static __device__ __forceinline__ void add_integer(cell *column, int stride, int64_t m, int q) {
        const unsigned place = (unsigned)(max(q, LEAST) - LEAST), k = place / COLUMN_BITS, shift = place % COLUMN_BITS;
        column[k * stride] += (int64_t)((uint64_t)m << shift) & (((int64_t)1 << COLUMN_BITS) - 1);
        column[(k + 1) * stride] += m >> (COLUMN_BITS - shift);
    }

    template <class Term>
    static __device__ __forceinline__ unsigned add(cell *column, int stride, double x, double y) {
        const double value = Term::value(x, y);
        if (!double_is_finite(x) || !double_is_finite(y)) return seen(value);
        int64_t m, m_y;
        int q, q_y;
        if (Term::is_product && LEAST < -1074) { /* of doubles: 106 bits */
            double_decompose(x, &m, &q);
            double_decompose(y, &m_y, &q_y);
            const int64_t low = m * m_y, high = __mul64hi(m, m_y); /* two's complement: the low 53 bits, and the rest */
            add_integer(column, stride, low & 0x1fffffffffffff, q + q_y);
            add_integer(column, stride, (int64_t)((uint64_t)high << 11 | (uint64_t)low >> 53), q + q_y + 53);
            return m && m_y ? SAW_OTHER : seen(value);
        }
        double_decompose(value, &m, &q);
        add_integer(column, stride, m, q);
        return seen(value);
    }

    static __device__ __forceinline__ void add_rest(cell *column, int stride, double rest, int) {
        int64_t m;
        int q;
        double_decompose(rest, &m, &q);
        add_integer(column, stride, m, q);
    }

    static __device__ __forceinline__ int64_t units(cell c, int) { return c; }
};

/* ---------------------------------------------------------------------------------------------- what warps do with them */

template <class Column> static __device__ __noinline__ void column_clear(typename Column::cell *column, int stride) {
#pragma unroll 4
    for (int k = 0; k < Column::cells; k++) column[k * stride] = Column::empty();
}

/* Adds the columns of a warp, from the one at first on, to its totals, and empties them. Lanes take cells, and go through the
 * columns in step but from different ones on, so that they do not meet in a bank. */
template <class Column>
static __device__ __noinline__ void columns_flush(typename Column::cell *first, int stride, cell_total *total, int thread) {
    __syncwarp();
    for (int k = thread; k < Column::cells; k += WARP) {
        cell_total sum = total[k];
#pragma unroll 8
        for (int i = 0; i < WARP; i++)
            cell_total_add(&sum, Column::units(first[k * stride + ((i + thread) & (WARP - 1))], k));
        total[k] = sum;
    }
    __syncwarp();
    column_clear<Column>(first + thread, stride);
}

#endif
