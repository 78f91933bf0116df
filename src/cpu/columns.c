/* columns.c - see columns.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/columns.h"

#include "cpu/gather.h"
#include "cpu/many.h"
#include "cpu/pair.h"
#include "cpu/strided.h"

#define STRIP ((size_t)ORDER_LANES) /* rows that are gathered at a time                                                  */
#define CARRY_BLOCKS ((size_t)1 << 16) /* blocks between carries: each adds less than 2^12 times */

typedef struct {
    _Alignas(64) char of[STRIP * PANEL * 8];
} strip_buffer;

/* A panel on its way. Where all columns stand side by side, they are read as they stand; else through buffers. */
typedef struct {
    const panel_job *p;
    size_t size;
    int x_in_place, y_in_place, multiplies;
    strip_buffer x, y;
} panel_source;

static int stands_side_by_side(const char *const *column, size_t count, size_t size) {
    for (size_t c = 1; c < count; c++)
        if (column[c] != column[0] + c * size) return 0;
    return count == PANEL;
}

static ptrdiff_t distance(ptrdiff_t a) { return a < 0 ? -a : a; }

static void gather_strip(char *to, const char *const *columns, size_t count, size_t first, size_t rows, ptrdiff_t stride,
                         size_t size) {
    const char *from[PANEL];
    for (size_t c = 0; c < count; c++) from[c] = columns[c] + (ptrdiff_t)first * stride;
    const ptrdiff_t apart = count > 1 ? (ptrdiff_t)((uintptr_t)from[1] - (uintptr_t)from[0]) : 0;
    gather_panel(to, PANEL, from, count, rows, stride, size, distance(apart) < distance(stride));
}

/* So many rows from first on; no more than STRIP, unless all are in place. */
static panel_rows source_rows(panel_source *s, size_t first, size_t rows) {
    const panel_job *p = s->p;
    const ptrdiff_t row = (ptrdiff_t)(PANEL * s->size);
    panel_rows r = { s->x.of, s->y.of, row, row, rows };
    if (s->x_in_place)
        r.x = p->x[0] + (ptrdiff_t)first * p->x_stride, r.x_row = p->x_stride;
    else
        gather_strip(s->x.of, p->x, p->count, first, rows, p->x_stride, s->size);
    if (!s->multiplies)
        r.y = r.x, r.y_row = r.x_row;
    else if (s->y_in_place)
        r.y = p->y[0] + (ptrdiff_t)first * p->y_stride, r.y_row = p->y_stride;
    else
        gather_strip(s->y.of, p->y, p->count, first, rows, p->y_stride, s->size);
    return r;
}

/* Columns that are not there are to hold numbers, whichever. */
static void source_open(panel_source *s, const panel_job *p) {
    s->p = p;
    s->size = (size_t)describe_format(p->job->type).size;
    s->multiplies = p->job->term == TERM_PRODUCT;
    s->x_in_place = stands_side_by_side(p->x, p->count, s->size);
    s->y_in_place = stands_side_by_side(p->y, p->count, s->size);
    const size_t rows = p->job->n < STRIP ? p->job->n : STRIP;
    if (p->count < PANEL) memset(s->x.of, 0, rows * PANEL * s->size), memset(s->y.of, 0, rows * PANEL * s->size);
}

/* The job of one of the vectors. */
static quire_job job_of(const panel_job *p, size_t column) {
    quire_job job = *p->job;
    job.x = p->x[column], job.y = p->y[column];
    return job;
}

/* -------------------------------------------------------------------------------------------------------------- exact */

/* Rows of a block whose exact sums are tried in doubles. */
static size_t block_rows(const panel_source *s) {
    return s->x_in_place && (s->y_in_place || !s->multiplies) ? PANEL_EXACT_ROWS : STRIP;
}

