/* options.c - the command line, read.
 *
 * SPDX-License-Identifier: MIT
 */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"

enum { OPTION_METHOD = 256, OPTION_TYPE, OPTION_RESULT, OPTION_JSON, OPTION_THREADS, OPTION_TIER, OPTION_DEVICE };

static const struct option long_options[] = {
    { "method", required_argument, NULL, OPTION_METHOD },
    { "type", required_argument, NULL, OPTION_TYPE },
    { "result", required_argument, NULL, OPTION_RESULT },
    { "json", no_argument, NULL, OPTION_JSON },
    { "threads", required_argument, NULL, OPTION_THREADS },
    { "tier", required_argument, NULL, OPTION_TIER },
    { "device", required_argument, NULL, OPTION_DEVICE },
    { "help", no_argument, NULL, 'h' },
    { NULL, 0, NULL, 0 },
};

static const char option_help[] =
    "\n"
    "FILE is an .npy file of floats (f1, f2, f4, f8), or raw numbers with --type; - is standard input.\n"
    "\n"
    "  --type f16|bf16|f32|f64|e5m2|e4m3\n"
    "                               the numbers of a raw file\n"
    "  --result f16|bf16|f32|f64|e5m2|e4m3\n"
    "                               the type of the result (default: that of the input)\n"
    "  --method exact|kahan|pairwise|plain|all\n"
    "                               how to sum (default: exact); all compares them in a table\n"
    "  --json                       print JSON\n"
    "  --threads N                  use N threads (default: 0, as many as there are processors)\n"
    "  --tier portable|avx2|avx512|avx512vnni|best\n"
    "                               use these instructions of the processor (default: best)\n"
    "  --device cpu|cuda|cuda:N     where to work (default: cpu; cuda is cuda:0)\n"
    "  -h, --help                   print this help\n";

static const char *long_name(int value) {
    for (const struct option *option = long_options; option->name; option++)
        if (option->val == value) return option->name;
    return "";
}

static int bad_value(int option, const char *value, const char *wanted) {
    complain("--%s %s: not %s", long_name(option), value, wanted);
    return EXIT_USAGE;
}

static int read_threads(struct options *options, const char *value) {
    char *end;
    errno = 0;
    long threads = strtol(value, &end, 10);
    if (end == value || *end || errno || threads < 0 || threads > QUIRE_MAX_THREADS) {
        complain("--threads %s: not a number from 0 to %d", value, QUIRE_MAX_THREADS);
        return EXIT_USAGE;
    }
    options->threads = (int)threads;
    return EXIT_FINE;
}

static int read_device(struct options *options, const char *value) {
    static const char prefix[] = "cuda:";
    options->cuda = strcmp(value, "cpu") != 0;
    options->gpu = 0;
    if (!options->cuda || !strcmp(value, "cuda")) return EXIT_FINE;
    if (strncmp(value, prefix, sizeof prefix - 1)) return bad_value(OPTION_DEVICE, value, "cpu, cuda or cuda:N");
    const char *digits = value + sizeof prefix - 1;
    if (!*digits || strlen(digits) > 4 || strspn(digits, "0123456789") != strlen(digits))
        return bad_value(OPTION_DEVICE, value, "cpu, cuda or cuda:N");
    options->gpu = atoi(digits);
    return EXIT_FINE;
}

static int read_option(struct options *options, int option, const char *value) {
    switch (option) {
    case OPTION_METHOD:
        options->method = strcmp(value, "all") ? method_named(value) : METHOD_ALL;
        return options->method < 0 ? bad_value(option, value, "exact, kahan, pairwise, plain or all") : EXIT_FINE;
    case OPTION_TYPE:
        options->type = type_named(value);
        return options->type < 0 ? bad_value(option, value, "f16, bf16, f32, f64, e5m2 or e4m3") : EXIT_FINE;
    case OPTION_RESULT:
        options->result = type_named(value);
        return options->result < 0 ? bad_value(option, value, "f16, bf16, f32, f64, e5m2 or e4m3") : EXIT_FINE;
    case OPTION_TIER:
        options->tier = tier_named(value);
        return options->tier < 0 ? bad_value(option, value, "portable, avx2, avx512, avx512vnni or best") : EXIT_FINE;
    case OPTION_DEVICE: return read_device(options, value);
    case OPTION_THREADS: return read_threads(options, value);
    case OPTION_JSON: options->json = true; return EXIT_FINE;
    default: /* -h */ options->help = true; return EXIT_FINE;
    }
}

/* What getopt_long did not like. argument is the one it stopped behind. */
static int bad_option(int answer, const char *argument) {
    if (answer == ':')
        complain("--%s needs a value", long_name(optopt));
    else if (optopt >= OPTION_METHOD || (optopt == 'h' && !strncmp(argument, "--", 2)))
        complain("--%s takes no value", long_name(optopt));
    else if (optopt)
        complain("unknown option -%c", optopt);
    else
        complain("unknown option %s", argument);
    return EXIT_USAGE;
}

static int read_operands(struct options *options, const struct command *command, int argc, char **argv) {
    if (argc != command->files) {
        if (argc > command->files && !command->files)
            complain("%s takes no files", command->name);
        else
            complain("%s needs %s, not %d", command->name, command->files == 1 ? "one file" : "two files", argc);
        return EXIT_USAGE;
    }
    for (int i = 0; i < argc; i++) options->file[i] = argv[i];
    if (argc == 2 && !strcmp(argv[0], "-") && !strcmp(argv[1], "-")) {
        complain("%s: only one file can be standard input", command->name);
        return EXIT_USAGE;
    }
    return EXIT_FINE;
}

int options_read(struct options *options, const struct command *command, int argc, char **argv) {
    *options = (struct options){ .method = QUIRE_EXACT, .tier = -1 };
    bool only_json = true, cpu_only = false;
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, ":h", long_options, NULL)) != -1;) {
        if (option == '?' || option == ':') return bad_option(option, argv[optind - 1]);
        int status = read_option(options, option, optarg);
        if (status) return status;
        only_json = only_json && (option == OPTION_JSON || option == 'h');
        cpu_only = cpu_only || option == OPTION_THREADS || option == OPTION_TIER;
    }
    if (options->help) return EXIT_FINE;
    if (!command->files && !only_json) {
        complain("%s takes no option but --json", command->name);
        return EXIT_USAGE;
    }
    if (options->cuda && cpu_only) {
        complain("--threads and --tier are for --device cpu");
        return EXIT_USAGE;
    }
    return read_operands(options, command, argc - optind, argv + optind);
}

void options_help(const struct command *command) {
    printf("usage: quire %s [option ...]%s%s\n%s\n", command->name, *command->operands ? " " : "", command->operands,
           command->summary);
    if (command->files)
        fputs(option_help, stdout);
    else
        fputs("\n  --json        print JSON\n  -h, --help    print this help\n", stdout);
}

void options_help_all(const struct command *commands) {
    fputs("usage: quire command [option ...] [FILE ...]\n"
          "Correctly rounded, reproducible sums of floating-point numbers.\n\n",
          stdout);
    for (const struct command *command = commands; command->name; command++)
        printf("  %-5s%-10s %s\n", command->name, command->operands, command->summary);
    fputs(option_help, stdout);
    fputs("  --version                    print the version (in place of a command)\n", stdout);
}
