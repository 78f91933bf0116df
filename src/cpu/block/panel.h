/* panel.h - a panel: PANEL neighbouring vectors side by side, reduced together, a vector in each lane of a SIMD
 * register. Element k of them is a row; columns of a matrix are a panel as they stand in memory, other vectors are
 * gathered into one. A tier offers these functions for every format and term (tier/lanes.c, ends.c); the drivers know
 * nothing of its registers.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_BLOCK_PANEL_H
#define QUIRE_CPU_BLOCK_PANEL_H

#include "cpu/block/functions.h"
#include "format/formats.h"
#include "method/methods.h"
#include "operation/operations.h"

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
