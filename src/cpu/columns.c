/* columns.c - see columns.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/columns.h"

#include "cpu/gather.h"
#include "cpu/rounding.h"

#define STRIP ((size_t)ORDER_LANES) /* rows that are gathered at a time */

/* Blocks between carries. A block has a sum of two doubles for each column, or else its elements are added. */
#define CARRY_BLOCKS (CARRY_ELEMENTS / PANEL_EXACT_ROWS)
_Static_assert(STRIP <= PANEL_EXACT_ROWS, "no block has more rows");
_Static_assert(CARRIES_IN_TIME(PANEL_EXACT_ROWS), "a stretch is a block");

typedef struct {
    _Alignas(64) char of[STRIP * PANEL * 8];
} strip_buffer;

/* A panel on its way. Where all columns stand side by side, they are read as they stand; else through buffers. */
typedef struct {
    const panel_job *p;
    size_t size;
    int x_in_place, y_in_place, reads_y;
    strip_buffer x, y;
} panel_source;

static int stands_side_by_side(const panel_job *p, const char *const *column, size_t size) {
    for (size_t c = 1; c < p->count && p->panels == 1; c++)
        if (column[c] != column[0] + c * size) return 0;
    return p->count == PANEL;
}

static void gather_strip(char *to, const char *const *columns, size_t count, size_t first, size_t rows,
                         ptrdiff_t stride, size_t size) {
    const char *from[PANEL];
    for (size_t c = 0; c < count; c++) from[c] = columns[c] + (ptrdiff_t)first * stride;
    const ptrdiff_t apart = count > 1 ? (ptrdiff_t)((uintptr_t)from[1] - (uintptr_t)from[0]) : 0;
    gather_panel(to, PANEL, from, count, rows, stride, size, stride_magnitude(apart) < stride_magnitude(stride));
}

/* The rows from first on; no more than STRIP of them, unless all are in place. */
static panel_rows source_rows(panel_source *s, size_t first, size_t rows) {
    const panel_job *p = s->p;
    const ptrdiff_t row = (ptrdiff_t)(PANEL * s->size);
    panel_rows r = { s->x.of, s->y.of, row, row, rows };
    if (s->x_in_place)
        r.x = p->x[0] + (ptrdiff_t)first * p->x_stride, r.x_row = p->x_stride;
    else
        gather_strip(s->x.of, p->x, p->count, first, rows, p->x_stride, s->size);
    if (!s->reads_y)
        r.y = r.x, r.y_row = r.x_row;
    else if (s->y_in_place)
        r.y = p->y[0] + (ptrdiff_t)first * p->y_stride, r.y_row = p->y_stride;
    else
        gather_strip(s->y.of, p->y, p->count, first, rows, p->y_stride, s->size);
    return r;
}

/* Whether products are of two arrays. */
static int reads_y(const panel_job *p) {
    int differ = p->x_stride != p->y_stride;
    for (size_t c = 0; c < p->count && (c < 1 || p->panels == 1); c++) differ |= p->x[c] != p->y[c];
    return describe_term(p->job->term).is_pair && differ;
}

/* Columns that are not there are to hold numbers, whichever. */
static void source_open(panel_source *s, const panel_job *p) {
    s->p = p;
    s->size = (size_t)describe_format(p->job->type).size;
    s->reads_y = reads_y(p);
    s->x_in_place = stands_side_by_side(p, p->x, s->size);
    s->y_in_place = stands_side_by_side(p, p->y, s->size);
    const size_t rows = p->job->n < STRIP ? p->job->n : STRIP;
    if (p->count < PANEL) memset(s->x.of, 0, rows * PANEL * s->size), memset(s->y.of, 0, rows * PANEL * s->size);
}

static int is_in_place(const panel_source *s) { return s->x_in_place && (s->y_in_place || !s->reads_y); }

/* The job of one of the vectors. */
static quire_job job_of(const panel_job *p, size_t column) {
    quire_job job = *p->job;
    job.x = p->x[column], job.y = p->y[column];
    return job;
}

/* ------------------------------------------------------------------------------------------------------------ exact */

/* Rows of a block whose exact sums are tried in doubles. */
static size_t block_rows(const panel_source *s) { return is_in_place(s) ? PANEL_EXACT_ROWS : STRIP; }

/* An accumulator for each column and each sum of the job. */
typedef struct {
    quire_accumulator of[MOST_SUMS][PANEL];
} panel_accumulators;

