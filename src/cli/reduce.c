/* reduce.c - the verbs that reduce arrays: sum, asum, dot, nrm2, mean, sumsq, variance and stddev; average, covariance
 * and correlation.
 *
 * Exact results of what is mapped, and all of the other methods, are one call of the library; exact ones of what is
 * read, or of several files together, are added up piece by piece.
 *
 * SPDX-License-Identifier: MIT
 */
#include "reduce.h"

#include <math.h>
#include <stdint.h>

#include "complain.h"
#include "progress.h"
#include "verbs.h"

/* Sums of integers are integers, where they always fit. */
static quire_type own_result(quire_operation operation, quire_type type) {
    if (type < QUIRE_INT8) return type;
    const bool kept = operation == QUIRE_SUM || operation == QUIRE_ASUM ||
                      (operation == QUIRE_SUMSQ && type_size(type) < sizeof(int64_t));
    return kept ? QUIRE_INT128 : QUIRE_F64;
}

quire_reduction reduction_of(const struct options *options, quire_operation operation, quire_type type) {
    return (quire_reduction){
        .operation = operation,
        .type = type,
        .result_type = options->result ? (quire_type)options->result : own_result(operation, type),
        .method = options->method == METHOD_ALL ? QUIRE_EXACT : (quire_method)options->method,
        .rounding = (quire_rounding)options->rounding,
        .correction = options->correction,
    };
}

quire_reduction reduction_of_whole(const struct options *options, quire_type type, const struct whole *whole) {
    quire_reduction what = reduction_of(options, options->command->operation, type);
    what.type = whole_type(whole, what.type);
    return what;
}

bool needs_digits(const struct options *options, const quire_reduction *what, const struct whole *whole,
                  const void *results, size_t count) {
    const double *doubles = results;
    if (!whole->integers || options->result || options->output) return false;
    if (own_result(what->operation, what->type) != QUIRE_INT128) return false;
    for (size_t i = 0; i < count; i++)
        if (fabs(doubles[i]) >= 0x1p53) return true;
    return false;
}

/* ----------------------------------------------------------------------------------------------------------- inputs */

/* One or two inputs, and their pieces. */
struct opened {
    struct input input[2];
    int count;
    struct pieces pieces;
};

static void close_inputs(struct opened *opened) {
    pieces_close(&opened->pieces);
    while (opened->count > 0) input_close(&opened->input[--opened->count]);
}

/* Whether files of integers are read as such. Else they are doubles, two of them where one does not do: as the exact
 * sums of a CPU take them, piece by piece. */
static bool takes_integers(const struct options *options) {
    const bool is_exact = options->method == QUIRE_EXACT && !options_skip(options);
    return is_exact && (options->cuda || options->command->family & OF_PAIRS);
}

static int open_inputs(struct opened *opened, const struct options *options, const struct source *source, int count) {
    const char *verb = options->command->family & OF_TWO ? options->command->name : "dot"; /* of what is kept */
    struct reading reading = options->reading;
    int status = EXIT_FINE;
    opened->count = 0;
    opened->pieces = (struct pieces){ .inputs = 0 };
    reading.integers = takes_integers(options);
    for (int i = 0; i < count && !status; i++) {
        status = input_open(&opened->input[i], &source[i], &reading);
        opened->count += !status;
    }
    if (!status && count == 2) status = input_match(verb, &opened->input[0], &opened->input[1]);
    struct input *second = count == 2 ? &opened->input[1] : NULL;
    if (!status) status = pieces_open(&opened->pieces, &opened->input[0], second, options_skip(options));
    opened->pieces.verb = verb;
    if (status) close_inputs(opened);
    return status;
}

static void describe_input(struct report *report, const struct input *input) {
    report->type = element_name(&input->element);
}

int gather_sources(struct device *device, const struct options *options, const struct source *source, int count,
                   struct gathering *gathering, struct report *report) {
    struct opened opened;
    int status = open_inputs(&opened, options, source, count);
    if (status) return status;
    status = gather(device, gathering, &opened.pieces);
    describe_input(report, &opened.input[0]);
    close_inputs(&opened);
    report->n = gathering->n;
    report->skipped = gathering->skipped;
    return status;
}

