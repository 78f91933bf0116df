/* print.h - what goes to standard output.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_PRINT_H
#define QUIRE_CLI_PRINT_H

#include "gather.h"
#include "measure.h"
#include "sources.h"

/* What is known of a result, or of METHODS of them. */
struct report {
    const struct source *source; /* what it is made of */
    size_t sources;
    const char *type; /* of the elements */
    const char *key;  /* of the group that they are; NULL: of none */
    uintmax_t n, skipped;
    struct job job;
    const struct outcome *outcomes;
    int count;
};

/* How many elements there are, and how many were left out, if any were to be. */
void print_count(const struct options *options, uintmax_t n, uintmax_t skipped);

/* One or several reports: several lines have the names of their files. These answer EXIT_FINE or EXIT_TROUBLE. */
void print_begin(const struct options *options, bool several);
int print_report(const struct options *options, const struct report *report);
int print_end(const struct options *options);

/* What describe tells. values: mean and standard deviation, of type F64. */
int print_facts(const struct options *options, const struct report *report, const struct facts *facts,
                const union number values[2]);

/* Many results of a type, in a text or JSON; shape has dimensions lengths. */
struct results {
    const char *file[2], *type; /* of the elements; a second file is that of dot */
    uintmax_t elements;         /* of all that was cut */
    uintmax_t skipped;          /* elements that were left out before */
    quire_type result_type;
    size_t count; /* they stand at array */
    const void *array;
    const void *digits;  /* those of integers, as QUIRE_INT128: printed of results beyond 2^53; NULL: there are none */
    const size_t *place; /* of each in the array; NULL: in their order */
    const size_t *shape;
    int dimensions;
    size_t a_line;           /* so many stand in a line, unless more is said of each; 0: one */
    const char *const *name; /* of the a_line rows and columns of a matrix of results; NULL: they have none */
    size_t n;                /* elements of each */
    size_t apart, first; /* of running sums: how far apart those of a vector stand, and of how many elements the first
                            one is; apart 0: they are none */
    const int64_t *offsets;  /* of segments, each of which has a number of its own; NULL: there are none */
    const char *const *keys; /* of groups, and how many elements each has; NULL: there are none */
    const int64_t *counts;
};
/* How many elements result i is of. A segment whose end is not beyond its begin is empty. */
uintmax_t print_elements_of(const struct results *results, size_t i);

/* All digits of the result that stands so far in the array, or an empty text. */
void print_digits(const struct results *results, size_t at, const union number *number, char text[NUMBER_TEXT]);

int print_results(const struct options *options, const struct results *results);

int print_info(bool json);

#endif
