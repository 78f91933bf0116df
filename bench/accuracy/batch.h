/* batch.h - many short vectors of one kind in one array, or a few long ones, the questions asked of them, and the right
 * answers, found by the quick oracles (tests/oracles/oracle_words.h, tests/oracles/oracle_ordered.h; of vectors of more
 * than a tile by the model, but for exact). One vector in about a thousand is judged by MPFR, GMP and the model, too.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_ACCURACY_BATCH_H
#define QUIRE_ACCURACY_BATCH_H

#include "arena.h"
#include "oracle_moments.h"
#include "oracle_ordered.h"
#include "source.h"

#define BATCH_VECTORS 4096
#define BATCH_ELEMENTS ((size_t)1 << 17)                                  /* about; gaps come on top */
#define BATCH_ROOM (2 * (size_t)MANY_LONGEST + 4 * (size_t)BATCH_VECTORS) /* two of the longest, and gaps */
#define BATCH_QUESTIONS 10
#define BATCH_SAMPLE 1000

/* How the vectors lie. The middle axis of an array of three is a quire_layout with outer and inner both above 1. */
typedef enum arrangement { ROWS, COLUMNS, MIDDLE_AXIS, SEGMENTS, ARRANGEMENTS } arrangement;
const char *arrangement_name(arrangement which);

/* Lengths in classes: 0, 1, 2-4, 5-8, 9-16, 17-32, 33-64, 65-256, 257-4096, and more. */
#define LENGTH_CLASSES 10
int length_class(size_t n);
const char *length_class_name(int which);

/* One call of the library. */
typedef struct question {
    quire_method method;
    quire_type result_type;
    quire_rounding rounding;
    int way;
} question;

typedef struct batch {
    test_case of; /* n: of each vector, or of the longest segment */
    arrangement arrangement;
    size_t vectors, elements; /* elements: of the arrays, gaps among them */
    quire_layout x_layout, y_layout;
    size_t x_first, y_first; /* the element that has index 0, from x and y: strides may be negative */
    bool backwards;          /* one of them is */
    int64_t correction;      /* of moments */
    quire_index index;
    question questions[BATCH_QUESTIONS];
    int question_count;
    uint64_t lengths[LENGTH_CLASSES]; /* how many vectors of each class */
    size_t begin[BATCH_VECTORS], length[BATCH_VECTORS];
    int64_t offsets[2][BATCH_VECTORS]; /* begin and end, of the type of the index */
    unsigned char *x, *y;              /* where the arrays begin, in room */
    unsigned char *room[2], *vector[2], *results, *expected[BATCH_QUESTIONS]; /* vector: one alone */
    uint64_t sampled, sampled_wrong; /* answers of the quick oracles compared with MPFR's and the model's */
} batch;

/* What finds answers, one for each worker. */
typedef struct truth {
    const ordered_tables *tables;
    words_sum sum, squares;
    oracle mpfr;
} truth;

/* The bytes that each slot of an arena needs for any batch. */
void batch_room(size_t room[SLOTS]);

bool batch_open(batch *b); /* takes memory; complains and answers false if there is too little */
void batch_close(batch *b);

/* Makes the batch that the case stands for, with the answers. */
void batch_make(batch *b, truth *t, const test_case *c, const arena *a, set methods);

/* Vector r as a case of its own. */
test_case batch_vector(const batch *b, size_t r);

/* The answer of MPFR, GMP or the model to a question about vector r. */
uint64_t batch_slow_answer(const batch *b, truth *t, const question *q, size_t r);

/* batch_layout.c: how many vectors, and where they lie. */
void batch_lay_out(batch *b, generator *g);
size_t batch_x_start(const batch *b, size_t r); /* of vector r: its first element, from x */
size_t batch_y_start(const batch *b, size_t r);

/* Calls the library; results are in b->results. Complains and answers false if the GPU fails. */
bool batch_send(const batch *b, const arena *a);
bool batch_ask(batch *b, const arena *a, const question *q, quire_status *status);

#endif
