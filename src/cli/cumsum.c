/* cumsum.c - the verb cumsum: running sums, one result for each element; with keys, of the elements of its own key.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "groups.h"
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

/* What is computed, of which vectors, and for rows with keys the groups of these. */
struct running {
    quire_reduction what;
    quire_scan_kind kind;
    struct cut cut;
    const struct groups *groups; /* NULL: there are none */
};

/* ------------------------------------------------------------------------------------------------------------ by key
 */

/* Each group's elements side by side, their running sums, and these in the places of the rows. */
static int scan_groups(struct device *device, const struct running *running, const struct group_order *order,
                       const char *x, char *results) {
    const struct groups *groups = running->groups;
    const size_t size = type_size(running->what.type), wide = type_size(running->what.result_type);
    char *elements = group_order_gather(order, groups, x, size), *sums = malloc((groups->rows + 1) * wide);
    int status = elements && sums ? EXIT_FINE : out_of_memory();
    for (size_t g = 0; g < groups->count && !status; g++) {
        const size_t begin = (size_t)order->begin[g], n = (size_t)order->begin[g + 1] - begin;
        const quire_layout layout = quire_strided(n, 1);
        status =
            device_scan(device, &running->what, running->kind, &layout, elements + begin * size, sums + begin * wide);
    }
    for (size_t k = 0; k < groups->rows && !status; k++)
        memcpy(results + (size_t)order->row[k] * wide, sums + k * wide, wide);
    free(elements);
    free(sums);
    return status;
}

static int scan_by_key(struct device *device, const struct running *running, const void *x, void *results) {
    struct group_order order;
    int status = group_order_find(&order, running->groups, "cumsum");
    if (!status) status = scan_groups(device, running, &order, x, results);
    group_order_free(&order);
    return status;
}

/* Each row's key, and of how many elements its sum is. */
static int print_by_key(const struct options *options, const struct running *running, struct results results) {
    const struct groups *groups = running->groups;
    const char **keys = malloc((groups->rows + 1) * sizeof *keys);
    int64_t *counts = malloc((groups->rows + 1) * sizeof *counts), *so_far = calloc(groups->count + 1, sizeof *so_far);
    int status = keys && counts && so_far ? EXIT_FINE : out_of_memory();
    for (size_t i = 0; i < groups->rows && !status; i++) {
        keys[i] = groups->key[groups->of_row[i]];
        counts[i] = so_far[groups->of_row[i]]++ + !options->exclusive;
    }
    results.keys = keys, results.counts = counts;
    if (!status) status = print_cut(options, &running->cut, results);
    free(keys);
    free(counts);
    free(so_far);
    return status;
}

/* ---------------------------------------------------------------------------------------------------------- results */

/* The results; and of integers of a text, where no double has all their digits, these. Else digits is NULL. */
struct sums {
    void *array, *digits;
};

static int print_running(const struct options *options, const struct running *running, const struct input *input,
                         const struct sums *sums) {
    const struct cut *cut = &running->cut;
    const struct results results = { .file = { input->name, NULL },
                                     .elements = cut->vectors.count,
                                     .type = element_name(&input->element),
                                     .result_type = running->what.result_type,
                                     .array = sums->array,
                                     .digits = sums->digits,
                                     .apart = cut->vectors.layout.inner,
                                     .first = !options->exclusive };
    return running->groups ? print_by_key(options, running, results) : print_cut(options, cut, results);
}

/* All results, in memory of their own; x is as device_load gave it. */
static int scan_all(struct device *device, const struct running *running, const void *x, void **results) {
    *results = malloc((running->cut.vectors.count + 1) * type_size(running->what.result_type));
    if (!*results) return out_of_memory();
    return running->groups
               ? scan_by_key(device, running, x, *results)
               : device_scan(device, &running->what, running->kind, &running->cut.vectors.layout, x, *results);
}

static int scan(struct device *device, const struct options *options, const struct running *running,
                const struct input *input, const struct whole *whole, struct sums *sums) {
    const struct cut *cut = &running->cut;
    const size_t bytes = cut->vectors.count * type_size(running->what.type);
    const void *x;
    int status = device_load(device, input->name, whole_elements(whole, 0), bytes, &x);
    if (!status) status = scan_all(device, running, x, &sums->array);
    if (!status && needs_digits(options, &running->what, whole, sums->array, cut->vectors.count)) {
        struct running of_digits = *running;
        of_digits.what.result_type = QUIRE_INT128;
        status = scan_all(device, &of_digits, x, &sums->digits);
    }
    if (status) return status;
    return options->output ? write_cut(options, cut, running->what.result_type, sums->array)
                           : print_running(options, running, input, sums);
}

static int scan_whole(struct device *device, const struct options *options, const struct source *source,
                      const struct input *input, const struct whole *whole) {
    struct running running = { .what = reduction_of_whole(options, input->type, whole),
                               .kind = options->exclusive ? QUIRE_EXCLUSIVE : QUIRE_INCLUSIVE };
    struct groups groups = { .row = NULL };
    struct sums sums = { NULL, NULL };
    int status = cut_running(&running.cut, options, input, whole->n);
    if (!status && options->by) status = groups_read(&groups, options, source, whole->n);
    if (options->by) running.groups = &groups;
    if (!status) status = scan(device, options, &running, input, whole, &sums);
    free(sums.array);
    free(sums.digits);
    groups_free(&groups);
    return status;
}

static int scan_source(struct device *device, const struct options *options, const struct source *source) {
    struct input input;
    struct pieces pieces;
    struct whole whole;
    struct reading reading = options->reading;
    reading.integers = true;
    int status = input_open(&input, source, &reading);
    if (status) return status;
    status = pieces_open(&pieces, &input, NULL, LEAVE_NOTHING);
    pieces.digits = pieces.doubles = true;
    if (!status) {
        status = pieces_whole(&pieces, &whole);
        if (!status) status = scan_whole(device, options, source, &input, &whole);
        whole_close(&whole);
    }
    pieces_close(&pieces);
    input_close(&input);
    return status;
}

int verb_cumsum(const struct command *command, const struct options *options) {
    struct sources sources;
    struct device device = { NULL, NULL, false };
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
