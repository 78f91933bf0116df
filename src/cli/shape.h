/* shape.h - what a text of numbers looks like as a table, and the line that says how it was read.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_SHAPE_H
#define QUIRE_CLI_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

enum separator { SEPARATOR_BLANKS = 1, SEPARATOR_COMMAS = 2, SEPARATOR_SEMICOLONS = 4, SEPARATOR_OTHER = 8 };

/* What has been seen so far. Zero is the beginning. */
struct shape {
    uintmax_t rows;           /* lines that have numbers, the last of which has here of them so far */
    uintmax_t line;           /* of that row */
    int here, fewest, most;   /* columns */
    int separators;           /* enum separator, one or several */
    bool behind;              /* a comma or semicolon was the last that the row had */
    uintmax_t empty;          /* cells of words that had nothing between their separators */
    uintmax_t missing, first; /* cells that count as NaN, and the line of the first one */
};

/* A word of a line, and a character between words. */
void shape_word(struct shape *shape, uintmax_t line);
void shape_separator(struct shape *shape, uintmax_t line, int c);

/* A row of a table; a cell that is missing. */
void shape_row(struct shape *shape, int columns, int delimiter);
void shape_missing(struct shape *shape, uintmax_t line);

/* Says on standard error how the text was read, if it had more than one column, and that cells are missing, if any are.
 * columns: those of a table that were read, such as "column 3"; "": all words. hinted: whether --decimal is worth a
 * word. */
void shape_tell(struct shape *shape, const char *name, const char *columns, bool hinted);
void shape_tell_missing(const struct shape *shape, const char *name);

#endif
