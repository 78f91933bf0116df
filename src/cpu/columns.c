/* columns.c - panels of vectors (panels.h), by the methods that follow the order, and exact sums: by their ends, and
 * what these leave open by accumulators. A panel is one piece, or threads share it in pieces.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/ends.h"
#include "cpu/panels.h"
#include "cpu/results.h"
#include "cpu/strided.h"
#include "cpu/vector.h"

#define PIECE_ROWS ((size_t)1 << 12) /* the fewest rows of a piece, if there are several */
#define MOST_PANEL_PIECES 64
_Static_assert(MOST_PANEL_PIECES < LIMB_MERGES, "each leaves carried limbs, which add up");

/* How a panel is cut for the threads of a context: a piece is a power of two of tiles, hence a subtree of the order. */
typedef struct {
    const panel_job *p;
    const cpu_context *context;
    size_t rows, count; /* of a piece; pieces */
    int threads;
} panel_pieces;

static panel_pieces pieces_of(const cpu_context *context, const panel_job *p) {
    const size_t n = p->job->n;
    if (context == p->context) return (panel_pieces){ p, context, n, 1, 1 };
    size_t rows = order_tile(n, order_rows_of(p->job->method));
    while (rows < PIECE_ROWS || n > MOST_PANEL_PIECES * rows) rows *= 2;
    const size_t count = (n - 1) / rows + 1;
    return (panel_pieces){ p, context, rows, count, cpu_threads(context, product_or_most(n, PANEL), count) };
}

/* Does all pieces of a work: of one there is no more to see to. */
static void pieces_run(const panel_pieces *s, unit_function run, const void *work) {
    if (s->count == 1)
        run(work, 0, 1);
    else
        units_run(s->context, run, work, s->count, 1, s->threads);
}

/* Rows of a piece. */
static size_t piece_size(const panel_pieces *s, size_t piece) {
    const size_t left = s->p->job->n - piece * s->rows;
    return left < s->rows ? left : s->rows;
}

/* ---------------------------------------------------------------------------------------- methods of the order */

typedef struct {
    panel_source *source;
    panel_add_function add;
    panel_subtree_function subtree;
    panel_merge_function merge;
    size_t tile, state_bytes, subtree_rows;
} panel_order;

/* States of all panels side by side. */
typedef struct {
    _Alignas(64) char of[MOST_PANELS * PANEL_STATE_BYTES];
} panel_states;

/* Lanes of one element each: what the order merges into the first of these rows, which are those that stand `apart`
 * rows behind each other. */
static void rows_merged(const panel_order *o, panel_rows r, size_t apart, char *total) {
    const size_t panels = o->source->p->panels, there = (r.rows - 1) / apart + 1;
    if (there <= o->subtree_rows) {
        const ptrdiff_t times = (ptrdiff_t)apart;
        o->subtree((panel_rows){ r.x, r.y, times * r.x_row, times * r.y_row, there }, panels, total);
        return;
    }
    panel_states right;
    rows_merged(o, r, 2 * apart, total);
    r.x += (ptrdiff_t)apart * r.x_row, r.y += (ptrdiff_t)apart * r.y_row, r.rows -= apart;
    rows_merged(o, r, 2 * apart, right.of);
    o->merge(total, right.of, panels);
}

/* Lanes of more, strip by strip, in the order of memory. */
static void strips_merged(const panel_order *o, size_t first, size_t n, char *total) {
    _Alignas(64) char lanes[ORDER_LANES * PANEL_STATE_BYTES];
    for (size_t done = 0, count; done < n; done += count) {
        count = n - done < STRIP ? n - done : STRIP;
        panel_rows r = source_rows(o->source, first + done, count);
        r.rows = 1;
        o->add(r, count, r.x_row, r.y_row, done != 0, lanes);
    }
    size_t there = n < ORDER_LANES ? n : ORDER_LANES;
    for (size_t w = ORDER_LANES / 2; w; w /= 2) {
        if (there <= w) continue; /* what would be merged is missing */
        o->merge(lanes, lanes + w * o->state_bytes, there - w);
        there = w;
    }
    memcpy(total, lanes, o->state_bytes);
}

