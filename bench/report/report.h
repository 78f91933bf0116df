/* report.h - where rows go: the table on standard output, and the files that were asked for. Each is one file.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_REPORT_H
#define QUIRE_BENCH_REPORT_H

#include "facts.h"
#include "row.h"

/* The table: the facts and the head; a row; a blank line; what the columns mean. */
void table_begin(const options *o, const facts *f);
void table_row(const row *r);
void table_gap(void);
void table_end(void);

/* The one sentence that a person wants of all rows, to be printed last: how long an exact result takes beside the
 * fastest inexact one. rows: all contenders at one job in one place. Nothing is printed where no job had rows of both
 * kinds. */
void sentence_rows(const row *rows, int count);
void sentence_end(void);

/* CSV, on the disk after every row. Everything that can fail complains and answers false. */
bool csv_begin(const char *path, const facts *f);
bool csv_row(const row *r);
bool csv_end(void);

/* JSON, written at the end; the file is opened at once, so that a bad name is told before hours of measuring. Where the
 * program was built without jansson (json_stub.c), asking for it is an error. */
bool json_begin(const char *path, const facts *f);
bool json_row(const row *r);
bool json_end(void);

/* All of them, as the options ask. report_end also comes after trouble and Ctrl-C. */
bool report_begin(const options *o, const facts *f);
bool report_rows(const row *rows, int count);
bool report_end(void);

#endif
