/* ends_choice.h - the choices of an instance of ends.h or pairs.h, all constant, and what both read: vectors of terms.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_BLOCK_ENDS_CHOICE_H
#define QUIRE_CPU_BLOCK_ENDS_CHOICE_H

#include "cpu/block/panel.h"
#include "cpu/simd/simd.h"

typedef struct {
    size_t size;                                        /* bytes of an element */
    int is_double;                                      /* elements are */
    int is_product;                                     /* of x and y */
    int is_pair;                                        /* y is another array; else it is x, and not read */
    term_sign sign;                                     /* what becomes of an element's */
    int is_sure;                                        /* have_sure_sums */
    double scale;                                       /* a power of two that elements are multiplied by */
    void (*widen)(const void *p, v_f64 *a, v_f64 *b);   /* SIMD_F32 elements, in any order */
    void (*columns)(const void *p, v_f64 *a, v_f64 *b); /* in theirs */
    void (*first)(const void *p, int n, v_f32 others, v_f64 *a, v_f64 *b); /* n of them, and zeros behind */
} ends_choice;

/* SIMD_F32 elements, or as many products' factors. */
typedef struct {
    v_f64 x[2], y[2];
} ends_elements;

QUIRE_INLINE ends_elements ends_load(ends_choice c, const char *x, const char *y) {
    ends_elements e;
    c.widen(x, &e.x[0], &e.x[1]);
    if (c.is_pair) c.widen(y, &e.y[0], &e.y[1]);
    if (!c.is_pair) e.y[0] = e.x[0], e.y[1] = e.x[1];
    return e;
}

/* The last n, fewer than SIMD_F32. In place of what is missing stand zeros whose terms are -0, and of
 * squares +0, which changes no sign: none is -0. */
QUIRE_INLINE ends_elements ends_load_first(ends_choice c, const char *x, const char *y, int n) {
    const v_f32 zero = { 0 };
    ends_elements e;
    c.first(x, n, c.sign == SIGN_FLIPPED ? zero : -zero, &e.x[0], &e.x[1]);
    if (c.is_pair) c.first(y, n, zero, &e.y[0], &e.y[1]);
    if (!c.is_pair) e.y[0] = e.x[0], e.y[1] = e.x[1];
    return e;
}

/* One row of SIMD_F32 columns. */
QUIRE_INLINE ends_elements ends_load_columns(ends_choice c, const char *x, const char *y) {
    c.widen = c.columns;
    return ends_load(c, x, y);
}

/* Of columns of this many bytes side by side. Where they are short, what is fetched is so far beside them that it takes
 * as long to get there as so many rows. */
#define ENDS_ROWS_BESIDE 64
typedef struct {
    panel_fetcher x, y;
} ends_fetchers;

QUIRE_INLINE ends_fetchers ends_fetches(panel_rows r, size_t width) {
    const size_t beside = width * ((ENDS_ROWS_BESIDE - 1) / r.rows + 1);
    return (ends_fetchers){ panel_fetches(r.rows, ENDS_ROWS, r.x_row, width, beside),
                            panel_fetches(r.rows, ENDS_ROWS, r.y_row, width, beside) };
}

/* Where a row of them begins, with column number column. What is far behind it is fetched. */
typedef struct {
    const char *x, *y;
} ends_row;

QUIRE_INLINE ends_row ends_row_at(ends_choice c, panel_rows r, const ends_fetchers *fetch, size_t row, size_t column) {
    const ends_row at = { r.x + (ptrdiff_t)row * r.x_row + column * c.size,
                          r.y + (ptrdiff_t)row * r.y_row + column * c.size };
    panel_fetch(fetch->x, at.x, row);
    if (c.is_pair) panel_fetch(fetch->y, at.y, row);
    return at;
}

/* An element as a term. */
QUIRE_INLINE v_f64 ends_signed(ends_choice c, v_f64 x) {
    return c.sign == SIGN_CLEARED ? abs_v_f64(x) : c.sign == SIGN_FLIPPED ? -x : x;
}

/* The ends of SIMD_F64 columns, to those from a column on. */
QUIRE_INLINE void ends_store(many_ends *ends, size_t column, v_f64 sum, v_f64 low, v_f64 up) {
    memcpy(ends->sum + column, &sum, sizeof sum);
    memcpy(ends->low + column, &low, sizeof low);
    memcpy(ends->up + column, &up, sizeof up);
}

#endif
