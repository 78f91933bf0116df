/* column.cuh - exact accumulation of anything: a thread's own column of cells in shared memory, one for every range of
 * exponents. No cell is shared, so there are no atomics; lanes of a warp never meet in a bank. What no window holds
 * goes here, and products of two bfloat16 that bins of floats do not hold.
 *
 * A cell is a floating-point number or an integer that takes Column::additions terms exactly. A column is emptied into
 * the warp's totals: for every cell two integers, in units of the cell and of 2^32 times it, which hold whatever comes.
 *
 * Columns take finite terms alone. Cells that are floating-point numbers start at -0, and so know a sum of only -0.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_COLUMN_CUH
#define QUIRE_CUDA_THREAD_COLUMN_CUH

#include "cuda/thread/bins.cuh"
#include "cuda/thread/choices.cuh"
#include "method/indexed.h"

enum { SAW_NAN = 1, SAW_POSITIVE_INFINITY = 2, SAW_NEGATIVE_INFINITY = 4, SAW_OTHER = 8 };

/* And, beside that, of a warp: whether its columns were ever used; limbs have some of what its windows have counted; it
 * has met what no window holds, and dropped bits only from then on. Of short.cuh's: its lanes have counted something;
 * its sum is not what they have counted. */
enum { WARP_USED = 16, WARP_DEPOSITED = 32, WARP_WIDE = 64, WARP_COUNTED = 128, WARP_APART = 256 };

/* What a term that may be special says of the sum. */
static __device__ __forceinline__ unsigned seen(double term) {
    const unsigned other = bits_of_double(term) != 0x8000000000000000 ? SAW_OTHER : 0;
    if (double_is_finite(term)) return other;
    return other | (double_is_nan(term) ? SAW_NAN : term > 0 ? SAW_POSITIVE_INFINITY : SAW_NEGATIVE_INFINITY);
}

/* The columns of a block lie side by side: row k holds cell k of all threads. Rows are powers of two long, so that the
 * place of a cell is put together by one instruction; or, THREADS being 0, as long as the block has threads. */
extern __shared__ __align__(16) unsigned char column_bytes[];

template <class Cell, int THREADS> static __device__ __forceinline__ Cell &cell_at(unsigned k, unsigned thread) {
    static_assert((THREADS & (THREADS - 1)) == 0, "rows must be powers of two");
    if (!THREADS) return ((Cell *)column_bytes)[k * blockDim.x + thread];
    return *(Cell *)(column_bytes + (k * (unsigned)(THREADS * sizeof(Cell)) | thread * (unsigned)sizeof(Cell)));
}

template <class Cell, int THREADS> static __device__ __forceinline__ Cell &cell_at(unsigned k) {
    return cell_at<Cell, THREADS>(k, threadIdx.x);
}

struct cell_total {
    int64_t low, high; /* (low + 2^32 high) units of the cell */
};

static __device__ __forceinline__ void cell_total_add(cell_total *t, int64_t units) {
    t->low += units & 0xffffffff;
    t->high += units >> 32;
}

/* ----------------------------------------------------------------------------------------------------------- floats */

/* The bins of method/indexed.h. Products of halves are floats, too. */
template <int THREADS> struct float_column {
    typedef double cell;
    static constexpr int row = THREADS, cells = INDEXED_BINS, additions = INDEXED_ADDITIONS, of_term = 1;
    static constexpr bool knows_zero = true, narrow = true; /* its cells start at -0; the units of a row fit 64 bits */

    static __device__ __forceinline__ cell empty() { return -0.0; }
    static __device__ __forceinline__ int exponent(int k) { return k ? 16 * k - 150 : -149; }

    static __device__ __forceinline__ void add_value(float value) {
        cell_at<cell, THREADS>(bits_of_float(value) >> INDEXED_SHIFT & (INDEXED_BINS - 1)) += (double)value;
    }
    template <class Term> static __device__ __forceinline__ void add(float x, float y) { add_value(Term::value(x, y)); }
    static __device__ __forceinline__ void add_rest(double rest, int) { add_value((float)rest); }
    static __device__ __forceinline__ int64_t units(cell c, int k) {
        return __double2ll_rz(c * power_of_two(-exponent(k)));
    }
};

