/* main.c - the command quire, on the public header alone.
 *
 * The way of a call: main picks the verb from the table, options.c reads the rest of the line (arguments.c walks over
 * it), and the verb's function does it: reduce.c and many.c, cumsum.c, describe.c, keep.c. sources.c finds the arrays
 * that the operands name, input.c reads or maps one (bytes.c, zip.c, npy.c, text.c, table.c and convert.c know the
 * formats), pieces.c takes one or two of them piece by piece or as a whole. device.c holds the context, and gpu_cuda.c
 * a GPU's memory; gather.c sums pieces; measure.c judges the methods; print.c prints. Each answers an exit status, and
 * has complained if it is not EXIT_FINE.
 *
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "arguments.h"
#include "complain.h"
#include "help.h"
#include "interrupt.h"
#include "options.h"
#include "print.h"
#include "verbs.h"

int verb_info(const struct command *command, const struct options *options) {
    (void)command;
    return print_info(options->json);
}

static const struct command commands[] = {
    { "sum", "[FILE ...]", "the sum of x[i]",
      "  quire sum a.npy b.npy              one line each\n"
      "  quire sum --total *.npy            one sum of all\n"
      "  seq 1000000 | quire sum            numbers in decimal, from a pipe\n"
      "  quire sum data.csv --column price  a column of a table\n"
      "  quire sum data.csv --column price --by city\n"
      "                                     of each city\n"
      "  quire sum both.npz:weights         an array of an archive\n"
      "  quire sum matrix.npy --axis -1     the sum of each row\n",
      REDUCTION, 0, -1, QUIRE_SUM, verb_reduce },
    { "asum", "[FILE ...]", "the sum of |x[i]|", "  quire asum --type float32 raw.bin\n", REDUCTION, 0, -1, QUIRE_ASUM,
      verb_reduce },
    { "dot", "[FILE [FILE]]", "the sum of x[i] y[i], of two arrays",
      "  quire dot x.npy y.npy\n"
      "  quire dot both.npz                 the two arrays of an archive\n"
      "  quire dot two.npy                  the two rows of an .npy file\n"
      "  quire dot data.csv --column price,amount\n",
      DOT, 0, 2, QUIRE_DOT, verb_of_two },
    { "nrm2", "[FILE ...]", "the Euclidean norm, the root of the sum of x[i]^2", "  quire nrm2 gradient.npy\n",
      REDUCTION, 0, -1, QUIRE_NRM2, verb_reduce },
    { "mean", "[FILE ...]", "the sum of x[i], divided by how many they are",
      "  quire mean data.csv --column 3 --skip-nan --verbose\n", REDUCTION, 0, -1, QUIRE_MEAN, verb_reduce },
    { "sumsq", "[FILE ...]", "the sum of x[i]^2", "  quire sumsq residuals.npy\n", REDUCTION, 0, -1, QUIRE_SUMSQ,
      verb_reduce },
    { "variance", "[FILE ...]", "the mean square deviation from the mean",
      "  quire variance sample.npy --correction 1\n", MOMENT, 0, -1, QUIRE_VARIANCE, verb_reduce },
    { "stddev", "[FILE ...]", "the standard deviation, the root of the variance",
      "  quire stddev matrix.npy --axis 0   of each column\n", MOMENT, 0, -1, QUIRE_STDDEV, verb_reduce },
    { "average", "[FILE [FILE]]", "the sum of x[i] w[i], divided by that of the weights w[i]",
      "  quire average prices.npy --weights amounts.npy\n"
      "  quire average data.csv --column price,amount --by city\n",
      AVERAGE, 0, 2, QUIRE_AVERAGE, verb_of_two },
    { "covariance", "[FILE [FILE]]", "of two arrays, or of all pairs of rows or columns",
      "  quire covariance x.npy y.npy --correction 1\n"
      "  quire covariance matrix.npy --axis 1      of all pairs of rows\n"
      "  quire covariance data.csv --column x,y,z  of all pairs of columns\n",
      COVARIANCE, 0, 2, QUIRE_COVARIANCE, verb_of_two },
    { "correlation", "[FILE [FILE]]", "the covariance over the standard deviations, from -1 to 1",
      "  quire correlation data.csv --column price,amount\n"
      "  quire correlation data.csv --column x,y,z  of all pairs of columns\n",
      CORRELATION, 0, 2, QUIRE_CORRELATION, verb_of_two },
    { "cumsum", "[FILE]", "running sums: of the first element, the first two, and so on",
      "  quire cumsum data.csv --column price\n"
      "  quire cumsum x.npy -o sums.npy\n"
      "  quire cumsum data.csv --column price --by city\n"
      "  quire cumsum lengths.npy --exclusive\n"
      "                                     what stands before each element\n"
      "  quire cumsum matrix.npy --axis -1  of each row\n",
      CUMSUM, 0, 1, QUIRE_SUM, verb_cumsum },
    { "describe", "[FILE ...]", "count, mean, standard deviation, least, greatest, NaN and more",
      "  quire describe data.npy\n  quire describe data.csv --column price --by city\n", DESCRIBE, 0, -1, QUIRE_SUM,
      verb_describe },
    { "accumulate", "[FILE ...] -o OUT", "an exact sum, not yet rounded, kept in a file",
      "  quire accumulate part1.npy -o part1.quire\n"
      "  quire accumulate --operation stddev part1.npy -o part1.quire\n",
      ACCUMULATE, 0, -1, QUIRE_SUM, verb_accumulate },
    { "merge", "FILE ... -o OUT", "the exact sum of such sums", "  quire merge part1.quire part2.quire -o all.quire\n",
      MERGE, 1, -1, QUIRE_SUM, verb_merge },
    { "round", "[FILE]", "such a sum, rounded once",
      "  quire round all.quire\n  quire round all.quire --operation mean --result f64\n", ROUND, 0, 1, QUIRE_SUM,
      verb_round },
    { "info", "", "what this quire is and can", NULL, INFO, 0, 0, QUIRE_SUM, verb_info },
    { NULL, NULL, NULL, NULL, INFO, 0, 0, QUIRE_SUM, NULL },
};

static const char *next_verb(const void *names, int i) { return ((const struct command *)names)[i].name; }

/* What other programs call the verbs. */
static const char *called_elsewhere(const char *name) {
    static const char *const words[][2] = {
        { "std", "stddev" },     { "stdev", "stddev" },     { "sd", "stddev" },     { "var", "variance" },
        { "avg", "mean" },       { "average", "mean" },     { "norm", "nrm2" },     { "norm2", "nrm2" },
        { "l2", "nrm2" },        { "norm1", "asum" },       { "l1", "asum" },       { "abs", "asum" },
        { "count", "describe" }, { "length", "describe" },  { "min", "describe" },  { "max", "describe" },
        { "stats", "describe" }, { "summary", "describe" }, { "inner", "dot" },     { "vecdot", "dot" },
        { "add", "sum" },        { "total", "sum" },        { "fsum", "sum" },      { "version", "info" },
        { "scan", "cumsum" },    { "running", "cumsum" },   { "prefix", "cumsum" },
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(name, words[i][0])) return words[i][1];
    return NULL;
}

