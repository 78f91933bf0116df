/* group_windows.h - sums of groups by two additions a row, where two TwoSums take twelve.
 *
 * Terms t below 2^exponent in magnitude are split at a unit: q = t rounded to a multiple of the unit, r = t - q, both
 * exact. A group's sum of q, `high`, is exact too: it has at most 2^52 units, since the unit is 2^(exponent - 52) times
 * the most rows that may come. `low` is the sum of r, |r| <= unit / 2. When row j of a group comes, low is at most
 * j unit / 2, and the addition loses at most 2^-53 of that; the first loses nothing. So m rows lose at most
 * sum(j unit 2^-54, j = 2 to m) <= m (m - 1) unit 2^-54, and nothing where all r are 0. Now and then, and where greater
 * terms come, the windows are emptied into the groups' states (group_sums.c), and this is added to how far these may be
 * off.
 *
 * high is never -0, and low is -0 if all terms were, so that a zero keeps its sign.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_GROUP_WINDOWS_H
#define QUIRE_CPU_GROUP_WINDOWS_H

#include "cpu/groups.h"

#define FETCHED ((size_t)8)   /* rows, for which a line of the next stretch is fetched */
#define WINDOW_ROWS 16        /* for each group, at least, between two emptyings, */
#define LEAST_WINDOW_ROWS 12  /* and so many rows in all, a power of two */
#define NO_WINDOW (-2000)     /* no exponent */
#define GREATEST_EXPONENT 900 /* nothing overflows or underflows on the way from windows */
#define LEAST_EXPONENT (-800) /* where the greatest term is between 2 to these powers */
#define SLACK 8               /* binades that terms may be below a window's before it is changed for them */

typedef struct {
    double high, low;
    int64_t rows;
} group_window;

typedef struct {
    group_window *groups;
    size_t count, rows; /* groups; rows that have come since all was empty */
    int most, exponent; /* 2^most rows may come */
    int has_low;        /* whether any r was not 0 since */
    int is_used;        /* whether any row has come at all */
    double unit;
} group_windows;

/* t split at the unit: what is a multiple of it, and the rest. */
typedef struct {
    double high, low;
} split_term;

QUIRE_INLINE double power_of_two(int exponent) {
    const uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

static inline void windows_clear(group_windows *w) {
    for (size_t g = 0; g < w->count; g++) w->groups[g] = (group_window){ 0.0, -0.0, 0 };
    w->rows = 0;
    w->has_low = 0;
}

static inline group_windows windows_open(void *memory, size_t groups) {
    group_windows w = { .groups = memory, .count = groups, .most = LEAST_WINDOW_ROWS, .exponent = NO_WINDOW };
    while ((size_t)1 << w.most < WINDOW_ROWS * groups) w.most++;
    windows_clear(&w);
    return w;
}

/* What m rows may have lost, twice over, which covers how this itself is rounded. */
QUIRE_INLINE double window_loss(const group_windows *w, int64_t rows) {
    return w->has_low ? (double)rows * (double)(rows - 1) * (w->unit * 0x1p-53) : 0.0;
}

/* The least exponent so that all terms are below its power of two; 1025 if one is not finite. */
static inline int exponent_of_terms(const double *terms, size_t n) {
    int32_t greatest = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &terms[i], sizeof bits);
        const int32_t upper = (int32_t)(bits >> 32 & 0x7fffffff);
        greatest = upper > greatest ? upper : greatest;
    }
    return (greatest >> 20) - 1022;
}

/* The bits of all r but their signs, or-ed. */
static inline uint64_t split_terms(const double *terms, size_t n, double unit, split_term *split) {
    const double shift = 0x1.8p52 * unit; /* x + shift is a multiple of the unit */
    uint64_t any = 0;
    for (size_t i = 0; i < n; i++) {
        const double high = (terms[i] + shift) - shift, low = terms[i] - high;
        uint64_t bits;
        memcpy(&bits, &low, sizeof bits);
        any |= bits << 1;
        split[i] = (split_term){ high, low };
    }
    return any;
}