/* --------------------------------------------------------------------------------------------------------- bfloat16 */

#define BFLOAT16_SPREAD 3 /* a cell takes 2^3 neighbouring exponents */

/* Cells of floats: 8 bits and 7 of spread leave 9 of headroom. Terms are scaled down by 2^16, exactly: it makes the
 * least bfloat16 the least float, and gives the greatest ones room; the addition does it by the way. */
template <int THREADS> struct bfloat16_column {
    typedef float cell;
    static constexpr int row = THREADS, spread = 1 << BFLOAT16_SPREAD, cells = 256 >> BFLOAT16_SPREAD, of_term = 1;
    static constexpr int additions = 1 << (24 - 8 - spread + 1), scaled = 16;
    static constexpr bool knows_zero = true, narrow = true;

    static __device__ __forceinline__ cell empty() { return -0.0f; }
    static __device__ __forceinline__ int exponent(int k) { return k ? spread * k - 134 : -133; }

    static __device__ __forceinline__ void add_value(float value) {
        cell &c = cell_at<cell, THREADS>(bits_of_float(value) >> (23 + BFLOAT16_SPREAD) & (cells - 1));
        c = __fmaf_rn(value, 0x1p-16f, c);
    }
    template <class Term> static __device__ __forceinline__ void add(float x, float y) { add_value(Term::value(x, y)); }
    /* rest * 2^shrunk, which is a bfloat16 */
    static __device__ __forceinline__ void add_rest(double rest, int shrunk) {
        add_value((float)(rest * power_of_two(shrunk)));
    }
    static __device__ __forceinline__ int64_t units(cell c, int k) {
        return __double2ll_rz((double)c * power_of_two(scaled - exponent(k)));
    }
};

/* Squares of bfloat16 in integers: y is x times a power of two that brings cell k's exponents, four of them, to [-1,
 * 2], so that y^2 < 64 is a multiple of 2^-16: 22 bits, and 10 of headroom. Added to 128 it stands in the lower bits.
 */
template <int THREADS> struct bfloat16_square_column {
    typedef uint32_t cell;
    static constexpr int row = THREADS, cells = 64, additions = 1 << 10, of_term = 1;
    static constexpr bool knows_zero = false, narrow = true;

    static __device__ __forceinline__ cell empty() { return 0; }
    static __device__ __forceinline__ int exponent(int k) { return 8 * k - 268; }

    template <class Term> static __device__ __forceinline__ void add(float x, float) {
        const float y = x * float_of_bits((~bits_of_float(x) & 0x7e000000) | 0x00800000);
        cell_at<cell, THREADS>(bits_of_float(x) >> 25 & 63) += bits_of_float(__fmaf_rn(y, y, 128.0f)) - 0x43000000;
    }
    static __device__ __forceinline__ void add_rest(double, int) {} /* there is none */
    static __device__ __forceinline__ int64_t units(cell c, int) { return c; }
};

/* ----------------------------------------------------------------------------------------------- products of floats */

/* Products of floats, which doubles hold: 48 bits, or 16 if of bfloat16, 2^-298 to 2^256. An upper part of PRODUCT_BITS
 * and the rest are added to cells of 16 neighbouring exponents: 41 bits, and 12 of headroom. Exponents are counted
 * modulo 64 cells: zeros meet other numbers in their cells, which does no harm. */
#define PRODUCT_BITS 26
#define PRODUCT_FIRST 45 /* the upper 7 bits of the exponent field of 2^-298 */

template <int THREADS, int BITS> struct product_column {
    typedef double cell;
    static constexpr int row = THREADS, cells = 35, additions = 1 << 12, of_term = BITS > PRODUCT_BITS ? 2 : 1;
    static constexpr bool knows_zero = true, narrow = true;

    static __device__ __forceinline__ cell empty() { return -0.0; }
    static __device__ __forceinline__ int exponent(int k) { return 16 * (k + PRODUCT_FIRST) - 1023 - PRODUCT_BITS + 1; }

    static __device__ __forceinline__ void add_part(double part) {
        const uint32_t upper = (uint32_t)__double2hiint(part) - ((uint32_t)PRODUCT_FIRST << 24);
        cell_at<cell, THREADS>(upper >> 24 & 63) += part;
    }
    static __device__ __forceinline__ void add_rest(double value, int) {
        if (of_term == 1) {
            add_part(value);
            return;
        }
        const double upper = __hiloint2double(__double2hiint(value), __double2loint(value) & (int)0xf8000000);
        const double lower = value - upper;
        add_part(upper);
        if (lower != 0) add_part(lower); /* not the +0 of -0 */
    }
    template <class Term> static __device__ __forceinline__ void add(float x, float y) {
        add_rest(Term::value((double)x, (double)y), 0);
    }
    static __device__ __forceinline__ int64_t units(cell c, int k) {
        return __double2ll_rz(c * power_of_two(-exponent(k)));
    }
};

