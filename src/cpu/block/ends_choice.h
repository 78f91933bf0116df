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

/* The last n, fewer than SIMD_F32. In place of what is missing stand zeros whose terms are -0. */
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
QUIRE_INLINE panel_fetcher ends_fetches(size_t rows, ptrdiff_t stride, size_t width) {
    return panel_fetches(rows, ENDS_ROWS, stride, width, width * ((ENDS_ROWS_BESIDE - 1) / rows + 1));
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
