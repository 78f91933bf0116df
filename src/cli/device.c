/* device.c - where the work runs.
 *
 * SPDX-License-Identifier: MIT
 */
#include "device.h"

#include <stdlib.h>

#include "complain.h"
#include "progress.h"

enum terms operation_terms(quire_operation operation) {
    switch (operation) {
    case QUIRE_ASUM: return TERM_MAGNITUDE;
    case QUIRE_DOT:
    case QUIRE_NRM2:
    case QUIRE_SUMSQ: return TERM_PRODUCT;
    default: return TERM_VALUE;
    }
}

bool operation_has_moments(quire_operation operation) {
    return operation == QUIRE_VARIANCE || operation == QUIRE_STDDEV;
}

bool operation_is_of_two(quire_operation operation) {
    switch (operation) {
    case QUIRE_DOT:
    case QUIRE_AVERAGE:
    case QUIRE_COVARIANCE:
    case QUIRE_CORRELATION: return true;
    default: return false;
    }
}

int device_trouble(const char *what, quire_status status) {
    complain("%s: %s", what, quire_status_string(status));
    return EXIT_TROUBLE;
}

/* The exact sum takes a file in pieces; the order of the other methods, many vectors, running sums and what is of pairs
 * take all of it. */
static int open_cuda(struct device *device, const struct options *options) {
    int status = gpu_open(&device->gpu, options->gpu);
    if (status) return status;
    device->context = gpu_context(device->gpu);
    const bool at_once = options_many(options) || options->command->family & (CUMSUM | OF_PAIRS);
    device->in_pieces = options->method == QUIRE_EXACT && !at_once;
    return EXIT_FINE;
}

static int open_cpu(struct device *device, const struct options *options) {
    quire_status status = quire_open_cpu(&device->context, options->threads);
    if (status == QUIRE_INVALID_TIER || status == QUIRE_TIER_UNAVAILABLE) return device_trouble("QUIRE_TIER", status);
    if (status) return device_trouble("--device cpu", status);
    status = quire_set_progress(device->context, progress_of_library, NULL);
    if (!status && options->tier >= 0) status = quire_set_tier(device->context, (quire_tier)options->tier);
    if (!status) return EXIT_FINE;
    device_close(device);
    return device_trouble(options->tier >= 0 ? quire_tier_name((quire_tier)options->tier) : "--device cpu", status);
}

int device_open(struct device *device, const struct options *options) {
    *device = (struct device){ NULL, NULL, false };
    return options->cuda ? open_cuda(device, options) : open_cpu(device, options);
}

int device_load(struct device *device, const char *name, const void *array, size_t bytes, const void **there) {
    *there = array;
    if (!device->gpu || device->in_pieces) return EXIT_FINE;
    return gpu_load(device->gpu, name, array, bytes, there);
}

/* ----------------------------------------------------------------------------------------------------- accumulating */

static quire_status accumulate(quire_context *context, enum terms terms, quire_accumulator *sum, quire_type type,
                               size_t n, const void *x, const void *y) {
    if (terms == TERM_PRODUCT) return quire_accumulate_products(context, sum, type, n, x, y);
    if (terms == TERM_MAGNITUDE) return quire_accumulate_magnitudes(context, sum, type, n, x);
    return quire_accumulate(context, sum, type, n, x);
}

/* What gpu_carry calls for each piece. */
struct adding {
    struct device *device;
    quire_type type;
    enum terms terms;
};

static quire_status add_piece(void *user, size_t n, const void *x, const void *y) {
    const struct adding *adding = user;
    return accumulate(adding->device->context, adding->terms, gpu_room(adding->device->gpu), adding->type, n, x,
                      y ? y : x);
}

/* On a GPU, arrays of host memory. */
static int accumulate_in_pieces(struct device *device, quire_type type, enum terms terms, size_t n, const void *x,
                                const void *y, quire_accumulator *sum) {
    struct adding adding = { device, type, terms };
    const bool two = terms == TERM_PRODUCT && y != x;
    const struct gpu_flow flow = { { x, two ? y : NULL }, n, type_size(type), add_piece, &adding };
    int failed = gpu_put(device->gpu, sum, sizeof *sum);
    if (!failed) failed = gpu_carry(device->gpu, &flow);
    return failed ? failed : gpu_fetch(device->gpu, gpu_room(device->gpu), sum, sizeof *sum);
}

int device_accumulate(struct device *device, quire_type type, enum terms terms, size_t n, const void *x, const void *y,
                      quire_accumulator *sum) {
    struct gpu *gpu = device->gpu;
    if (gpu && device->in_pieces) return accumulate_in_pieces(device, type, terms, n, x, y, sum);
    const int failed = gpu ? gpu_put(gpu, sum, sizeof *sum) : EXIT_FINE;
    if (failed) return failed;
    const quire_status status = accumulate(device->context, terms, gpu ? gpu_room(gpu) : sum, type, n, x, y);
    if (status) return device_trouble("exact", status);
    return gpu ? gpu_fetch(gpu, gpu_room(gpu), sum, sizeof *sum) : EXIT_FINE;
}

/* --------------------------------------------------------------------------------------------------------- reducing */

/* The exact dot product of two arrays of host memory on a GPU. */
static int dot_in_pieces(struct device *device, const struct job *job, union number *result) {
    quire_accumulator sum = QUIRE_ACCUMULATOR_ZERO;
    const int failed = device_accumulate(device, job->what.type, TERM_PRODUCT, job->n, job->x, job->y, &sum);
    if (failed) return failed;
    const quire_status status = quire_finish(&job->what, &sum, NULL, result);
    return status ? device_trouble("exact", status) : EXIT_FINE;
}

