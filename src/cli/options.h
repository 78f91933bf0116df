/* options.h - the command line, read.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_OPTIONS_H
#define QUIRE_CLI_OPTIONS_H

#include <stdbool.h>

#include "names.h"
#include "pieces.h"

#define METHOD_ALL 0

/* Which options a verb takes: a bit for each family of verbs. */
enum family {
    REDUCTION = 1, /* sum, asum, nrm2, mean, sumsq */
    DOT = 2,
    MOMENT = 4, /* variance, stddev */
    DESCRIBE = 8,
    ACCUMULATE = 16,
    MERGE = 32,
    ROUND = 64,
    INFO = 128,
    AVERAGE = 256,
    COVARIANCE = 512,
    CORRELATION = 1024,
    CUMSUM = 2048
};

/* Those of two arrays; and those that are of pairs of elements, by the exact method alone. */
#define OF_PAIRS (AVERAGE | COVARIANCE | CORRELATION)
#define OF_ALL_PAIRS (COVARIANCE | CORRELATION) /* of one matrix, too */
#define OF_TWO (DOT | OF_PAIRS)

struct options;

/* A verb of the command: its name, what it needs, and the function that is it. */
struct command {
    const char *name;
    const char *operands; /* as the help shows them */
    const char *summary;  /* one line for the list of verbs */
    const char *examples; /* lines for its help */
    enum family family;
    int least, most; /* operands; most < 0: any number */
    quire_operation operation;
    int (*run)(const struct command *command, const struct options *options);
};

/* Zero means: not given. */
struct options {
    char **file;
    int files;
    struct reading reading;
    int method;    /* a quire_method, or METHOD_ALL */
    int result;    /* a quire_type */
    int rounding;  /* a quire_rounding */
    int operation; /* a quire_operation */
    long correction;
    bool skip_nan, total, verbose, json, exclusive;
    bool by_axis;
    long axis;
    size_t rows;
    const char *segments, *by, *output, *weights;
    int threads;
    int tier; /* a quire_tier; -1: not given */
    bool cuda, cpu_only;
    int gpu; /* the number of the CUDA device */
    bool help;

    const struct command *command; /* the verb it is read for */
};

/* Reads the arguments after the command's name: argv[0] is the verb itself. EXIT_FINE or EXIT_USAGE. */
int options_read(struct options *options, const struct command *command, int argc, char **argv);

/* The help of one verb, on standard output. */
void options_help(const struct command *command);

/* What the reductions leave out. */
enum skip options_skip(const struct options *options);

/* Whether there is one result a row, column or segment. */
bool options_many(const struct options *options);

#endif
