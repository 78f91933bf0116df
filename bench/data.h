/* data.h - the vectors that are summed: room for the largest, and what fills it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_DATA_H
#define QUIRE_BENCH_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "families.h"
#include "npy.h"

/* Where elements come from: a family of the tests, or a file. */
typedef struct source {
    const char *name;
    family family;   /* FAMILY_COUNT for a file */
    const npy *file; /* NULL for a family       */
} source;

/* Both vectors start on a page, and have room to be shifted by a few elements. */
typedef struct data {
    void *x, *y; /* y is NULL if no operation wants it */
    source source;
    quire_type type;
    size_t n; /* 0: nothing in there yet */
    bool pair;
    int shifted; /* elements */
} data;

/* Room for bytes a vector. Complains and answers false if the machine has not that much free memory. */
bool data_open(data *d, size_t bytes, bool wants_y);
void data_close(data *d);

/* Fills x, and y if there is one, unless they hold this already. For a pair, the families of cancelling data make x and y
 * whose dot product cancels; else x, whose sum does. A file's y is its x. */
bool data_fill(data *d, source from, quire_type type, uint64_t seed, size_t n, bool pair);

/* Moves x up by elements, and y by three times as many, and back by 0: other alignments of the same numbers. */
void data_shift(data *d, int elements);
const void *data_x(const data *d);
const void *data_y(const data *d);

#endif
