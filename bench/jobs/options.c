/* options.c - the command line.
 *
 * SPDX-License-Identifier: MIT
 */
#include "options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/terminal.h"
#include "command/words.h"
#include "number.h"

#define SECONDS 0.5
#define QUICK_SECONDS 0.02
#define MANY_SECONDS 0.1

void options_help(void) {
    puts(
        "Usage: quire-bench [OPTION]...\n"
        "Measures the accuracy and the speed of quire's methods beside other libraries, a fast-math loop (CPU), CUB "
        "(GPU), "
        "and\n"
        "pure read loops. A LIST is separated by commas.\n"
        "\n"
        "What:\n"
        "  --place WHERE      cpu, gpu or all                                     (all there is)\n"
        "  --type LIST        f16, bf16, f32, f64, e5m2, e4m3                     (the first four)\n"
        "  --operation LIST   sum, asum, dot, nrm2, mean, sumsq, variance, stddev (the first five)\n"
        "  --result TYPE      of the results                                      (f64 of f64, else f32)\n"
        "  --method LIST      exact, kahan, pairwise, plain                       (all)\n"
        "  --n LIST           numbers of elements; 2^20 is 1048576                (1e4,1e6,1e8)\n"
        "  --rows             many vectors a call, sums unless asked otherwise: rows of a matrix; --n is their length\n"
        "                     (8 to 2^20)\n"
        "  --columns          columns of it\n"
        "  --segments         segments of these mean lengths: spread evenly, by a power law, nine in ten empty\n"
        "  --bytes N          of all these vectors                                (2^30 on a GPU, 2^26 on a CPU)\n"
        "  --ladder           also the ladder of classic kernels (GPU)\n"
        "  --no-peers         no other libraries\n"
        "  --threads N        also measure the methods on N threads; 0: on every processor (CPU)\n"
        "  --tier NAME        portable, avx2, avx512                              (the best; CPU)\n"
        "\n"
        "On what:\n"
        "  --family LIST      of data, as in tests/inputs/families.h              (uniform,every-exponent)\n"
        "  --condition LIST   also, or instead: sums and dot products of these condition numbers\n"
        "  --seed N           of all these                                        (1)\n"
        "  --file FILE        the user's own numbers instead, from any file that quire sums without --column; --type\n"
        "                     is then of raw or opaque ones, as there; n is all of them, or --n\n"
        "  Beyond 4194301 elements a vector is copies of a block of that many, and a tail drawn for itself.\n"
        "\n"
        "How:\n"
        "  --seconds S        time to spend on a line of the table        (0.5; of many vectors a call 0.1)\n"
        "  --warm             on a GPU one buffer again and again, not buffers in turn that no cache holds\n"
        "  --queued           on a GPU every call is launched by itself, as in a program, not replayed from a graph\n"
        "  --quick            a look: sum and dot, 1e4 and 1e6 elements, little time, unless asked otherwise\n"
        "  --csv FILE         write the rows, and what they were measured on, as CSV\n"
        "  --json FILE        the same as JSON\n"
        "  --help, --version\n"
        "\n"
        "Ctrl-C ends the run and keeps what was measured. docs/bench.md tells what the columns mean.");
}

/* --------------------------------------------------------------------------------------------------- lists of names */

static const char *name_tier(int i, int *number) {
    *number = i;
    return quire_tier_name((quire_tier)i);
}

/* Numbers of the names in the list, each once. */
static bool read_names(const char *option, char *list, naming *names, int *numbers, int *count) {
    char *word;
    *count = 0;
    while ((word = next_word(&list))) {
        int number, i = 0;
        if (find_name(option, word, names, &number) < 0) return false;
        while (i < *count && numbers[i] != number) i++;
        if (i == *count) numbers[(*count)++] = number;
    }
    return true;
}

static void take_first(naming *names, int most, int *numbers, int *count) {
    int number;
    for (*count = 0; *count < most && names(*count, &number); ++*count) numbers[*count] = number;
}

/* ---------------------------------------------------------------------------------------------------------- numbers */

/* A whole number, also as a power: 2^20. */
static bool read_size(const char *option, const char *word, double *value) {
    char text[64], *power = NULL;
    snprintf(text, sizeof text, "%s", word);
    if ((power = strchr(text, '^'))) *power++ = '\0';
    if (!power) return read_whole(option, word, 1, 1e15, value);
    char *end, *end_of_power;
    const double base = strtod(text, &end), exponent = strtod(power, &end_of_power);
    *value = pow(base, exponent);
    if (end != text && !*end && end_of_power != power && !*end_of_power && *value >= 1 && *value <= 1e15 &&
        *value == floor(*value))
        return true;
    return complain("--%s: '%s' is no whole number from 1 to 1e+15", option, word);
}

