/* input.h - an array of numbers: a file, a member of an archive, a column of a table, standard input.
 *
 * What a file says is found out by input_open. The numbers are then either read in pieces, once, which any input can;
 * or mapped where they are, which takes no memory that grows with the file, but needs an uncompressed file of floats in
 * this machine's byte order that start at a multiple of their size (pieces.h makes a temporary file of any other).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_INPUT_H
#define QUIRE_CLI_INPUT_H

#include "bytes.h"
#include "npy.h"
#include "text.h"
#include "zip.h"

/* How the command line says that files are to be read. */
struct reading {
    bool typed;             /* element was given */
    struct element element; /* of raw numbers; an .npy file must agree */
    const char *column;     /* NULL: not given */
    struct text_ways ways;  /* of texts */
    bool words;             /* of a column: it is read by text_read_word */
    bool integers;          /* those of a file are left as they are, of their own types */
    bool together;          /* three columns and more are one matrix */
};

/* Where an array is. */
struct source {
    char name[512];   /* for messages and results */
    const char *path; /* "-": standard input */
    bool in_archive;
    struct zip_member member;
    const char *column; /* of a table; NULL: no table */
    int columns;        /* that are read together, as a matrix: their names stand one behind the other */
};

enum stored { STORED_RAW, STORED_NPY, STORED_TEXT };

struct input {
    const char *name;
    quire_type type; /* of the numbers as they are read */
    bool counted;    /* n is known before all of them are read */
    size_t n;
    bool wide;   /* integers of 64 bits, and texts, which may have such: read as two doubles each */
    bool raw;    /* integers: read as they are */
    bool parted; /* the second ones of what was read last are not all 0 */
    bool mappable;
    struct npy_header header; /* of what is no .npy file: one dimension, C order */
    enum stored stored;
    struct element element;
    size_t row; /* how many numbers make a row, which is read, and left out, as one: the columns of a table, else 1 */

    int fd;
    size_t offset; /* of the first element in the file, if it is mappable */
    struct bytes bytes;
    struct text text;
    uintmax_t taken; /* bytes of elements read */
};

/* Opens and finds out. EXIT_FINE, or EXIT_TROUBLE, and then there is nothing to close. source must outlive the input.
 */
int input_open(struct input *input, const struct source *source, const struct reading *reading);

/* Reads the next n numbers, whole rows, or all there are: how many; -1 after a complaint. Only after a 0 is it sure
 * that the file is whole. x takes n elements of the input's type; low, for a wide input, n doubles, which are to be
 * added to those of x. */
ssize_t input_read(struct input *input, size_t n, void *x, double *low);

/* Complains of an integer that is no double; answers EXIT_TROUBLE. */
int input_beyond_doubles(const struct input *input);

/* Adds the parts of n wide integers up, if that is exact. EXIT_FINE or EXIT_TROUBLE. */
int input_narrow(const struct input *input, size_t n, double *x, const double *low);

/* Maps a mappable input. NULL after a complaint, or if it is empty. To be undone by munmap(*map, *length). */
const void *input_map(const struct input *input, void **map, size_t *length);

/* Integers are read as doubles after all. Before anything is read. */
void input_as_doubles(struct input *input);

/* Whether the elements of two inputs pair up as far as their headers tell: same type, same number, same order.
 * Integers of different types, or beside floats, are read as doubles from then on. EXIT_FINE or EXIT_TROUBLE. */
int input_match(const char *verb, struct input *x, struct input *y);

/* Whether all that was read are integers. */
bool input_are_integers(const struct input *input);

void input_close(struct input *input);

#endif
