/* data.h - the vectors that are summed: room for the largest, and what fills it.
 *
 * A vector longer than DATA_BLOCK is copies of one block of that many elements, and a tail that is drawn for itself
 * (cut off a block, it would not be of its family). So the exact result takes as long as that of a block, and a GPU
 * makes its own copies. The block's length is a prime, so that no two copies lie alike in a method's tiles.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_DATA_H
#define QUIRE_BENCH_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "command/own.h"
#include "families.h"

#define DATA_BLOCK 4194301 /* 2^22 - 3 */

/* Where elements come from: a family of the tests, a condition number, or a file. */
typedef struct source {
    const char *name;
    family family;    /* FAMILY_COUNT for the others */
    double condition; /* 0 for the others */
    const own *file;  /* NULL for the others */
} source;

/* Both vectors start on a page, and have room to be shifted by a few elements. */
typedef struct data {
    void *x, *y; /* y is NULL if no operation wants it */
    bool whole;  /* they have room for all n elements; if not, the tail comes right after one block */
    source source;
    quire_type type;
    size_t n;                   /* 0: nothing in there yet */
    size_t block, copies, tail; /* n = block * copies + tail; of a file, it is one block */
    bool pair;
    int shifted;      /* elements */
    unsigned version; /* counts the fillings */
} data;

/* How many elements of n have to be in host memory. */
size_t data_room(size_t n, bool whole);

/* Room for bytes a vector. Complains and answers false if the machine has not that much free memory. */
bool data_open(data *d, size_t bytes, bool wants_y, bool whole);
void data_close(data *d);

/* Fills x, and y if there is one, unless they hold this already. For a pair, the families of cancelling data make x and
 * y whose dot product cancels; else x, whose sum does. A file's y is its x. */
bool data_fill(data *d, source from, quire_type type, uint64_t seed, size_t n, bool pair);

/* Moves x up by elements, and y by three times as many, and back by 0: other alignments of the same numbers. */
void data_shift(data *d, int elements);
const void *data_x(const data *d);
const void *data_y(const data *d);

/* Where the tail begins, in elements; and where element i of n is in host memory. */
size_t data_tail(const data *d);
size_t data_place(const data *d, size_t i);

#endif
