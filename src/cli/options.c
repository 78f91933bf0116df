/* options.c - the command line, read; and its help.
 *
 * SPDX-License-Identifier: MIT
 */
#include "options.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "complain.h"
#include "help.h"
#include "output.h"

enum {
    TYPE = 256,
    COLUMN,
    DELIMITER,
    DECIMAL,
    MISSING,
    SKIP_NAN,
    RESULT,
    METHOD,
    ROUNDING,
    CORRECTION,
    OPERATION,
    TOTAL,
    AXIS,
    ROWS,
    SEGMENTS,
    BY,
    WEIGHTS,
    EXCLUSIVE,
    THREADS,
    TIER,
    DEVICE,
    JSON
};

#define READERS (REDUCTION | OF_TWO | MOMENT | DESCRIBE | ACCUMULATE | CUMSUM)
#define REDUCERS (REDUCTION | OF_TWO | MOMENT)
#define ALL (READERS | MERGE | ROUND | INFO)

/* The options, in the order of the help: who takes them, their value, and what they do. */
static const struct {
    int value;
    const char *name, *argument, *help;
    int families;
} entries[] = {
    { TYPE, "type", "TYPE", "the numbers of a raw file: f16, bf16, f32, f64, e5m2, e4m3, i8 to u64", READERS },
    { COLUMN, "column", "NAME|NUMBER", "a column of a table (CSV, tabs, blanks); several: separated by commas",
      READERS },
    { DELIMITER, "delimiter", "CHARACTER",
      "between the fields of a table (default: found in its first line), or between numbers", READERS },
    { DECIMAL, "decimal", "CHARACTER", "before the fraction of a number in a text: . (default) or ,", READERS },
    { MISSING, "missing", "WAY", "an empty cell or NA is left out (skip), nan (default, with a remark), or an error",
      READERS },
    { SKIP_NAN, "skip-nan", NULL, "leave NaN out, and count what was left out", READERS & ~CUMSUM },
    { RESULT, "result", "TYPE", "the type of the result (default: that of the input)",
      REDUCERS | CUMSUM | ROUND | DESCRIBE },
    { RESULT, "result-type", "TYPE", NULL, REDUCERS | CUMSUM | ROUND | DESCRIBE },
    { METHOD, "method", "METHOD", "exact (default), kahan, pairwise, plain; all compares them in a table",
      REDUCTION | DOT },
    { ROUNDING, "rounding", "WAY", "nearest (default), down, up or zero", REDUCERS | CUMSUM | ROUND | DESCRIBE },
    { CORRECTION, "correction", "N", "divide by n - N (default: 0; 1 for a sample)",
      MOMENT | COVARIANCE | DESCRIBE | ROUND },
    { WEIGHTS, "weights", "FILE", "the weights (default: the second of two arrays)", AVERAGE },
    { OPERATION, "operation", "VERB", "sum (default), asum, dot, nrm2, mean, variance, stddev or sumsq",
      ACCUMULATE | ROUND },
    { TOTAL, "total", NULL, "one result of all files together", REDUCTION | MOMENT | DESCRIBE },
    { AXIS, "axis", "K", "take each vector along axis K of an .npy file by itself; -1 is the last", REDUCERS | CUMSUM },
    { ROWS, "rows", "N", "one result for each of N rows of equal length", REDUCERS },
    { SEGMENTS, "segments", "FILE", "one result for each segment between the offsets in FILE", REDUCERS },
    { BY, "by", "NAME|NUMBER", "one result for each key in this column of the table", REDUCERS | CUMSUM | DESCRIBE },
    { EXCLUSIVE, "exclusive", NULL, "each sum without its own element: the first is 0", CUMSUM },
    { 'o', "output", "FILE", "where the results go: an .npy file, or accumulators",
      REDUCERS | CUMSUM | ACCUMULATE | MERGE },
    { 'v', "verbose", NULL, "also print the hexadecimal and how many elements there are",
      REDUCERS | CUMSUM | ROUND | ACCUMULATE },
    { JSON, "json", NULL, "print JSON", REDUCERS | CUMSUM | DESCRIBE | ROUND | INFO },
    { THREADS, "threads", "N", "use N threads (default: 0, as many as there are processors)", READERS },
    { TIER, "tier", "TIER", "portable, avx2, avx512 or best (default)", READERS },
    { DEVICE, "device", "WHERE", "cpu (default), cuda or cuda:N", REDUCERS | CUMSUM | ACCUMULATE },
    { 'h', "help", NULL, "print this help", ALL },
};
#define ENTRIES ((int)(sizeof entries / sizeof *entries))

