/* npy.c - the header of an .npy file: a parser for just the Python that it is written in.
 *
 * The text may come from anywhere. Everything is read through peek(), which never passes the end.
 *
 * SPDX-License-Identifier: MIT
 */
#include "npy.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cursor {
    const char *next, *end;
    char *problem;
    size_t problem_size;
};

#define END_OF_TEXT (-1)

static int peek(const struct cursor *cursor) {
    return cursor->next < cursor->end ? (unsigned char)*cursor->next : END_OF_TEXT;
}

static bool wrong(struct cursor *cursor, const char *problem) {
    snprintf(cursor->problem, cursor->problem_size, "wrong .npy header: %s", problem);
    return false;
}

static void skip_blanks(struct cursor *cursor) {
    while (peek(cursor) == ' ' || peek(cursor) == '\t' || peek(cursor) == '\n' || peek(cursor) == '\r') cursor->next++;
}

/* Steps over blanks and then over c, if that is what follows. */
static bool take(struct cursor *cursor, char c) {
    skip_blanks(cursor);
    if (peek(cursor) != (unsigned char)c) return false;
    cursor->next++;
    return true;
}

static bool take_word(struct cursor *cursor, const char *word) {
    size_t length = strlen(word);
    skip_blanks(cursor);
    if ((size_t)(cursor->end - cursor->next) < length || memcmp(cursor->next, word, length)) return false;
    cursor->next += length;
    return true;
}

/* A string in either kind of quotes; it has no escapes, and is shorter than size. */
static bool take_string(struct cursor *cursor, char *string, size_t size) {
    skip_blanks(cursor);
    int quote = peek(cursor);
    if (quote != '\'' && quote != '"') return false;
    cursor->next++;
    size_t length = 0;
    for (int c; (c = peek(cursor)) != quote; cursor->next++) {
        if (c == END_OF_TEXT || c < 0x20 || c >= 0x7f || c == '\\' || length + 1 >= size) return false;
        string[length++] = (char)c;
    }
    cursor->next++;
    string[length] = 0;
    return true;
}

/* What an array of a kind is called, and what to save in its place. */
static const char *kind_of_array(char kind, const char **instead) {
    *instead = "x.astype(float)";
    switch (kind) {
    case 'i':
    case 'u': return "such integer";
    case 'b': return "such boolean";
    case 'f': return "such float";
    case 'c': *instead = "x.real or x.imag"; return "complex";
    case 'O': return "object";
    case 'V': *instead = "x['NAME'], or x.view of a float"; return "structured or opaque";
    case 'S':
    case 'a':
    case 'U': return "string";
    case 'M':
    case 'm': *instead = "x.astype('i8')"; return "date or time";
    default: return NULL;
    }
}

/* The element type: '<f4' and its like. */
static bool parse_descr(struct cursor *cursor, struct npy_header *header) {
    char descr[16];
    skip_blanks(cursor);
    if (peek(cursor) == '[' || peek(cursor) == '{') {
        snprintf(header->problem, sizeof header->problem,
                 "structured arrays are not supported, only floats and integers; save one field, x['NAME']");
        return false;
    }
    if (!take_string(cursor, descr, sizeof descr)) return wrong(cursor, "descr is no string");

    if (element_described(descr, &header->element)) return true;
    const char *name = descr + (*descr && strchr("<>=|", *descr)), *instead;
    const char *kind = kind_of_array(*name, &instead);
    if (kind)
        snprintf(header->problem, sizeof header->problem,
                 "%s arrays ('%s') are not supported, only floats and integers; save %s", kind, descr, instead);
    else
        snprintf(header->problem, sizeof header->problem, "unknown element type '%s'", descr);
    return false;
}

static bool parse_order(struct cursor *cursor, struct npy_header *header) {
    header->fortran = take_word(cursor, "True");
    return header->fortran || take_word(cursor, "False") || wrong(cursor, "fortran_order is neither True nor False");
}

/* One length of the shape; Python 2 wrote long integers with an L behind. */
static bool parse_length(struct cursor *cursor, size_t *length) {
    skip_blanks(cursor);
    if (peek(cursor) < '0' || peek(cursor) > '9') return wrong(cursor, "shape is no tuple of lengths");
    *length = 0;
    for (; peek(cursor) >= '0' && peek(cursor) <= '9'; cursor->next++) {
        size_t digit = (size_t)(peek(cursor) - '0');
        if (*length > (SIZE_MAX - digit) / 10) return wrong(cursor, "a length of the shape is too large");
        *length = *length * 10 + digit;
    }
    if (peek(cursor) == 'L') cursor->next++;
    return true;
}

static bool parse_shape(struct cursor *cursor, struct npy_header *header) {
    if (!take(cursor, '(')) return wrong(cursor, "shape is no tuple of lengths");
    bool comma = true;
    header->dimensions = 0;
    while (!take(cursor, ')')) {
        if (!comma) return wrong(cursor, "shape is no tuple of lengths");
        if (header->dimensions == NPY_MAX_DIMENSIONS) return wrong(cursor, "shape has too many dimensions");
        if (!parse_length(cursor, &header->shape[header->dimensions])) return false;
        header->dimensions++;
        comma = take(cursor, ',');
    }
    return header->dimensions != 1 || comma || wrong(cursor, "shape is no tuple of lengths");
}

