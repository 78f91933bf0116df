/* table.c - the columns of a table.
 *
 * SPDX-License-Identifier: MIT
 */
#include "table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decimal.h"
#include "scan.h"

static bool ends_field(const struct text *text, int c) {
    return c < 0 || c == '\n' || c == text->delimiter || (text->delimiter == ' ' && is_blank(c));
}

static int quoted(struct text *text, size_t *length) {
    step(text);
    for (int c; (c = peek(text)) != '"' || (step(text), peek(text) == '"');) {
        if (c == END_OF_TEXT) return wrong(text, "a quote is not closed");
        if (c == TROUBLE || put(text, length, c)) return TROUBLE;
        step(text);
    }
    return 0;
}

/* Blanks within a line, which do not count beside a field. */
static bool is_padding(const struct text *text, int c) {
    return is_blank(c) && c != '\n' && (c != text->delimiter || c == ' ');
}

/* Reads a field up to what ends it, which stays. The byte that ended it, END_OF_TEXT or TROUBLE. */
static int next_field(struct text *text) {
    size_t length = 0, least = 0; /* blanks in quotes are the field's */
    int c = peek(text);
    while (is_padding(text, c)) step(text), c = peek(text);
    if (c == '"') {
        if (quoted(text, &length)) return TROUBLE;
        least = length;
        c = peek(text);
    }
    for (; !ends_field(text, c); c = peek(text)) {
        if (put(text, &length, c)) return TROUBLE;
        step(text);
    }
    while (length > least && is_blank(text->field[length - 1])) length--;
    text->field[length] = 0;
    while (text->delimiter == ' ' && is_padding(text, c)) step(text), c = peek(text);
    return c;
}

/* Whether another field follows on the line, which c ended the last one of. */
static bool goes_on(const struct text *text, int c) {
    return c >= 0 && c != '\n' && (c == text->delimiter || text->delimiter == ' ');
}

static void step_over(struct text *text, int c) {
    if (c == '\n' || (c == text->delimiter && c != ' ')) step(text);
}

/* A row with more cells than the first one has been cut in the wrong places, unless the surplus is empty. Between
 * blanks the last cell may be a text of several words. */
static int check_cells(struct text *text, int filled, uintmax_t line) {
    if (!text->columns) text->columns = filled;
    if (filled <= text->columns || text->delimiter == ' ') return 1;
    complain("%s: line %ju: %d cells, but %d in the first line; a cell that holds the delimiter stands in quotes",
             text->bytes->name, line, filled, text->columns);
    return TROUBLE;
}

/* Finds the wanted fields of the next row. 1, 0 at the end, TROUBLE. */
static int next_row(struct text *text) {
    int c = skip_comments(text), fields = 0, filled = 0, found = 0;
    if (c < 0) return c == END_OF_TEXT ? 0 : TROUBLE;
    const uintmax_t line = text->line;
    for (bool more = true; more;) {
        c = next_field(text);
        if (c == TROUBLE) return TROUBLE;
        for (fields++; found < text->wanted_count && text->wanted[found].number == fields; found++)
            strcpy(text->wanted[found].field, text->field);
        if (*text->field) filled = fields;
        more = goes_on(text, c);
        if (more) step_over(text, c);
    }
    if (found < text->wanted_count) {
        complain("%s: line %ju: no column %d, there are %d", text->bytes->name, line, text->wanted[found].number,
                 fields);
        return TROUBLE;
    }
    text->row_fields = fields;
    return check_cells(text, filled, line);
}

/* The wanted fields of the next row, which may be there already. */
static int next_kept(struct text *text) {
    const int row = text->kept ? 1 : next_row(text);
    text->kept = false;
    return row;
}

/* Their numbers; the line's end is stepped over behind them, so that a complaint names the line. */
int table_next_numbers(struct text *text, double *value, double *low) {
    const int row = next_kept(text);
    if (row <= 0) return row;
    shape_row(&text->shape, text->row_fields, text->delimiter);
    for (int i = 0; i < text->wanted_count; i++) {
        const struct column *column = &text->wanted[i];
        double *rest = low ? low + column->place : NULL;
        if (text_take(text, column->field, column->number, value + column->place, rest) < 0) return TROUBLE;
    }
    step_over(text, peek(text));
    return 1;
}

int table_next_fields(struct text *text) {
    const int row = next_kept(text);
    if (row > 0) step_over(text, peek(text));
    return row;
}

/* --------------------------------------------------------------------------------------------------- which columns */

/* Adds a column's name to a list, as --column wants it. */
static void list_name(char *all, size_t room, const char *name) {
    const size_t length = strlen(all);
    const char *quote = strchr(name, ',') ? "\"" : "";
    snprintf(all + length, room - length, "%s%s%.40s%s", length ? ", " : "", quote, name, quote);
}

/* The wanted columns that have the name in the field. */
static void find_name(struct text *text, int number) {
    for (int i = 0; i < text->wanted_count; i++) {
        struct column *column = &text->wanted[i];
        if (column->name && !strcmp(text->field, column->name))
            *(column->number ? &column->again : &column->number) = number;
    }
}