static const char *long_name(int value) {
    for (int i = 0; i < ENTRIES; i++)
        if (entries[i].value == value) return entries[i].name;
    return "";
}

static bool bad_value(int option, const char *value, const char *wanted) {
    complain("--%s %s: not %s", long_name(option), value, wanted);
    return false;
}

/* ----------------------------------------------------------------------------------------------------------- values */

static bool read_whole(int option, const char *word, long least, long most, long *value) {
    char *end;
    errno = 0;
    *value = strtol(word, &end, 10);
    if (end != word && !*end && !errno && *value >= least && *value <= most) return true;
    if (most == LONG_MAX && least == LONG_MIN) return bad_value(option, word, "a whole number");
    complain("--%s %s: not a number from %ld to %ld", long_name(option), word, least, most);
    return false;
}

static bool read_device(struct options *options, const char *value) {
    static const char prefix[] = "cuda:";
    options->cuda = strcmp(value, "cpu") != 0;
    options->gpu = 0;
    if (!options->cuda || !strcmp(value, "cuda")) return true;
    const char *digits = strncmp(value, prefix, sizeof prefix - 1) ? "" : value + sizeof prefix - 1;
    if (!*digits || strlen(digits) > 4 || strspn(digits, "0123456789") != strlen(digits))
        return bad_value(DEVICE, value, "cpu, cuda or cuda:N");
    options->gpu = atoi(digits);
    return true;
}

static bool read_result(struct options *options, const char *word) {
    struct element element;
    const bool fine = element_named(word, &element) && !element.integer && !element.foreign;
    options->result = element.type;
    return fine || bad_value(RESULT, word, "f16, bf16, f32, f64, e5m2 or e4m3");
}

static bool read_type(struct options *options, const char *word) {
    options->reading.typed = true;
    return element_named(word, &options->reading.element) || bad_value(TYPE, word, ELEMENT_NAMES);
}

static bool read_column(struct options *options, const char *word) {
    if (options->reading.column) return complain("--column is there twice: --column A,B names two columns");
    options->reading.column = word;
    return *word || bad_value(COLUMN, word, "a name or a number");
}

static bool read_delimiter(struct options *options, const char *word) {
    if (!strcmp(word, "tab") || !strcmp(word, "\\t")) word = "\t";
    if (!*word || word[1] || *word == '\n' || *word == '"') return bad_value(DELIMITER, word, "one character");
    options->reading.ways.delimiter = *word;
    return true;
}

static bool read_decimal(struct options *options, const char *word) {
    options->reading.ways.point = *word;
    return !strcmp(word, ".") || !strcmp(word, ",") || bad_value(DECIMAL, word, "a point or a comma");
}

static bool read_missing(struct options *options, const char *word) {
    options->reading.ways.missing = !strcmp(word, "skip")    ? MISSING_SKIP
                                    : !strcmp(word, "nan")   ? MISSING_NAN
                                    : !strcmp(word, "error") ? MISSING_ERROR
                                                             : MISSING_TOLD;
    return options->reading.ways.missing || bad_value(MISSING, word, "skip, nan or error");
}

/* One of the names of quire.h's enums. */
static bool read_name(int option, const char *word, int number, const char *wanted, int *value) {
    *value = number;
    return number >= 0 || bad_value(option, word, wanted);
}

/* One whose sums a file of accumulators has. */
static int kept_operation(const char *word) {
    const int operation = operation_named(word);
    return operation > QUIRE_SUMSQ ? -1 : operation;
}

static bool read_rows(struct options *options, const char *word) {
    long rows = 0;
    const bool fine = read_whole(ROWS, word, 1, LONG_MAX, &rows);
    options->rows = (size_t)rows;
    return fine;
}

static bool read_threads(struct options *options, const char *word) {
    long threads;
    const bool fine = read_whole(THREADS, word, 0, QUIRE_MAX_THREADS, &threads);
    options->threads = (int)threads;
    options->cpu_only = true;
    return fine;
}