/* A tile from the row first on, merged into one state. A call for every eight rows of one panel pays up to here: rows
 * of 100 elements took 1.1 times as long. */
#define ONE_PANEL_ROWS 64
static void tile_reduce(const panel_order *o, size_t first, size_t n, char *total) {
    if (n <= (o->source->p->panels > 1 ? ORDER_LANES : ONE_PANEL_ROWS))
        rows_merged(o, source_rows(o->source, first, n), 1, total);
    else
        strips_merged(o, first, n, total);
}

/* The tree over tiles. */
static void tree_reduce(const panel_order *o, size_t first, size_t n, char *total) {
    if (n <= o->tile) {
        tile_reduce(o, first, n, total);
        return;
    }
    const size_t left = order_split((n - 1) / o->tile + 1) * o->tile;
    _Alignas(64) char right[PANEL_STATE_BYTES];
    tree_reduce(o, first, left, total);
    tree_reduce(o, first + left, n - left, right);
    o->merge(total, right, 1);
}

static size_t state_size(const quire_job *job) {
    const size_t real = has_double_lanes(job->type) ? sizeof(double) : sizeof(float);
    return (size_t)lane_methods[job->method].words * PANEL * real;
}

static panel_order order_of(panel_source *s) {
    const quire_job *job = s->p->job;
    const tier_lanes *lanes = s->p->context->tier->lanes;
    const lane_functions *of = &lanes->of[job->type][job->term][job->method];
    const int is_double = has_double_lanes(job->type), words = lane_methods[job->method].words;
    return (panel_order){ s,
                          of->add,
                          of->subtree,
                          lanes->merge[is_double][job->method],
                          order_tile(job->n, order_rows_of(job->method)),
                          state_size(job),
                          (size_t)subtree_rows(words) };
}

/* States that are results, as they stand: copies them, and answers whether all are finite and none is zero, as short
 * columns mostly end. */
#define COPY_NUMBERS(type, infinity_doubled)                                                                           \
    do {                                                                                                               \
        const type *number = (const type *)states;                                                                     \
        type others = 0;                                                                                               \
        for (size_t c = 0; c < count; c++) others |= (type)(2 * number[c] - 1) >= (infinity_doubled)-1;                \
        memcpy(results, number, count * sizeof *number);                                                               \
        return !others;                                                                                                \
    } while (0)
static int copy_numbers(const char *states, size_t count, int is_double, char *results) {
    if (is_double) COPY_NUMBERS(uint64_t, 0xffe0000000000000u);
    COPY_NUMBERS(uint32_t, 0xff000000u);
}

static void round_states(const panel_job *p, const char *states, format_description format, char *results) {
    const int words = lane_methods[p->job->method].words, is_double = has_double_lanes(p->job->type);
    const size_t size = (size_t)format.size;
    if (words == 1 && p->job->finish == FINISH_KEEP && format.precision == (is_double ? 53 : 24) &&
        copy_numbers(states, p->panels * p->count, is_double, results))
        return;
    for (size_t i = 0; i < p->panels; i++, states += state_size(p->job))
        for (size_t c = 0; c < p->count; c++, results += size) {
            double state[QUIRE_STATE_WORDS] = { 0 };
            for (int k = 0; k < words; k++) state[k] = panel_word(states, k, c, is_double);
            format_store(words_round(state, words, p->job, format), format.size, results);
        }
}

/* Where each piece leaves its state; of one piece there are those of all its panels. */
typedef struct {
    const panel_pieces *of;
    char *states;
} ordered_pieces;

static void run_lanes(const void *work, size_t first, size_t last) {
    const ordered_pieces *w = work;
    panel_source source;
    source_open(&source, w->of->p);
    const panel_order o = order_of(&source);
    for (size_t i = first; i < last; i++)
        tree_reduce(&o, i * w->of->rows, piece_size(w->of, i), w->states + i * PANEL_STATE_BYTES);
}

