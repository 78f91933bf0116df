/* pieces.h - one input, or two whose elements pair up, piece by piece or as a whole.
 *
 * Pieces are read once and take little memory. The whole is mapped where it is, or else made of the pieces in a
 * temporary file. In both, pairs, and rows of a matrix, with a NaN or with a missing cell can be left out.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_PIECES_H
#define QUIRE_CLI_PIECES_H

#include "input.h"

/* What is left out: nothing; missing cells; those and every other NaN. */
enum skip { LEAVE_NOTHING, LEAVE_MISSING, LEAVE_NAN };

struct pieces {
    const char *verb; /* for complaints; "dot", unless the caller says otherwise */
    struct input *input[2];
    int inputs;
    enum skip skip;
    bool digits;       /* if all numbers are integers of a text, the whole has them as such, too */
    bool doubles;      /* if not, an integer of a text that is no double is trouble */
    uintmax_t taken;   /* elements of each, so far */
    uintmax_t skipped; /* of them left out */
    void *x[2];        /* the piece */
    double *low[2];    /* of a wide input, to be added; else NULL */
};

/* y is NULL for one input. EXIT_FINE or EXIT_TROUBLE. */
int pieces_open(struct pieces *pieces, struct input *x, struct input *y, enum skip skip);

/* The next piece: how many elements it has, 0 at the end, -1 after a complaint. */
ssize_t pieces_next(struct pieces *pieces);
void pieces_close(struct pieces *pieces);

/* All elements, each input's side by side. */
struct whole {
    size_t n;
    const void *x[2];
    quire_type integers; /* of texts, the same numbers as integers of 64 bits, or 0: not all of them are such */
    const void *integer[2];
    void *map[4];
    size_t map_length[4];
};

/* Whether the whole needs no temporary file. */
bool pieces_are_mappable(const struct pieces *pieces);

/* In place of pieces_next. EXIT_FINE or EXIT_TROUBLE; integers that are no doubles are trouble. To be closed in both
 * cases.
 */
int pieces_whole(struct pieces *pieces, struct whole *whole);

/* Its elements, as integers if it has them so; and their type, where that of the input is another one. */
const void *whole_elements(const struct whole *whole, int i);
quire_type whole_type(const struct whole *whole, quire_type of_input);

void whole_close(struct whole *whole);

#endif
