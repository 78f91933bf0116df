/* options.c - the command line.
 *
 * SPDX-License-Identifier: MIT
 */
#include "options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/terminal.h"
#include "command/words.h"
#include "operation.h"

#define SECONDS 30
#define LIMIT 1000000
#define QUICK_LIMIT 300000 /* enough for threads */

void options_help(void) {
    puts("Usage: quire-accuracy [OPTION]... [FILE]...\n"
         "Checks quire on this machine: every result against MPFR and against its documented bound, every way to\n"
         "run (instruction sets, threads, alignments, CPU and GPU) for equal bits. Any violation: exit status 1.\n"
         "\n"
         "Files, any that quire sum reads, are taken in place of the input families; --type is then that of a raw\n"
         "file, as for quire.\n"
         "A LIST is separated by commas.\n"
         "  --seconds S        stop after this time                                (30)\n"
         "  --hours H          the same in hours\n"
         "  --quick            each kind of case once, and a few long ones; no clock unless --seconds is given\n"
         "  --many             thousands of short vectors a call, now and then a few long ones, as rows, columns\n"
         "                     and segments, backwards, too, judged by quick oracles that MPFR checks: a million\n"
         "                     results a second and more, a processor\n"
         "  --results N        of --many: stop after so many results               (no end but that of time)\n"
         "  --threads N        how many judge at a time                            (1; --many: one a processor)\n"
         "  --seed N           of the random walk over cases                       (1)\n"
         "  --n N              the most elements                                   (1e6; all of a file)\n"
         "  --place WHERE      cpu, gpu or all                                     (all that is there)\n"
         "  --type LIST        f16, bf16, f32, f64, e5m2, e4m3                     (all)\n"
         "  --operation LIST   sum, asum, dot, nrm2, mean, sumsq; --many: variance, stddev (all)\n"
         "  --method LIST      exact, kahan, pairwise, plain                       (all)\n"
         "  --family LIST      of inputs, as in tests/inputs/families.h            (all)\n"
         "  --case CASE        one case alone, as a failure's report names it\n"
         "  --json FILE        write the report as JSON too, in more detail\n"
         "  --help, --version");
}

/* ---------------------------------------------------------------------------------------------------- sets of names */

#define MOMENTS ((set)1 << OPERATION_VARIANCE | (set)1 << OPERATION_STDDEV)

static set all_of(naming *names) {
    set all = 0;
    for (int i = 0, number; names(i, &number); i++) all |= (set)1 << i;
    return all;
}

static bool read_set(const char *option, char *list, naming *names, set *s) {
    char *word;
    while ((word = next_word(&list))) {
        int number;
        const int i = find_name(option, word, names, &number);
        if (i < 0) return false;
        *s |= (set)1 << i;
    }
    return true;
}

/* The bits of the number are those of the set. */
static bool read_place(options *o, const char *word) {
    int places;
    if (find_name("place", word, name_place, &places) < 0) return false;
    o->places |= (set)places;
    o->places_named = places != (1 << PLACE_BITS) - 1;
    return true;
}

/* ---------------------------------------------------------------------------------------------------------- numbers */

static bool read_limit(options *o, const char *word) {
    double value;
    if (!read_whole("n", word, 1, 1e15, &value)) return false;
    o->n = (size_t)value;
    return true;
}

static bool read_hours(options *o, const char *word) {
    double hours;
    if (!read_real("hours", word, 1e-6, 1e4, &hours)) return false;
    o->seconds = 3600 * hours;
    return true;
}

static bool read_results(options *o, const char *word) {
    double value;
    if (!read_whole("results", word, 1, 1e18, &value)) return false;
    o->results = (uint64_t)value;
    return true;
}

static bool read_threads(options *o, const char *word) {
    double value;
    if (!read_whole("threads", word, 1, 1024, &value)) return false;
    o->threads = (int)value;
    return true;
}

/* --------------------------------------------------------------------------------------------------------- the line */

enum {
    SECONDS_,
    HOURS,
    MANY,
    RESULTS,
    THREADS,
    QUICK,
    SEED,
    LIMIT_,
    PLACE,
    TYPE,
    OPERATION,
    METHOD,
    FAMILY,
    CASE,
    JSON,
    HELP,
    VERSION
};

