/* shape.c - what a text of numbers looks like, and how it was read.
 *
 * SPDX-License-Identifier: MIT
 */
#include "shape.h"

#include <stdio.h>

#include "complain.h"

static void end_row(struct shape *shape) {
    if (!shape->here) return;
    if (!shape->fewest || shape->here < shape->fewest) shape->fewest = shape->here;
    if (shape->here > shape->most) shape->most = shape->here;
    shape->here = 0;
}

void shape_word(struct shape *shape, uintmax_t line) {
    if (line != shape->line || !shape->here) {
        end_row(shape);
        shape->rows++;
        shape->line = line;
    }
    shape->here++;
    shape->behind = false;
}

void shape_separator(struct shape *shape, uintmax_t line, int c) {
    if (c == '\n' || c == '\r') {
        if (line == shape->line && shape->behind) shape->empty++;
        shape->behind = false;
        return;
    }
    if (line != shape->line) { /* before the first word of a line */
        if (c == ',' || c == ';') shape->empty++;
        return;
    }
    if (c != ',' && c != ';') {
        shape->separators |= SEPARATOR_BLANKS;
        return;
    }
    shape->separators |= c == ',' ? SEPARATOR_COMMAS : SEPARATOR_SEMICOLONS;
    if (shape->behind) shape->empty++;
    shape->behind = true;
}

void shape_row(struct shape *shape, int columns, int delimiter) {
    end_row(shape);
    shape->rows++;
    shape->here = columns;
    if (columns < 2) return;
    shape->separators |= delimiter == ' '   ? SEPARATOR_BLANKS
                         : delimiter == ',' ? SEPARATOR_COMMAS
                         : delimiter == ';' ? SEPARATOR_SEMICOLONS
                                            : SEPARATOR_OTHER;
}

void shape_missing(struct shape *shape, uintmax_t line) {
    if (!shape->missing++) shape->first = line;
}

/* "commas and blanks". Blanks beside another separator are mere layout. */
static const char *separators_of(const struct shape *shape) {
    switch (shape->separators & (SEPARATOR_COMMAS | SEPARATOR_SEMICOLONS)) {
    case SEPARATOR_COMMAS: return "commas";
    case SEPARATOR_SEMICOLONS: return "semicolons";
    case 0: return shape->separators & SEPARATOR_BLANKS ? "blanks" : "delimiters";
    default: return "commas and semicolons";
    }
}

static const char *plural(uintmax_t n) { return n == 1 ? "" : "s"; }

void shape_tell(struct shape *shape, const char *name, const char *columns, bool hinted) {
    char all[64], empty[64] = "";
    end_row(shape);
    if (shape->most < 2) return;
    if (shape->fewest == shape->most)
        snprintf(all, sizeof all, "%d columns", shape->most);
    else
        snprintf(all, sizeof all, "%d to %d columns", shape->fewest, shape->most);
    if (shape->empty) snprintf(empty, sizeof empty, ", without %ju empty cell%s", shape->empty, plural(shape->empty));
    remark("%s: read as %s between %s, %ju row%s: %s as f64%s%s%s", name, all, separators_of(shape), shape->rows,
           plural(shape->rows), *columns ? columns : "all numbers", empty, *columns ? "" : " (--column takes one",
           hinted && shape->separators & SEPARATOR_COMMAS
               ? *columns ? " (--decimal , for decimal commas)" : "; --decimal , for decimal commas)"
           : *columns ? ""
                      : ")");
}

void shape_tell_missing(const struct shape *shape, const char *name) {
    if (!shape->missing) return;
    remark("%s: %ju missing cell%s, the first in line %ju, count%s as nan (--missing skip, nan or error)", name,
           shape->missing, plural(shape->missing), shape->first, shape->missing == 1 ? "s" : "");
}
