/* options.c - the command line.
 *
 * SPDX-License-Identifier: MIT
 */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../terminal.h"
#include "families.h"
#include "operation.h"

#define SECONDS 30
#define LIMIT 1000000
#define QUICK_LIMIT 300000 /* enough for threads */

void options_help(void) {
    puts("Usage: quire-accuracy [OPTION]... [FILE.npy]...\n"
         "Checks quire on this machine: every result against MPFR and against its documented bound, every way to\n"
         "run (instruction sets, threads, alignments, CPU and GPU) for equal bits. Any violation: exit status 1.\n"
         "\n"
         "Files (of f2, f4, f8, or bfloat16 as V2 or u2) are taken in place of the input families.\n"
         "A LIST is separated by commas.\n"
         "  --seconds S        stop after this time                                (30)\n"
         "  --quick            each kind of case once, and a few long ones; no clock unless --seconds is given\n"
         "  --seed N           of the random walk over cases                       (1)\n"
         "  --n N              the most elements                                   (1e6; all of a file)\n"
         "  --place WHERE      cpu, gpu or all                                     (all that is there)\n"
         "  --type LIST        f16, bf16, f32, f64                                 (all)\n"
         "  --operation LIST   sum, asum, dot, nrm2, mean                          (all)\n"
         "  --method LIST      exact, kahan, pairwise, plain                       (all)\n"
         "  --family LIST      of inputs, as in tests/families.h                   (all)\n"
         "  --case CASE        one case alone, as a failure's report names it\n"
         "  --json FILE        write the report as JSON too, in more detail\n"
         "  --help, --version");
}

/* ------------------------------------------------------------------------------------------------------- sets of names */

/* The i-th name; NULL after the last. */
typedef const char *naming(int i);

static const char *name_type(int i) { return i < TYPE_COUNT ? type_name(TYPES[i]) : NULL; }
static const char *name_method(int i) { return i < METHOD_COUNT ? method_name(METHODS[i]) : NULL; }
static const char *name_operation(int i) { return i < OPERATION_COUNT ? operation_name((operation)i) : NULL; }
static const char *name_family(int i) { return i < FAMILY_COUNT ? family_name((family)i) : NULL; }

static const char *name_place(int i) {
    static const char *const names[] = { "cpu", "gpu", "all" };
    return i < PLACE_BITS + 1 ? names[i] : NULL;
}

static set all_of(naming *names) {
    set all = 0;
    for (int i = 0; names(i); i++) all |= (set)1 << i;
    return all;
}

static bool refuse(const char *option, const char *word, naming *names) {
    char text[512] = "";
    size_t length = 0;
    for (int i = 0; names(i) && length < sizeof text; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s", i ? ", " : "", names(i));
    return complain("--%s: '%s' is none of %s", option, word, text);
}

static bool read_set(const char *option, char *list, naming *names, set *s) {
    for (char *word = list, *next; word; word = next) {
        int i = 0;
        next = strchr(word, ',');
        if (next) *next++ = '\0';
        while (names(i) && strcmp(word, names(i))) i++;
        if (!names(i)) return refuse(option, word, names);
        *s |= (set)1 << i;
    }
    return true;
}

static bool read_place(options *o, char *word) {
    o->places_named = true;
    if (strchr(word, ',') || !read_set("place", word, name_place, &o->places))
        return strchr(word, ',') ? refuse("place", word, name_place) : false;
    if (o->places >> PLACE_BITS) o->places = ((set)1 << PLACE_BITS) - 1, o->places_named = false;
    return true;
}

/* ------------------------------------------------------------------------------------------------------------- numbers */

static bool read_real(const char *option, const char *word, double least, double greatest, double *value) {
    char *end;
    *value = strtod(word, &end);
    if (end != word && !*end && *value >= least && *value <= greatest) return true;
    return complain("--%s: '%s' is no number from %g to %g", option, word, least, greatest);
}

static bool read_limit(options *o, const char *word) {
    double value;
    if (!read_real("n", word, 1, 1e15, &value)) return false;
    o->n = (size_t)value;
    return value == floor(value) || complain("--n: '%s' is not a whole number", word);
}

static bool read_seed(options *o, const char *word) {
    char *end;
    errno = 0;
    o->seed = strtoull(word, &end, 0);
    return (end != word && !*end && !errno && !strchr(word, '-')) || complain("--seed: '%s' is no seed", word);
}

/* ------------------------------------------------------------------------------------------------------------ the line */

enum { SECONDS_, QUICK, SEED, LIMIT_, PLACE, TYPE, OPERATION, METHOD, FAMILY, CASE, JSON, HELP, VERSION };

static const struct option table[] = {
    { "seconds", required_argument, NULL, SECONDS_ },    { "quick", no_argument, NULL, QUICK },
    { "seed", required_argument, NULL, SEED },           { "n", required_argument, NULL, LIMIT_ },
    { "place", required_argument, NULL, PLACE },         { "type", required_argument, NULL, TYPE },
    { "operation", required_argument, NULL, OPERATION }, { "method", required_argument, NULL, METHOD },
    { "family", required_argument, NULL, FAMILY },       { "case", required_argument, NULL, CASE },
    { "json", required_argument, NULL, JSON },           { "help", no_argument, NULL, HELP },
    { "version", no_argument, NULL, VERSION },           { NULL, 0, NULL, 0 },
};

static bool take_option(options *o, int which, char *word) {
    switch (which) {
    case SECONDS_: return read_real("seconds", word, 0.001, 1e6, &o->seconds);
    case QUICK: o->quick = true; return true;
    case SEED: return read_seed(o, word);
    case LIMIT_: return read_limit(o, word);
    case PLACE: return read_place(o, word);
    case TYPE: return read_set("type", word, name_type, &o->types);
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

static bool check_files(const options *o) {
    if (!o->file_count) return true;
    if (o->types || o->families) return complain("a file brings its own numbers and type: no --family and no --type");
    for (int i = 0; i < o->file_count; i++) {
        const char *dot = strrchr(o->files[i], '.');
        if (!dot || strcmp(dot, ".npy")) return complain("'%s' is neither an option nor an .npy file", o->files[i]);
    }
    return true;
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
    if (!o->operations) o->operations = all_of(name_operation);
    if (!o->methods) o->methods = all_of(name_method);
    if (!o->families) o->families = all_of(name_family);
    if (!o->places) o->places = ((set)1 << PLACE_BITS) - 1;
    if (!o->n) o->n = o->file_count ? SIZE_MAX : o->only ? length_of_case(o->only) : o->quick ? QUICK_LIMIT : LIMIT;
    if (!(o->seconds > 0)) o->seconds = o->quick ? INFINITY : SECONDS;
}

int options_read(options *o, int argc, char **argv) {
    int which;
    *o = (options){ .seed = 1 };
    opterr = 0; /* it would not say who complains */
    while ((which = getopt_long(argc, argv, ":", table, NULL)) != -1) {
        if (which == ':' || which == '?')
            complain("%s: %s", argv[optind - 1], which == ':' ? "a value is missing" : "no such option; --help lists them");
        if (!take_option(o, which, optarg)) return EXIT_USAGE;
    }
    o->files = argv + optind;
    o->file_count = argc - optind;
    if (!check_files(o)) return EXIT_USAGE;
    take_defaults(o);
    return EXIT_FINE;
}