static void clear_accumulators(const panel_job *p, panel_accumulators *a) {
    for (int i = 0; i < sums_of(p->job->finish); i++) memset(a->of[i], 0, p->count * sizeof a->of[i][0]);
}

/* A block of rows, of which one of the sums is added to each column's accumulator. */
static void add_sums(const panel_source *s, panel_rows rows, quire_term term, size_t first, quire_accumulator *a) {
    const panel_job *p = s->p;
    panel_sums sums;
    const unsigned certain = p->context->tier->panels->exact[p->job->type][term](rows, &sums);
    for (size_t c = 0; c < p->count; c++) {
        if (certain >> c & 1) {
            limbs_add_double(a[c].limb, sums.sum[c]);
            if (sums.error[c] != 0) limbs_add_double(a[c].limb, sums.error[c]);
            a[c].other |= OTHER_NONZERO;
            continue;
        }
        const strided_vector v = {
            p->context->tier, p->job->type, term, QUIRE_EXACT, s->size, p->x_stride, p->y_stride
        };
        strided_exact(&v, &a[c], p->x[c] + (ptrdiff_t)first * p->x_stride, p->y[c] + (ptrdiff_t)first * p->y_stride,
                      rows.rows, NULL);
    }
}

static void add_block(panel_source *s, size_t first, size_t rows, panel_accumulators *a) {
    const panel_rows block = source_rows(s, first, rows);
    for (int i = 0; i < sums_of(s->p->job->finish); i++)
        add_sums(s, block, term_of_sum(s->p->job->term, i), first, a->of[i]);
}

static void carry_accumulators(const panel_job *p, panel_accumulators *a) {
    for (int i = 0; i < sums_of(p->job->finish); i++)
        for (size_t c = 0; c < p->count; c++) limbs_carry(a->of[i][c].limb);
}

/* Rows from first on, block by block. Leaves limbs that are carried. */
static void add_rows(panel_source *s, size_t first, size_t n, panel_accumulators *a) {
    const size_t block = block_rows(s);
    for (size_t done = 0, blocks = 1; done < n; done += block, blocks++) {
        add_block(s, first + done, n - done < block ? n - done : block, a);
        if (blocks % CARRY_BLOCKS == 0) carry_accumulators(s->p, a);
    }
    carry_accumulators(s->p, a);
}

static void round_accumulators(const panel_job *p, panel_accumulators *a, format_description format, uint64_t *bits) {
    const quire_job *job = p->job;
    accumulated_moment_room room;
    for (size_t c = 0; c < p->count; c++) {
        quire_accumulator *sum = &a->of[0][c];
        sum->count = (int64_t)job->n;
        bits[c] = needs_squares(job->finish)
                      ? accumulated_moments_round(sum, &a->of[1][c], job->finish, job->correction, format,
                                                  job->rounding, &room)
                      : finish_and_round(accumulator_total(sum), job->finish, job->n, format, job->rounding);
    }
}

/* Of a block: sums of the columns that are certain in the first of the job's sums, and in all. */
static unsigned certain_sums(const panel_source *s, panel_rows rows, panel_sums *sums) {
    const quire_job *job = s->p->job;
    unsigned certain = ~0u;
    for (int i = 0; i < sums_of(job->finish) && certain; i++)
        certain &= s->p->context->tier->panels->exact[job->type][term_of_sum(job->term, i)](rows, &sums[i]);
    return certain;
}

static uint64_t round_column(const panel_sums *sums, size_t c, const quire_job *job, format_description format) {
    if (!needs_squares(job->finish)) return pair_round(sums[0].sum[c], sums[0].error[c], job, format);
    return pairs_round(sums[0].sum[c], sums[0].error[c], sums[1].sum[c], sums[1].error[c], job, format);
}

static void exact_reduce(panel_source *s, format_description format, uint64_t *bits) {
    const panel_job *p = s->p;
    panel_sums sums[MOST_SUMS];
    if (p->job->n > block_rows(s)) {
        panel_accumulators a;
        clear_accumulators(p, &a);
        add_rows(s, 0, p->job->n, &a);
        round_accumulators(p, &a, format, bits);
        return;
    }
    const unsigned certain = certain_sums(s, source_rows(s, 0, p->job->n), sums);
    for (size_t c = 0; c < p->count; c++) {
        const quire_job job = job_of(p, c);
        bits[c] = certain >> c & 1 ? round_column(sums, c, &job, format)
                                   : cpu_reduce_vector(p->context, &job, p->x_stride, p->y_stride);
    }
}

