/* npy.h - the user's own numbers, from an .npy file.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_NPY_H
#define QUIRE_BENCH_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <quire/quire.h>

typedef struct npy {
    FILE *file;
    const char *name; /* without its folders */
    quire_type type;
    size_t count;
    long start; /* where the elements begin */
} npy;

/* Opens a file of 8-bit floats (f1), halves, floats or doubles of any shape. NumPy has no bfloat16: arrays of two
 * opaque bytes ('V2') or of uint16 ('<u2') are taken for it. On trouble complains and answers false. */
bool npy_open(npy *from, const char *path);

/* The first n elements. */
bool npy_read(const npy *from, size_t n, void *x);

void npy_close(npy *from);

#endif
