/* window.h - blocks of elements through the windows of method/window.h, on vectors: the way that holds for every
 * format.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_BLOCK_WINDOW_H
#define QUIRE_CPU_BLOCK_WINDOW_H

#include "cpu/block/terms.h"

#define GROUP 8 /* vectors of terms that go through many bins together */

typedef struct {
    v_f64 bin[STREAMS][SETS][WINDOW_BINS];
} window_bins;

/* Some steps through the bins, all their terms together bin by bin: so the processor need not look far ahead for
 * additions that do not wait for each other. */
QUIRE_INLINE void add_steps(exact_choice c, int bins, element_step from, int steps, window_bins *b, magnitudes *m) {
    const int terms = STEP_TERMS(c.format.size), count = steps * terms;
    v_f64 value[GROUP], error[GROUP];
#pragma GCC unroll 8
    for (int u = 0; u < steps; u++)
        step_terms(c, step_behind(from, (size_t)u), value + terms * u, error + terms * u, m);
#pragma GCC unroll 8
    for (int k = 0; k < bins; k++)
#pragma GCC unroll 8
        for (int i = 0; i < count; i++) {
            value[i] = window_take_v_f64(&b->bin[0][i % SETS][k], value[i]);
            if (exact_streams(c) == 2) error[i] = window_take_v_f64(&b->bin[1][i % SETS][k], error[i]);
        }
}

/* A block in a window: what its bins count, and its magnitudes. */
QUIRE_INLINE void bins_count(exact_choice c, int bins, const char *x, const char *y, size_t steps, int top,
                             block_counts *counts, magnitudes *m) {
    const int streams = exact_streams(c),
              together = (bins > 2 && streams == 1 ? GROUP : SETS) / STEP_TERMS(c.format.size);
    const v_f64 zero = { 0 };
    window_bins b;
    const int scaled_top = top - term_scale(c);
    for (int s = 0; s < streams; s++)
        for (int k = 0; k < bins; k++)
            for (int set = 0; set < SETS; set++)
                b.bin[s][set][k] = zero + window_start(scaled_top - s * ERROR_BELOW, k);

    const element_step first = { x, y };
    size_t step = 0;
    for (; steps - step >= (size_t)together; step += (size_t)together)
        add_steps(c, bins, step_behind(first, step), together, &b, m);
    for (; step < steps; step++) add_steps(c, bins, step_behind(first, step), 1, &b, m);

    for (int s = 0; s < streams; s++)
        for (int k = 0; k < bins; k++) {
            const v_f64 start = zero + window_start(scaled_top - s * ERROR_BELOW, k);
            v_u64 sum = window_count_v_f64(b.bin[s][0][k], start);
            for (int set = 1; set < SETS; set++) sum += window_count_v_f64(b.bin[s][set][k], start);
            counts->count[s][k] = sum;
        }
}

#endif
