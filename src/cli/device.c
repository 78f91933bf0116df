/* device.c - where the work runs.
 *
 * SPDX-License-Identifier: MIT
 */
#include "device.h"

#include <stdlib.h>

#include "complain.h"
#include "progress.h"

static int trouble(const char *what, quire_status status) {
    complain("%s: %s", what, quire_status_string(status));
    return EXIT_TROUBLE;
}

static int open_cuda(struct device *device) {
    quire_status status = quire_open_cuda(&device->context, 0, NULL);
    if (status) return trouble("--device cuda", status);
    device_close(device);
    complain("--device cuda: this command cannot copy to a device yet");
    return EXIT_TROUBLE;
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
    device->context = NULL;
    return options->cuda ? open_cuda(device) : open_cpu(device, options);
}

int device_load(struct device *device, const struct input *input, const void **elements) {
    (void)device;
    *elements = input->elements;
    return EXIT_FINE;
}

typedef quire_status reduction(quire_context *context, quire_type type, size_t n, const void *x, quire_method method,
                               quire_type result_type, void *result);

int device_reduce(struct device *device, const struct job *job, quire_method method, union number *result) {
    static reduction *const reductions[] = { [OPERATION_SUM] = quire_sum,
                                             [OPERATION_ASUM] = quire_asum,
                                             [OPERATION_NRM2] = quire_nrm2,
                                             [OPERATION_MEAN] = quire_mean };
    quire_status status;
    progress_begin();
    if (job->operation == OPERATION_DOT)
        status = quire_dot(device->context, job->type, job->n, job->x, job->y, method, job->result_type, result);
    else
        status = reductions[job->operation](device->context, job->type, job->n, job->x, method, job->result_type, result);
    progress_end();
    return status ? trouble(method_name(method), status) : EXIT_FINE;
}

int device_accumulate(struct device *device, const struct job *job, enum term term, const void *x, const void *y,
                      quire_accumulator *sum) {
    quire_status status;
    progress_begin();
    if (term == TERM_PRODUCT)
        status = quire_accumulate_products(device->context, sum, job->type, job->n, x, y);
    else if (term == TERM_MAGNITUDE)
        status = quire_accumulate_magnitudes(device->context, sum, job->type, job->n, x);
    else
        status = quire_accumulate(device->context, sum, job->type, job->n, x);
    progress_end();
    return status ? trouble("exact", status) : EXIT_FINE;
}

void device_close(struct device *device) {
    quire_close(device->context);
    device->context = NULL;
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