/* Whether a window for such terms may take the place of the one that there is: not before that paid. */
QUIRE_INLINE int windows_may_change(const group_windows *w, int exponent) {
    const int fits = exponent >= LEAST_EXPONENT && exponent < GREATEST_EXPONENT;
    return fits && (w->rows == 0 || w->rows >= w->count);
}

/* All that windows hold goes to the states. */
static inline void empty_windows(group_windows *w, double *states) {
    for (size_t g = 0; g < w->count && w->rows; g++) {
        const group_window from = w->groups[g];
        double *sum = states + g * words_of(1), *lost = sum + 1, *off = sum + 2;
        if (!from.rows) continue;
        if (from.high != 0) lost_add(lost, off, two_sum_f64(*sum, from.high, sum));
        lost_add(lost, off, two_sum_f64(*sum, from.low, sum));
        *off += window_loss(w, from.rows);
        add_count(sum + 3, (size_t)from.rows);
    }
    windows_clear(w);
}

/* Makes room for some terms; answers whether there is any. */
static inline int prepare_windows(group_windows *w, double *states, const double *terms, size_t n) {
    const int exponent = exponent_of_terms(terms, n);
    if (w->rows + n > (size_t)1 << w->most) empty_windows(w, states);
    if ((exponent > w->exponent || exponent < w->exponent - SLACK) && windows_may_change(w, exponent)) {
        empty_windows(w, states);
        w->exponent = exponent + 1;
        w->unit = power_of_two(w->exponent + w->most - 52);
    }
    return exponent <= w->exponent;
}

/* is_64_bit is a constant. The next stretch is fetched on the way. */
QUIRE_INLINE void add_split_terms(const group_columns *of, group_windows *to, size_t first, size_t last,
                                  const split_term *terms, int is_64_bit) {
    const void *keys = of->keys->keys;
    const size_t key_size = is_64_bit ? sizeof(int64_t) : sizeof(int32_t), n = of->keys->n;
    const char *x = of->x;
    const ptrdiff_t x_row = of->x_row;
    group_window *windows = to->groups;
    const uint64_t groups = to->count;
    for (size_t row = first; row < last;) {
        const size_t end = last - row < FETCHED ? last : row + FETCHED;
        const size_t next = n - row > ROW_STRETCH ? row + ROW_STRETCH : row;
        __builtin_prefetch((const char *)keys + next * key_size);
        __builtin_prefetch(x + (ptrdiff_t)next * x_row);
        for (; row < end; row++) {
            const uint64_t key = key_of(keys, row, is_64_bit);
            if (key >= groups) continue;
            windows[key].high += terms[row - first].high;
            windows[key].low += terms[row - first].low;
            windows[key].rows++;
        }
    }
}

/* Side by side they are read as vectors. */
QUIRE_INLINE void make_terms(const group_columns *of, size_t first, size_t n, double *terms, int is_double,
                             quire_term term) {
    const ptrdiff_t size = is_double ? sizeof(double) : sizeof(float), at = (ptrdiff_t)first;
    const char *x = of->x + at * of->x_row, *y = of->y + at * of->y_row;
    if (of->x_row == size && (term != TERM_PRODUCT || of->y_row == size))
        for (size_t i = 0; i < n; i++)
            terms[i] = term_at(x + (ptrdiff_t)i * size, y + (ptrdiff_t)i * size, is_double, term);
    else
        for (size_t i = 0; i < n; i++)
            terms[i] = term_at(x + (ptrdiff_t)i * of->x_row, y + (ptrdiff_t)i * of->y_row, is_double, term);
}

/* Answers whether the windows have taken the rows. */
QUIRE_INLINE int add_to_windows(const group_columns *of, group_windows *windows, double *states, size_t first,
                                size_t last, int is_double, quire_term term) {
    double terms[ROW_STRETCH];
    split_term split[ROW_STRETCH];
    make_terms(of, first, last - first, terms, is_double, term);
    if (!prepare_windows(windows, states, terms, last - first)) return 0;
    windows->has_low |= split_terms(terms, last - first, windows->unit, split) != 0;
    if (of->keys->index == QUIRE_I64)
        add_split_terms(of, windows, first, last, split, 1);
    else
        add_split_terms(of, windows, first, last, split, 0);
    windows->rows += last - first;
    windows->is_used = 1;
    return 1;
}

#endif