/* The columns whose names stand in the first line, once each. */
static int find_columns(struct text *text) {
    char all[256] = "";
    int c = skip_comments(text);
    for (int number = 1; c >= 0; number++) {
        c = next_field(text);
        if (c == TROUBLE) return EXIT_TROUBLE;
        find_name(text, number);
        list_name(all, sizeof all, text->field);
        text->columns = number;
        if (!goes_on(text, c)) break;
        step_over(text, c);
    }
    if (c == TROUBLE) return EXIT_TROUBLE;
    step_over(text, c);
    for (const struct column *i = text->wanted; i < text->wanted + text->wanted_count; i++) {
        if (i->number && !i->again) continue;
        if (i->again)
            complain("%s: columns %d and %d are both called '%s'; --column NUMBER chooses", text->bytes->name,
                     i->number, i->again, i->name);
        else
            complain("%s: no column '%s'%s%s", text->bytes->name, i->name,
                     *all ? "; there are: " : ": no text is there", all);
        return EXIT_TROUBLE;
    }
    return EXIT_FINE;
}

/* Refuses a table whose first bytes have ends of lines, but no newline: all its rows would be one, the heading. */
static int check_ends(struct text *text) {
    const ssize_t there = bytes_peek(text->bytes, BYTES_AHEAD);
    const unsigned char *first = text->bytes->buffer + text->bytes->next;
    if (there < 0) return EXIT_TROUBLE;
    if (there < 2 || memchr(first, '\n', (size_t)there) || !memchr(first, '\r', (size_t)there - 1)) return EXIT_FINE;
    complain(
        "%s: its lines end as on old Macintoshes, in CR alone; try: tr '\\r' '\\n' <FILE | quire sum --column NAME",
        text->bytes->name);
    return EXIT_TROUBLE;
}

/* A tab, comma or semicolon of the first line, outside of quotes; else blanks. */
static int find_delimiter(struct text *text) {
    static const char candidates[] = "\t,;";
    const int c = skip_comments(text);
    const ssize_t there = c < 0 ? 0 : bytes_peek(text->bytes, BYTES_AHEAD);
    const unsigned char *line = text->bytes->buffer + text->bytes->next;
    if (c == TROUBLE || there < 0) return TROUBLE;
    for (const char *candidate = candidates; *candidate; candidate++) {
        if (*candidate == text->ways.point) continue;
        bool inside = false;
        for (ssize_t i = 0; i < there && (inside || line[i] != '\n'); i++) {
            if (line[i] == '"') inside = !inside;
            if (!inside && line[i] == *candidate) return *candidate;
        }
    }
    return ' ';
}

/* A column's name or number. */
static int want_column(struct text *text, struct column *column, const char *name) {
    char *end;
    errno = 0;
    const long number = strtol(name, &end, 10);
    column->place = (int)(column - text->wanted);
    if (*end || end == name) {
        column->name = name;
        text->by_number = false;
        return EXIT_FINE;
    }
    column->number = (int)number;
    if (!errno && number >= 1 && number <= 1000000) return EXIT_FINE;
    complain("--column %s: columns count from 1", name);
    return EXIT_TROUBLE;
}

static int want_columns(struct text *text, const char *names, int count) {
    text->wanted = calloc((size_t)count, sizeof *text->wanted);
    if (!text->wanted) return out_of_memory();
    text->wanted_count = count;
    text->by_number = true;
    int status = EXIT_FINE;
    for (int i = 0; i < count && !status; i++, names += strlen(names) + 1)
        status = want_column(text, &text->wanted[i], names);
    return status;
}

/* Of columns by their numbers: whether the first line is a heading, which has no number in any of them. */
static int begin_rows(struct text *text) {
    const struct column *number = NULL, *word = NULL;
    const int row = next_row(text);
    if (row <= 0) return row ? EXIT_TROUBLE : EXIT_FINE;
    for (const struct column *i = text->wanted; i < text->wanted + text->wanted_count; i++) {
        double value;
        const enum decimal what = decimal_read(i->field, text->ways.point, &value);
        if (!word && what == DECIMAL_NONE) word = i;
        if (!number && (what == DECIMAL_NUMBER || what == DECIMAL_BEYOND)) number = i;
    }
    if (word && number) {
        complain(
            "%s: line %ju: '%.60s' in column %d is no number, but column %d has one; name the columns of a heading",
            text->bytes->name, text->line, word->field, word->number, number->number);
        return EXIT_TROUBLE;
    }
    text->kept = text->words || !word;
    if (!text->kept) step_over(text, peek(text));
    return EXIT_FINE;
}

static int compare_columns(const void *a, const void *b) {
    return ((const struct column *)a)->number - ((const struct column *)b)->number;
}

int table_open(struct text *text, const char *columns, int count) {
    if (check_ends(text)) return EXIT_TROUBLE;
    if (!text->delimiter) text->delimiter = find_delimiter(text);
    int status = text->delimiter == TROUBLE ? EXIT_TROUBLE : want_columns(text, columns, count);
    if (!status && !text->by_number) status = find_columns(text);
    if (status) return status;
    qsort(text->wanted, (size_t)count, sizeof *text->wanted, compare_columns);
    return text->by_number ? begin_rows(text) : EXIT_FINE;
}
