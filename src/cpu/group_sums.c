/* group_sums.c - see groups.h. Rows go to windows where these have room, else to states. Groups that windows leave
 * open are added once more, to states alone.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/ends.h"
#include "cpu/group_windows.h"
#include "cpu/groups.h"
#include "cpu/results.h"
#include "cpu/vector.h"

#define RANGES ((size_t)64)          /* the most ranges of rows that threads take, each with states of its own */
#define RANGE_STATES 4               /* and rows of a range, at least, for each of its states */
#define SAMPLE ((size_t)15)          /* of which every so many are asked whether the next one is of the same group */
#define TOGETHER ((size_t)4096)      /* groups that a thread takes at a time */
#define FEW_GROUPS ((size_t)1 << 11) /* the most that have windows: these fit the second cache; */
#define WINDOW_SHARE ((size_t)768)   /* and of a range as many rows for each, or emptying them takes too long */

typedef struct {
    group_columns of;
    double *states;
    size_t group, ranges, range; /* group: doubles of one; range: rows */
    group_windows *windows;      /* of each range, or NULL */
    const int64_t *open;         /* where not NULL: groups that are not negative here are added, no others */
} group_work;

static size_t ranges_of(const cpu_context *context, const quire_keys *keys) {
    const size_t most = keys->n / RANGE_STATES / (keys->groups + 1);
    const size_t threads = (size_t)cpu_threads(context, keys->n * sizeof(int64_t), RANGES);
    return most < 1 ? 1 : threads < most ? threads : most;
}

/* Of more groups than rows most states would be for nothing. */
int has_group_sums(const quire_job *job, const quire_keys *keys) {
    const int is_double = job->type == QUIRE_F64;
    if (job->method != QUIRE_EXACT || is_exact_finish(job->finish)) return 0;
    if (!is_double && job->type != QUIRE_F32) return 0;
    return keys->groups <= keys->n && !(is_double && describe_term(job->term).is_product);
}

static int has_windows(const quire_keys *keys, size_t columns, size_t ranges) {
    return columns == 1 && keys->groups <= FEW_GROUPS && keys->n / ranges / WINDOW_SHARE >= keys->groups;
}

/* Windows stand behind the states of all ranges. Of several columns there is more room than the last one needs. */
size_t group_sums_states(const cpu_context *context, const quire_keys *keys, size_t columns) {
    const size_t ranges = ranges_of(context, keys);
    const size_t window = has_windows(keys, columns, ranges) ? sizeof(group_window) : 0;
    const size_t group = words_of(columns) * sizeof(double) + window;
    size_t bytes;
    return __builtin_mul_overflow(keys->groups, ranges * group, &bytes) ? 0 : bytes;
}

/* ----------------------------------------------------------------------------------------------------------- adding */

/* What stays the same is copied first: a compiler must take it that stores to states change it. */
QUIRE_INLINE void add_keyed_rows(const group_work *w, double *states, size_t first, size_t last, size_t columns,
                                 int is_double, quire_term term, int is_64_bit) {
    const group_columns of = w->of;
    const void *keys = of.keys->keys;
    const int64_t *open = w->open;
    const uint64_t groups = of.keys->groups;
    const size_t group = words_of(columns);
    for (size_t row = first; row < last; row++) {
        const uint64_t key = key_of(keys, row, is_64_bit);
        const uint64_t later = key_of(keys, row + AHEAD < last ? row + AHEAD : row, is_64_bit);
        if (later < groups) __builtin_prefetch(states + later * group, 1);
        if (key >= groups || (open && open[key] < 0)) continue;
        double *sum = states + key * group, *lost = sum + columns, *off = lost + columns;
        const char *x = of.x + (ptrdiff_t)row * of.x_row, *y = of.y + (ptrdiff_t)row * of.y_row;
        for (size_t c = 0; c < columns; c++) {
            const ptrdiff_t i = (ptrdiff_t)c;
            const double value = term_at(x + i * of.x_inner, y + i * of.y_inner, is_double, term);
            lost_add(&lost[c], &off[c], two_sum_f64(sum[c], value, &sum[c]));
        }
        add_count(off + columns, 1);
    }
}

QUIRE_INLINE void add_rows(const group_work *w, double *states, size_t first, size_t last, size_t columns,
                           int is_double, quire_term term) {
    if (w->of.keys->index == QUIRE_I64)
        add_keyed_rows(w, states, first, last, columns, is_double, term, 1);
    else
        add_keyed_rows(w, states, first, last, columns, is_double, term, 0);
}

