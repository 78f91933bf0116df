/* text.c - numbers written in decimal.
 *
 * SPDX-License-Identifier: MIT
 */
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decimal.h"
#include "scan.h"
#include "table.h"
#include "whole.h"

#define LIST 128 /* of the numbers of columns, for a remark */

static int no_number(struct text *text, const char *field, int column) {
    char place[32] = "";
    if (text->wanted) snprintf(place, sizeof place, ", column %d", column);
    complain("%s: line %ju%s: '%.60s' is no number%s%s", text->bytes->name, text->line, place, field,
             decimal_hint(field, text->ways.point),
             text->wanted || text->line > 1 ? "" : "; is this a table? --column names one of its columns");
    return TROUBLE;
}

int text_take(struct text *text, const char *field, int column, double *value, double *low) {
    double lacking;
    if (!low) low = &lacking;
    *low = 0;
    switch (decimal_read(field, text->ways.point, value)) {
    case DECIMAL_NUMBER: text->fractions |= !whole_word(field, *value, low); return 1;
    case DECIMAL_NONE: return no_number(text, field, column);
    case DECIMAL_BEYOND:
        complain("%s: line %ju, column %d: %.60s is beyond the range of f64, whose greatest number is 1.797...e308",
                 text->bytes->name, text->line, column, field);
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
static int next_word(struct text *text, double *value, double *low) {
    size_t length = 0;
    int c;
    for (;;) {
        while (between_words(text, c = peek(text))) {
            shape_separator(&text->shape, text->line, c);
            if (!is_blank(c)) text->begun = text->line;
            step(text);
        }
        if (c != '#' || text->begun == text->line) break;
        if (skip_line(text)) return TROUBLE;
    }
    text->begun = text->line;
    for (; c >= 0 && !between_words(text, c); c = peek(text)) {
        if (put(text, &length, c)) return TROUBLE;
        step(text);
    }
    text->field[length] = 0;
    if (c == TROUBLE) return TROUBLE;
    if (!length) return 0;
    shape_word(&text->shape, text->line);
    return text_take(text, text->field, text->shape.here, value, low);
}

/* --------------------------------------------------------------------------------------------- opening and reading */

static int open_text(struct text *text, struct bytes *bytes, const struct text_ways *ways) {
    *text = (struct text){ .bytes = bytes, .ways = *ways, .line = 1, .delimiter = ways->delimiter };
    if (!text->ways.point) text->ways.point = '.';
    const ssize_t there = bytes_peek(bytes, 3);
    if (there < 0) return EXIT_TROUBLE;
    if (there >= 3 && !memcmp(bytes->buffer + bytes->next, "\xef\xbb\xbf", 3)) bytes->next += 3;
    return EXIT_FINE;
}

int text_open(struct text *text, struct bytes *bytes, const char *columns, int count, const struct text_ways *ways) {
    const int status = open_text(text, bytes, ways);
    return status || !columns ? status : table_open(text, columns, count);
}

int text_open_words(struct text *text, struct bytes *bytes, const char *column, const struct text_ways *ways) {
    const int status = open_text(text, bytes, ways);
    text->words = true;
    return status ? status : table_open(text, column, 1);
}

void text_close(struct text *text) {
    free(text->wanted);
    text->wanted = NULL;
}

/* "column 3", or "columns 1, 3, 4". */
static void list_numbers(const struct text *text, char list[LIST]) {
    const size_t longest = 16; /* of a number, and of dots */
    int length = snprintf(list, LIST, "column%s", text->wanted_count > 1 ? "s" : "");
    for (int i = 0; i < text->wanted_count; i++) {
        const size_t room = (size_t)(LIST - length);
        if (room < 2 * longest) {
            snprintf(list + length, room, ", ...");
            break;
        }
        length += snprintf(list + length, room, "%s %d", i ? "," : "", text->wanted[i].number);
    }
}

/* Whoever names a column, or a delimiter, has said how the text is to be read. */
static void tell(struct text *text) {
    char list[LIST] = "";
    const struct text_ways *ways = &text->ways;
    if (text->told) return;
    text->told = true;
    if (text->wanted) list_numbers(text, list);
    if (!ways->quiet && !ways->delimiter && (!text->wanted || text->by_number))
        shape_tell(&text->shape, text->bytes->name, list, ways->point == '.');
    if (ways->missing == MISSING_TOLD) shape_tell_missing(&text->shape, text->bytes->name);
}

int text_read_word(struct text *text, const char **word) {
    const int row = table_next_fields(text);
    if (row < 0) return -1;
    *word = text->wanted->field;
    return row;
}

ssize_t text_read(struct text *text, double *to, double *low, size_t n) {
    const size_t row = text->wanted ? (size_t)text->wanted_count : 1;
    for (size_t done = 0; done < n; done += row) {
        double *rest = low ? low + done : NULL;
        const int one = text->wanted ? table_next_numbers(text, to + done, rest) : next_word(text, to + done, rest);
        if (one < 0) return -1;
        if (one) continue;
        tell(text);
        return (ssize_t)done;
    }
    return (ssize_t)n;
}
