/* segments.c - lengths of segments.
 *
 * SPDX-License-Identifier: MIT
 */
#include "segments.h"

#include <math.h>

#include "number.h"

#define LONGEST 1000000 /* by the power law */
#define FILLED 10       /* one segment in so many is not empty */

/* From 1 to twice the mean less 1, all alike. */
static size_t even_length(generator *g, size_t mean) { return 1 + (size_t)generator_below(g, 2 * (uint64_t)mean - 1); }

/* From 1 to LONGEST, a length of L or more as often as 1 / L. The mean of scale / u, cut at LONGEST, is that scale
 * times 1 + log(LONGEST / scale); a few steps find the scale. */
static double power_law_scale(double mean) {
    double scale = mean / 12;
    for (int i = 0; i < 20; i++) scale = mean / (1 + log(LONGEST / scale));
    return scale;
}

static size_t power_law_length(generator *g, double scale) {
    const double length = floor(scale / (1 - generator_uniform(g)));
    return length < 1 ? 1 : length > LONGEST ? LONGEST : (size_t)length;
}

static size_t length_of(layout which, generator *g, size_t mean, double scale) {
    if (which == LAYOUT_POWER_LAW) return power_law_length(g, scale);
    if (which == LAYOUT_MANY_EMPTY) return generator_below(g, FILLED) ? 0 : even_length(g, mean * FILLED);
    return even_length(g, mean);
}

/* Twice as many as the mean would make: chance makes hardly more, and then the last one is long. */
size_t segments_room(size_t n, size_t mean) { return 2 * (n / mean) + 1024; }

size_t segments_cut(layout which, size_t n, size_t mean, uint64_t seed, int32_t *offsets) {
    const size_t most = segments_room(n, mean) - 1;
    const double scale = power_law_scale((double)mean < LONGEST / 2 ? (double)mean : LONGEST / 2);
    size_t count = 0, at = 0;
    generator g;
    generator_seed(&g, seed);
    while (at < n && count < most) {
        const size_t length = length_of(which, &g, mean, scale);
        offsets[count++] = (int32_t)at;
        at = length < n - at && count < most ? at + length : n;
    }
    offsets[count] = (int32_t)n;
    return count;
}
