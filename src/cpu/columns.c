/* columns.c - see panels.h: panels by the methods that follow the order, and how a panel is shared by threads.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/lane_methods.h"
#include "cpu/panels.h"
#include "cpu/split.h"

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

static void lanes_reduce(const panel_job *p, char *results) {
    panel_source source;
    panel_states total;
    source_open(&source, p);
    const panel_order o = order_of(&source);
    tree_reduce(&o, 0, p->job->n, total.of);
    round_states(p, total.of, describe_format(p->job->result_type), results);
}

void panel_reduce(const panel_job *p, char *results) {
    if (is_integer(p->job->type))
        panel_integers(p, results);
    else if (p->job->method == QUIRE_EXACT)
        panel_exact(p, results);
    else
        lanes_reduce(p, results);
}

/* --------------------------------------------------------------------------------------- one panel, by many threads */

#define PIECE_ROWS ((size_t)1 << 12) /* the fewest rows of a piece */

/* A piece is a power of two of tiles, hence a subtree of the order. */
typedef struct {
    const panel_job *p;
    size_t piece; /* rows */
    char *states;
} ordered_pieces;

static void run_pieces(const void *work, size_t first, size_t last) {
    const ordered_pieces *w = work;
    panel_source source;
    source_open(&source, w->p);
    const panel_order o = order_of(&source);
    for (size_t i = first; i < last; i++) {
        const size_t row = i * w->piece, left = w->p->job->n - row, n = left < w->piece ? left : w->piece;
        tree_reduce(&o, row, n, w->states + i * PANEL_STATE_BYTES);
    }
}

static void ordered_shared(const cpu_context *context, const panel_job *p, size_t piece, int threads, char *results) {
    const size_t pieces = (p->job->n - 1) / piece + 1;
    _Alignas(64) char states[PANEL_PIECES * PANEL_STATE_BYTES];
    const ordered_pieces w = { p, piece, states };
    units_run(context, run_pieces, &w, pieces, 1, threads);
    const panel_merge_function merge = p->context->tier->lanes->merge[has_double_lanes(p->job->type)][p->job->method];
    for (size_t apart = 1; apart < pieces; apart *= 2) /* the upper levels of the tree, over pieces */
        for (size_t i = 0; i + apart < pieces; i += 2 * apart)
            merge(states + i * PANEL_STATE_BYTES, states + (i + apart) * PANEL_STATE_BYTES, 1);
    round_states(p, states, describe_format(p->job->result_type), results);
}

void panel_reduce_shared(const cpu_context *context, const panel_job *p, char *results) {
    const size_t n = p->job->n;
    size_t piece = order_tile(n, order_rows_of(p->job->method));
    while (piece < PIECE_ROWS || n > PANEL_PIECES * piece) piece *= 2;
    const int threads = cpu_threads(context, product_or_most(n, PANEL), (n - 1) / piece + 1);
    if (p->job->method == QUIRE_EXACT)
        panel_exact_shared(context, p, piece, threads, results);
    else
        ordered_shared(context, p, piece, threads, results);
}
