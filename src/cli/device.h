/* device.h - where the work runs: the one place of the command that knows whose memory an array is in.
 *
 * Everything outside works on host memory. For the CPU these are thin wrappers; for a GPU elements are copied in (all at
 * once by device_load; for the exact method alone, piece by piece by device_reduce) and results out (by device_reduce and
 * device_accumulate, which return when the result is there).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_DEVICE_H
#define QUIRE_CLI_DEVICE_H

#include "gpu.h"
#include "input.h"
#include "names.h"
#include "number.h"
#include "options.h"

struct device {
    quire_context *context;
    struct gpu *gpu; /* NULL: the CPU                                                               */
    bool in_pieces;  /* on a GPU: arrays are not loaded, and the exact method takes them in pieces  */
};

/* What is to be computed. x and y are as device_load gave them. */
struct job {
    enum operation operation;
    quire_type type;
    size_t n;
    const void *x, *y;
    quire_type result_type;
};

/* What device_accumulate adds up, and which of them an operation does. */
enum term { TERM_VALUE, TERM_MAGNITUDE, TERM_PRODUCT };
enum term operation_term(enum operation operation);

/* These answer EXIT_FINE or EXIT_TROUBLE. */
int device_open(struct device *device, const struct options *options);
int device_load(struct device *device, const struct input *input, const void **elements);
int device_reduce(struct device *device, const struct job *job, quire_method method, union number *result);
int device_accumulate(struct device *device, const struct job *job, enum term term, const void *x, const void *y,
                      quire_accumulator *sum);

void device_close(struct device *device);

/* The tier that a context on the CPU starts with: the one QUIRE_TIER names, else the best there is. */
int device_default_tier(quire_tier *tier);

#endif
