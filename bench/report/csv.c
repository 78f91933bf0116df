/* csv.c - comment lines with the facts, a line of names, a line a row.
 *
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "command/terminal.h"
#include "report.h"

static FILE *file;
static const char *name;

static bool trouble(void) { return complain("%s: %s", name, strerror(errno)); }

/* In quotes if need be: a file's name may hold anything. */
static void write_text(const char *text) {
    if (!text[strcspn(text, ",\"\r\n")]) {
        fputs(text, file);
        return;
    }
    putc('"', file);
    for (; *text; text++) {
        if (*text == '"') putc('"', file);
        putc(*text, file);
    }
    putc('"', file);
}

static void write_cell(cell c) {
    static const char *const verdicts[] = { "", "yes", "no" };
    switch (c.kind) {
    case CELL_TEXT: write_text(c.text); break;
    case CELL_COUNT: fprintf(file, "%llu", (unsigned long long)c.count); break;
    case CELL_REAL:
        if (!isnan(c.real)) fprintf(file, "%.6g", c.real);
        break;
    case CELL_VERDICT: fputs(verdicts[c.verdict], file); break;
    }
}

bool csv_begin(const char *path, const facts *f) {
    name = path;
    file = fopen(path, "w");
    if (!file) return trouble();
    for (int i = 0; i < FACTS; i++) fprintf(file, "# %s: %s\n", f->one[i].name, f->one[i].value);
    for (int i = 0; i < COLUMNS; i++) fprintf(file, "%s%s", i ? "," : "", column_name(i));
    putc('\n', file);
    return !fflush(file) || trouble();
}

bool csv_row(const row *r) {
    for (int i = 0; i < COLUMNS; i++) {
        if (i) putc(',', file);
        write_cell(column_cell(r, i));
    }
    putc('\n', file);
    return !fflush(file) || trouble();
}

bool csv_end(void) { return !fclose(file) || trouble(); }
