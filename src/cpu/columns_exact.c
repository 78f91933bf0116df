/* columns_exact.c - exact sums of a panel's columns: by their ends, and what these leave open by accumulators.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/ends.h"
#include "cpu/lane_methods.h"
#include "cpu/panels.h"
#include "cpu/strided.h"
#include "cpu/vector.h"
#include "operation/moments.h"

/* Rows of a block that is added to accumulators, column by column; and blocks between carries. */
#define BLOCK_ROWS ((size_t)1024)
#define CARRY_BLOCKS (CARRY_ELEMENTS / BLOCK_ROWS)
_Static_assert(CARRIES_IN_TIME(BLOCK_ROWS), "a stretch is a block");

static size_t columns_of(const panel_job *p) { return p->panels * PANEL; }

/* The rows whose elements are factors of a sum's terms, or its elements twice: see vector_of_sum. */
static panel_rows rows_of_sum(const quire_job *job, int i, panel_rows r) {
    if (!needs_pair_sums(job->finish)) return r;
    const int begins_with_x = pair_begins_with_x(i), ends_with_x = pair_ends_with_x(i);
    return (panel_rows){ begins_with_x ? r.x : r.y, ends_with_x ? r.x : r.y, begins_with_x ? r.x_row : r.y_row,
                         ends_with_x ? r.x_row : r.y_row, r.rows };
}

/* The rows from first on, block by block: where columns are gathered, a strip. */
static void find_ends(panel_source *s, size_t first, size_t n, ends_kind kind, many_ends ends[MOST_JOB_SUMS]) {
    const quire_job *job = s->p->job;
    const ends_functions *add = s->p->context->tier->ends->of[kind][job->type];
    const size_t block = is_in_place(s) ? ENDS_ROWS : STRIP;
    for (size_t done = 0; done < n; done += block) {
        const panel_rows rows = source_rows(s, first + done, n - done < block ? n - done : block);
        for (int i = 0; i < job_sums(job); i++) {
            many_ends some, *all = &ends[i], *found = done ? &some : all;
            add[term_of(job, i)].columns(rows_of_sum(job, i, rows), columns_of(s->p), found);
            for (size_t c = 0; done && c < columns_of(s->p); c++) {
                sum_ends sum = ends_at(all, c);
                ends_merge(&sum, ends_at(&some, c));
                ends_put(all, c, sum);
            }
        }
    }
}

/* A bit for each column whose ends do not tell its result, which is not there; their kind becomes that for these. */
static uint64_t round_ends(const panel_job *p, ends_kind *kind, const many_ends ends[MOST_JOB_SUMS],
                           format_description format, char *results) {
    const uint64_t open = ends_results(p->context->tier, *kind, ends, NULL, p->panels > 1 ? columns_of(p) : p->count,
                                       p->job, format, results);
    *kind = ends_kind_after(p->job, *kind, ends, open);
    return open;
}

/* An accumulator for each column and each sum of the job. */
typedef struct {
    quire_accumulator of[MOST_SUMS][PANEL];
} panel_accumulators;

static void clear_accumulators(const panel_job *p, panel_accumulators *a) {
    for (int i = 0; i < sums_of(p->job->finish); i++) memset(a->of[i], 0, p->count * sizeof a->of[i][0]);
}

/* A block of rows. */
static void add_block(const panel_job *p, size_t first, size_t rows, panel_accumulators *a) {
    for (int i = 0; i < sums_of(p->job->finish); i++) {
        const quire_term term = term_of_sum(p->job->term, i);
        const strided_vector v = strided_vector_of(p->context, p->job, term, p->x_stride, p->y_stride);
        for (size_t c = 0; c < p->count; c++)
            strided_exact(&v, &a->of[i][c], p->x[c] + (ptrdiff_t)first * p->x_stride,
                          p->y[c] + (ptrdiff_t)first * p->y_stride, rows);
    }
}

static void carry_accumulators(const panel_job *p, panel_accumulators *a) {
    for (int i = 0; i < sums_of(p->job->finish); i++)
        for (size_t c = 0; c < p->count; c++) limbs_carry(a->of[i][c].limb);
}

/* Rows from first on, block by block. Leaves limbs that are carried. */
static void add_rows(const panel_job *p, size_t first, size_t n, panel_accumulators *a) {
    for (size_t done = 0, blocks = 1; done < n; done += BLOCK_ROWS, blocks++) {
        add_block(p, first + done, n - done < BLOCK_ROWS ? n - done : BLOCK_ROWS, a);
        if (blocks % CARRY_BLOCKS == 0) carry_accumulators(p, a);
    }
    carry_accumulators(p, a);
}

static void round_accumulators(const panel_job *p, panel_accumulators *a, format_description format, char *results) {
    const quire_job *job = p->job;
    accumulated_moment_room room;
    for (size_t c = 0; c < p->count; c++) {
        quire_accumulator *sum = &a->of[0][c];
        sum->count = (int64_t)job->n;
        const uint64_t bits =
            needs_squares(job->finish)
                ? accumulated_moments_round(sum, &a->of[1][c], job->finish, job->correction, format, job->rounding,
                                            &room)
                : finish_and_round(accumulator_total(sum), job->finish, job->n, format, job->rounding);
        format_store(bits, format.size, results + c * (size_t)format.size);
    }
}

/* By one kind of ends after the other; answers with a bit for each column that is left open. Never inlined, as the next
 * one, for what it has on the stack. */
