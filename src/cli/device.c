/* device.c - where the work runs.
 *
 * SPDX-License-Identifier: MIT
 */
#include "device.h"

#include <stdlib.h>

#include "complain.h"
#include "progress.h"

enum term operation_term(enum operation operation) {
    switch (operation) {
    case OPERATION_ASUM: return TERM_MAGNITUDE;
    case OPERATION_DOT:
    case OPERATION_NRM2: return TERM_PRODUCT;
    default: return TERM_VALUE;
    }
}

static int trouble(const char *what, quire_status status) {
    complain("%s: %s", what, quire_status_string(status));
    return EXIT_TROUBLE;
}

/* The exact sum takes a file in pieces; the order of the other methods takes all of it. */
static int open_cuda(struct device *device, const struct options *options) {
    int status = gpu_open(&device->gpu, options->gpu);
    if (status) return status;
    device->context = gpu_context(device->gpu);
    device->in_pieces = options->method == QUIRE_EXACT;
    return EXIT_FINE;
}

static int open_cpu(struct device *device, const struct options *options) {
    quire_status status = quire_open_cpu(&device->context, options->threads);
    if (status == QUIRE_INVALID_TIER || status == QUIRE_TIER_UNAVAILABLE) return trouble("QUIRE_TIER", status);
    if (status) return trouble("--device cpu", status);
    static char summing[] = "summing";
    status = quire_set_progress(device->context, progress_report, summing);
    if (!status && options->tier >= 0) status = quire_set_tier(device->context, (quire_tier)options->tier);
    if (!status) return EXIT_FINE;
    device_close(device);
    return trouble(options->tier >= 0 ? quire_tier_name((quire_tier)options->tier) : "--device cpu", status);
}

int device_open(struct device *device, const struct options *options) {
    *device = (struct device){ NULL, NULL, false };
    return options->cuda ? open_cuda(device, options) : open_cpu(device, options);
}

int device_load(struct device *device, const struct input *input, const void **elements) {
    *elements = input->elements;
    if (!device->gpu || device->in_pieces) return EXIT_FINE;
    return gpu_load(device->gpu, input->name, input->elements, input->n * type_size(input->type), elements);
}

/* ------------------------------------------------------------------------------------------------------- accumulating */

static quire_status accumulate(quire_context *context, enum term term, quire_accumulator *sum, quire_type type, size_t n,
                               const void *x, const void *y) {
    if (term == TERM_PRODUCT) return quire_accumulate_products(context, sum, type, n, x, y);
    if (term == TERM_MAGNITUDE) return quire_accumulate_magnitudes(context, sum, type, n, x);
    return quire_accumulate(context, sum, type, n, x);
}

int device_accumulate(struct device *device, const struct job *job, enum term term, const void *x, const void *y,
                      quire_accumulator *sum) {
    struct gpu *gpu = device->gpu;
    int failed = gpu ? gpu_put(gpu, sum, sizeof *sum) : EXIT_FINE;
    if (failed) return failed;
    progress_begin();
    quire_status status = accumulate(device->context, term, gpu ? gpu_room(gpu) : sum, job->type, job->n, x, y);
    progress_end();
    if (status) return trouble("exact", status);
    return gpu ? gpu_fetch(gpu, sum, sizeof *sum) : EXIT_FINE;
}

/* ----------------------------------------------------------------------------------------------------------- reducing */

static quire_status reduce(quire_context *context, const struct job *job, quire_method method, void *result) {
    const quire_type type = job->type, to = job->result_type;
    switch (job->operation) {
    case OPERATION_ASUM: return quire_asum(context, type, job->n, job->x, method, to, result);
    case OPERATION_DOT: return quire_dot(context, type, job->n, job->x, job->y, method, to, result);
    case OPERATION_NRM2: return quire_nrm2(context, type, job->n, job->x, method, to, result);
    case OPERATION_MEAN: return quire_mean(context, type, job->n, job->x, method, to, result);
    default: return quire_sum(context, type, job->n, job->x, method, to, result);
    }
}

/* What gpu_carry calls for each piece. */
struct adding {
    struct device *device;
    const struct job *job;
};

static quire_status add_piece(void *user, size_t n, const void *x, const void *y) {
    const struct adding *adding = user;
    const struct job *job = adding->job;
    return accumulate(adding->device->context, operation_term(job->operation), gpu_room(adding->device->gpu), job->type, n,
                      x, y ? y : x);
}

/* The exact method on a GPU, from host memory: the total of the accumulator is that of the array. */
static int reduce_in_pieces(struct device *device, const struct job *job, union number *result) {
    quire_accumulator sum = QUIRE_ACCUMULATOR_ZERO;
    struct adding adding = { device, job };
    const struct gpu_flow flow = {
        { job->x, job->operation == OPERATION_DOT ? job->y : NULL }, job->n, type_size(job->type), add_piece, &adding
    };
    int failed = gpu_put(device->gpu, &sum, sizeof sum);
    if (!failed) failed = gpu_carry(device->gpu, &flow);
    if (!failed) failed = gpu_fetch(device->gpu, &sum, sizeof sum);
    if (failed) return failed;
    quire_status status;
    if (job->operation == OPERATION_NRM2)
        status = quire_round_root(&sum, job->result_type, result);
    else if (job->operation == OPERATION_MEAN)
        status = quire_round_mean(&sum, job->result_type, result);
    else
        status = quire_round(&sum, job->result_type, result);
    return status ? trouble("exact", status) : EXIT_FINE;
}

int device_reduce(struct device *device, const struct job *job, quire_method method, union number *result) {
    struct gpu *gpu = device->gpu;
    int failed = EXIT_FINE;
    quire_status status = QUIRE_OK;
    progress_begin();
    if (gpu && device->in_pieces)
        failed = reduce_in_pieces(device, job, result);
    else
        status = reduce(device->context, job, method, gpu ? gpu_room(gpu) : result);
    progress_end();
    if (status) return trouble(method_name(method), status);
    if (!failed && gpu && !device->in_pieces) failed = gpu_fetch(gpu, result, type_size(job->result_type));
    return failed;
}

/* ------------------------------------------------------------------------------------------------------------- closing */

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
