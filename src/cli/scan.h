/* scan.h - the bytes of a text, one after the other, for text.c and table.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_SCAN_H
#define QUIRE_CLI_SCAN_H

#include "complain.h"
#include "text.h"

#define END_OF_TEXT (-1)
#define TROUBLE (-2) /* complained already */

/* The next byte, which stays there; END_OF_TEXT or TROUBLE. */
static inline int peek(struct text *text) {
    struct bytes *bytes = text->bytes;
    if (bytes->next == bytes->end) {
        const ssize_t got = bytes_peek(bytes, BYTES_AHEAD);
        if (got <= 0) return got ? TROUBLE : END_OF_TEXT;
    }
    return bytes->buffer[bytes->next];
}

static inline void step(struct text *text) { text->line += text->bytes->buffer[text->bytes->next++] == '\n'; }

static inline bool is_blank(int c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f'; }

static inline int wrong(const struct text *text, const char *what) {
    complain("%s: line %ju: %s", text->bytes->name, text->line, what);
    return TROUBLE;
}

/* Puts a byte behind the field's others. */
static inline int put(struct text *text, size_t *length, int c) {
    if (*length + 1 >= TEXT_FIELD) return wrong(text, "a field is too long");
    if (!c) return wrong(text, "a zero byte, which no text has");
    text->field[(*length)++] = (char)c;
    return 0;
}

static inline int skip_line(struct text *text) {
    int c;
    while ((c = peek(text)) >= 0) {
        step(text);
        if (c == '\n') break;
    }
    return c == TROUBLE ? TROUBLE : 0;
}

/* Steps to the first line that is neither empty nor a comment, if what is next begins a line. */
static inline int skip_comments(struct text *text) {
    for (int c;;) {
        while (is_blank(c = peek(text)) && (c != '\t' || text->delimiter != '\t')) step(text);
        if (c != '#') return c;
        if (skip_line(text)) return TROUBLE;
    }
}

/* What is in a field, in a column from 1 on; *low, which may be NULL, is what it is more than *value. 1, or TROUBLE. */
int text_take(struct text *text, const char *field, int column, double *value, double *low);

#endif
