/* cumsum.c - the verb cumsum: running sums, one result for each element.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "npy_write.h"
#include "progress.h"
#include "reduce.h"
#include "verbs.h"

static int wrong(const char *what) {
    complain("%s", what);
    return EXIT_TROUBLE;
}

/* One vector of all elements, in their order; or those along an axis. The results have the shape of the array. */
static int cut_running(struct cut *cut, const struct options *options, const struct input *input, size_t n) {
    const struct npy_header *header = &input->header;
    const bool fortran = npy_truly_fortran(header);
    if (options->by_axis && input->stored != STORED_NPY) return wrong("--axis is for .npy files");
    if (!options->by_axis && fortran) {
        complain("%s: in Fortran's order, where running sums need --axis", input->name);
        return EXIT_TROUBLE;
    }
    const int status = options->by_axis ? cut_axis(cut, options, input) : EXIT_FINE;
    if (status) return status;
    if (!options->by_axis) cut->vectors.layout = quire_strided(n, 1);
    cut->vectors.count = n;
    cut->dimensions = header->dimensions;
    memcpy(cut->shape, header->shape, (size_t)header->dimensions * sizeof *cut->shape);
    if (input->stored != STORED_NPY) cut->shape[0] = n; /* a text's length is known at its end */
    return EXIT_FINE;
}

static int print_running(const struct options *options, const struct cut *cut, const struct input *input,
                         quire_type type, const void *array) {
    const struct results results = { .file = { input->name, NULL },
                                     .elements = cut->vectors.count,
                                     .type = element_name(&input->element),
                                     .result_type = type,
                                     .array = array,
                                     .apart = cut->vectors.layout.inner,
                                     .first = !options->exclusive };
    return print_cut(options, cut, results);
}

static int scan(struct device *device, const struct options *options, const struct cut *cut, const struct input *input,
                const void *x) {
    const quire_reduction what = reduction_of(options, QUIRE_SUM, input->type);
    const quire_layout *layout = &cut->vectors.layout;
    void *array = malloc((cut->vectors.count + 1) * type_size(what.result_type));
    if (!array) return wrong("out of memory");
    progress_begin("summing", 0);
    const quire_status failed = quire_scan(
        device->context, &what, options->exclusive ? QUIRE_EXCLUSIVE : QUIRE_INCLUSIVE, layout, x, layout, array);
    progress_end();
    int status = failed ? device_trouble("cumsum", failed) : EXIT_FINE;
    if (!status && options->output)
        status = npy_write(options->output, what.result_type, cut->shape, cut->dimensions, cut->fortran, array,
                           cut->vectors.count);
    else if (!status)
        status = print_running(options, cut, input, what.result_type, array);
    free(array);
    return status;
}

static int scan_source(struct device *device, const struct options *options, const struct source *source) {
    struct input input;
    struct pieces pieces;
    struct whole whole;
    struct cut cut = { .dimensions = 0 };
    int status = input_open(&input, source, &options->reading);
    if (status) return status;
    status = pieces_open(&pieces, &input, NULL, LEAVE_NOTHING);
    pieces.doubles = true;
    if (!status) {
        status = pieces_whole(&pieces, &whole);
        if (!status) status = cut_running(&cut, options, &input, whole.n);
        if (!status) status = scan(device, options, &cut, &input, whole.x[0]);
        whole_close(&whole);
    }
    pieces_close(&pieces);
    input_close(&input);
    return status;
}

int verb_cumsum(const struct command *command, const struct options *options) {
    struct sources sources;
    struct device device = { NULL, NULL, false };
    if (options->json && options->output) {
        complain("--json and --output: choose one");
        return EXIT_USAGE;
    }
    int status = sources_find(&sources, command->name, options->file, options->files, &options->reading);
    if (!status && sources.count != 1) {
        complain("%s takes one array, not %zu", command->name, sources.count);
        status = EXIT_USAGE;
    }
    if (!status) status = device_open(&device, options);
    if (!status) {
        print_begin(options, false);
        status = scan_source(&device, options, sources.source);
        const int printed = print_end(options);
        if (!status) status = printed;
        device_close(&device);
    }
    sources_free(&sources);
    return status;
}