static bool read_sizes(options *o, char *list) {
    char *word;
    double value;
    o->size_count = 0;
    while ((word = next_word(&list))) {
        if (o->size_count == MAX_SIZES) return complain("--n: more than %d sizes", MAX_SIZES);
        if (!read_size("n", word, &value)) return false;
        o->sizes[o->size_count++] = (size_t)value;
    }
    return true;
}

static bool read_conditions(options *o, char *list) {
    char *word;
    o->condition_count = 0;
    while ((word = next_word(&list))) {
        if (o->condition_count == MAX_CONDITIONS) return complain("--condition: more than %d", MAX_CONDITIONS);
        if (!read_real("condition", word, 1, 1e300, &o->conditions[o->condition_count++])) return false;
    }
    return true;
}

static bool read_threads(options *o, const char *word) {
    double value;
    if (!read_whole("threads", word, 0, QUIRE_MAX_THREADS, &value)) return false;
    o->threads = value > 0 ? (int)value : (int)sysconf(_SC_NPROCESSORS_ONLN);
    return true;
}

/* --------------------------------------------------------------------------------------------------------- the line */

enum {
    TYPE,
    OPERATION,
    RESULT,
    METHOD,
    SIZES,
    FAMILY,
    CONDITION,
    SEED,
    FILE_NAME,
    THREADS,
    TIER,
    PLACE,
    BUDGET,
    BYTES, /* with a value */
    ROWS,
    COLUMNS,
    SEGMENTS,
    WARM,
    QUEUED,
    LADDER,
    NO_PEERS,
    QUICK,
    CSV,
    JSON,
    HELP,
    VERSION
};

#define VALUE required_argument
#define NONE no_argument

static const struct option table[] = {
    { "type", VALUE, NULL, TYPE },
    { "operation", VALUE, NULL, OPERATION },
    { "method", VALUE, NULL, METHOD },
    { "n", VALUE, NULL, SIZES },
    { "family", VALUE, NULL, FAMILY },
    { "condition", VALUE, NULL, CONDITION },
    { "seed", VALUE, NULL, SEED },
    { "file", VALUE, NULL, FILE_NAME },
    { "threads", VALUE, NULL, THREADS },
    { "tier", VALUE, NULL, TIER },
    { "place", VALUE, NULL, PLACE },
    { "seconds", VALUE, NULL, BUDGET },
    { "warm", NONE, NULL, WARM },
    { "queued", NONE, NULL, QUEUED },
    { "ladder", NONE, NULL, LADDER },
    { "no-peers", NONE, NULL, NO_PEERS },
    { "quick", NONE, NULL, QUICK },
    { "csv", VALUE, NULL, CSV },
    { "json", VALUE, NULL, JSON },
    { "help", NONE, NULL, HELP },
    { "version", NONE, NULL, VERSION },
    { "rows", NONE, NULL, ROWS },
    { "columns", NONE, NULL, COLUMNS },
    { "segments", NONE, NULL, SEGMENTS },
    { "bytes", VALUE, NULL, BYTES },
    { "result", VALUE, NULL, RESULT },
    { NULL, 0, NULL, 0 },
};

static bool read_tier(options *o, const char *word) {
    int tier;
    if (find_name("tier", word, name_tier, &tier) < 0) return false;
    o->tier = (quire_tier)tier;
    return quire_tier_available(o->tier) || complain("--tier: this processor, or this build, lacks %s", word);
}

/* Layouts, each once. */
static bool add_layouts(options *o, layout first, layout last) {
    for (int which = (int)first; which <= (int)last; which++) {
        int i = 0;
        while (i < o->layout_count && o->layouts[i] != which) i++;
        if (i == o->layout_count) o->layouts[o->layout_count++] = which;
    }
    return true;
}

/* Of a file, the type of its elements, as for the command; else those to measure. */
static bool read_types(options *o) {
    if (!o->type_words) return true;
    if (!o->file) return read_names("type", o->type_words, name_type, o->types, &o->type_count);
    o->typed = true;
    return own_type(&o->element, o->type_words);
}