static void lanes_reduce(const panel_pieces *s, format_description format, char *results) {
    const quire_job *job = s->p->job;
    const panel_merge_function merge = s->p->context->tier->lanes->merge[has_double_lanes(job->type)][job->method];
    _Alignas(64) char states[MOST_PANEL_PIECES * PANEL_STATE_BYTES];
    _Static_assert(MOST_PANELS <= MOST_PANEL_PIECES, "states of one piece");
    const ordered_pieces w = { s, states };
    pieces_run(s, run_lanes, &w);
    for (size_t apart = 1; apart < s->count; apart *= 2) /* the upper levels of the tree, over pieces */
        for (size_t i = 0; i + apart < s->count; i += 2 * apart)
            merge(states + i * PANEL_STATE_BYTES, states + (i + apart) * PANEL_STATE_BYTES, 1);
    round_states(s->p, states, format, results);
}

/* ------------------------------------------------------------------------------------------- exact sums, by their ends
 */

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

/* What is left of each piece: ends of its columns. */
typedef struct {
    sum_ends of[MOST_SUMS][PANEL];
} piece_ends;

typedef struct {
    const panel_pieces *of;
    ends_kind kind;
    piece_ends *ends;
} ends_pieces;

static __attribute__((noinline)) void piece_find_ends(const panel_pieces *s, ends_kind kind, size_t piece,
                                                      many_ends ends[MOST_JOB_SUMS]) {
    panel_source source;
    source_open(&source, s->p);
    find_ends(&source, piece * s->rows, piece_size(s, piece), kind, ends);
}

static void run_ends(const void *work, size_t first, size_t last) {
    const ends_pieces *w = work;
    many_ends ends[MOST_JOB_SUMS];
    for (size_t i = first; i < last; i++) {
        piece_find_ends(w->of, w->kind, i, ends);
        for (int k = 0; k < sums_of(w->of->p->job->finish); k++)
            for (size_t c = 0; c < PANEL; c++) w->ends[i].of[k][c] = ends_at(&ends[k], c);
    }
}

/* Never inlined, as others here, for what it has on the stack. */
static __attribute__((noinline)) void merge_pieces(const panel_pieces *s, ends_kind kind,
                                                   many_ends ends[MOST_JOB_SUMS]) {
    piece_ends of[MOST_PANEL_PIECES];
    const ends_pieces w = { s, kind, of };
    pieces_run(s, run_ends, &w);
    for (int k = 0; k < sums_of(s->p->job->finish); k++)
        for (size_t c = 0; c < PANEL; c++) {
            sum_ends all = of[0].of[k][c];
            for (size_t i = 1; i < s->count; i++) ends_merge(&all, of[i].of[k][c]);
            ends_put(&ends[k], c, all);
        }
}

/* Stores the variances, of the open ones, that are none: elements that are not finite leave ends of their sum that are
 * not. The bits of the others. */
static uint64_t store_nones(const panel_job *p, const many_ends *sum, uint64_t open, format_description format,
                            char *results) {
    for (uint64_t left = open; left; left &= left - 1) {
        const size_t c = (size_t)__builtin_ctzll(left);
        const quire_job job = job_of(p, c);
        if (double_is_finite(ends_at(sum, c).up) || !variance_is_none(&job, p->x_stride)) continue;
        format_store(format.quiet_nan, format.size, results + c * (size_t)format.size);
        open &= ~((uint64_t)1 << c);
    }
    return open;
}

/* By ends of one kind, which becomes that for what is left open. A bit for each column whose ends do not tell its
 * result, which is not there. */
static uint64_t reduce_by(const panel_pieces *s, ends_kind *kind, format_description format, char *results) {
    many_ends ends[MOST_JOB_SUMS];
    const size_t columns = s->p->panels > 1 ? columns_of(s->p) : s->p->count;
    if (s->count == 1)
        piece_find_ends(s, *kind, 0, ends);
    else
        merge_pieces(s, *kind, ends);
    uint64_t open = ends_results(s->p->context->tier, *kind, ends, NULL, columns, s->p->job, format, results);
    if (needs_squares(s->p->job->finish)) open = store_nones(s->p, &ends[0], open, format, results);
    *kind = ends_kind_after(s->p->job, *kind, ends, open);
    return open;
}

