/* print.c - what goes to standard output, for people.
 *
 * SPDX-License-Identifier: MIT
 */
#include "print.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "complain.h"
#include "json.h"
#include "whole.h"

/* The columns of the table, and one row of their texts. */
#define COLUMNS 7
enum { CELL_TEXT = NUMBER_TEXT };

typedef char row_text[COLUMNS][CELL_TEXT];

static void write_seconds(double seconds, char text[CELL_TEXT]) {
    if (seconds < 1e-3)
        snprintf(text, CELL_TEXT, "%.2f us", seconds * 1e6);
    else if (seconds < 1)
        snprintf(text, CELL_TEXT, "%.2f ms", seconds * 1e3);
    else
        snprintf(text, CELL_TEXT, "%.2f s", seconds);
}

static void write_ulps(double ulps, char text[CELL_TEXT]) {
    if (isnan(ulps))
        strcpy(text, "-");
    else
        snprintf(text, CELL_TEXT, "%.3g", ulps);
}

static void write_row(const struct job *job, const struct outcome *outcome, row_text row) {
    double value = number_value(job->what.result_type, &outcome->result);
    strcpy(row[0], method_name(outcome->method));
    number_decimal(job->what.result_type, value, row[1]);
    number_hex(value, row[2]);
    write_ulps(outcome->error, row[3]);
    write_ulps(outcome->bound, row[4]);
    write_seconds(outcome->seconds, row[5]);
    snprintf(row[6], CELL_TEXT, "%.2f", outcome->rate / 1e9);
}

/* The method's name to the left, all else to the right, each column as wide as its widest text. */
static void print_table(const struct job *job, const struct outcome *outcomes, int count) {
    row_text rows[METHODS + 1] = { { "method", "result", "hex", "error/ulp", "bound/ulp", "time", "GB/s" } };
    int width[COLUMNS] = { 0 };
    for (int i = 0; i < count; i++) write_row(job, &outcomes[i], rows[i + 1]);
    for (int i = 0; i <= count; i++)
        for (int column = 0; column < COLUMNS; column++)
            if ((int)strlen(rows[i][column]) > width[column]) width[column] = (int)strlen(rows[i][column]);
    for (int i = 0; i <= count; i++) {
        printf("%-*s", width[0], rows[i][0]);
        for (int column = 1; column < COLUMNS; column++) printf("  %*s", width[column], rows[i][column]);
        putchar('\n');
    }
}

/* Whether lines have the names of their files. */
static bool named;

void print_begin(const struct options *options, bool several) {
    named = several;
    if (options->json) json_begin();
}

int print_end(const struct options *options) { return options->json ? json_end() : EXIT_FINE; }

/* digits: in place of the number's decimal, unless they are empty. */
static void print_number(const struct options *options, quire_type type, const union number *number,
                         const char *digits) {
    char text[NUMBER_TEXT];
    const double value = number_value(type, number);
    number_text(type, number, text);
    fputs(*digits ? digits : text, stdout);
    if (!options->verbose) return;
    number_hex(value, text);
    printf("  %s", text);
    number_bit_text(type, number, text);
    printf("  %s", text);
}

void print_count(const struct options *options, uintmax_t n, uintmax_t skipped) {
    const enum skip skip = options_skip(options);
    printf("n %ju", n);
    if (skip) printf("  %s %ju", skip == LEAVE_NAN ? "nan" : "missing", skipped);
}

int print_report(const struct options *options, const struct report *report) {
    if (options->json) {
        json_report(options, report);
        return EXIT_FINE;
    }
    if (options->method == METHOD_ALL) {
        if (named) printf("%s:\n", report->source->name);
        print_table(&report->job, report->outcomes, report->count);
        return EXIT_FINE;
    }
    print_number(options, report->job.what.result_type, &report->outcomes[0].result, report->outcomes[0].digits);
    if (options->verbose) {
        fputs("  ", stdout);
        print_count(options, report->n, report->skipped);
    }
    if (named) printf("  %s", report->source->name);
    putchar('\n');
    return EXIT_FINE;
}

static void print_fact(const char *label, quire_type type, const union number *number) {
    char text[NUMBER_TEXT];
    number_decimal(type, number_value(type, number), text);
    printf("%-12s%s\n", label, text);
}

/* One of the elements, of their type. */
static void print_extreme(const char *label, quire_type type, double value) {
    char text[NUMBER_TEXT];
    number_decimal(type, value, text);
    printf("%-12s%s\n", label, text);
}

