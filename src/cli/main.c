/* main.c - the command quire, on the public header alone.
 *
 * The way of a call: main picks the command from the table; options.c reads the rest of the line; input.c opens the files
 * (npy.c reads their headers) and maps them; device.c holds the context, and gpu_cuda.c a GPU's memory; measure.c sums, and
 * judges the methods; print.c prints. Each answers an exit status, and has complained if it is not EXIT_FINE.
 *
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "complain.h"
#include "device.h"
#include "input.h"
#include "measure.h"
#include "options.h"
#include "print.h"

/* Reduces the opened inputs, prints. */
static int reduce_inputs(const struct command *command, const struct options *options, struct device *device,
                         const struct input inputs[]) {
    struct job job = { .operation = command->operation, .type = inputs[0].type, .n = inputs[0].n };
    job.result_type = options->result ? (quire_type)options->result : job.type;
    int status = device_load(device, &inputs[0], &job.x);
    if (!status && command->files == 2) status = device_load(device, &inputs[1], &job.y);
    if (status) return status;

    struct outcome outcomes[METHODS];
    int count = options->method == METHOD_ALL ? METHODS : 1;
    if (options->method == METHOD_ALL)
        status = measure_all(device, &job, outcomes);
    else
        status = measure_one(device, &job, (quire_method)options->method, &outcomes[0]);
    if (!status) status = print_outcomes(command, options, &job, outcomes, count);
    return status;
}

static int run_reduction(const struct command *command, const struct options *options) {
    struct device device;
    int status = device_open(&device, options);
    if (status) return status;
    struct input inputs[2];
    int opened = 0;
    while (!status && opened < command->files) {
        status = input_open(&inputs[opened], options->file[opened], options->type);
        opened += !status;
    }
    if (!status && command->files == 2) status = input_match(&inputs[0], &inputs[1]);
    if (!status) status = reduce_inputs(command, options, &device, inputs);
    while (opened > 0) input_close(&inputs[--opened]);
    device_close(&device);
    return status;
}

static int run_info(const struct command *command, const struct options *options) {
    (void)command;
    return print_info(options->json);
}

static const struct command commands[] = {
    { "sum", "FILE", "the sum of x[i]", 1, OPERATION_SUM, run_reduction },
    { "asum", "FILE", "the sum of |x[i]|", 1, OPERATION_ASUM, run_reduction },
    { "dot", "FILE FILE", "the sum of x[i] y[i]", 2, OPERATION_DOT, run_reduction },
    { "nrm2", "FILE", "the Euclidean norm, the root of the sum of x[i]^2", 1, OPERATION_NRM2, run_reduction },
    { "mean", "FILE", "the sum of x[i], divided by how many they are", 1, OPERATION_MEAN, run_reduction },
    { "info", "", "what this quire is and can", 0, OPERATION_SUM, run_info },
    { NULL, NULL, NULL, 0, OPERATION_SUM, NULL },
};

static int run(int argc, char **argv) {
    if (argc < 2) {
        complain("no command; quire --help lists them");
        return EXIT_USAGE;
    }
    const char *name = argv[1];
    if (!strcmp(name, "--help") || !strcmp(name, "-h")) {
        options_help_all(commands);
        return EXIT_FINE;
    }
    if (!strcmp(name, "--version") || !strcmp(name, "-V")) {
        printf("quire %s\n", quire_version());
        return EXIT_FINE;
    }
    if (name[0] == '-') {
        complain("unknown option %s (the command comes first; quire --help)", name);
        return EXIT_USAGE;
    }
    for (const struct command *command = commands; command->name; command++)
        if (!strcmp(command->name, name)) {
            struct options options;
            int status = options_read(&options, command, argc - 1, argv + 1);
            if (status) return status;
            if (!options.help) return command->run(command, &options);
            options_help(command);
            return EXIT_FINE;
        }
    complain("unknown command %s; quire --help lists them", name);
    return EXIT_USAGE;
}

int main(int argc, char **argv) {
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