/* A block of rows, added to each column's accumulator. */
static void add_block(panel_source *s, size_t first, size_t rows, quire_accumulator *a) {
    const panel_job *p = s->p;
    panel_sums sums;
    const unsigned certain = p->context->tier->panels->exact[p->job->type][p->job->term](source_rows(s, first, rows), &sums);
    for (size_t c = 0; c < p->count; c++) {
        if (certain >> c & 1) {
            limbs_add_double(a[c].limb, sums.sum[c]);
            if (sums.error[c] != 0) limbs_add_double(a[c].limb, sums.error[c]);
            a[c].other |= OTHER_NONZERO;
            continue;
        }
        const quire_job job = job_of(p, c);
        const strided_vector v = { p->context->tier, &job, s->size, p->x_stride, p->y_stride };
        strided_exact(&v, &a[c], p->x[c] + (ptrdiff_t)first * p->x_stride, p->y[c] + (ptrdiff_t)first * p->y_stride, rows,
                      NULL);
    }
}

/* Rows from first on, block by block. Leaves limbs that are carried. */
static void add_rows(panel_source *s, size_t first, size_t n, quire_accumulator *a) {
    const size_t block = block_rows(s);
    for (size_t done = 0, blocks = 1; done < n; done += block, blocks++) {
        add_block(s, first + done, n - done < block ? n - done : block, a);
        for (size_t c = 0; c < s->p->count && blocks % CARRY_BLOCKS == 0; c++) limbs_carry(a[c].limb);
    }
    for (size_t c = 0; c < s->p->count; c++) limbs_carry(a[c].limb);
}

static void round_accumulators(const panel_job *p, quire_accumulator *a, format_description format, uint64_t *bits) {
    for (size_t c = 0; c < p->count; c++) {
        a[c].count = (int64_t)p->job->n;
        bits[c] = finish_and_round(accumulator_total(&a[c]), p->job->finish, p->job->n, format, p->job->rounding);
    }
}

static void exact_reduce(panel_source *s, format_description format, uint64_t *bits) {
    const panel_job *p = s->p;
    panel_sums sums;
    if (p->job->n > block_rows(s)) {
        quire_accumulator a[PANEL];
        memset(a, 0, p->count * sizeof *a);
        add_rows(s, 0, p->job->n, a);
        round_accumulators(p, a, format, bits);
        return;
    }
    const panel_rows rows = source_rows(s, 0, p->job->n);
    const unsigned certain = p->context->tier->panels->exact[p->job->type][p->job->term](rows, &sums);
    for (size_t c = 0; c < p->count; c++) {
        const quire_job job = job_of(p, c);
        bits[c] = certain >> c & 1 ? pair_round(sums.sum[c], sums.error[c], &job, format)
                                   : cpu_reduce_vector(p->context, &job, p->x_stride, p->y_stride);
    }
}

/* ---------------------------------------------------------------------------------- the methods that follow the order */

typedef struct {
    panel_source *source;
    panel_add_function add;
    panel_merge_function merge;
    size_t tile, state_bytes;
    char *lanes; /* of the tile at hand                                                                                 */
} panel_order;