/* By one kind of ends after the other. */
static __attribute__((noinline)) uint64_t reduce_by_ends(const panel_pieces *s, format_description format,
                                                         char *results) {
    const size_t size = (size_t)format.size;
    ends_kind kind = ends_kind_of(s->p->job, format);
    uint64_t open = reduce_by(s, &kind, format, results);
    while (kind != ENDS_KINDS) {
        _Alignas(8) char found[ENDS_TOGETHER * 8];
        uint64_t told = open & ~reduce_by(s, &kind, format, found);
        for (open &= ~told; told; told &= told - 1) {
            const size_t at = (size_t)__builtin_ctzll(told) * size;
            memcpy(results + at, found + at, size);
        }
    }
    return open;
}

/* ------------------------------------------------------------------------------------------------ by accumulators */

#define BLOCK_ROWS ((size_t)4096) /* that are added column by column */

/* Of each column one for each sum of the job. */
typedef struct {
    quire_accumulator of[PANEL][MOST_SUMS];
} panel_accumulators;

/* Rows from first on, block by block. */
static void add_rows(const panel_job *p, size_t first, size_t n, panel_accumulators *a) {
    const strided_vector v = strided_vector_of(p->context, p->job, p->x_stride, p->y_stride);
    for (size_t done = 0, rows; done < n; done += rows) {
        const ptrdiff_t row = (ptrdiff_t)(first + done);
        rows = n - done < BLOCK_ROWS ? n - done : BLOCK_ROWS;
        for (size_t c = 0; c < p->count; c++)
            strided_exact(&v, p->job, a->of[c], p->x[c] + row * p->x_stride, p->y[c] + row * p->y_stride, rows, 0);
    }
}

typedef struct {
    const panel_pieces *of;
    panel_accumulators *all;
} accumulated_pieces;

static void run_accumulators(const void *work, size_t first, size_t last) {
    const accumulated_pieces *w = work;
    const panel_job *p = w->of->p;
    panel_accumulators a;
    for (size_t i = first; i < last; i++) {
        memset(&a, 0, sizeof a);
        add_rows(p, i * w->of->rows, piece_size(w->of, i), &a);
        for (size_t c = 0; c < p->count; c++)
            for (int k = 0; k < sums_of(p->job->finish); k++) threads_add(&w->all->of[c][k], &a.of[c][k]);
    }
}

static __attribute__((noinline)) void reduce_by_accumulators(const panel_pieces *s, format_description format,
                                                             char *results) {
    panel_accumulators a;
    const accumulated_pieces w = { s, &a };
    memset(&a, 0, sizeof a);
    pieces_run(s, run_accumulators, &w);
    for (size_t c = 0; c < s->p->count; c++) {
        const quire_accumulator *const sums[MOST_SUMS] = { &a.of[c][0], &a.of[c][1] };
        a.of[c][0].count = (int64_t)s->p->job->n;
        format_store(accumulators_round(sums, s->p->job, format), format.size, results + c * (size_t)format.size);
    }
}

/* What the ends leave open column by column, or, where columns are long, all columns of the panel together: what one
 * reads is in a cache for the next. */
static void exact_reduce(const panel_pieces *s, format_description format, char *results) {
    const panel_job *p = s->p;
    const cpu_context past = ends_past(p->context);
    uint64_t open = reduce_by_ends(s, format, results);
    if (open && p->panels == 1 && p->job->n > ENDS_ROWS && !needs_pair_sums(p->job->finish)) {
        reduce_by_accumulators(s, format, results);
        return;
    }
    for (; open; open &= open - 1) {
        const size_t c = (size_t)__builtin_ctzll(open);
        const quire_job job = job_of(p, c);
        vector_reduce(&past, &job, p->x_stride, p->y_stride, results + c * (size_t)format.size);
    }
}

void panel_reduce(const cpu_context *context, const panel_job *p, char *results) {
    if (is_integer(p->job->type)) {
        panel_integers(p, results);
        return;
    }
    const panel_pieces pieces = pieces_of(context, p);
    const format_description format = describe_format(p->job->result_type);
    if (p->job->method == QUIRE_EXACT)
        exact_reduce(&pieces, format, results);
    else
        lanes_reduce(&pieces, format, results);
}