int print_facts(const struct options *options, const struct report *report, const struct facts *facts,
                const union number values[2]) {
    if (options->json) {
        json_facts(options, report, facts, values);
        return EXIT_FINE;
    }
    const quire_type type = report->job.what.result_type;
    if (named || report->key) printf("%s:\n", report->key ? report->key : report->source->name);
    printf("%-12s%ju\n", "count", report->n);
    print_fact("mean", type, &values[0]);
    print_fact("stddev", type, &values[1]);
    print_extreme("min", report->job.what.type, facts->least);
    print_extreme("max", report->job.what.type, facts->greatest);
    printf("%-12s%ju\n%-12s%ju\n%-12s%ju\n%-12s%ju\n%-12s%ju\n", "nan", facts->nan, "inf", facts->positive_infinity,
           "-inf", facts->negative_infinity, "zeros", facts->zeros, "subnormals", facts->subnormals);
    return EXIT_FINE;
}

uintmax_t print_elements_of(const struct results *results, size_t i) {
    const int64_t *offsets = results->offsets;
    if (results->counts) return (uintmax_t)results->counts[i];
    if (results->apart) return (results->place ? results->place[i] : i) / results->apart % results->n + results->first;
    if (!offsets) return results->n;
    return offsets[i + 1] > offsets[i] ? (uintmax_t)(offsets[i + 1] - offsets[i]) : 0;
}

void print_digits(const struct results *results, size_t at, const union number *number, char text[NUMBER_TEXT]) {
    *text = 0;
    if (results->digits && fabs(number_value(results->result_type, number)) >= 0x1p53)
        whole_digits((const char *)results->digits + at * type_size(QUIRE_INT128), text);
}

/* What stands before result i of a matrix with names: the first line has those of the columns, each line its row's.
 * With
 * --verbose a line has one result, and both names. */
static void print_names(const struct options *options, const struct results *results, size_t i) {
    const size_t row = i / results->a_line, column = i % results->a_line;
    if (options->verbose) {
        printf("%s\t%s\t", results->name[row], results->name[column]);
        return;
    }
    if (column) return;
    for (size_t k = 0; !row && k < results->a_line; k++) printf("\t%s", results->name[k]);
    printf("%s%s\t", row ? "" : "\n", results->name[row]);
}

int print_results(const struct options *options, const struct results *results) {
    if (options->json) {
        json_results(options, results);
        return EXIT_FINE;
    }
    const size_t size = type_size(results->result_type);
    for (size_t i = 0; i < results->count; i++) {
        union number number;
        char digits[NUMBER_TEXT];
        const size_t at = results->place ? results->place[i] : i;
        memcpy(&number, (const char *)results->array + at * size, size);
        print_digits(results, at, &number, digits);
        if (results->keys) printf("%s\t", results->keys[i]);
        if (results->name) print_names(options, results, i);
        print_number(options, results->result_type, &number, digits);
        if (results->keys) {
            printf("\t%ju", print_elements_of(results, i));
        } else if (options->verbose) {
            fputs("  ", stdout);
            print_count(options, print_elements_of(results, i), results->name ? results->skipped / results->a_line : 0);
        }
        putchar(results->a_line && !options->verbose && (i + 1) % results->a_line ? '\t' : '\n');
    }
    return EXIT_FINE;
}

/* The driver and the devices, where the library can use them. */
static int print_cuda(void) {
    if (!quire_has_cuda()) return EXIT_FINE;
    const int driver = gpu_driver(), count = gpu_count();
    if (driver)
        printf("CUDA driver  %d.%d\n", driver / 1000, driver % 1000 / 10);
    else
        puts("CUDA driver  none");
    for (int i = 0; i < count; i++) {
        struct gpu_facts gpu;
        int status = gpu_describe(i, &gpu);
        if (status) return status;
        printf("cuda:%-8d%s, compute capability %d.%d, %.1f GiB\n", i, gpu.name, gpu.major, gpu.minor,
               (double)gpu.bytes / 0x1p30);
    }
    return EXIT_FINE;
}

int print_info(bool json) {
    quire_tier fastest;
    int status = device_default_tier(&fastest);
    if (status) return status;
    if (json) return json_info(fastest);
    printf("version      %s\nAPI version  %d\ntiers       ", quire_version(), quire_api_version());
    for (int i = 0; i < TIERS; i++)
        if (quire_tier_available(every_tier[i]))
            printf(" %s%s", quire_tier_name(every_tier[i]), every_tier[i] == fastest ? " (default)" : "");
    printf("\nthreads      %s\nCUDA         %s\n", quire_has_openmp() ? "yes" : "no", quire_has_cuda() ? "yes" : "no");
    return print_cuda();
}