int gather_total(struct device *device, const struct options *options, const struct sources *sources,
                 struct gathering *gathering, struct report *report) {
    int status = EXIT_FINE;
    for (size_t i = 0; i < sources->count && !status; i++) {
        progress_file((int)i + 1, (int)sources->count);
        status = gather_sources(device, options, &sources->source[i], 1, gathering, report);
    }
    return status;
}

/* ------------------------------------------------------------------------------------------------------- one result */

/* An array of two rows is two arrays. */
static bool has_two_rows(const struct input *input) {
    const struct npy_header *header = &input->header;
    return input->stored == STORED_NPY && header->dimensions == 2 && header->shape[0] == 2 &&
           !npy_truly_fortran(header);
}

/* The whole arrays, for one call of the library for each method. */
static int reduce_whole(struct device *device, const struct options *options, struct pieces *pieces,
                        struct report *report, struct outcome *outcomes) {
    struct whole whole;
    struct job *job = &report->job;
    pieces->digits = options->method == QUIRE_EXACT;
    pieces->doubles = true;
    int status = pieces_whole(pieces, &whole);
    job->what.type = whole_type(&whole, job->what.type);
    const size_t size = type_size(job->what.type);
    const bool halves = operation_is_of_two(job->what.operation) && pieces->inputs == 1;
    job->n = halves ? whole.n / 2 : whole.n;
    const char *x = whole_elements(&whole, 0), *y = halves ? x + job->n * size : whole_elements(&whole, 1);
    if (!status) status = device_load(device, pieces->input[0]->name, x, job->n * size, &job->x);
    if (!status && y) status = device_load(device, pieces->input[pieces->inputs - 1]->name, y, job->n * size, &job->y);
    if (!status && options->method == METHOD_ALL) {
        report->count = METHODS;
        status = measure_all(device, job, outcomes);
    } else if (!status) {
        outcomes[0] = (struct outcome){ .method = job->what.method };
        status = device_reduce(device, job, job->what.method, &outcomes[0].result);
    }
    whole_close(&whole);
    report->n = job->n;
    report->skipped = pieces->skipped;
    return status;
}

static int reduce_pieces(struct device *device, const struct options *options, struct pieces *pieces,
                         struct report *report, struct outcome *outcome) {
    const quire_reduction *what = &report->job.what;
    struct gathering gathering = { .terms = gathering_terms(what->operation) };
    *outcome = (struct outcome){ .method = QUIRE_EXACT };
    int status = gather(device, &gathering, pieces);
    if (!status) status = gathering_finish(&gathering, what, &outcome->result);
    if (!status && !options->result) gathering_digits(&gathering, what->operation, outcome->digits);
    report->n = gathering.n;
    report->skipped = gathering.skipped;
    return status;
}

int reduce_lone(const struct options *options, const struct source *source) {
    const bool pairs = options->command->family & OF_ALL_PAIRS && !options_many(options);
    complain("%s needs two arrays: %s is one%s", options->command->name, source->name,
             source->column      ? "; --column A,B takes two"
             : options->skip_nan ? ", and --skip-nan cannot split it"
             : pairs             ? "; --axis or --rows takes all pairs in it, --column those of a table"
                                 : "");
    return EXIT_USAGE;
}

/* One result of one source, or of two. */
static int reduce_one(struct device *device, const struct options *options, const struct source *source, int count) {
    struct outcome outcomes[METHODS];
    struct opened opened;
    const quire_operation operation = options->command->operation;
    int status = open_inputs(&opened, options, source, count);
    if (status) return status;
    struct input *input = &opened.input[0];
    struct report report = { .source = source, .sources = (size_t)count, .outcomes = outcomes, .count = 1 };
    describe_input(&report, input);
    const bool halves = operation_is_of_two(operation) && count == 1;
    const bool at_once = options->method != QUIRE_EXACT || halves || options->command->family & OF_PAIRS ||
                         (pieces_are_mappable(&opened.pieces) && !device->gpu);
    report.job.what = reduction_of(options, operation, at_once ? input->type : (quire_type)input->element.type);
    if (halves && (!has_two_rows(input) || options->skip_nan)) {
        status = reduce_lone(options, source);
    } else if (at_once) {
        status = reduce_whole(device, options, &opened.pieces, &report, outcomes);
    } else {
        status = reduce_pieces(device, options, &opened.pieces, &report, outcomes);
    }
    if (!status) status = print_report(options, &report);
    close_inputs(&opened);
    return status;
}

