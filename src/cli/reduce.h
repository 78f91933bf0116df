/* reduce.h - what the verbs that read arrays share.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_REDUCE_H
#define QUIRE_CLI_REDUCE_H

#include "gather.h"
#include "print.h"
#include "sources.h"

/* What is to be computed of elements of a type, as the options say. */
quire_reduction reduction_of(const struct options *options, quire_operation operation, quire_type type);

/* The same of a whole, whose texts of integers are read as such. */
quire_reduction reduction_of_whole(const struct options *options, quire_type type, const struct whole *whole);

/* Whether integers of a text have results that no double has all digits of. */
bool needs_digits(const struct options *options, const quire_reduction *what, const struct whole *whole,
                  const void *results, size_t count);

/* How an array is cut, and what the results look like. */
struct cut {
    struct vectors vectors;
    size_t shape[NPY_MAX_DIMENSIONS];
    int dimensions;
    bool fortran;      /* the first index of the results runs fastest */
    const char **name; /* of the rows and columns of a matrix of results; NULL: they have none */
};

/* Along the axis of the options. EXIT_FINE, EXIT_TROUBLE or EXIT_USAGE. */
int cut_axis(struct cut *cut, const struct options *options, const struct input *input);

/* Prints the results of what was cut, of which the caller says all but their number, places, shape and n. EXIT_FINE or
 * EXIT_TROUBLE. */
int print_cut(const struct options *options, const struct cut *cut, struct results results);

/* Writes them to the file of the options, integers as int64, for which they become such. EXIT_FINE or EXIT_TROUBLE. */
int write_cut(const struct options *options, const struct cut *cut, quire_type type, void *array);

/* Opens a source and adds it to the gathering; two of them with their products. *report gets the type, n and skipped.
 * EXIT_FINE or EXIT_TROUBLE. */
int gather_sources(struct device *device, const struct options *options, const struct source *source, int count,
                   struct gathering *gathering, struct report *report);

/* Adds every source to the gathering, one after the other. *report as above, of the last. EXIT_FINE or EXIT_TROUBLE. */
int gather_total(struct device *device, const struct options *options, const struct sources *sources,
                 struct gathering *gathering, struct report *report);

/* One result for each key that stands beside the elements in a column of their table: those of pieces, which are whole.
 */
int reduce_by_key(struct device *device, const struct options *options, const struct pieces *pieces,
                  const struct whole *whole, const struct source *source);

/* Complains of one source where two are needed; answers EXIT_USAGE. */
int reduce_lone(const struct options *options, const struct source *source);

/* One result a row, column, segment or key, of one source or of two. */
int reduce_many(struct device *device, const struct options *options, const struct source *source, int count);

#endif