static bool read_value(struct options *options, int option, char *word) {
    switch (option) {
    case TYPE: return read_type(options, word);
    case COLUMN: return read_column(options, word);
    case DELIMITER: return read_delimiter(options, word);
    case DECIMAL: return read_decimal(options, word);
    case MISSING: return read_missing(options, word);
    case SKIP_NAN: options->skip_nan = true; return true;
    case RESULT: return read_result(options, word);
    case METHOD:
        return read_name(option, word, strcmp(word, "all") ? method_named(word) : METHOD_ALL,
                         "exact, kahan, pairwise, plain or all", &options->method);
    case ROUNDING:
        return read_name(option, word, rounding_named(word), "nearest, down, up or zero", &options->rounding);
    case CORRECTION: return read_whole(option, word, LONG_MIN, LONG_MAX, &options->correction);
    case OPERATION:
        return read_name(option, word, kept_operation(word), "sum, asum, dot, nrm2, mean, variance, stddev or sumsq",
                         &options->operation);
    case TOTAL: options->total = true; return true;
    case AXIS:
        options->by_axis = true;
        return read_whole(option, word, -NPY_MAX_DIMENSIONS, NPY_MAX_DIMENSIONS - 1, &options->axis);
    case ROWS: return read_rows(options, word);
    case SEGMENTS: options->segments = word; return true;
    case WEIGHTS: options->weights = word; return *word || bad_value(option, word, "a file's name");
    case BY: options->by = word; return *word || bad_value(option, word, "a name or a number");
    case EXCLUSIVE: options->exclusive = true; return true;
    case 'o': options->output = word; return *word || bad_value(option, word, "a file's name");
    case 'v': options->verbose = true; return true;
    case JSON: options->json = true; return true;
    case THREADS: return read_threads(options, word);
    case TIER:
        options->cpu_only = true;
        return read_name(option, word, tier_named(word), "portable, avx2, avx512 or best", &options->tier);
    case DEVICE: return read_device(options, word);
    default: options->help = true; return true;
    }
}

/* An option of other verbs is an error here. */
static bool take_option(void *user, int option, char *word) {
    struct options *options = user;
    for (int i = 0; i < ENTRIES; i++)
        if (entries[i].value == option && entries[i].families & (int)options->command->family)
            return read_value(options, option, word);
    complain("%s takes no option --%s", options->command->name, long_name(option));
    return false;
}

/* --------------------------------------------------------------------------------------------------------- the line */

enum skip options_skip(const struct options *options) {
    if (options->skip_nan) return LEAVE_NAN;
    return options->reading.ways.missing == MISSING_SKIP ? LEAVE_MISSING : LEAVE_NOTHING;
}

bool options_many(const struct options *options) {
    return options->by_axis || options->rows || options->segments || options->by;
}

static bool wrong(const char *what) {
    complain("%s", what);
    return false;
}

/* A file that is read would be gone when the results are written. */
static bool check_output(const struct options *options) {
    const char *output = options->output;
    if (!output) return true;
    bool same = (options->segments && output_is(output, options->segments)) ||
                (options->weights && output_is(output, options->weights));
    for (int i = 0; i < options->files; i++) same = same || output_is(output, options->file[i]);
    return !same || complain("--output %s: it is also read, and would be replaced; choose another name", output);
}

static bool check_texts(const struct options *options) {
    const struct text_ways *ways = &options->reading.ways;
    if (ways->point && ways->delimiter == ways->point) return wrong("--decimal and --delimiter are the same character");
    if (ways->missing == MISSING_SKIP && options->command->family & CUMSUM)
        return wrong("cumsum has a sum for each element: --missing skip is for other verbs");
    if (ways->missing == MISSING_SKIP && options_many(options))
        return wrong("--missing skip is for whole files, not for --axis, --rows, --segments or --by");
    if (ways->missing == MISSING_SKIP && options->cuda) return wrong("--missing skip is for --device cpu");
    return true;
}

/* Whether --column may name a matrix; of how many columns sources.c finds out. */
static bool takes_matrix(const struct options *options) {
    return options->command->family & OF_ALL_PAIRS && options->reading.column && options->files < 2;
}

