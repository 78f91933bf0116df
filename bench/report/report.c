/* report.c - one row to all who want it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report.h"

#include <stdio.h>

#include "command/terminal.h"

static bool to_csv, to_json;

bool report_begin(const options *o, const facts *f) {
    if (o->csv && !(to_csv = csv_begin(o->csv, f))) return false;
    if (o->json && !(to_json = json_begin(o->json, f))) return false;
    table_begin(o, f);
    return true;
}

bool report_rows(const row *rows, int count) {
    bool fine = true;
    progress_end();
    for (int i = 0; i < count; i++) {
        table_row(&rows[i]);
        if (to_csv) fine &= csv_row(&rows[i]);
        if (to_json) fine &= json_row(&rows[i]);
    }
    table_gap();
    sentence_rows(rows, count);
    return fine;
}

bool report_end(void) {
    progress_end();
    table_end();
    sentence_end();
    bool fine = !ferror(stdout) && !fflush(stdout);
    if (!fine) complain("standard output cannot be written");
    if (to_csv) fine &= csv_end();
    if (to_json) fine &= json_end();
    return fine;
}