static bool take_option(void *user, int which, char *word) {
    options *o = user;
    switch (which) {
    case TYPE: o->type_words = word; return true;
    case OPERATION: return read_names("operation", word, name_operation, o->operations, &o->operation_count);
    case RESULT: return find_name("result", word, name_type, &o->result_type) >= 0;
    case METHOD: return read_names("method", word, name_method, o->methods, &o->method_count);
    case FAMILY: return read_names("family", word, name_family, o->families, &o->family_count);
    case SIZES: return read_sizes(o, word);
    case CONDITION: return read_conditions(o, word);
    case PLACE: return find_name("place", word, name_place, &o->places) >= 0; /* ON_CPU, ON_GPU, both */
    case SEED: return read_seed(word, &o->seed);
    case THREADS: return read_threads(o, word);
    case TIER: return read_tier(o, word);
    case BUDGET: return read_real("seconds", word, 0.001, 3600, &o->seconds);
    case BYTES: return read_size("bytes", word, &o->bytes);
    case ROWS: return add_layouts(o, LAYOUT_ROWS, LAYOUT_ROWS);
    case COLUMNS: return add_layouts(o, LAYOUT_COLUMNS, LAYOUT_COLUMNS);
    case SEGMENTS: return add_layouts(o, LAYOUT_SEGMENTS, LAYOUT_MANY_EMPTY);
    case FILE_NAME: o->file = word; return true;
    case CSV: o->csv = word; return true;
    case JSON: o->json = word; return true;
    case WARM: o->warm = true; return true;
    case QUEUED: o->queued = true; return true;
    case LADDER: o->ladder = true; return true;
    case NO_PEERS: o->peers = false; return true;
    case QUICK: o->quick = true; return true;
    case HELP: o->help = true; return true;
    case VERSION: o->version = true; return true;
    default: return false;
    }
}

/* Of many vectors, what was not asked for; their lengths are rows.c's. */
static void take_defaults_of_many(options *o) {
    if (!o->operation_count) o->operations[o->operation_count++] = OPERATION_SUM;
    if (!o->family_count) o->families[o->family_count++] = FAMILY_UNIFORM;
    if (o->seconds == 0) o->seconds = o->quick ? QUICK_SECONDS : MANY_SECONDS;
}

/* What was not asked for. The sizes of a file are the file's. */
static void take_defaults(options *o) {
    static const size_t sizes[] = { 10000, 1000000, 100000000 };
    if (!o->type_count) take_first(name_type, LARGE_TYPE_COUNT, o->types, &o->type_count);
    if (!o->method_count) take_first(name_method, METHOD_COUNT, o->methods, &o->method_count);
    if (o->layout_count) take_defaults_of_many(o);
    if (!o->operation_count && o->quick) {
        o->operations[o->operation_count++] = OPERATION_SUM;
        o->operations[o->operation_count++] = OPERATION_DOT;
    }
    if (!o->operation_count) take_first(name_operation, CALL_COUNT, o->operations, &o->operation_count);
    if (!o->family_count && !o->condition_count) {
        o->families[o->family_count++] = FAMILY_UNIFORM;
        o->families[o->family_count++] = FAMILY_EVERY_EXPONENT;
    }
    if (!o->size_count && !o->file && !o->layout_count) {
        o->size_count = o->quick ? 2 : 3;
        memcpy(o->sizes, sizes, (size_t)o->size_count * sizeof *sizes);
    }
    if (o->seconds == 0) o->seconds = o->quick ? QUICK_SECONDS : SECONDS;
}

static bool check_combinations(const options *o) {
    const bool gpu = o->places & ON_GPU, cpu = o->places & ON_CPU;
    if (o->file && (o->family_count || o->condition_count))
        return complain("--file brings its own numbers: no --family and no --condition");
    if (o->layout_count && (o->file || o->condition_count || o->ladder))
        return complain("--rows, --columns and --segments take no --file, no --condition and no --ladder");
    if (o->bytes > 0 && !o->layout_count) return complain("--bytes is for --rows, --columns and --segments");
    if (!gpu && (o->warm || o->queued || o->ladder))
        return complain("--warm, --queued and --ladder are for a GPU, and --place is cpu");
    if (!cpu && (o->threads > 1 || o->tier != QUIRE_TIER_BEST))
        return complain("--threads and --tier are for a CPU, and --place is gpu");
    return true;
}

int options_read(options *o, int argc, char **argv) {
    *o = (options){ .seed = 1, .threads = 1, .tier = QUIRE_TIER_BEST, .places = ON_CPU | ON_GPU, .peers = true };
    if (!read_options(argc, argv, table, take_option, o)) return EXIT_USAGE;
    if (optind < argc) {
        complain("'%s' is no option; --help lists them", argv[optind]);
        return EXIT_USAGE;
    }
    if (!read_types(o) || !check_combinations(o)) return EXIT_USAGE;
    take_defaults(o);
    return EXIT_FINE;
}
