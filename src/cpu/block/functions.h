/* functions.h - what a tier is asked for (tier/exact.c, ends.c, lanes.c, loops.c, moments.c): of the blocks of a vector
 * an exact sum, the ends of one, a subtree of the canonical order; and of panels the same. The drivers know nothing of
 * its registers.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_BLOCK_FUNCTIONS_H
#define QUIRE_CPU_BLOCK_FUNCTIONS_H

#include "accumulator/integers.h"
#include "cpu/simd/scalar.h"
#include "format/formats.h"
#include "method/methods.h"
#include "operation/operations.h"
#include "order/order.h"

#define LINE_BYTES ((size_t)64) /* of the caches */

/* Sums n elements (n > 0), at most TILE_BATCH tiles of the order, by a lane method: a subtree. The words of its total
 * go to total, floats or doubles. fetches: what lies far ahead is prefetched, as arrays that are longer than caches
 * need it. */
#define TILE_BATCH 16
typedef void (*tile_function)(const void *x, const void *y, size_t n, size_t tile, int fetches, void *total);

/* So few elements are summed in ways of their own, which cost less to begin and to end; and by methods whose lanes have
 * one word a row of lanes, at most. */
#define TILE_FEW 32
#define SHORT_ROW 256

/* The sum of some terms is sum - low at least, and sum + up at most; see ends.h and pairs.h. If nothing was lost both
 * are the sum. If both are 0, sum + up has the sign of the sum. sum is -0 where low and up alone tell. */
typedef struct {
    double sum, low, up;
} sum_ends;

/* Ends that are finished, as roots or quotients, are moved apart by so much of themselves: 2 of their ulps at least,
 * for 4 roundings of half an ulp at most: of a sum with its end, of a number of elements beyond 2^53, of the root or
 * the quotient, and of this. */
#define ENDS_AWAY 0x1p-51

/* How far a sum of what additions lost may be off. lost: the sum; off: the magnitudes of what its own additions lost.
 * These were rounded as they were added, by less than themselves, of fewer than 2^50 (Higham, Accuracy and Stability of
 * Numerical Algorithms, 2nd ed., 2002, (4.4)), and so is the radius when it is taken from the sum and added to it, by
 * 2^-53 of them. lost_ends in pairs.h is the same of many lanes. */
QUIRE_INLINE double lost_radius(double lost, double off) { return off != 0 ? 2 * off + abs_f64(lost) * 0x1p-51 : 0; }

/* Those of vectors that go together. */
#define ENDS_TOGETHER 64
typedef struct {
    _Alignas(64) double sum[ENDS_TOGETHER], low[ENDS_TOGETHER], up[ENDS_TOGETHER];
} many_ends;

QUIRE_INLINE sum_ends ends_at(const many_ends *e, size_t i) { return (sum_ends){ e->sum[i], e->low[i], e->up[i] }; }
QUIRE_INLINE void ends_put(many_ends *e, size_t i, sum_ends ends) {
    e->sum[i] = ends.sum, e->low[i] = ends.low, e->up[i] = ends.up;
}

/* Whether a sum of 2^SURE_BITS elements of a format always is a double: they are multiples of the least one, and below
 * so many times it. */
#define SURE_BITS 13
QUIRE_INLINE int have_sure_sums(format_description f) {
    const int greatest_field = (int)((f.infinity - 1) >> (f.precision - 1));
    return greatest_field + f.precision - 1 + SURE_BITS <= 53;
}

/* A contiguous vector of n elements. y is read where the terms are products, if it is not x. */
typedef struct {
    const char *x, *y;
    size_t n;
} ends_vector;

/* The ends of the sums of count vectors, 0 < count <= ENDS_TOGETHER. */
typedef void (*ends_function)(const ends_vector *vectors, size_t count, many_ends *ends);

/* Adds n terms to an accumulator's limbs and notes. count and the last carry are the caller's: the limbs can take
 * LIMB_ADDITIONS / 2 more. fetches: as above. */
typedef void (*exact_function)(quire_accumulator *a, const void *x, const void *y, size_t n, int fetches);

/* What is added up of integers: each element, its magnitude, or its product with that of y. */
typedef enum { INTEGER_ELEMENTS, INTEGER_MAGNITUDES, INTEGER_PRODUCTS, INTEGER_WAYS } integer_way;