/* The same of one column where many neighbours are of one group, whose state stays in registers. */
QUIRE_INLINE void add_runs(const group_work *w, double *states, size_t first, size_t last, int is_double,
                           quire_term term) {
    const group_columns *of = &w->of;
    for (size_t row = first, next; row < last; row = next) {
        const uint64_t key = key_at(of->keys, row);
        for (next = row + 1; next < last && key_at(of->keys, next) == key;) next++;
        if (key >= of->keys->groups) continue;
        double *state = states + key * w->group, sum = state[0], lost = state[1], off = state[2];
        for (size_t i = row; i < next; i++) {
            const ptrdiff_t at = (ptrdiff_t)i;
            const double value = term_at(of->x + at * of->x_row, of->y + at * of->y_row, is_double, term);
            lost_add(&lost, &off, two_sum_f64(sum, value, &sum));
        }
        state[0] = sum, state[1] = lost, state[2] = off;
        add_count(&state[3], next - row);
    }
}

/* Whether of most rows the next one is of the same group, as far as some of them tell. */
static int has_runs(const quire_keys *keys, size_t first, size_t last) {
    size_t same = 0;
    for (size_t i = first; i + 1 < last; i += SAMPLE) same += key_at(keys, i) == key_at(keys, i + 1);
    return same > (last - first) / SAMPLE / 2;
}

/* One column, or many. */
QUIRE_INLINE void add_columns(const group_work *w, double *states, group_windows *windows, size_t first, size_t last,
                              int is_double, quire_term term) {
    if (w->of.columns == 1)
        for (size_t next; first < last; first = next) {
            next = last - first < ROW_STRETCH ? last : first + ROW_STRETCH;
            if (has_runs(w->of.keys, first, next))
                add_runs(w, states, first, next, is_double, term);
            else if (!windows || !add_to_windows(&w->of, windows, states, first, next, is_double, term))
                add_rows(w, states, first, next, 1, is_double, term);
        }
    else
        add_rows(w, states, first, last, w->of.columns, is_double, term);
}

static void add_terms(const group_work *w, double *states, group_windows *windows, size_t first, size_t last) {
    const int is_double = w->of.job->type == QUIRE_F64;
    switch (w->of.job->term) {
    case TERM_MAGNITUDE:
        if (is_double)
            add_columns(w, states, windows, first, last, 1, TERM_MAGNITUDE);
        else
            add_columns(w, states, windows, first, last, 0, TERM_MAGNITUDE);
        break;
    case TERM_PRODUCT: add_columns(w, states, windows, first, last, 0, TERM_PRODUCT); break;
    default:
        if (is_double)
            add_columns(w, states, windows, first, last, 1, TERM_IDENTITY);
        else
            add_columns(w, states, windows, first, last, 0, TERM_IDENTITY);
        break;
    }
}

static void run_ranges(const void *work, size_t first, size_t last) {
    const group_work *w = work;
    const size_t groups = w->of.keys->groups, n = w->of.keys->n, columns = w->of.columns;
    for (size_t r = first; r < last; r++) {
        double *states = w->states + r * groups * w->group;
        for (size_t g = 0; g < groups; g++) {
            double *state = states + g * w->group;
            for (size_t c = 0; c < columns; c++) state[c] = -0.0;
            memset(state + columns, 0, (w->group - columns) * sizeof *state);
        }
        group_windows *windows = w->windows ? &w->windows[r] : NULL;
        if (windows) {
            group_window *all = (group_window *)(w->states + w->ranges * groups * w->group);
            *windows = windows_open(all + r * groups, groups);
        }
        add_terms(w, states, windows, r * w->range < n ? r * w->range : n,
                  (r + 1) * w->range < n ? (r + 1) * w->range : n);
        if (windows) empty_windows(windows, states);
    }
}

/* ---------------------------------------------------------------------------------------------------------- results */

/* A group's states of all ranges, in the first. */
static void merge_ranges(const group_work *w, double *group) {
    const size_t columns = w->of.columns;
    int64_t rows = count_of(group, columns);
    for (size_t r = 1; r < w->ranges; r++) {
        const double *other = group + r * w->of.keys->groups * w->group;
        for (size_t c = 0; c < columns; c++) {
            double *lost = &group[columns + c], *off = &group[2 * columns + c];
            lost_add(lost, off, two_sum_f64(group[c], other[c], &group[c]));
            lost_add(lost, off, other[columns + c]);
            *off += other[2 * columns + c];
        }
        rows += count_of(other, columns);
    }
    memcpy(&group[3 * columns], &rows, sizeof rows);
}

