/* keep.c - the verbs for accumulators in files: accumulate, merge and round.
 *
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "accumulators.h"
#include "bytes.h"
#include "complain.h"
#include "output.h"
#include "reduce.h"
#include "verbs.h"

/* ------------------------------------------------------------------------------------------------------------ files */

static int read_file(struct accumulators *accumulators, const char *path) {
    unsigned char bytes[ACCUMULATORS_MOST + 1];
    const bool standard = !strcmp(path, "-");
    const char *name = standard ? "standard input" : path;
    const int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t got = fd < 0 ? -1 : read_fully(fd, bytes, sizeof bytes);
    const int error = errno;
    if (fd > STDIN_FILENO) close(fd);
    const char *problem = got < 0 ? strerror(error) : accumulators_decode(accumulators, bytes, (size_t)got);
    if (!problem) return EXIT_FINE;
    complain("%s: %s", name, problem);
    return EXIT_TROUBLE;
}

static int write_file(const struct accumulators *accumulators, const char *path) {
    unsigned char bytes[ACCUMULATORS_MOST];
    const struct output_part part = { bytes, accumulators_encode(accumulators, bytes) };
    return output_write(path, &part, 1);
}

/* ------------------------------------------------------------------------------------------------------- accumulate */

static int accumulate_sources(struct device *device, const struct options *options, const struct sources *sources,
                              struct gathering *gathering) {
    struct report report;
    const bool dot = options->operation == QUIRE_DOT;
    if (dot && sources->count != 2) {
        complain("accumulate --operation dot needs two arrays, not %zu", sources->count);
        return EXIT_USAGE;
    }
    if (dot) return gather_sources(device, options, sources->source, 2, gathering, &report);
    return gather_total(device, options, sources, gathering, &report);
}

int verb_accumulate(const struct command *command, const struct options *options) {
    struct sources sources;
    struct device device = { NULL, NULL, false };
    const quire_operation operation = options->operation ? (quire_operation)options->operation : QUIRE_SUM;
    struct gathering gathering = { .terms = gathering_terms(operation) };
    int status = sources_find(&sources, command->name, options->file, options->files, &options->reading);
    if (!status) status = device_open(&device, options);
    if (!status) {
        status = accumulate_sources(&device, options, &sources, &gathering);
        device_close(&device);
    }
    sources_free(&sources);
    if (status) return status;
    struct accumulators accumulators = { .terms = gathering.terms,
                                         .products_of_two = operation == QUIRE_DOT,
                                         .integers = !gathering.fractions,
                                         .type = gathering.type,
                                         .operation = operation };
    memcpy(accumulators.sum, gathering.sum, sizeof gathering.sum);
    for (int i = 0; i < 3; i++) quire_carry(&accumulators.sum[i]);
    status = write_file(&accumulators, options->output);
    if (!status && options->verbose) {
        print_count(options, gathering.n, gathering.skipped);
        putchar('\n');
    }
    return status;
}

/* ------------------------------------------------------------------------------------------------------------ merge */

/* The kinds must be the same; what is made of several types, or for several operations, is told by the first of them.
 */
static int merge(struct accumulators *into, const struct accumulators *from, const char *name) {
    if (into->terms != from->terms || into->products_of_two != from->products_of_two) {
        complain("%s: made for %s, which needs other sums than the first file's %s", name,
                 operation_name(from->operation), operation_name(into->operation));
        return EXIT_TROUBLE;
    }
    for (int i = 0; i < 3; i++)
        if (into->terms & 1 << i) quire_merge(&into->sum[i], &from->sum[i]);
    if (into->type != from->type) into->type = QUIRE_F64;
    into->integers = into->integers && from->integers;
    return EXIT_FINE;
}

int verb_merge(const struct command *command, const struct options *options) {
    struct accumulators all, one;
    int status = read_file(&all, options->file[0]);
    (void)command;
    for (int i = 1; i < options->files && !status; i++) {
        status = read_file(&one, options->file[i]);
        if (!status) status = merge(&all, &one, options->file[i]);
    }
    return status ? status : write_file(&all, options->output);
}

/* ------------------------------------------------------------------------------------------------------------ round */

/* Whether the sums that are there are those of an operation. */
static bool serves(const struct accumulators *accumulators, quire_operation operation) {
    const int needed = gathering_terms(operation);
    if (needed & TERM_PRODUCT && accumulators->products_of_two != (operation == QUIRE_DOT)) return false;
    return (accumulators->terms & needed) == needed;
}

int verb_round(const struct command *command, const struct options *options) {
    struct accumulators accumulators;
    struct outcome outcome = { .method = QUIRE_EXACT };
    const char *path = options->files ? options->file[0] : "-";
    int status = read_file(&accumulators, path);
    (void)command;
    if (status) return status;
    const quire_operation operation = options->operation ? (quire_operation)options->operation : accumulators.operation;
    if (!serves(&accumulators, operation)) {
        complain("%s: made for %s, whose sums do not give %s (quire accumulate --operation %s)", path,
                 operation_name(accumulators.operation), operation_name(operation), operation_name(operation));
        return EXIT_TROUBLE;
    }
    struct gathering gathering = { .terms = accumulators.terms, .fractions = !accumulators.integers };
    memcpy(gathering.sum, accumulators.sum, sizeof gathering.sum);
    struct source source = { .path = path };
    strncpy(source.name, path, sizeof source.name - 1);
    struct report report = {
        .source = &source, .sources = 1, .type = type_name(accumulators.type), .outcomes = &outcome, .count = 1
    };
    report.n = (uint64_t)gathering_of(&gathering, operation_terms(operation))->count;
    report.job.what = reduction_of(options, operation, accumulators.type);
    status = gathering_finish(&gathering, &report.job.what, &outcome.result);
    if (status) return status;
    if (!options->result) gathering_digits(&gathering, operation, outcome.digits);
    print_begin(options, false);
    status = print_report(options, &report);
    return status ? status : print_end(options);
}
