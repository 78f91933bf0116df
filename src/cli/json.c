/* json.c - what goes to standard output, for programs.
 *
 * JSON has no NaN and no infinity: numbers that are none are null. Building with jansson, NULL (out of memory) is let
 * through to the last call, which then fails.
 *
 * SPDX-License-Identifier: MIT
 */
#include "json.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "complain.h"

static json_t *real(double value) { return isfinite(value) ? json_real(value) : json_null(); }

/* A file's name. What is not UTF-8 has its bytes above ASCII replaced. */
static json_t *name(const char *text) {
    json_t *string = json_string(text);
    if (string) return string;
    char *ascii = strdup(text);
    for (char *c = ascii; c && *c; c++)
        if ((unsigned char)*c >= 0x80) *c = '?';
    string = ascii ? json_string(ascii) : NULL;
    free(ascii);
    return string;
}

static int print_and_free(json_t *root) {
    int failed = !root || json_dumpf(root, stdout, JSON_INDENT(2));
    json_decref(root);
    if (failed && !ferror(stdout)) {
        complain("out of memory");
        return EXIT_TROUBLE;
    }
    putchar('\n'); /* main looks after stdout's errors */
    return EXIT_FINE;
}

static json_t *outcome_object(const struct job *job, const struct outcome *outcome, bool judged) {
    double value = number_value(job->result_type, &outcome->result);
    char decimal[NUMBER_TEXT], hex[NUMBER_TEXT], bits[NUMBER_TEXT];
    number_decimal(job->result_type, value, decimal);
    number_hex(value, hex);
    snprintf(bits, sizeof bits, "0x%0*" PRIx64, (int)(2 * type_size(job->result_type)),
             number_bits(job->result_type, &outcome->result));
    json_t *object = json_pack("{s:s, s:o, s:s, s:s, s:s}", "method", method_name(outcome->method), "value", real(value),
                               "decimal", decimal, "hex", hex, "bits", bits);
    if (object && judged)
        json_object_update_new(object, json_pack("{s:o, s:o, s:o, s:o}", "error_ulps", real(outcome->error), "bound_ulps",
                                                 real(outcome->bound), "seconds", real(outcome->seconds), "bytes_per_second",
                                                 real(outcome->rate)));
    return object;
}

int json_outcomes(const struct command *command, const struct options *options, const struct job *job,
                  const struct outcome *outcomes, int count) {
    json_t *files = json_array(), *results = json_array();
    for (int i = 0; i < command->files; i++) json_array_append_new(files, name(options->file[i]));
    for (int i = 0; i < count; i++)
        json_array_append_new(results, outcome_object(job, &outcomes[i], options->method == METHOD_ALL));
    return print_and_free(json_pack("{s:s, s:o, s:s, s:I, s:s, s:o}", "command", command->name, "files", files, "type",
                                    type_name(job->type), "n", (json_int_t)job->n, "result_type",
                                    type_name(job->result_type), "results", results));
}

/* null without a driver. */
static json_t *driver_version(void) {
    char text[32];
    const int driver = gpu_driver();
    snprintf(text, sizeof text, "%d.%d", driver / 1000, driver % 1000 / 10);
    return driver ? json_string(text) : json_null();
}

static json_t *device_objects(void) {
    json_t *devices = json_array();
    const int count = gpu_count();
    for (int i = 0; i < count; i++) {
        struct gpu_facts gpu;
        char capability[32];
        if (gpu_describe(i, &gpu)) continue;
        snprintf(capability, sizeof capability, "%d.%d", gpu.major, gpu.minor);
        json_array_append_new(devices, json_pack("{s:i, s:s, s:s, s:I}", "number", i, "name", gpu.name, "compute_capability",
                                                 capability, "bytes", (json_int_t)gpu.bytes));
    }
    return devices;
}

int json_info(quire_tier default_tier) {
    json_t *tiers = json_array();
    for (int i = 0; i < TIERS; i++)
        if (quire_tier_available(every_tier[i])) json_array_append_new(tiers, json_string(quire_tier_name(every_tier[i])));
    return print_and_free(json_pack("{s:s, s:i, s:o, s:s, s:b, s:b, s:o, s:o}", "version", quire_version(), "api_version",
                                    quire_api_version(), "tiers", tiers, "default_tier", quire_tier_name(default_tier),
                                    "openmp", quire_has_openmp(), "cuda", quire_has_cuda(), "cuda_driver", driver_version(),
                                    "cuda_devices", device_objects()));
}