/* The product of the lengths; 1 if there are none; 0 if one of them is, however large the others. */
static bool count_elements(struct cursor *cursor, struct npy_header *header) {
    header->count = 1;
    for (int i = 0; i < header->dimensions; i++)
        if (!header->shape[i]) {
            header->count = 0;
            return true;
        }
    for (int i = 0; i < header->dimensions; i++) {
        if (header->shape[i] > SIZE_MAX / sizeof(double) / header->count)
            return wrong(cursor, "more elements than memory can hold");
        header->count *= header->shape[i];
    }
    return true;
}

static bool parse_entry(struct cursor *cursor, struct npy_header *header, int *seen) {
    static const struct {
        const char *key;
        bool (*parse)(struct cursor *cursor, struct npy_header *header);
    } entries[] = { { "descr", parse_descr }, { "fortran_order", parse_order }, { "shape", parse_shape } };
    char key[16];
    if (!take_string(cursor, key, sizeof key) || !take(cursor, ':'))
        return wrong(cursor, "not a dictionary of descr, fortran_order and shape");
    for (int i = 0; i < 3; i++)
        if (!strcmp(key, entries[i].key)) {
            if (*seen & 1 << i) return wrong(cursor, "an entry is there twice");
            *seen |= 1 << i;
            return entries[i].parse(cursor, header);
        }
    return wrong(cursor, "an entry other than descr, fortran_order and shape");
}

bool npy_parse(struct npy_header *header, const char *text, size_t length) {
    *header = (struct npy_header){ 0 };
    struct cursor cursor = { text, text + length, header->problem, sizeof header->problem };
    if (!take(&cursor, '{')) return wrong(&cursor, "not a dictionary");
    int seen = 0;
    bool comma = true;
    while (!take(&cursor, '}')) {
        if (!comma) return wrong(&cursor, "no comma between entries");
        if (!parse_entry(&cursor, header, &seen)) return false;
        comma = take(&cursor, ',');
    }
    skip_blanks(&cursor);
    if (seen != 7) return wrong(&cursor, "descr, fortran_order or shape is missing");
    if (peek(&cursor) != END_OF_TEXT) return wrong(&cursor, "something follows the dictionary");
    return count_elements(&cursor, header);
}

/* Exactly length bytes. */
static bool read_part(struct npy_header *header, npy_source *source, void *user, void *to, size_t length) {
    const ptrdiff_t got = source(user, to, length);
    if (got >= 0 && (size_t)got < length)
        snprintf(header->problem, sizeof header->problem, "truncated in the .npy header");
    return got >= 0 && (size_t)got == length;
}

/* What precedes the text. */
static bool read_text_length(struct npy_header *header, npy_source *source, void *user, size_t *length) {
    unsigned char bytes[NPY_MAGIC_SIZE + 2] = { 0 };
    const ptrdiff_t got = source(user, bytes, sizeof bytes);
    if (got < 0) return false;
    if (got < NPY_MAGIC_SIZE || memcmp(bytes, NPY_MAGIC, NPY_MAGIC_SIZE)) {
        snprintf(header->problem, sizeof header->problem, "not an .npy file");
        return false;
    }
    if ((size_t)got < sizeof bytes) {
        snprintf(header->problem, sizeof header->problem, "truncated in the .npy header");
        return false;
    }
    const int version = bytes[NPY_MAGIC_SIZE], minor = bytes[NPY_MAGIC_SIZE + 1];
    if (version < 1 || version > 3 || minor) {
        snprintf(header->problem, sizeof header->problem, ".npy version %d.%d is unknown", version, minor);
        return false;
    }
    memset(bytes, 0, sizeof bytes);
    if (!read_part(header, source, user, bytes, version == 1 ? 2 : 4)) return false;
    *length = bytes[0] | (size_t)bytes[1] << 8 | (size_t)bytes[2] << 16 | (size_t)bytes[3] << 24;
    if (*length <= NPY_MAX_TEXT) return true;
    snprintf(header->problem, sizeof header->problem, "wrong .npy header: %zu bytes long", *length);
    return false;
}

bool npy_read_header(struct npy_header *header, npy_source *source, void *user) {
    size_t length;
    *header = (struct npy_header){ 0 };
    if (!read_text_length(header, source, user, &length)) return false;
    char *text = malloc(length + 1);
    if (!text) snprintf(header->problem, sizeof header->problem, "out of memory");
    const bool fine = text && read_part(header, source, user, text, length) && npy_parse(header, text, length);
    free(text);
    return fine;
}

/* Whether the order of the elements in the file is that of Fortran and differs from that of C. */
bool npy_truly_fortran(const struct npy_header *header) {
    int longer = 0;
    for (int i = 0; i < header->dimensions; i++) longer += header->shape[i] > 1;
    return header->fortran && longer > 1;
}

/* The next dimension, from i on, that is longer than 1. */
static int next_dimension(const struct npy_header *header, int i) {
    while (i < header->dimensions && header->shape[i] == 1) i++;
    return i;
}

bool npy_same_shape(const struct npy_header *x, const struct npy_header *y) {
    int i = next_dimension(x, 0), j = next_dimension(y, 0);
    while (i < x->dimensions && j < y->dimensions && x->shape[i] == y->shape[j]) {
        i = next_dimension(x, i + 1);
        j = next_dimension(y, j + 1);
    }
    return i == x->dimensions && j == y->dimensions;
}
