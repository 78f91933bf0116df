/* ranks.h - of test_mpi.c: data that every rank knows, parts of it, and results that must have the bits of quire_reduce
 * on all of it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef RANKS_H
#define RANKS_H

#include <quire/mpi.h>

#include <stdint.h>

#include "parts.h"

#define MOST 3000 /* elements */

extern int rank, ranks, cases, failures; /* of MPI_COMM_WORLD */

/* A case fails if a condition does not hold on any rank; rank 0 prints a line of TAP for it. */
void expect(int condition, const char *format, ...);
void done(const char *name);

typedef enum {
    ORDINARY,
    WIDE,
    PAIRS,
    ZEROS,
    NEGATIVE_ZEROS,
    SUBNORMAL,
    HUGE_ONES,
    NEGATIVE,
    POWERS,
    SPECIAL, /* a NaN, infinities and zeros among ordinary ones */
    FAMILIES
} family;

extern double x[MOST], y[MOST];                   /* as doubles; a case may change them before converting */
extern char x_typed[8 * MOST], y_typed[8 * MOST]; /* the same as elements of a type */
void seed(uint64_t number); /* of the data that fill draws next: the same on all ranks that are to know it */
void fill(family f, size_t n);
void convert(quire_type type, size_t n);

/* One vector of all ranks of comm; fields vectors, as rows or as columns of a matrix; arrays of n elements, one a rank,
 * of the data from `from` on; a few accumulators. Data must have been converted to what->type. */
void check_scalar(const quire_reduction *what, size_t n, int split, MPI_Comm comm, const char *name);
void check_fields(const quire_reduction *what, size_t fields, size_t n, int split, int columns, int moments,
                  MPI_Comm comm);
void check_elements(const quire_reduction *what, size_t n, family f, int in_place, MPI_Comm comm);
void check_accumulators(size_t n, int split, MPI_Comm comm);

#define OPERATIONS 8
extern const quire_operation operations[OPERATIONS];
#define TYPES 6
extern const quire_type types[TYPES];

int has_squares(quire_operation operation);
void bad_arguments(void); /* bad_arguments.c */

void threads(int provided); /* once.c */
void again(void);
void lengths(void);
void left_behind(void);

#endif