static __attribute__((noinline)) uint64_t reduce_by_ends(const panel_job *p, format_description format, char *results) {
    const size_t size = (size_t)format.size, columns = columns_of(p);
    ends_kind kind = ends_kind_of(p->job, format);
    panel_source source;
    many_ends ends[MOST_JOB_SUMS];
    source_open(&source, p);
    find_ends(&source, 0, p->job->n, kind, ends);
    uint64_t open = round_ends(p, &kind, ends, format, results);
    while (kind != ENDS_KINDS) {
        _Alignas(8) char found[ENDS_TOGETHER * 8];
        find_ends(&source, 0, p->job->n, kind, ends);
        const uint64_t told = open & ~round_ends(p, &kind, ends, format, found);
        for (size_t c = 0; c < columns; c++)
            if (told >> c & 1) memcpy(results + c * size, found + c * size, size);
        open &= ~told;
    }
    return open;
}

static __attribute__((noinline)) void reduce_by_accumulators(const panel_job *p, format_description format,
                                                             char *results) {
    panel_accumulators a;
    clear_accumulators(p, &a);
    add_rows(p, 0, p->job->n, &a);
    round_accumulators(p, &a, format, results);
}

/* What the ends leave open column by column, or, where columns are long, all columns of the panel together: what one
 * reads is in a cache for the next. */
void panel_exact(const panel_job *p, char *results) {
    const format_description format = describe_format(p->job->result_type);
    const cpu_context past = ends_past(p->context);
    uint64_t open = reduce_by_ends(p, format, results);
    if (open && p->panels == 1 && p->job->n > ENDS_ROWS && !needs_pair_sums(p->job->finish)) {
        reduce_by_accumulators(p, format, results);
        return;
    }
    for (; open; open &= open - 1) {
        const size_t c = (size_t)__builtin_ctzll(open);
        const quire_job job = job_of(p, c);
        vector_reduce(&past, &job, p->x_stride, p->y_stride, results + c * (size_t)format.size);
    }
}

/* ------------------------------------------------------------------------------------------------- by many threads */

/* What is left of each piece of a panel: ends of its columns; or, if they do not tell all results, nothing, as it is
 * added to accumulators that all pieces share. */
typedef struct {
    sum_ends of[MOST_SUMS][PANEL];
} piece_ends;

typedef struct {
    const panel_job *p;
    size_t piece;   /* rows */
    ends_kind kind; /* ENDS_KINDS: accumulators */
    piece_ends *ends;
    panel_accumulators *accumulators;
    format_description format;
} exact_pieces;

static __attribute__((noinline)) void piece_find_ends(const exact_pieces *w, size_t row, size_t n,
                                                      piece_ends *of_piece) {
    panel_source source;
    many_ends ends[MOST_JOB_SUMS];
    source_open(&source, w->p);
    find_ends(&source, row, n, w->kind, ends);
    for (int k = 0; k < sums_of(w->p->job->finish); k++)
        for (size_t c = 0; c < PANEL; c++) of_piece->of[k][c] = ends_at(&ends[k], c);
}

static __attribute__((noinline)) void piece_accumulate(const exact_pieces *w, size_t row, size_t n) {
    panel_accumulators a;
    clear_accumulators(w->p, &a);
    add_rows(w->p, row, n, &a);
    for (int k = 0; k < sums_of(w->p->job->finish); k++)
        for (size_t c = 0; c < w->p->count; c++) threads_add(&w->accumulators->of[k][c], &a.of[k][c]);
}

static void run_pieces(const void *work, size_t first, size_t last) {
    const exact_pieces *w = work;
    for (size_t i = first; i < last; i++) {
        const size_t row = i * w->piece, left = w->p->job->n - row, n = left < w->piece ? left : w->piece;
        if (w->kind != ENDS_KINDS)
            piece_find_ends(w, row, n, &w->ends[i]);
        else
            piece_accumulate(w, row, n);
    }
}

/* Whether the ends of all pieces tell all results; else their kind becomes the next. */
static int pieces_tell(exact_pieces *w, size_t pieces, char *results) {
    many_ends ends[MOST_JOB_SUMS];
    for (int k = 0; k < sums_of(w->p->job->finish); k++)
        for (size_t c = 0; c < PANEL; c++) {
            sum_ends all = w->ends[0].of[k][c];
            for (size_t i = 1; i < pieces; i++) ends_merge(&all, w->ends[i].of[k][c]);
            ends_put(&ends[k], c, all);
        }
    return !round_ends(w->p, &w->kind, ends, w->format, results);
}

static __attribute__((noinline)) int pieces_by_ends(const cpu_context *context, exact_pieces *w, size_t pieces,
                                                    int threads, char *results) {
    piece_ends ends[PANEL_PIECES];
    w->ends = ends;
    for (w->kind = ends_kind_of(w->p->job, w->format); w->kind != ENDS_KINDS;) {
        units_run(context, run_pieces, w, pieces, 1, threads);
        if (pieces_tell(w, pieces, results)) return 1;
    }
    return 0;
}

void panel_exact_shared(const cpu_context *context, const panel_job *p, size_t piece, int threads, char *results) {
    const size_t pieces = (p->job->n - 1) / piece + 1;
    panel_accumulators a;
    exact_pieces w = { p, piece, ENDS_KINDS, NULL, &a, describe_format(p->job->result_type) };
    if (pieces_by_ends(context, &w, pieces, threads, results)) return;
    clear_accumulators(p, &a);
    units_run(context, run_pieces, &w, pieces, 1, threads);
    round_accumulators(p, &a, w.format, results);
}
