/* row.h - one measured line of the table, and its columns as names and cells, which every machine-readable output
 * shares.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_ROW_H
#define QUIRE_BENCH_ROW_H

#include <stdbool.h>

#include "contenders/contender.h"
#include "timing/timing.h"

typedef enum verdict { NOT_ASKED, YES, NO } verdict;

typedef struct row {
    const char *family;
    uint64_t seed;
    double condition; /* of the job; see truth.h */
    const job *job;
    const contender *contender;
    timing timing;
    double rate;          /* bytes a second */
    double over_baseline; /* time over the baseline's: above 1 is slower */
    double over_sum;      /* of a moment: time over that of the fast-math sum of the same elements; else NaN */
    verdict noise;        /* over_baseline is nearer to 1 than the spreads of both */
    double over_ceiling;  /* time over the ceiling's: above 1 is slower */
    double error_ulps;    /* NaN where there is no result */
    double error_units;   /* the same in u sum|x|; see truth.h */
    double bound_ulps;    /* NaN where none is documented, infinite where overflow is possible */
    double bound_units;
    verdict runs, launches, alignments; /* whether the bits were equal */
} row;

typedef struct cell {
    enum { CELL_TEXT, CELL_COUNT, CELL_REAL, CELL_VERDICT } kind;
    const char *text;
    uint64_t count;
    double real;
    verdict verdict;
} cell;

#define COLUMNS 31

const char *column_name(int column);
cell column_cell(const row *r, int column);

#endif
