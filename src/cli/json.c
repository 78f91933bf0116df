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
    if (failed && !ferror(stdout)) return out_of_memory();
    putchar('\n'); /* main looks after stdout's errors */
    return EXIT_FINE;
}

/* The members of a number. */
static json_t *number_object(quire_type type, const union number *number) {
    const double value = number_value(type, number);
    char decimal[NUMBER_TEXT], hex[NUMBER_TEXT], bits[NUMBER_TEXT];
    number_text(type, number, decimal);
    number_hex(value, hex);
    number_bit_text(type, number, bits);
    return json_pack("{s:o, s:s, s:s, s:s}", "value", real(value), "decimal", decimal, "hex", hex, "bits", bits);
}

static json_t *outcome_object(const struct job *job, const struct outcome *outcome, bool judged) {
    json_t *object = number_object(job->what.result_type, &outcome->result);
    if (object && *outcome->digits) json_object_set_new(object, "decimal", json_string(outcome->digits));
    if (object) json_object_set_new(object, "method", json_string(method_name(outcome->method)));
    if (object && judged)
        json_object_update_new(object, json_pack("{s:o, s:o, s:o, s:o}", "error_ulps", real(outcome->error),
                                                 "bound_ulps", real(outcome->bound), "seconds", real(outcome->seconds),
                                                 "bytes_per_second", real(outcome->rate)));
    return object;
}

/* What print_begin and print_end stand around. */
static json_t *all;

void json_begin(void) { all = json_array(); }

static void add(json_t *object) { json_array_append_new(all, object); }

int json_end(void) { return print_and_free(all); }

/* What all reports begin with. */
static json_t *report_object(const struct options *options, json_t *files, const char *type, uintmax_t n,
                             uintmax_t skipped, quire_type result_type) {
    return json_pack("{s:s, s:o, s:s, s:I, s:I, s:s, s:s}", "command", options->command->name, "files", files, "type",
                     type, "n", (json_int_t)n, "skipped", (json_int_t)skipped, "result_type", type_name(result_type),
                     "rounding", rounding_name((quire_rounding)options->rounding));
}

static json_t *object_of(const struct options *options, const struct report *report) {
    json_t *files = json_array();
    for (size_t i = 0; i < report->sources; i++) json_array_append_new(files, name(report->source[i].name));
    return report_object(options, files, report->type, report->n, report->skipped, report->job.what.result_type);
}

void json_report(const struct options *options, const struct report *report) {
    json_t *results = json_array(), *object = object_of(options, report);
    for (int i = 0; i < report->count; i++)
        json_array_append_new(results,
                              outcome_object(&report->job, &report->outcomes[i], options->method == METHOD_ALL));
    json_object_update_new(object, json_pack("{s:[], s:o}", "shape", "results", results));
    add(object);
}

void json_facts(const struct options *options, const struct report *report, const struct facts *facts,
                const union number values[2]) {
    const quire_type type = report->job.what.result_type;
    json_t *object = object_of(options, report);
    json_object_update_new(object,
                           json_pack("{s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:I, s:I}", "mean",
                                     number_object(type, &values[0]), "stddev", number_object(type, &values[1]), "min",
                                     real(facts->least), "max", real(facts->greatest), "nan", (json_int_t)facts->nan,
                                     "positive_infinity", (json_int_t)facts->positive_infinity, "negative_infinity",
                                     (json_int_t)facts->negative_infinity, "zeros", (json_int_t)facts->zeros,
                                     "subnormals", (json_int_t)facts->subnormals));
    if (report->key) json_object_set_new(object, "key", name(report->key));
    add(object);
}

/* Result i of many: as a lone one, with how many elements it is of, and its key. */
static json_t *result_object(const struct options *options, const struct results *results, size_t i) {
    const size_t size = type_size(results->result_type), at = results->place ? results->place[i] : i;
    union number number;
    memcpy(&number, (const char *)results->array + at * size, size);
    char digits[NUMBER_TEXT];
    json_t *object = number_object(results->result_type, &number);
    print_digits(results, at, &number, digits);
    if (object && *digits) json_object_set_new(object, "decimal", json_string(digits));
    json_object_update_new(object, json_pack("{s:s, s:I}", "method", method_name((quire_method)options->method), "n",
                                             (json_int_t)print_elements_of(results, i)));
    if (results->keys) json_object_set_new(object, "key", name(results->keys[i]));
    return object;
}

/* The names of the rows and columns of a matrix of results. */
static json_t *names(const struct results *results) {
    json_t *array = json_array();
    for (size_t i = 0; i < results->a_line; i++) json_array_append_new(array, name(results->name[i]));
    return array;
}

void json_results(const struct options *options, const struct results *results) {
    json_t *shape = json_array(), *array = json_array(), *files = json_array();
    for (int i = 0; i < 2 && results->file[i]; i++) json_array_append_new(files, name(results->file[i]));
    for (int i = 0; i < results->dimensions; i++)
        json_array_append_new(shape, json_integer((json_int_t)results->shape[i]));
    for (size_t i = 0; i < results->count; i++) json_array_append_new(array, result_object(options, results, i));
    json_t *object =
        report_object(options, files, results->type, results->elements, results->skipped, results->result_type);
    json_object_update_new(object, json_pack("{s:o, s:o}", "shape", shape, "results", array));
    if (results->name) json_object_set_new(object, "columns", names(results));
    add(object);
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
        json_array_append_new(devices, json_pack("{s:i, s:s, s:s, s:I}", "number", i, "name", gpu.name,
                                                 "compute_capability", capability, "bytes", (json_int_t)gpu.bytes));
    }
    return devices;
}

int json_info(quire_tier default_tier) {
    json_t *tiers = json_array();
    for (int i = 0; i < TIERS; i++)
        if (quire_tier_available(every_tier[i]))
            json_array_append_new(tiers, json_string(quire_tier_name(every_tier[i])));
    return print_and_free(json_pack("{s:s, s:s, s:i, s:o, s:s, s:b, s:b, s:o, s:o}", "command", "info", "version",
                                    quire_version(), "api_version", quire_api_version(), "tiers", tiers, "default_tier",
                                    quire_tier_name(default_tier), "threads", quire_has_openmp(), "cuda",
                                    quire_has_cuda(), "cuda_driver", driver_version(), "cuda_devices",
                                    device_objects()));
}