static const struct command *find_command(const char *name) {
    for (const struct command *command = commands; command->name; command++)
        if (!strcmp(command->name, name)) return command;
    const char *nearest = called_elsewhere(name);
    if (!nearest) nearest = arguments_nearest(name, next_verb, commands);
    if (nearest)
        complain("unknown command %s; did you mean %s?", name, nearest);
    else
        complain("unknown command %s; quire --help lists them", name);
    return NULL;
}

/* What may stand in a command's place. */
static const char *next_word(const void *names, int i) {
    static const char *const words[] = { "--help", "--version", NULL };
    (void)names;
    return words[i];
}

static int help(int argc, char **argv) {
    const bool of_verb = argc > 2 && strcmp(argv[2], "help");
    const struct command *command = of_verb ? find_command(argv[2]) : NULL;
    if (of_verb && !command) return EXIT_USAGE;
    if (command)
        options_help(command);
    else
        help_all(commands);
    return EXIT_FINE;
}

static int run(int argc, char **argv) {
    struct options options;
    if (argc < 2) {
        complain("no command; quire --help lists them");
        return EXIT_USAGE;
    }
    const char *name = argv[1];
    if (!strcmp(name, "help")) return help(argc, argv);
    if (!strcmp(name, "--help") || !strcmp(name, "-h")) return help(1, argv);
    if (!strcmp(name, "--version") || !strcmp(name, "-V")) {
        printf("quire %s\n", quire_version());
        return EXIT_FINE;
    }
    if (name[0] == '-') {
        const char *nearest = arguments_nearest(name, next_word, NULL);
        if (nearest)
            complain("unknown option %s; did you mean %s?", name, nearest);
        else
            complain("unknown option %s (the command comes first; quire --help)", name);
        return EXIT_USAGE;
    }
    const struct command *command = find_command(name);
    int status = command ? options_read(&options, command, argc - 1, argv + 1) : EXIT_USAGE;
    if (status) return status;
    if (!options.help) return command->run(command, &options);
    options_help(command);
    return EXIT_FINE;
}

int main(int argc, char **argv) {
    interrupt_watch();
    int status = run(argc, argv);
    /* A full disk shows at the latest here. */
    errno = 0;
    int failed = ferror(stdout);
    if ((fclose(stdout) || failed) && !status) {
        complain("standard output: %s", errno ? strerror(errno) : "cannot be written");
        status = EXIT_TROUBLE;
    }
    return status;
}