/* One result of all sources together. */
static int reduce_total(struct device *device, const struct options *options, const struct sources *sources) {
    struct gathering gathering = { .terms = gathering_terms(options->command->operation) };
    struct outcome outcome = { .method = QUIRE_EXACT };
    struct report report = { .source = sources->source, .sources = sources->count, .outcomes = &outcome, .count = 1 };
    int status = gather_total(device, options, sources, &gathering, &report);
    if (status) return status;
    report.type = sources->count > 1 ? type_name(gathering.type) : report.type;
    report.job.what = reduction_of(options, options->command->operation, gathering.type);
    status = gathering_finish(&gathering, &report.job.what, &outcome.result);
    if (!options->result) gathering_digits(&gathering, options->command->operation, outcome.digits);
    return status ? status : print_report(options, &report);
}

/* ------------------------------------------------------------------------------------------------------------ verbs */

/* Each source by itself: one that fails does not keep the others from their results. */
static int reduce_each(struct device *device, const struct options *options, const struct sources *sources) {
    int status = EXIT_FINE;
    for (size_t i = 0; i < sources->count; i++) {
        const int one = reduce_one(device, options, &sources->source[i], 1);
        if (device->gpu) gpu_forget(device->gpu); /* there is room for the arrays of one source */
        if (one) status = one;
    }
    return status;
}

int verb_reduce(const struct command *command, const struct options *options) {
    struct sources sources;
    struct device device = { NULL, NULL, false };
    int status = sources_find(&sources, command->name, options->file, options->files, &options->reading);
    if (!status) status = device_open(&device, options);
    if (!status) {
        print_begin(options, sources.count > 1 && !options->total);
        if (options_many(options) && sources.count != 1) {
            complain("--axis, --rows, --segments and --by take one array, not %zu", sources.count);
            status = EXIT_USAGE;
        } else if (options_many(options)) {
            status = reduce_many(&device, options, sources.source, 1);
        } else {
            status =
                options->total ? reduce_total(&device, options, &sources) : reduce_each(&device, options, &sources);
        }
        const int printed = print_end(options);
        if (!status) status = printed;
        device_close(&device);
    }
    sources_free(&sources);
    return status;
}

/* The sources of two arrays, of which the second may be weights. */
static int find_two(struct sources *sources, const struct command *command, const struct options *options) {
    static char standard_input[] = "-"; /* sources keep it */
    char *both[2] = { options->files ? options->file[0] : standard_input, (char *)(uintptr_t)options->weights };
    if (options->weights) return sources_find(sources, command->name, both, 2, &options->reading);
    return sources_find(sources, command->name, options->file, options->files, &options->reading);
}

/* EXIT_FINE or EXIT_USAGE. */
static int check_two(const struct command *command, const struct options *options, const struct sources *sources) {
    const bool matrix = sources->source->columns > 1, many = options_many(options);
    if (sources->count > 2)
        complain("%s needs two arrays, not %zu", command->name, sources->count);
    else if (matrix && many)
        complain("%s of more than two columns is of the whole table, not of --axis, --rows, --segments or --by",
                 command->name);
    else if (!matrix && !many && options->output)
        complain("--output takes the results of --axis, --rows, --segments, --by, or of more than two columns");
    else
        return EXIT_FINE;
    return EXIT_USAGE;
}

int verb_of_two(const struct command *command, const struct options *options) {
    struct sources sources;
    struct device device = { NULL, NULL, false };
    int status = find_two(&sources, command, options);
    const bool matrix = !status && sources.source->columns > 1;
    if (!status) status = check_two(command, options, &sources);
    if (!status) status = device_open(&device, options);
    if (!status) {
        const bool many = options_many(options) || matrix;
        print_begin(options, false);
        status = (many ? reduce_many : reduce_one)(&device, options, sources.source, (int)sources.count);
        const int printed = print_end(options);
        if (!status) status = printed;
        device_close(&device);
    }
    sources_free(&sources);
    return status;
}