/* Adds n terms of integers that stand side by side, each aligned to itself; y is read for products alone. */
typedef void (*integer_function)(integer_sum *sum, const void *x, const void *y, size_t n);

/* What is to be added: rows of a tile, of which the last may stand elsewhere. */
typedef struct {
    const char *x, *y, *last_x, *last_y;
    size_t full;
} tile_source;

/* The element that stands where there is none, as its term is the identity: -0, or +0 where signs are flipped; of a
 * product, -0 times +0. (The magnitude of -0 and its square are +0, which changes no sum of such, as none is -0.) */
QUIRE_INLINE uint64_t missing_element(size_t size, term_sign sign) {
    return (uint64_t)(sign != SIGN_FLIPPED) << (8 * size - 1);
}

/* A short row, filled up with such elements. */
QUIRE_INLINE void tile_fill(format_description format, char *row, const char *from, size_t n, uint64_t missing) {
    memcpy(row, from, n * (size_t)format.size);
    for (size_t j = n; j < ORDER_LANES; j++) format_store(missing, format.size, row + j * (size_t)format.size);
}

/* ----------------------------------------------------------------------------------------------------- panels */

/* A panel: PANEL neighbouring vectors side by side, reduced together, a vector in each lane of a SIMD register. Element
 * k of them is a row; columns of a matrix are a panel as they stand in memory, other vectors are gathered into one. */
#define PANEL 16 /* vectors side by side: those of float fill a cache line */

/* Rows of a panel in memory. Row r stands at x + r * x_row, in bytes, and is PANEL elements wide. */
typedef struct {
    const char *x, *y;
    ptrdiff_t x_row, y_row;
    size_t rows;
} panel_rows;

/* Fetching what stands some rows ahead: in another page often, where the processor does not fetch by itself. Behind the
 * last row, that is the first row of the columns beside these; but if there are as many rows as can be at a time, more
 * of these columns'. Perhaps past the end, where it does nothing. */
#define PANEL_ROWS_AHEAD 16
typedef struct {
    size_t last;             /* from this row on, what is beside */
    uintptr_t ahead, beside; /* bytes from a row to what is fetched */
    int bytes;               /* of it */
} panel_fetcher;

/* Whether the products of x and y are squares. */
QUIRE_INLINE int panel_squares(panel_rows r) { return r.x == r.y && r.x_row == r.y_row; }

/* most: the rows there can be at a time. width: bytes of a row that are read together; beside: bytes from a row to that
 * of the columns to come. */
QUIRE_INLINE panel_fetcher panel_fetches(size_t rows, size_t most, ptrdiff_t stride, size_t width, size_t beside) {
    const size_t step = rows < PANEL_ROWS_AHEAD ? rows : PANEL_ROWS_AHEAD;
    const uintptr_t ahead = step * (uintptr_t)stride;
    return (panel_fetcher){ rows < most ? rows - step : SIZE_MAX, ahead, ahead - rows * (uintptr_t)stride + beside,
                            (int)width };
}

/* From the last byte back: the line of the first one came with the panel before this one, unless it is the first of a
 * line. */
QUIRE_INLINE void panel_fetch(panel_fetcher f, const char *at, size_t row) {
    const uintptr_t to = (uintptr_t)at + (row < f.last ? f.ahead : f.beside);
    for (int end = f.bytes; end > 0; end -= (int)LINE_BYTES)
        __builtin_prefetch((const void *)(to + (uintptr_t)end - 1));
}

/* The ends of the sums of some columns: as many as some panels have, ENDS_TOGETHER at most. No more rows than
 * ENDS_ROWS. */
typedef void (*column_ends_function)(panel_rows rows, size_t columns, many_ends *ends);
#define ENDS_ROWS ((size_t)1 << 12)
_Static_assert(ENDS_TOGETHER % PANEL == 0 && ENDS_ROWS <= (size_t)1 << SURE_BITS, "whole panels, and sure sums");

/* Sums of a format's terms. */
typedef struct {
    ends_function vectors;
    column_ends_function columns;
} ends_functions;

/* Which of them: two ends alone, for results of no more bits than a float's; a sum beside them, for all results. Sums
 * of doubles always have that. Those that overflow on the way are of elements times 2^-ENDS_POWER; products so small
 * that their errors are no doubles, of elements times 2^ENDS_POWER. */
