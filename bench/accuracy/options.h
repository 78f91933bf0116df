/* options.h - what is asked for on the command line.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_ACCURACY_OPTIONS_H
#define QUIRE_ACCURACY_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "command/own.h"

#define MANY_LONGEST 1000000 /* elements of a vector, of --many */

/* Of a set of names bit i stands for the i-th: of TYPES, METHODS, the operations, the families, the places. */
typedef uint64_t set;

static inline bool set_has(set s, int i) { return s >> i & 1; }

enum { PLACE_CPU_BIT, PLACE_GPU_BIT, PLACE_BITS };

typedef struct options {
    set types, operations, methods, families, places;
    bool places_named; /* --place was given: what it names must be there */
    size_t n;          /* the most elements; 0: not asked for */
    uint64_t seed;
    double seconds; /* infinite where only the rounds count */
    bool quick, many, help, version;
    uint64_t results;        /* of --many: stop after so many; 0: not asked for */
    int threads;             /* of --many; 0: as many as there are processors */
    const char *json, *only; /* NULL: not asked for */
    char *type_words;        /* of --type, which are read when it is known whether there are files */
    bool typed;              /* of files: element was given */
    struct element element;
    char **files; /* the rest of the line */
    int file_count;
} options;

/* Answers an exit status; what is not EXIT_FINE has been complained about. */
int options_read(options *o, int argc, char **argv);

void options_help(void);

#endif
