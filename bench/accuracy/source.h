/* source.h - where elements come from: families of the tests, or the user's files; and room for the vectors of a case.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_ACCURACY_SOURCE_H
#define QUIRE_ACCURACY_SOURCE_H

#include "families.h"
#include "operation.h"
#include "options.h"

typedef struct source {
    const char *name;
    family family;   /* FAMILY_COUNT for a file */
    quire_type type; /* of a file */
    size_t count;    /* of elements, in a file */
    void *elements;  /* all of them; NULL for a family */
} source;

typedef struct sources {
    source *one;
    int count;
    size_t longest; /* vector that a case may take, in bytes */
    unsigned char *x, *y;
} sources;

/* One case: elements and what is done with them. Every method and result type is tried on it, everywhere. */
typedef struct test_case {
    const source *source;
    quire_type type;
    operation operation;
    size_t n;
    uint64_t seed; /* of its elements, their place in memory, and their permutation */
} test_case;

/* Fills n elements; the seed also says where in 64 bytes they begin. */
typedef struct vectors {
    void *x, *y;               /* y: for a dot product alone, else NULL */
    size_t offset_x, offset_y; /* bytes */
} vectors;

/* Finds the sources asked for, reads files, and takes memory. Complains and answers false if there is too little. */
bool sources_open(sources *s, const options *o);
void sources_close(sources *s);

vectors sources_fill(sources *s, const test_case *c);

#endif
