/* row.c - the columns. A new one is a line in each of the two tables here, and one in docs/bench.md.
 *
 * SPDX-License-Identifier: MIT
 */
#include "row.h"

#include "number.h"
#include "places/place.h"

const char *column_name(int column) {
    static const char *const names[COLUMNS] = {
        "n",
        "type",
        "operation",
        "family",
        "seed",
        "condition",
        "method",
        "kind",
        "place",
        "threads",
        "timing",
        "caches",
        "seconds",
        "best",
        "median",
        "samples",
        "gb_per_s",
        "spread",
        "time_over_baseline",
        "is_noise",
        "time_over_ceiling",
        "error_ulps",
        "error_units",
        "bound_ulps",
        "bound_units",
        "equal_runs",
        "equal_launches",
        "equal_alignments",
        "layout",
        "vectors",
        "time_over_sum",
    };
    return names[column];
}

static cell text(const char *value) { return (cell){ .kind = CELL_TEXT, .text = value }; }
static cell count(uint64_t value) { return (cell){ .kind = CELL_COUNT, .count = value }; }
static cell real(double value) { return (cell){ .kind = CELL_REAL, .real = value }; }
static cell judged(verdict value) { return (cell){ .kind = CELL_VERDICT, .verdict = value }; }

/* Empty for a GPU, where blocks and threads are the contender's own affair. */
static cell threads(int value) { return value ? count((uint64_t)value) : text(""); }

cell column_cell(const row *r, int column) {
    const cell cells[COLUMNS] = {
        count(job_length(r->job)),
        text(type_name(r->job->type)),
        text(operation_name(r->job->operation)),
        text(r->family),
        count(r->seed),
        real(r->condition),
        text(r->contender->name),
        text(role_name(r->contender->role)),
        text(r->contender->place->name),
        threads(r->contender->threads),
        text(r->timing.clock),
        text(r->timing.warm ? "warm" : "cold"),
        real(r->timing.figure),
        real(r->timing.best),
        real(r->timing.median),
        count((uint64_t)r->timing.samples),
        real(r->rate / 1e9),
        real(r->timing.spread),
        real(r->over_baseline),
        judged(r->noise),
        real(r->over_ceiling),
        real(r->error_ulps),
        real(r->error_units),
        real(r->bound_ulps),
        real(r->bound_units),
        judged(r->runs),
        judged(r->launches),
        judged(r->alignments),
        text(layout_name(r->job->layout)),
        count(r->job->layout ? r->job->vectors : 1),
        real(r->over_sum),
    };
    return cells[column];
}