/* ---------------------------------------------------------------------------------------------------------- doubles */

/* Cells of 64-bit integers, COLUMN_BITS apart: an integer below 2^53 in magnitude, shifted to its place, is a low part
 * for one cell and a high part for the next, and each cell takes 2^10 of either. */
#define COLUMN_BITS 52

/* Terms m * 2^q, q >= LEAST, below 2^GREATEST. */
template <int THREADS, int LEAST, int GREATEST> struct integer_column {
    typedef int64_t cell;
    static constexpr int row = THREADS, cells = (GREATEST - LEAST + COLUMN_BITS - 1) / COLUMN_BITS + 1,
                         additions = 1 << 9;
    static constexpr int of_term = LEAST < -1074 ? 2 : 1;
    static constexpr bool knows_zero = false, narrow = false;

    static __device__ __forceinline__ cell empty() { return 0; }
    static __device__ __forceinline__ int exponent(int k) { return LEAST + COLUMN_BITS * k; }

    /* m * 2^q, |m| < 2^53, q >= LEAST */
    static __device__ __forceinline__ void add_integer(int64_t m, int q) {
        const unsigned place = (unsigned)(q - LEAST), k = place / COLUMN_BITS, shift = place % COLUMN_BITS;
        cell &lower = cell_at<cell, THREADS>(k), &upper = cell_at<cell, THREADS>(k + 1);
        const cell was_lower = lower, was_upper = upper; /* both are under way at once */
        lower = was_lower + ((int64_t)((uint64_t)m << shift) & (((int64_t)1 << COLUMN_BITS) - 1));
        upper = was_upper + (m >> (COLUMN_BITS - shift));
    }

    template <class Term> static __device__ __forceinline__ void add(double x, double y) {
        int64_t m, m_y;
        int q, q_y;
        if (Term::is_product) { /* 106 bits */
            double_decompose(x, &m, &q);
            double_decompose(y, &m_y, &q_y);
            const int64_t low = (int64_t)((uint64_t)m * (uint64_t)m_y),
                          high = __mul64hi(m, m_y); /* two's complement: the low 53 bits, and the rest */
            add_integer(low & 0x1fffffffffffff, q + q_y);
            add_integer((int64_t)((uint64_t)high << 11 | (uint64_t)low >> 53), q + q_y + 53);
            return;
        }
        double_decompose(Term::value(x, y), &m, &q);
        add_integer(m, q);
    }
    static __device__ __forceinline__ void add_rest(double rest, int) {
        int64_t m;
        int q;
        double_decompose(rest, &m, &q);
        add_integer(m, q);
    }
    static __device__ __forceinline__ int64_t units(cell c, int) { return c; }
};

/* Of warps that have none. */
struct no_column {
    typedef float cell;
    static constexpr int row = 0, cells = 0, additions = 1 << 30, of_term = 1;
};

/* ------------------------------------------------------------------------------------------------- of any of them */

/* Adds a term that may be special. */
template <class Column, class Term, class Real>
static __device__ __forceinline__ unsigned column_add_any(Real x, Real y) {
    const double value = Term::value(x, y);
    if (!double_is_finite(x) || !double_is_finite(y)) return seen(value);
    Column::template add<Term>(x, y);
    return bits_of_double(value) != 0x8000000000000000 || (x != 0 && y != 0) ? SAW_OTHER : 0;
}

template <class Column> static __device__ __noinline__ void column_clear() {
#pragma unroll 4
    for (int k = 0; k < Column::cells; k++) cell_at<typename Column::cell, Column::row>(k) = Column::empty();
}

#endif
