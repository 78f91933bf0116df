/* options.h - what is asked for on the command line.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_OPTIONS_H
#define QUIRE_BENCH_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "command/own.h"
#include "families.h"
#include "job.h"

#define MAX_SIZES 32
#define MAX_CONDITIONS 32

enum { ON_CPU = 1, ON_GPU = 2 };

typedef struct options {
    int types[TYPE_COUNT], type_count;
    int operations[OPERATION_ALL], operation_count;
    int methods[METHOD_COUNT], method_count;
    int result_type; /* 0: that of the accumulation */
    int families[FAMILY_COUNT], family_count;
    size_t sizes[MAX_SIZES];
    int size_count;
    double conditions[MAX_CONDITIONS];
    int condition_count;
    int layouts[LAYOUT_COUNT], layout_count; /* of many vectors; none: one vector a call */
    double bytes;                            /* of them all; 0: what rows.h says */
    int places;                              /* ON_CPU, ON_GPU, or both: whichever there is */
    bool warm, queued, ladder, peers;
    char *type_words; /* of --type, which are read when it is known whether there is a file */
    bool typed;       /* of a file: element was given */
    struct element element;
    const char *file, *csv, *json; /* NULL: not asked for */
    uint64_t seed;
    int threads;     /* rows on one thread always; on these too, if more */
    quire_tier tier; /* QUIRE_TIER_BEST: what the library takes by itself */
    double seconds;  /* a row */
    bool quick, help, version;
} options;

/* Answers an exit status; what is not EXIT_FINE has been complained about. */
int options_read(options *o, int argc, char **argv);

/* Of results of numbers of that type. */
static inline quire_type result_type(const options *o, quire_type type) {
    return o->result_type ? (quire_type)o->result_type : accumulation_type(type);
}

void options_help(void);

#endif