/* What does not go together. */
static bool check_combinations(const struct options *options) {
    const bool many = options_many(options);
    if (options->cuda && options->cpu_only) return wrong("--threads and --tier are for --device cpu");
    if (options->by_axis + (options->rows != 0) + (options->segments != NULL) + (options->by != NULL) > 1)
        return wrong("--axis, --rows, --segments and --by are different ways to cut an array: choose one");
    if (options->by && !options->reading.column) return wrong("--by needs a table, and --column for its numbers");
    if (options->by && options->cuda) return wrong("--by is for --device cpu");
    if (options->weights && options->files > 1) return wrong("--weights goes with one file");
    if (options->reading.typed && options->reading.column)
        return wrong("--type is for raw numbers, --column for a table, whose numbers are read as doubles");
    if (options->weights && options->reading.column && options->files && output_is(options->weights, *options->file))
        return wrong("--weights is the same table: --column NUMBERS,WEIGHTS names two of its columns");
    if (options->json && options->output) return wrong("--json and --output: choose one");
    if (many && (options->skip_nan || options->total))
        return wrong("--skip-nan and --total are for whole files, not for --axis, --rows, --segments or --by");
    if (many && options->method == METHOD_ALL) return wrong("--method all is for whole files");
    if (many && options->files > 1 && !(options->command->family & OF_TWO))
        return wrong("--axis, --rows, --segments and --by take one file");
    if (options->method == METHOD_ALL && options->rounding) return wrong("--method all rounds to nearest");
    if (options->method == METHOD_ALL && options->total)
        return wrong("--method all is for one file after the other, not for --total");
    if (options->total && options->method != QUIRE_EXACT) return wrong("--total is for the exact method");
    if (options->cuda && options->skip_nan) return wrong("--skip-nan is for --device cpu");
    if (options->output && !many && options->command->family & REDUCERS && !takes_matrix(options))
        return wrong("--output takes the results of --axis, --rows, --segments or --by");
    if (!options->output && options->command->family & (ACCUMULATE | MERGE)) return wrong("--output FILE is missing");
    return true;
}

static bool check_operands(const struct options *options) {
    const struct command *command = options->command;
    static const char *const numbers[] = { "no", "one", "two" };
    const bool many = command->most >= 0 && options->files > command->most;
    if (options->files >= command->least && !many) return true;
    const int limit = many ? command->most : command->least;
    if (!command->most)
        complain("%s takes no files", command->name);
    else
        complain("%s needs at %s %s file%s, not %d", command->name, many ? "most" : "least", numbers[limit],
                 limit == 1 ? "" : "s", options->files);
    return false;
}

int options_read(struct options *options, const struct command *command, int argc, char **argv) {
    struct option table[ENTRIES + 1];
    char problem[ARGUMENTS_PROBLEM];
    for (int i = 0; i < ENTRIES; i++)
        table[i] = (struct option){ entries[i].name, entries[i].argument ? required_argument : no_argument, NULL,
                                    entries[i].value };
    table[ENTRIES] = (struct option){ 0 };
    *options = (struct options){ .method = QUIRE_EXACT, .tier = -1, .command = command };
    if (!arguments_walk(argc, argv, "ho:v", table, take_option, options, problem)) {
        if (*problem) complain("%s", problem);
        return EXIT_USAGE;
    }
    options->file = argv + optind;
    options->files = argc - optind;
    if (options->help) return EXIT_FINE;
    if (options->skip_nan && !options->reading.ways.missing) options->reading.ways.missing = MISSING_NAN;
    options->reading.together = takes_matrix(options);
    const bool fine = check_operands(options) && check_combinations(options) && check_texts(options);
    return fine && check_output(options) ? EXIT_FINE : EXIT_USAGE;
}

/* ------------------------------------------------------------------------------------------------------------- help */

void options_help(const struct command *command) {
    help_usage(command);
    for (int i = 0; i < ENTRIES; i++) {
        char left[64];
        if (!(entries[i].families & (int)command->family) || !entries[i].help) continue;
        const char letter[] = { '-', (char)entries[i].value, ',', ' ', 0 };
        snprintf(left, sizeof left, "%s--%s%s%s", entries[i].value < 256 ? letter : "", entries[i].name,
                 entries[i].argument ? " " : "", entries[i].argument ? entries[i].argument : "");
        help_entry(left, entries[i].help);
    }
    if (command->examples) printf("\nExamples:\n%s", command->examples);
}
