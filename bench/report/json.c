/* json.c - the facts and all rows as one object.
 *
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "command/terminal.h"
#include "report.h"

static FILE *file;
static const char *name;
static json_t *root, *rows;

static bool trouble(int error) { return complain("%s: %s", name, strerror(error)); }

/* JSON has no NaN and no Inf: null and the string "inf". Text that is not UTF-8 becomes null. */
static json_t *value_of(cell c) {
    json_t *value = NULL;
    switch (c.kind) {
    case CELL_TEXT: value = json_string(c.text); break;
    case CELL_COUNT: value = json_integer((json_int_t)c.count); break;
    case CELL_REAL: value = isinf(c.real) ? json_string("inf") : isnan(c.real) ? json_null() : json_real(c.real); break;
    case CELL_VERDICT: value = c.verdict == NOT_ASKED ? json_null() : json_boolean(c.verdict == YES); break;
    }
    return value ? value : json_null();
}

/* The head's name of a fact may have a blank, a member's has none. */
static void add_fact(const char *fact, const char *value) {
    char member[64];
    snprintf(member, sizeof member, "%s", fact);
    for (char *c = member; *c; c++)
        if (*c == ' ') *c = '_';
    json_object_set_new(root, member, json_string(value));
}

bool json_begin(const char *path, const facts *f) {
    name = path;
    file = fopen(path, "w");
    if (!file) return trouble(errno);
    root = json_object();
    rows = json_array();
    if (!root || !rows) return trouble(ENOMEM);
    for (int i = 0; i < FACTS; i++) add_fact(f->one[i].name, f->one[i].value);
    return !json_object_set(root, "rows", rows) || trouble(ENOMEM);
}

bool json_row(const row *r) {
    json_t *object = json_object();
    for (int i = 0; i < COLUMNS; i++) json_object_set_new(object, column_name(i), value_of(column_cell(r, i)));
    return !json_array_append_new(rows, object) || trouble(ENOMEM);
}

bool json_end(void) {
    bool fine = !json_dumpf(root, file, JSON_INDENT(1)) && putc('\n', file) != EOF;
    fine &= !fclose(file);
    const int error = errno;
    json_decref(rows);
    json_decref(root);
    return fine || trouble(error);
}