static const struct option table[] = {
    { "seconds", required_argument, NULL, SECONDS_ },
    { "hours", required_argument, NULL, HOURS },
    { "many", no_argument, NULL, MANY },
    { "results", required_argument, NULL, RESULTS },
    { "threads", required_argument, NULL, THREADS },
    { "quick", no_argument, NULL, QUICK },
    { "seed", required_argument, NULL, SEED },
    { "n", required_argument, NULL, LIMIT_ },
    { "place", required_argument, NULL, PLACE },
    { "type", required_argument, NULL, TYPE },
    { "operation", required_argument, NULL, OPERATION },
    { "method", required_argument, NULL, METHOD },
    { "family", required_argument, NULL, FAMILY },
    { "case", required_argument, NULL, CASE },
    { "json", required_argument, NULL, JSON },
    { "help", no_argument, NULL, HELP },
    { "version", no_argument, NULL, VERSION },
    { NULL, 0, NULL, 0 },
};

static bool take_option(void *user, int which, char *word) {
    options *o = user;
    switch (which) {
    case SECONDS_: return read_real("seconds", word, 0.001, 1e6, &o->seconds);
    case HOURS: return read_hours(o, word);
    case MANY: o->many = true; return true;
    case RESULTS: return read_results(o, word);
    case THREADS: return read_threads(o, word);
    case QUICK: o->quick = true; return true;
    case SEED: return read_seed(word, &o->seed);
    case LIMIT_: return read_limit(o, word);
    case PLACE: return read_place(o, word);
    case TYPE: o->type_words = word; return true;
    case OPERATION: return read_set("operation", word, name_operation, &o->operations);
    case METHOD: return read_set("method", word, name_method, &o->methods);
    case FAMILY: return read_set("family", word, name_family, &o->families);
    case CASE: o->only = word; return true;
    case JSON: o->json = word; return true;
    case HELP: o->help = true; return true;
    case VERSION: o->version = true; return true;
    default: return false;
    }
}

/* Of files, the type of their elements, as for the command; else those to check. */
static bool read_types(options *o) {
    if (!o->type_words) return true;
    if (!o->file_count) return read_set("type", o->type_words, name_type, &o->types);
    o->typed = true;
    return own_type(&o->element, o->type_words);
}

static bool check_files(const options *o) {
    return !o->file_count || !o->families || complain("a file brings its own numbers: no --family");
}

static bool check_many(const options *o) {
    if (!o->many && o->results) return complain("--results is for --many");
    if (o->many && o->file_count) return complain("--many takes no files");
    if (!o->many && o->operations & MOMENTS) return complain("--operation: variance and stddev are for --many");
    if (o->operations & MOMENTS && !set_has(o->methods, 0)) return complain("variance and stddev are by exact alone");
    return !o->many || o->n <= MANY_LONGEST || complain("--many: vectors have %d elements at the most", MANY_LONGEST);
}

/* How many elements the case of --case has, if it is well written: the last word but one. */
static size_t length_of_case(const char *name) {
    const char *end = strrchr(name, ':'), *at = end;
    while (at && at > name && at[-1] != ':') at--;
    const size_t n = at ? (size_t)strtoull(at, NULL, 0) : 0;
    return n ? n : 1;
}

static void take_defaults(options *o) {
    if (!o->types) o->types = all_of(name_type);
    if (!o->methods) o->methods = all_of(name_method);
    if (!o->operations) o->operations = all_of(name_operation) & ~(o->many && set_has(o->methods, 0) ? 0 : MOMENTS);
    if (!o->families) o->families = all_of(name_family);
    if (!o->places) o->places = ((set)1 << PLACE_BITS) - 1;
    if (!o->n && o->file_count) o->n = SIZE_MAX;
    if (!o->n && o->only) o->n = length_of_case(o->only);
    if (!o->n) o->n = o->many ? MANY_LONGEST : o->quick ? QUICK_LIMIT : LIMIT;
    if (!(o->seconds > 0)) o->seconds = o->quick || o->results ? INFINITY : SECONDS;
}

int options_read(options *o, int argc, char **argv) {
    *o = (options){ .seed = 1 };
    if (!read_options(argc, argv, table, take_option, o)) return EXIT_USAGE;
    o->files = argv + optind;
    o->file_count = argc - optind;
    if (!read_types(o) || !check_files(o)) return EXIT_USAGE;
    take_defaults(o);
    return check_many(o) ? EXIT_FINE : EXIT_USAGE;
}
