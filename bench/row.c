/* row.c - the columns. A new one is a line in each of the two tables here.
 *
 * SPDX-License-Identifier: MIT
 */
#include "row.h"

#include "number.h"

const char *column_name(int column) {
    static const char *const names[COLUMNS] = {
        "n",          "type",          "operation",        "family",     "seed",
        "method",     "place",         "threads",          "seconds",    "median",
        "samples",    "gb_per_s",      "spread",           "ratio",      "ratio_is_noise",
        "share",      "error_ulps",    "error_units",      "bound_ulps", "bound_units",
        "equal_runs", "equal_threads", "equal_alignments",
    };
    return names[column];
}

static cell text(const char *value) { return (cell){ .kind = CELL_TEXT, .text = value }; }
static cell count(uint64_t value) { return (cell){ .kind = CELL_COUNT, .count = value }; }
static cell real(double value) { return (cell){ .kind = CELL_REAL, .real = value }; }
static cell judged(verdict value) { return (cell){ .kind = CELL_VERDICT, .verdict = value }; }

cell column_cell(const row *r, int column) {
    const cell cells[COLUMNS] = {
        count(r->job->n),
        text(type_name(r->job->type)),
        text(operation_name(r->job->operation)),
        text(r->family),
        count(r->seed),
        text(r->contender->name),
        text(r->contender->place),
        count((uint64_t)r->contender->threads),
        real(r->best),
        real(r->median),
        count((uint64_t)r->samples),
        real(r->rate / 1e9),
        real(r->spread),
        real(r->ratio),
        judged(r->noise),
        real(r->share),
        real(r->error_ulps),
        real(r->error_units),
        real(r->bound_ulps),
        real(r->bound_units),
        judged(r->runs),
        judged(r->threads),
        judged(r->alignments),
    };
    return cells[column];
}
