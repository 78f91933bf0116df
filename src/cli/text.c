/* text.c - numbers written in decimal.
 *
 * SPDX-License-Identifier: MIT
 */
#include "text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "decimal.h"
#include "whole.h"

#define END_OF_TEXT (-1)
#define TROUBLE (-2) /* complained already */

/* The next byte, which stays there; END_OF_TEXT or TROUBLE. */
static int peek(struct text *text) {
    struct bytes *bytes = text->bytes;
    if (bytes->next == bytes->end) {
        const ssize_t got = bytes_peek(bytes, BYTES_AHEAD);
        if (got <= 0) return got ? TROUBLE : END_OF_TEXT;
    }
    return bytes->buffer[bytes->next];
}

static void step(struct text *text) { text->line += text->bytes->buffer[text->bytes->next++] == '\n'; }

static bool is_blank(int c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f'; }

static int wrong(const struct text *text, const char *what) {
    complain("%s: line %ju: %s", text->bytes->name, text->line, what);
    return TROUBLE;
}

/* Puts a byte behind the field's others. */
static int put(struct text *text, size_t *length, int c) {
    if (*length + 1 >= TEXT_FIELD) return wrong(text, "a field is too long");
    text->field[(*length)++] = (char)c;
    return 0;
}

static int skip_line(struct text *text) {
    int c;
    while ((c = peek(text)) >= 0) {
        step(text);
        if (c == '\n') break;
    }
    return c == TROUBLE ? TROUBLE : 0;
}

/* Steps to the first line that is neither empty nor a comment, if what is next begins a line. */
static int skip_comments(struct text *text) {
    for (int c;;) {
        while (is_blank(c = peek(text)) && (c != '\t' || text->delimiter != '\t')) step(text);
        if (c != '#') return c;
        if (skip_line(text)) return TROUBLE;
    }
}

static int no_number(struct text *text) {
    complain("%s: line %ju: '%.60s' is no number%s%s", text->bytes->name, text->line, text->field,
             decimal_hint(text->field, text->ways.point),
             text->table || text->line > 1 ? "" : "; is this a table? --column names one of its columns");
    return TROUBLE;
}

/* What is in the field, in a column from 1 on. 1, or TROUBLE. */
static int take_number(struct text *text, int column, double *value) {
    switch (decimal_read(text->field, text->ways.point, value)) {
    case DECIMAL_NUMBER: return 1;
    case DECIMAL_NONE: return no_number(text);
    case DECIMAL_BEYOND:
        complain("%s: line %ju, column %d: %.60s is beyond the range of f64, whose greatest number is 1.797...e308",
                 text->bytes->name, text->line, column, text->field);
        return TROUBLE;
    default: break;
    }
    shape_missing(&text->shape, text->line);
    if (text->ways.missing != MISSING_ERROR) return 1;
    complain("%s: line %ju, column %d: a missing cell", text->bytes->name, text->line, column);
    return TROUBLE;
}

/* --------------------------------------------------------------------------------------------------- words anywhere */

/* Commas and semicolons stand between words, unless the command line says something else of them. */
static bool between_words(const struct text *text, int c) {
    if (is_blank(c)) return true;
    return text->ways.delimiter ? c == text->ways.delimiter : (c == ',' || c == ';') && c != text->ways.point;
}

/* 1: a number, 0: the end, TROUBLE. */
static int next_word(struct text *text, double *value) {
    size_t length = 0;
    int c;
    for (;;) {
        while (between_words(text, c = peek(text))) {
            shape_separator(&text->shape, text->line, c);
            step(text);
        }
        if (c != '#') break;
        if (skip_line(text)) return TROUBLE;
    }
    for (; c >= 0 && !between_words(text, c); c = peek(text)) {
        if (put(text, &length, c)) return TROUBLE;
        step(text);
    }
    text->field[length] = 0;
    if (c == TROUBLE) return TROUBLE;
    if (!length) return 0;
    shape_word(&text->shape, text->line);
    return take_number(text, text->shape.here, value);
}

/* ----------------------------------------------------------------------------------------------------------- tables */

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

/* Leaves the wanted field of the next row in text->field. 1, 0 at the end, TROUBLE. */
static int next_row(struct text *text) {
    char wanted[TEXT_FIELD];
    int c = skip_comments(text), fields = 0, filled = 0;
    if (c < 0) return c == END_OF_TEXT ? 0 : TROUBLE;
    const uintmax_t line = text->line;
    for (bool more = true; more;) {
        c = next_field(text);
        if (c == TROUBLE) return TROUBLE;
        if (++fields == text->column) strcpy(wanted, text->field);
        if (*text->field) filled = fields;
        more = goes_on(text, c);
        if (more) step_over(text, c);
    }
    if (fields < text->column) {
        complain("%s: line %ju: no column %d, there are %d", text->bytes->name, line, text->column, fields);
        return TROUBLE;
    }
    strcpy(text->field, wanted);
    text->row_fields = fields;
    return check_cells(text, filled, line);
}

/* The wanted field of the next row, which may be there already. */
static int next_kept(struct text *text) {
    const int row = text->kept ? 1 : next_row(text);
    text->kept = false;
    return row;
}

/* Its number; the line's end is stepped over behind it, so that a complaint names the line. */
static int next_of_column(struct text *text, double *value) {
    const int row = next_kept(text);
    if (row <= 0) return row;
    shape_row(&text->shape, text->row_fields, text->delimiter);
    const int taken = take_number(text, text->column, value);
    if (taken > 0) step_over(text, peek(text));
    return taken;
}

/* Adds a column's name to a list, as --column wants it. */
static void list_name(char *all, size_t room, const char *name) {
    const size_t length = strlen(all);
    const char *quote = strchr(name, ',') ? "\"" : "";
    snprintf(all + length, room - length, "%s%s%.40s%s", length ? ", " : "", quote, name, quote);
}

/* The column whose name stands in the first line, once. */
static int find_column(struct text *text, const char *name) {
    char all[256] = "";
    int c = skip_comments(text), again = 0;
    for (int column = 1; c >= 0; column++) {
        c = next_field(text);
        if (c == TROUBLE) return EXIT_TROUBLE;
        if (!strcmp(text->field, name)) *(text->column ? &again : &text->column) = column;
        list_name(all, sizeof all, text->field);
        text->columns = column;
        if (!goes_on(text, c)) break;
        step_over(text, c);
    }
    if (c == TROUBLE) return EXIT_TROUBLE;
    step_over(text, c);
    if (text->column && !again) return EXIT_FINE;
    if (again)
        complain("%s: columns %d and %d are both called '%s'; --column NUMBER chooses", text->bytes->name, text->column,
                 again, name);
    else
        complain("%s: no column '%s'; there are: %s", text->bytes->name, name, all);
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

/* A number, whose first line may be a heading. */
static int begin_column(struct text *text) {
    double value;
    const int row = next_row(text);
    if (row <= 0) return row ? EXIT_TROUBLE : EXIT_FINE;
    const enum decimal what = decimal_read(text->field, text->ways.point, &value);
    text->kept = text->words || what != DECIMAL_NONE;
    if (!text->kept) step_over(text, peek(text));
    return EXIT_FINE;
}

static int open_text(struct text *text, struct bytes *bytes, const char *column, const struct text_ways *ways,
                     bool words) {
    *text = (struct text){ .bytes = bytes, .ways = *ways, .table = column != NULL, .line = 1, .words = words };
    text->delimiter = ways->delimiter;
    if (!text->ways.point) text->ways.point = '.';
    const ssize_t there = bytes_peek(bytes, 3);
    if (there < 0) return EXIT_TROUBLE;
    if (there >= 3 && !memcmp(bytes->buffer + bytes->next, "\xef\xbb\xbf", 3)) bytes->next += 3;
    if (!column) return EXIT_FINE;
    if (!text->delimiter) text->delimiter = find_delimiter(text);
    if (text->delimiter == TROUBLE) return EXIT_TROUBLE;
    char *end;
    errno = 0;
    const long number = strtol(column, &end, 10);
    if (*end || end == column) return find_column(text, column);
    if (errno || number < 1 || number > 1000000) {
        complain("--column %s: columns count from 1", column);
        return EXIT_TROUBLE;
    }
    text->column = (int)number;
    text->by_number = true;
    return begin_column(text);
}

int text_open(struct text *text, struct bytes *bytes, const char *column, const struct text_ways *ways) {
    return open_text(text, bytes, column, ways, false);
}

int text_open_words(struct text *text, struct bytes *bytes, const char *column, const struct text_ways *ways) {
    return open_text(text, bytes, column, ways, true);
}

/* Whoever names a column, or a delimiter, has said how the text is to be read. */
static void tell(struct text *text) {
    const struct text_ways *ways = &text->ways;
    if (text->told) return;
    text->told = true;
    if (!ways->quiet && !ways->delimiter && (!text->table || text->by_number))
        shape_tell(&text->shape, text->bytes->name, text->column, ways->point == '.');
    if (ways->missing == MISSING_TOLD) shape_tell_missing(&text->shape, text->bytes->name);
}

int text_read_word(struct text *text) {
    const int row = next_kept(text);
    if (row < 0) return -1;
    if (row) step_over(text, peek(text));
    return row;
}

ssize_t text_read(struct text *text, double *to, double *low, size_t n) {
    size_t done = 0;
    while (done < n) {
        const int one = text->table ? next_of_column(text, &to[done]) : next_word(text, &to[done]);
        if (one < 0) return -1;
        if (!one) {
            tell(text);
            break;
        }
        double lacking;
        if (!whole_word(text->field, to[done], low ? &low[done] : &lacking) && !decimal_is_missing(to[done]))
            text->fractions = true;
        done++;
    }
    return (ssize_t)done;
}
