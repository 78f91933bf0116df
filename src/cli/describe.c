/* describe.c - the verb describe: count, mean, standard deviation and more, in one pass.
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>

#include "complain.h"
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

int verb_describe(const struct command *command, const struct options *options) {
    struct sources sources;
    struct device device = { NULL, NULL, false };
    int status = sources_find(&sources, command->name, options->file, options->files, &options->reading);
    if (!status) status = device_open(&device, options);
    if (!status) {
        print_begin(options, sources.count > 1 && !options->total);
        status = (options->total ? describe_total : describe_each)(&device, options, &sources);
        const int printed = print_end(options);
        if (!status) status = printed;
        device_close(&device);
    }
    sources_free(&sources);
    return status;
}