int device_reduce(struct device *device, const struct job *job, quire_method method, union number *result) {
    struct gpu *gpu = device->gpu;
    quire_reduction what = job->what;
    what.method = method;
    int failed = EXIT_FINE;
    quire_status status = QUIRE_OK;
    progress_begin(method_name(method), type_size(what.type) * (operation_is_of_two(what.operation) ? 2 : 1));
    if (gpu && device->in_pieces) {
        failed = dot_in_pieces(device, job, result);
    } else {
        const quire_layout layout = quire_strided(job->n, 1);
        status = quire_reduce(device->context, &what, &layout, job->x, NULL, job->y, gpu ? gpu_room(gpu) : result);
    }
    progress_end();
    if (status) return device_trouble(method_name(method), status);
    if (!failed && gpu && !device->in_pieces)
        failed = gpu_fetch(gpu, gpu_room(gpu), result, type_size(what.result_type));
    return failed;
}

/* The layout of x, or of y: for all pairs of a matrix's vectors each of them as often as there are, or all so often. */
static quire_layout layout_of(const struct vectors *vectors, bool each) {
    const quire_layout *v = &vectors->layout;
    const size_t count = v->outer * v->inner;
    const ptrdiff_t apart = v->outer > 1 ? v->outer_stride : v->inner_stride;
    if (!vectors->pairs) return *v;
    return (quire_layout){ count, v->n, count, each ? apart : 0, v->stride, each ? 0 : apart };
}

/* x, y, the offsets and the results are all where the context works. */
static int reduce_there(struct device *device, const quire_reduction *what, const struct vectors *vectors,
                        const int64_t *offsets, const void *x, const void *y, void *results) {
    const quire_layout of_x = layout_of(vectors, true), of_y = layout_of(vectors, false);
    quire_status status;
    progress_begin("summing", 0);
    if (offsets)
        status = quire_reduce_segments(device->context, what, vectors->count, QUIRE_I64, offsets, offsets + 1, x, y,
                                       results);
    else
        status = quire_reduce(device->context, what, &of_x, x, &of_y, y, results);
    progress_end();
    return status ? device_trouble(operation_name(what->operation), status) : EXIT_FINE;
}

int device_reduce_vectors(struct device *device, const quire_reduction *what, const struct vectors *vectors,
                          const void *x, const void *y, void *results) {
    const size_t bytes = vectors->count * type_size(what->result_type);
    const void *offsets = NULL;
    void *there = NULL;
    int status = EXIT_FINE;
    if (!device->gpu) return reduce_there(device, what, vectors, vectors->offsets, x, y, results);
    if (!bytes) return EXIT_FINE;
    if (vectors->offsets)
        status = gpu_load(device->gpu, "offsets", vectors->offsets, (vectors->count + 1) * sizeof(int64_t), &offsets);
    if (!status) status = gpu_allocate(device->gpu, "results", bytes, &there);
    if (!status) status = reduce_there(device, what, vectors, offsets, x, y, there);
    return status ? status : gpu_fetch(device->gpu, there, results, bytes);
}

static int scan_there(struct device *device, const quire_reduction *what, quire_scan_kind kind,
                      const quire_layout *layout, const void *x, void *results) {
    progress_begin("summing", 0);
    const quire_status status = quire_scan(device->context, what, kind, layout, x, layout, results);
    progress_end();
    return status ? device_trouble("cumsum", status) : EXIT_FINE;
}

int device_scan(struct device *device, const quire_reduction *what, quire_scan_kind kind, const quire_layout *layout,
                const void *x, void *results) {
    const size_t bytes = layout->outer * layout->n * layout->inner * type_size(what->result_type);
    void *there = NULL;
    if (!device->gpu) return scan_there(device, what, kind, layout, x, results);
    if (!bytes) return EXIT_FINE;
    int status = gpu_allocate(device->gpu, "results", bytes, &there);
    if (!status) status = scan_there(device, what, kind, layout, x, there);
    return status ? status : gpu_fetch(device->gpu, there, results, bytes);
}

/* On the CPU. */
int device_reduce_by_key(struct device *device, const quire_reduction *what, size_t groups, const int64_t *keys,
                         size_t n, const void *x, const void *y, void *results, int64_t *counts) {
    const quire_layout rows = quire_strided(n, 1);
    const size_t bytes = quire_by_key_workspace(device->context, what, groups, QUIRE_I64, &rows);
    void *workspace = NULL;
    if (!bytes || posix_memalign(&workspace, 256, bytes))
        return device_trouble(operation_name(what->operation), QUIRE_OUT_OF_MEMORY);
    progress_begin("summing", 0);
    const quire_status status = quire_reduce_by_key(device->context, what, groups, QUIRE_I64, keys, &rows, x, NULL, y,
                                                    results, counts, workspace, bytes);
    progress_end();
    free(workspace);
    return status ? device_trouble(operation_name(what->operation), status) : EXIT_FINE;
}

/* ---------------------------------------------------------------------------------------------------------- closing */

void device_close(struct device *device) {
    if (device->gpu)
        gpu_close(device->gpu);
    else
        quire_close(device->context);
    *device = (struct device){ NULL, NULL, false };
}

int device_default_tier(quire_tier *tier) {
    struct device device;
    int status = device_open(&device, &(struct options){ .threads = 1, .tier = -1 });
    if (status) /* QUIRE_TIER names none, or one that is not there */
        return status;
    device_close(&device);
    *tier = QUIRE_TIER_PORTABLE;
    for (int i = 0; i < TIERS; i++)
        if (quire_tier_available(every_tier[i])) *tier = every_tier[i];
    const char *wanted = getenv("QUIRE_TIER");
    if (wanted && tier_named(wanted) > QUIRE_TIER_BEST) *tier = (quire_tier)tier_named(wanted);
    return EXIT_FINE;
}
