/* device.h - where the work runs: the one place of the command that knows whose memory an array is in.
 *
 * Everything outside works on host memory. For the CPU these are thin wrappers; for a GPU elements are copied in (all
 * at once by device_load; for one exact result alone, piece by piece by device_accumulate) and results out. The calls
 * return when the result is there.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_DEVICE_H
#define QUIRE_CLI_DEVICE_H

#include <stdbool.h>

#include "gpu.h"
#include "names.h"
#include "number.h"
#include "options.h"

struct device {
    quire_context *context;
    struct gpu *gpu; /* NULL: the CPU */
    bool in_pieces;  /* on a GPU: arrays are not loaded, and the exact method takes them in pieces */
};

/* What is to be computed; all fields of what are filled in. x and y are as device_load gave them. */
struct job {
    quire_reduction what;
    size_t n;
    const void *x, *y;
};

/* Many vectors of an array: those of a layout, or the segments between offsets, in host memory. */
struct vectors {
    quire_layout layout;
    int64_t *offsets; /* NULL for a layout; one more than there are segments */
    bool pairs;       /* each of the layout's with each of them, which are the rows or the columns of a matrix */
    size_t count;     /* of results */
};

/* What an accumulator adds up, and which of them an operation rounds. */
enum terms { TERM_VALUE = 1, TERM_MAGNITUDE = 2, TERM_PRODUCT = 4 };
enum terms operation_terms(quire_operation operation);

/* Whether an operation reads two arrays. */
bool operation_is_of_two(quire_operation operation);

/* Whether an operation needs the sum of the squares beside that of the values. */
bool operation_has_moments(quire_operation operation);

/* These answer EXIT_FINE or EXIT_TROUBLE. name is for messages. */
int device_open(struct device *device, const struct options *options);
int device_load(struct device *device, const char *name, const void *array, size_t bytes, const void **there);
int device_reduce(struct device *device, const struct job *job, quire_method method, union number *result);
int device_reduce_vectors(struct device *device, const quire_reduction *what, const struct vectors *vectors,
                          const void *x, const void *y, void *results);
int device_scan(struct device *device, const quire_reduction *what, quire_scan_kind kind, const quire_layout *layout,
                const void *x, void *results); /* of x, as device_load gave it; the results have the same layout */
int device_reduce_by_key(struct device *device, const quire_reduction *what, size_t groups, const int64_t *keys,
                         size_t n, const void *x, const void *y, void *results, int64_t *counts);
int device_accumulate(struct device *device, quire_type type, enum terms terms, size_t n, const void *x, const void *y,
                      quire_accumulator *sum);

/* Complains of a status of the library; answers EXIT_TROUBLE. */
int device_trouble(const char *what, quire_status status);

void device_close(struct device *device);

/* The tier that a context on the CPU starts with: the one QUIRE_TIER names, else the best there is. */
int device_default_tier(quire_tier *tier);

#endif