typedef enum { ENDS_ALONE, ENDS_BESIDE_SUM, ENDS_SCALED_DOWN, ENDS_SCALED_UP, ENDS_KINDS } ends_kind;
#define ENDS_POWER 600
#define ENDS_SCALE_DOWN 0x1p-600
#define ENDS_SCALE_UP 0x1p600

/* Results of count vectors as floats or as doubles, to nearest: of the sum, its root, or it divided by counts. A bit
 * for each that the ends do not tell; what stands there is not its result. */
typedef uint64_t (*ends_results_function)(const many_ends *ends, size_t count, finish_kind finish, const double *counts,
                                          void *results);

/* The same of variances, or their roots, as floats, of n numbers that have sums s, and q of their squares; divisor:
 * n (n - correction). */
typedef uint64_t (*ends_variances_function)(const many_ends *s, const many_ends *q, size_t count, double n,
                                            double divisor, int is_root, void *results);

typedef struct {
    ends_functions of[ENDS_KINDS][FORMAT_NUMBERS][TERM_COUNT];
    ends_results_function floats, doubles;
    ends_variances_function variances;
} tier_ends;

/* Elements of a vector that is reduced at once. */
#define VECTOR_EXACT_ELEMENTS ((size_t)4096)

/* S = s[0] + s[1] and Q = q[0] + q[1] + q[2], the sums of numbers and of their squares, off by width[0] and width[1] at
 * most. */
typedef struct {
    double s[2], q[3], width[2];
} moment_sums;

/* Ways to such sums (tier/moments.c), each narrower than the one before, and slower. A way that is not for a format is
 * taken as the next. */
typedef enum {
    MOMENTS_IN_FLOATS, /* of elements whose squares are floats */
    MOMENTS_UNSPLIT,
    MOMENTS_SPLIT,
    MOMENT_WAYS
} moment_way;
#define MOMENTS_FLOAT_BITS 12 /* the most of such an element */

/* Both sums of n > 0 contiguous elements; answers whether they are there. */
typedef int (*moments_function)(const char *x, size_t n, moment_way way, moment_sums *sums);

/* What the lanes of the order do, for all columns at once. A state is one lane's of a method: its words, each PANEL
 * floats or doubles; states lie side by side. */
#define PANEL_STATE_BYTES (QUIRE_STATE_WORDS * PANEL * sizeof(double)) /* the most there are */

/* Word k of column c of a panel's state. */
QUIRE_INLINE double panel_word(const void *state, int k, size_t c, int is_double) {
    const size_t at = (size_t)k * PANEL + c;
    return is_double ? ((const double *)state)[at] : (double)((const float *)state)[at];
}

/* Lanes that are x_lane bytes apart: each adds rows that are x_row apart, from its own on. If continues is 0, states
 * begin at the identity. */
typedef void (*panel_add_function)(panel_rows rows, size_t lanes, ptrdiff_t x_lane, ptrdiff_t y_lane, int continues,
                                   void *states);

/* Merges rows that are the lanes of a subtree of the order, one element each, for all columns of some panels side by
 * side; 0 < rows.rows <= subtree_rows(). So no lane's state goes to memory, and long pieces of rows are read. */
typedef void (*panel_subtree_function)(panel_rows rows, size_t panels, void *states);
#define MOST_PANELS ((size_t)16) /* the most panels side by side */

/* As many as have their states in registers, of one vector of columns. */
#define SUBTREE_ROWS 8
QUIRE_INLINE int subtree_rows(int words) { return words == 1 ? SUBTREE_ROWS : SUBTREE_ROWS / 2; }

/* Merges count states into count others, one by one. */
typedef void (*panel_merge_function)(void *into, const void *from, size_t count);

/* What a method does with terms of a format: with one vector, and with panels. */
typedef struct {
    tile_function tile;
    panel_add_function add;
    panel_subtree_function subtree;
} lane_functions;

typedef struct {
    lane_functions of[FORMAT_NUMBERS][TERM_COUNT][METHOD_NUMBERS];
    panel_merge_function merge[2][METHOD_NUMBERS]; /* of floats, and of doubles */
} tier_lanes;

#endif