/* -------------------------------------------------------------------------------- the methods that follow the order */

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
    const panel_functions *panels = s->p->context->tier->panels;
    const int is_double = has_double_lanes(job->type), words = lane_methods[job->method].words;
    return (panel_order){ s,
                          panels->add[job->type][job->term][job->method],
                          panels->subtree[job->type][job->term][job->method],
                          (is_double ? panels->merge_f64 : panels->merge_f32)[job->method],
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

static void lanes_reduce(panel_source *s, format_description format, char *results) {
    panel_states total;
    const panel_order o = order_of(s);
    tree_reduce(&o, 0, s->p->job->n, total.of);
    round_states(s->p, total.of, format, results);
}

static void store_bits(const panel_job *p, const uint64_t *bits, format_description format, char *results) {
    for (size_t c = 0; c < p->count; c++) format_store(bits[c], format.size, results + c * (size_t)format.size);
}

void panel_reduce(const panel_job *p, char *results) {
    const format_description format = describe_format(p->job->result_type);
    panel_source source;
    uint64_t bits[PANEL];
    source_open(&source, p);
    if (p->job->method == QUIRE_EXACT) {
        exact_reduce(&source, format, bits);
        store_bits(p, bits, format, results);
    } else
        lanes_reduce(&source, format, results);
}

/* --------------------------------------------------------------------------------------- one panel, by many threads */

#define PIECES 64 /* the most pieces of a panel */
_Static_assert(PIECES < LIMB_MERGES, "add_rows leaves carried limbs, which add up");
#define PIECE_ROWS ((size_t)1 << 12) /* the fewest rows of one */

/* A piece is a power of two of tiles, hence a subtree of the order. */
typedef struct {
    const panel_job *p;
    size_t piece; /* rows */
    panel_accumulators *accumulators;
    char *states;
} panel_pieces;

static void run_pieces(const void *work, size_t first, size_t last) {
    const panel_pieces *w = work;
    panel_source source;
    source_open(&source, w->p);
    for (size_t i = first; i < last; i++) {
        const size_t row = i * w->piece, left = w->p->job->n - row, n = left < w->piece ? left : w->piece;
        if (w->p->job->method == QUIRE_EXACT) {
            panel_accumulators a;
            clear_accumulators(w->p, &a);
            add_rows(&source, row, n, &a);
            for (int k = 0; k < sums_of(w->p->job->finish); k++)
                for (size_t c = 0; c < w->p->count; c++) threads_add(&w->accumulators->of[k][c], &a.of[k][c]);
        } else {
            const panel_order o = order_of(&source);
            tree_reduce(&o, row, n, w->states + i * PANEL_STATE_BYTES);
        }
    }
}

/* The upper levels of the tree, over pieces. */
static void merge_pieces(panel_merge_function merge, char *states, size_t pieces) {
    if (pieces == 1) return;
    const size_t left = order_split(pieces);
    merge_pieces(merge, states, left);
    merge_pieces(merge, states + left * PANEL_STATE_BYTES, pieces - left);
    merge(states, states + left * PANEL_STATE_BYTES, 1);
}

void panel_reduce_shared(const cpu_context *context, const panel_job *p, char *results) {
    const format_description format = describe_format(p->job->result_type);
    const size_t n = p->job->n;
    _Alignas(64) char states[PIECES * PANEL_STATE_BYTES];
    panel_accumulators a;
    panel_pieces w = { p, order_tile(n, order_rows_of(p->job->method)), &a, states };
    while (w.piece < PIECE_ROWS || n > PIECES * w.piece) w.piece *= 2;
    const size_t pieces = (n - 1) / w.piece + 1;
    clear_accumulators(p, &a);
    many_run(context, run_pieces, &w, pieces, 1,
             cpu_threads(context, n > SIZE_MAX / PANEL ? SIZE_MAX : n * PANEL, pieces));
    if (p->job->method == QUIRE_EXACT) {
        uint64_t bits[PANEL];
        round_accumulators(p, &a, format, bits);
        store_bits(p, bits, format, results);
        return;
    }
    const panel_functions *panels = p->context->tier->panels;
    merge_pieces((has_double_lanes(p->job->type) ? panels->merge_f64 : panels->merge_f32)[p->job->method], states,
                 pieces);
    round_states(p, states, format, results);
}
