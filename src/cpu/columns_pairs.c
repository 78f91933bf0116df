/* columns_pairs.c - see columns_pairs.h: by the ends of the columns' sums, and what these leave open one by one.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/columns_pairs.h"
#include "cpu/ends.h"
#include "cpu/pair.h"
#include "cpu/pairs.h"
#include "cpu/vector.h"

static size_t columns_of(const panel_job *p) { return p->panels * PANEL; }

/* The rows whose elements are factors of a sum's terms, or twice the elements. */
static panel_rows rows_of_sum(int sum, panel_rows r) {
    if (sum == PAIR_OF_Y || sum == PAIR_SQUARES_Y) r.x = r.y, r.x_row = r.y_row;
    if (sum != PAIR_PRODUCTS) r.y = r.x, r.y_row = r.x_row;
    return r;
}

static void merge_columns(many_ends *all, const many_ends *some, size_t columns) {
    for (size_t c = 0; c < columns; c++) {
        sum_ends sum = ends_at(all, c);
        ends_merge(&sum, ends_at(some, c));
        ends_put(all, c, sum);
    }
}

/* Block by block: where columns are gathered, a strip. */
static void find_ends(panel_source *s, ends_kind kind, many_ends ends[MOST_PAIR_SUMS]) {
    const quire_job *job = s->p->job;
    const ends_functions *add = s->p->context->tier->ends->of[kind][job->type];
    const size_t block = is_in_place(s) ? ENDS_ROWS : STRIP, columns = columns_of(s->p);
    for (size_t done = 0; done < job->n; done += block) {
        const panel_rows rows = source_rows(s, done, job->n - done < block ? job->n - done : block);
        for (int i = 0; i < pair_sums_of(job->finish); i++) {
            many_ends some;
            add[pair_term(i)].columns(rows_of_sum(i, rows), columns, done ? &some : &ends[i]);
            if (done) merge_columns(&ends[i], &some, columns);
        }
    }
}

/* Never inlined, for what it has on the stack. A bit for each column that is left open. */
static __attribute__((noinline)) uint64_t reduce_by_ends(const panel_job *p, format_description format, char *results) {
    const size_t count = p->panels > 1 ? columns_of(p) : p->count;
    many_ends ends[MOST_PAIR_SUMS];
    panel_source source;
    uint64_t open = 0;
    source_open(&source, p);
    find_ends(&source, pairs_kind_of(format), ends);
    for (size_t c = 0; c < count; c++) {
        sum_ends one[MOST_PAIR_SUMS];
        uint64_t bits;
        for (int i = 0; i < pair_sums_of(p->job->finish); i++) one[i] = ends_at(&ends[i], c);
        if (pair_of_ends_round(one, p->job, format, &bits))
            format_store(bits, format.size, results + c * (size_t)format.size);
        else
            open |= (uint64_t)1 << c;
    }
    return open;
}

void panel_pairs(const panel_job *p, char *results) {
    const format_description format = describe_format(p->job->result_type);
    const cpu_context past = ends_past(p->context);
    const cpu_context *left = pairs_kind_of(format) == ENDS_BESIDE_SUM ? &past : p->context;
    for (uint64_t open = reduce_by_ends(p, format, results); open; open &= open - 1) {
        const size_t c = (size_t)__builtin_ctzll(open);
        const quire_job job = job_of(p, c);
        format_store(vector_reduce(left, &job, p->x_stride, p->y_stride), format.size,
                     results + c * (size_t)format.size);
    }
}