/* A tile from the row first on, merged into one state. */
static void tile_reduce(const panel_order *o, size_t first, size_t n, char *total) {
    for (size_t done = 0, count; done < n; done += count) {
        count = n - done < STRIP ? n - done : STRIP;
        panel_rows r = source_rows(o->source, first + done, count);
        r.rows = 1;
        o->add(r, count, r.x_row, r.y_row, done != 0, o->lanes);
    }
    size_t lanes = n < ORDER_LANES ? n : ORDER_LANES;
    for (size_t w = ORDER_LANES / 2; w; w /= 2) {
        if (lanes <= w) continue; /* what would be merged is missing                                                    */
        o->merge(o->lanes, o->lanes + w * o->state_bytes, lanes - w);
        lanes = w;
    }
    memcpy(total, o->lanes, o->state_bytes);
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

typedef struct {
    _Alignas(64) char of[ORDER_LANES * PANEL_STATE_BYTES];
} lanes_buffer;

static panel_order order_of(panel_source *s, lanes_buffer *lanes) {
    const quire_job *job = s->p->job;
    const panel_functions *panels = s->p->context->tier->panels;
    const int is_double = job->type == QUIRE_F64, words = lane_methods[job->method].words;
    return (panel_order){ s,
                          panels->add[job->type][job->term][job->method],
                          (is_double ? panels->merge_f64 : panels->merge_f32)[job->method],
                          order_tile(job->n, order_rows_of(job->method)),
                          (size_t)(words * PANEL) * (is_double ? sizeof(double) : sizeof(float)),
                          lanes->of };
}

static void round_states(const panel_job *p, const char *states, format_description format, uint64_t *bits) {
    const int words = lane_methods[p->job->method].words;
    for (size_t c = 0; c < p->count; c++) {
        double state[QUIRE_STATE_WORDS] = { 0 };
        for (int k = 0; k < words; k++) state[k] = panel_word(states, k, c, p->job->type == QUIRE_F64);
        bits[c] = words_round(state, words, p->job, format);
    }
}

static void lanes_reduce(panel_source *s, format_description format, uint64_t *bits) {
    lanes_buffer lanes;
    _Alignas(64) char total[PANEL_STATE_BYTES];
    const panel_order o = order_of(s, &lanes);
    tree_reduce(&o, 0, s->p->job->n, total);
    round_states(s->p, total, format, bits);
}

void panel_reduce(const panel_job *p, uint64_t *bits) {
    const format_description format = describe_format(p->job->result_type);
    panel_source source;
    source_open(&source, p);
    if (p->job->method == QUIRE_EXACT)
        exact_reduce(&source, format, bits);
    else
        lanes_reduce(&source, format, bits);
}

/* ------------------------------------------------------------------------------------------ one panel, by many threads */

#define PIECES 64                    /* the most pieces of a panel                                                     */
#define PIECE_ROWS ((size_t)1 << 12) /* the fewest rows of one                                                         */

/* A piece is a power of two of tiles, hence a subtree of the order. */
typedef struct {
    const panel_job *p;
    size_t piece; /* rows                                                                                               */
    quire_accumulator *accumulator;
    char *states;
} panel_pieces;

static void add_words(quire_accumulator *into, const quire_accumulator *from) {
    int64_t *to = into->limb;
    const int64_t *words = from->limb;
    for (int i = 0; i < QUIRE_ACCUMULATOR_WORDS; i++) {
#pragma omp atomic
        to[i] += words[i];
    }
}

static void run_pieces(const void *work, size_t first, size_t last) {
    const panel_pieces *w = work;
    panel_source source;
    source_open(&source, w->p);
    for (size_t i = first; i < last; i++) {
        const size_t row = i * w->piece, left = w->p->job->n - row, n = left < w->piece ? left : w->piece;
        if (w->p->job->method == QUIRE_EXACT) {
            quire_accumulator a[PANEL];
            memset(a, 0, w->p->count * sizeof *a);
            add_rows(&source, row, n, a);
            for (size_t c = 0; c < w->p->count; c++) add_words(&w->accumulator[c], &a[c]);
        } else {
            lanes_buffer lanes;
            const panel_order o = order_of(&source, &lanes);
            tree_reduce(&o, row, n, w->states + i * PANEL_STATE_BYTES);
        }
    }
}

/* The rest of the tree, over pieces. */
static void merge_pieces(panel_merge_function merge, char *states, size_t pieces) {
    if (pieces == 1) return;
    const size_t left = order_split(pieces);
    merge_pieces(merge, states, left);
    merge_pieces(merge, states + left * PANEL_STATE_BYTES, pieces - left);
    merge(states, states + left * PANEL_STATE_BYTES, 1);
}

void panel_reduce_shared(const cpu_context *context, const panel_job *p, uint64_t *bits) {
    const format_description format = describe_format(p->job->result_type);
    const size_t n = p->job->n;
    _Alignas(64) char states[PIECES * PANEL_STATE_BYTES];
    quire_accumulator a[PANEL];
    panel_pieces w = { p, order_tile(n, order_rows_of(p->job->method)), a, states };
    while (w.piece < PIECE_ROWS || n > PIECES * w.piece) w.piece *= 2;
    const size_t pieces = (n - 1) / w.piece + 1;
    memset(a, 0, sizeof a);
    many_run(context, run_pieces, &w, pieces, 1, cpu_threads(context, n > SIZE_MAX / PANEL ? SIZE_MAX : n * PANEL, pieces));
    if (p->job->method == QUIRE_EXACT) {
        round_accumulators(p, a, format, bits);
        return;
    }
    const panel_functions *panels = p->context->tier->panels;
    merge_pieces((p->job->type == QUIRE_F64 ? panels->merge_f64 : panels->merge_f32)[p->job->method], states, pieces);
    round_states(p, states, format, bits);
}
