/* text.h - numbers written in decimal: any text of numbers, or columns of a table (CSV and its like).
 *
 * Without a column every word is a number; words end at blanks, commas and semicolons. With one, each line is a row;
 * fields end at the delimiter, and may stand in double quotes, as RFC 4180 has it. Lines that begin with # are left
 * out. What a number is says decimal.h. A text of more than one column, and cells that are missing, are told of on
 * standard error, once, when the text has been read to its end.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_TEXT_H
#define QUIRE_CLI_TEXT_H

#include <stdbool.h>

#include "bytes.h"
#include "shape.h"

#define TEXT_FIELD 1024 /* the longest field, with its zero */

/* A missing cell is a NaN, which is told of; left out, of a pair the other one too; a NaN, silently; an error. Text
 * itself gives a NaN that decimal_is_missing knows in the first three cases: pieces.h leaves it out. */
enum missing { MISSING_TOLD, MISSING_SKIP, MISSING_NAN, MISSING_ERROR };

/* How the command line says that texts are to be read. Zero means: not given. */
struct text_ways {
    int delimiter;        /* of a table found in its first line: a tab, comma or semicolon, else blanks */
    char point;           /* before the fraction of a number: '.', or ',' */
    enum missing missing; /* what a missing cell is */
    bool quiet;           /* how it was read is of no interest */
};

/* A column of a table that is read: by its name in the first line, or by its number. */
struct column {
    const char *name;       /* NULL: by its number */
    int number, again;      /* from 1 on; 0: not found yet. again: another one that has the name; 0: none */
    int place;              /* among the columns as they were named: they stand in the order of the table */
    char field[TEXT_FIELD]; /* of the row last read */
};

struct text {
    struct bytes *bytes;
    struct text_ways ways;
    struct shape shape;
    struct column *wanted; /* NULL: no table */
    int wanted_count;
    bool by_number; /* all of them */
    int row_fields; /* of the row last read */
    int columns;    /* of the first row; 0: not known yet */
    int delimiter;  /* ' ' stands for any number of blanks */
    uintmax_t line;
    uintmax_t begun; /* the last line with a word or a separator: a # behind it begins no comment */
    bool words;      /* fields need be no numbers */
    bool kept;       /* the wanted fields are those of the first line, which was no heading */
    bool told;       /* how it was read */
    bool fractions;  /* a number that was read is no integer in decimal */
    char field[TEXT_FIELD];
};

/* columns: NULL; or count of them, one behind the other, each with its zero: a number from 1 on, or a name of the first
 * line, which then is no row. EXIT_FINE or EXIT_TROUBLE. To be closed in both cases; the columns must outlive it. */
int text_open(struct text *text, struct bytes *bytes, const char *columns, int count, const struct text_ways *ways);

/* The same of one column whose fields need be no numbers; if it is a number, no line is taken for a heading. */
int text_open_words(struct text *text, struct bytes *bytes, const char *column, const struct text_ways *ways);
void text_close(struct text *text);

/* The next field of such a column: 1; 0 at the end; -1 after a complaint. */
int text_read_word(struct text *text, const char **word);

/* The next n numbers, or all there are: how many; -1 after a complaint. Those of several columns come row by row, in
 * the order in which the columns were named, and n is a multiple of their number. low takes what integers beyond 2^53
 * are more than the nearest double (whole.h), else 0; it may be NULL. */
ssize_t text_read(struct text *text, double *to, double *low, size_t n);

#endif