/* Results that wait to be rounded together. */
typedef struct {
    many_ends ends;
    size_t count, n[ENDS_TOGETHER], group[ENDS_TOGETHER], column[ENDS_TOGETHER];
} waiting_results;

typedef struct {
    const group_work *sums;
    const cpu_tier *tier;
    format_description format;
    _Alignas(8) char empty[8]; /* the result of no rows */
    char *results;
    size_t apart;
    int64_t *numbers, *counts;
} result_work;

static void round_waiting(const result_work *w, waiting_results *some) {
    const size_t size = (size_t)w->format.size;
    _Alignas(8) char results[ENDS_TOGETHER * 8];
    if (!some->count) return;
    const uint64_t open =
        ends_results(w->tier, ENDS_ALONE, &some->ends, some->n, some->count, w->sums->of.job, w->format, results);
    for (size_t i = 0; i < some->count; i++)
        if (open >> i & 1)
            w->numbers[some->group[i]] = 0;
        else
            memcpy(w->results + (some->group[i] * w->apart + some->column[i]) * size, results + i * size, size);
    some->count = 0;
}

/* Where nothing is lost they are 0 and -0, so that a zero keeps its sign. */
static sum_ends ends_of(double sum, double lost, double off) {
    const double radius = lost_radius(lost, off);
    const sum_ends ends = { sum, radius - lost, radius + lost };
    return ends.low == 0 && ends.up == 0 ? (sum_ends){ sum, 0.0, -0.0 } : ends;
}

static void finish_group(const result_work *w, size_t g, waiting_results *some) {
    const size_t columns = w->sums->of.columns;
    double *group = w->sums->states + g * w->sums->group;
    if (w->sums->open && w->sums->open[g] < 0) return;
    merge_ranges(w->sums, group);
    const int64_t rows = count_of(group, columns);
    w->numbers[g] = -1;
    if (w->counts) w->counts[g] = rows;
    for (size_t c = 0; c < columns; c++) {
        if (!rows) {
            memcpy(w->results + (g * w->apart + c) * (size_t)w->format.size, w->empty, (size_t)w->format.size);
            continue;
        }
        ends_put(&some->ends, some->count, ends_of(group[c], group[columns + c], group[2 * columns + c]));
        some->n[some->count] = (size_t)rows, some->group[some->count] = g, some->column[some->count] = c;
        if (++some->count == ENDS_TOGETHER) round_waiting(w, some);
    }
}

static void run_results(const void *work, size_t first, size_t last) {
    waiting_results some;
    some.count = 0;
    for (size_t g = first; g < last; g++) finish_group(work, g, &some);
    round_waiting(work, &some);
}

/* From marks to numbers; answers how many there are. */
static size_t number_open(int64_t *numbers, size_t groups) {
    size_t open = 0;
    for (size_t g = 0; g < groups; g++)
        if (numbers[g] >= 0) numbers[g] = (int64_t)open++;
    return open;
}

size_t group_sums(const cpu_context *context, const group_columns *columns, void *states, char *results, size_t apart,
                  int64_t *numbers, int64_t *counts) {
    const quire_keys *keys = columns->keys;
    const size_t ranges = ranges_of(context, keys);
    group_windows windows[RANGES];
    group_work w = { *columns, states, words_of(columns->columns), ranges, keys->n / ranges + 1, NULL, NULL };
    const format_description format = describe_format(columns->job->result_type);
    quire_job none = *columns->job;
    none.n = 0;
    result_work r = { &w, context->tier, format, { 0 }, results, apart, numbers, counts };
    vector_reduce(context, &none, 0, 0, r.empty);
    if (has_windows(keys, columns->columns, ranges)) w.windows = windows;
    for (;;) {
        int are_used = 0;
        units_run(context, run_ranges, &w, ranges, 1, (int)ranges);
        units_run(context, run_results, &r, keys->groups, TOGETHER, (int)ranges);
        const size_t open = number_open(numbers, keys->groups);
        for (size_t i = 0; w.windows && i < ranges; i++) are_used |= windows[i].is_used;
        if (!open || !are_used) return open;
        w.windows = NULL;
        w.open = numbers;
    }
}
