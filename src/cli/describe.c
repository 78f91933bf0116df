/* describe.c - the verb describe: count, mean, standard deviation and more, in one pass; of all elements, or of those
 * of each key.
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdlib.h>

#include "complain.h"
#include "groups.h"
#include "reduce.h"
#include "verbs.h"

static void begin(struct gathering *gathering, struct facts *facts) {
    *facts = (struct facts){ .least = NAN, .greatest = NAN };
    *gathering = (struct gathering){ .terms = TERM_VALUE | TERM_PRODUCT, .facts = facts };
}

static int finish(const struct options *options, struct gathering *gathering, struct report *report) {
    union number values[2];
    quire_reduction what = reduction_of(options, QUIRE_MEAN, gathering->type);
    if (!options->result) what.result_type = QUIRE_F64;
    int status = gathering_finish(gathering, &what, &values[0]);
    what.operation = QUIRE_STDDEV;
    if (!status) status = gathering_finish(gathering, &what, &values[1]);
    if (status) return status;
    report->job.what = what;
    if (report->sources > 1) report->type = type_name(gathering->type);
    gathering->facts->nan += gathering->skipped;
    return print_facts(options, report, gathering->facts, values);
}

/* Each source by itself: one that fails does not keep the others from their results. */
static int describe_each(struct device *device, const struct options *options, const struct sources *sources) {
    int status = EXIT_FINE;
    for (size_t i = 0; i < sources->count; i++) {
        struct gathering gathering;
        struct facts facts;
        struct report report = { .source = &sources->source[i], .sources = 1 };
        begin(&gathering, &facts);
        int one = gather_sources(device, options, &sources->source[i], 1, &gathering, &report);
        if (!one) one = finish(options, &gathering, &report);
        if (one) status = one;
    }
    return status;
}

static int describe_total(struct device *device, const struct options *options, const struct sources *sources) {
    struct gathering gathering;
    struct facts facts;
    struct report report = { .source = sources->source, .sources = sources->count };
    begin(&gathering, &facts);
    const int status = gather_total(device, options, sources, &gathering, &report);
    return status ? status : finish(options, &gathering, &report);
}

/* ------------------------------------------------------------------------------------------------------------- keys */

/* All numbers are there, in the order of their groups. */
static int describe_groups(struct device *device, const struct options *options, const struct source *source,
                           const struct groups *groups, const struct group_order *order, const double *sorted) {
    int status = EXIT_FINE;
    for (size_t g = 0; g < groups->count && !status; g++) {
        const size_t from = (size_t)order->begin[g], n = (size_t)order->begin[g + 1] - from;
        struct gathering gathering;
        struct facts facts;
        struct report report = {
            .source = source, .sources = 1, .type = type_name(QUIRE_F64), .key = groups->key[g], .n = n
        };
        begin(&gathering, &facts);
        status = gather_elements(device, &gathering, QUIRE_F64, n, sorted + from);
        if (!status) status = finish(options, &gathering, &report);
    }
    return status;
}

static int describe_sorted(struct device *device, const struct options *options, const struct source *source,
                           const struct groups *groups, const double *x) {
    struct group_order order;
    int status = group_order_find(&order, groups, options->command->name);
    double *sorted = status ? NULL : (double *)group_order_gather(&order, groups, (const char *)x, sizeof *x);
    if (!status) {
        status = sorted ? describe_groups(device, options, source, groups, &order, sorted) : out_of_memory();
    }
    free(sorted);
    group_order_free(&order);
    return status;
}

static int describe_whole(struct device *device, const struct options *options, const struct source *source,
                          const struct whole *whole) {
    struct groups groups;
    int status = groups_read(&groups, options, source, whole->n);
    if (!status) status = describe_sorted(device, options, source, &groups, whole_elements(whole, 0));
    groups_free(&groups);
    return status;
}

/* The numbers of a table are doubles. */
static int describe_by_key(struct device *device, const struct options *options, const struct source *source) {
    struct input input;
    struct pieces pieces;
    struct whole whole;
    int status = input_open(&input, source, &options->reading);
    if (status) return status;
    status = pieces_open(&pieces, &input, NULL, LEAVE_NOTHING);
    pieces.verb = options->command->name;
    pieces.doubles = true;
    if (!status) {
        status = pieces_whole(&pieces, &whole);
        if (!status) status = describe_whole(device, options, source, &whole);
        whole_close(&whole);
    }
    pieces_close(&pieces);
    input_close(&input);
    return status;
}

int verb_describe(const struct command *command, const struct options *options) {
    struct sources sources;
    struct device device = { NULL, NULL, false };
    int status = sources_find(&sources, command->name, options->file, options->files, &options->reading);
    if (!status) status = device_open(&device, options);
    if (!status) {
        print_begin(options, sources.count > 1 && !options->total);
        if (options->by && sources.count != 1) {
            complain("--by takes one array, not %zu", sources.count);
            status = EXIT_USAGE;
        } else if (options->by) {
            status = describe_by_key(&device, options, sources.source);
        } else {
            status = (options->total ? describe_total : describe_each)(&device, options, &sources);
        }
        const int printed = print_end(options);
        if (!status) status = printed;
        device_close(&device);
    }
    sources_free(&sources);
    return status;
}
