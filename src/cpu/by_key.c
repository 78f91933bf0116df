/* by_key.c - sums by key on the CPU: exact sums of floats and doubles go to their groups as they come; for all else,
 * and for what these leave open, rows are brought into the order of their groups, and each group's rows are a segment.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/groups.h"
#include "cpu/layouts.h"

#include <string.h>

static size_t size_of(quire_index index) { return index == QUIRE_I32 ? sizeof(int32_t) : sizeof(int64_t); }

/* What an order consists of. */
static keyed_elements row_numbers(quire_index index) { return (keyed_elements){ NULL, 0, size_of(index) }; }

size_t cpu_order_workspace(quire_context *context, const quire_keys *keys) {
    const cpu_context c = cpu_context_of(context);
    return key_order_workspace(&c, keys, row_numbers(keys->index));
}

quire_status cpu_order_by_key(quire_context *context, const quire_keys *keys, void *order, void *offsets,
                              void *workspace) {
    const cpu_context c = cpu_context_of(context);
    key_order(&c, keys, row_numbers(keys->index), keys->index, order, offsets, workspace);
    return QUIRE_OK;
}

/* What a workspace holds, in bytes from its beginning; bytes: of all, 0: too large. */
typedef struct {
    quire_index index; /* of the order */
    size_t size;       /* of one of it */
    int has_sums;      /* else there are only those up to the sort's own */
    size_t order, offsets, sort, states, numbers, keys, results, bytes;
} by_key_plan;

static int take(size_t *bytes, size_t *at, size_t count, size_t size) {
    *at = *bytes;
    return workspace_add(bytes, count, size);
}

/* One column of one array is sorted where its states would be more than caches hold. */
#define MOST_STATES ((size_t)1 << 19)

static by_key_plan plan_of(const cpu_context *context, const quire_job *job, const quire_keys *keys,
                           const quire_layout *x, int arrays) {
    const size_t inner = x->outer ? x->inner : 0;
    const int is_sorted = x->outer == 1 && inner == 1 && arrays == 1 && keys->groups > MOST_STATES;
    by_key_plan p = { .index = keys->n <= INT32_MAX ? QUIRE_I32 : QUIRE_I64 };
    const size_t element = (size_t)element_size(job->type), groups = keys->groups;
    const size_t columns = inner < GROUP_COLUMNS ? inner : GROUP_COLUMNS;
    const size_t of_rows = key_order_workspace(context, keys, row_numbers(p.index));
    const size_t of_elements = key_order_workspace(context, keys, (keyed_elements){ (const char *)job, 0, element });
    const size_t sort = of_rows && of_elements ? (of_rows > of_elements ? of_rows : of_elements) : 0;
    size_t bytes = 0;
    p.size = size_of(p.index);
    p.has_sums = inner && groups && !is_sorted && has_group_sums(job, keys);
    int fits = sort && take(&bytes, &p.order, keys->n, p.size > element ? p.size : element) &&
               take(&bytes, &p.offsets, groups + 1, p.size) && take(&bytes, &p.sort, sort, 1);
    if (fits && p.has_sums) {
        const size_t states = group_sums_states(context, keys, columns);
        fits = states && take(&bytes, &p.states, states, 1) && take(&bytes, &p.numbers, groups, sizeof(int64_t)) &&
               take(&bytes, &p.keys, keys->n, p.size) && take(&bytes, &p.results, groups * columns, sizeof(double));
    }
    p.bytes = fits ? bytes : 0;
    return p;
}

size_t cpu_by_key_workspace(quire_context *context, const quire_job *job, const quire_keys *keys,
                            const quire_layout *x_layout, int arrays) {
    const cpu_context c = cpu_context_of(context);
    return plan_of(&c, job, keys, x_layout, arrays).bytes;
}

/* -------------------------------------------------------------------------------------------------------- by a sort */

static void count_groups(const quire_segments *s, int64_t *counts) {
    for (size_t g = 0; g < s->count; g++) counts[g] = (int64_t)segment_at(s, g).n;
}

/* One column of one array: its elements themselves are sorted. */
static quire_status reduce_column(quire_context *context, const quire_job *job, const quire_keys *keys,
                                  const by_key_plan *p, char *workspace, const quire_layout *x, int64_t *counts) {
    const cpu_context c = cpu_context_of(context);
    const size_t size = (size_t)element_size(job->type);
    const keyed_elements elements = { job->x, x->n > 1 ? x->stride * (ptrdiff_t)size : 0, size };
    char *offsets = workspace + p->offsets;
    const quire_segments segments = { keys->groups, p->index, offsets, offsets + p->size };
    quire_job sorted = *job;
    sorted.x = sorted.y = workspace + p->order;
    key_order(&c, keys, elements, p->index, workspace + p->order, offsets, workspace + p->sort);
    if (counts) count_groups(&segments, counts);
    return cpu_reduce_segments(context, &sorted, &segments);
}

/* Whether y is not read beside x. */
static int is_one_array(const quire_job *job, const quire_layout *x, const quire_layout *y) {
    return job->y == job->x && memcmp(x, y, sizeof *x) == 0;
}

/* Rows of layouts by their keys, in the order of a plan. */
static quire_status reduce_sorted(quire_context *context, const quire_job *job, const quire_keys *keys,
                                  const by_key_plan *p, char *workspace, const quire_layout *x, const quire_layout *y,
                                  int64_t *counts) {
    const cpu_context c = cpu_context_of(context);
    char *order = workspace + p->order, *offsets = workspace + p->offsets;
    const quire_gathered rows = { { keys->groups, p->index, offsets, offsets + p->size }, order, order, *x, *y };
    if (x->outer == 1 && x->inner == 1 && x->n && is_one_array(job, x, y))
        return reduce_column(context, job, keys, p, workspace, x, counts);
    key_order(&c, keys, row_numbers(p->index), p->index, order, offsets, workspace + p->sort);
    if (counts) count_groups(&rows.segments, counts);
    return x->outer && x->inner ? cpu_reduce_gathered(context, job, &rows) : QUIRE_OK;
}

/* ----------------------------------------------------------------------------------------------------- as they come */

/* Columns of one outer vector, and where their results go, `apart` from group to group. */
typedef struct {
    group_columns of;
    quire_layout x, y; /* the same columns */
    char *results;
    size_t apart;
} plane;

static const char *element_at(const void *x, const quire_layout *l, size_t outer, size_t column, size_t size) {
    const ptrdiff_t at = (ptrdiff_t)outer * l->outer_stride + (ptrdiff_t)column * l->inner_stride;
    return l->n ? (const char *)x + at * (ptrdiff_t)size : x;
}

static plane plane_of(const quire_job *job, const quire_keys *keys, const quire_layout *x, const quire_layout *y,
                      size_t outer, size_t column) {
    const size_t left = x->inner - column, size = (size_t)describe_format(job->type).size;
    const byte_strides of_x = strides_of(x, size), of_y = strides_of(y, size);
    plane p = { .of = { .job = job, .keys = keys }, .x = *x, .y = *y, .apart = x->inner };
    p.of.columns = left < GROUP_COLUMNS ? left : GROUP_COLUMNS;
    p.of.x = element_at(job->x, x, outer, column, size), p.of.y = element_at(job->y, y, outer, column, size);
    p.of.x_row = of_x.element, p.of.y_row = of_y.element, p.of.x_inner = of_x.inner, p.of.y_inner = of_y.inner;
    p.x.outer = p.y.outer = 1, p.x.inner = p.y.inner = p.of.columns;
    p.results = (char *)job->result +
                (outer * keys->groups * x->inner + column) * (size_t)describe_format(job->result_type).size;
    return p;
}

/* The rows of the groups that are left open, by the number of these. */
static void number_keys(const quire_keys *keys, const int64_t *numbers, quire_index index, void *to) {
    for (size_t row = 0; row < keys->n; row++) {
        const uint64_t key = key_at(keys, row);
        index_put(to, row, index == QUIRE_I64, key < keys->groups ? numbers[key] : -1);
    }
}

/* The groups of a plane that are left open. */
static void reduce_open(quire_context *context, const plane *p, const by_key_plan *plan, char *workspace, size_t open) {
    const quire_keys *all = p->of.keys;
    const int64_t *numbers = (const int64_t *)(workspace + plan->numbers);
    const quire_keys keys = { open, all->n, plan->index, workspace + plan->keys };
    const size_t size = (size_t)describe_format(p->of.job->result_type).size, columns = p->of.columns;
    const char *results = workspace + plan->results;
    quire_job job = *p->of.job;
    job.x = p->of.x, job.y = p->of.y, job.result = workspace + plan->results;
    number_keys(all, numbers, plan->index, workspace + plan->keys);
    reduce_sorted(context, &job, &keys, plan, workspace, &p->x, &p->y, NULL);
    for (size_t g = 0; g < all->groups; g++)
        if (numbers[g] >= 0)
            memcpy(p->results + g * p->apart * size, results + (size_t)numbers[g] * columns * size, columns * size);
}

quire_status cpu_reduce_by_key(quire_context *context, const quire_job *job, const quire_keys *keys,
                               const quire_layout *x_layout, const quire_layout *y_layout, int64_t *counts,
                               void *workspace) {
    const cpu_context c = cpu_context_of(context);
    char *const room = workspace;
    const by_key_plan p = plan_of(&c, job, keys, x_layout, is_one_array(job, x_layout, y_layout) ? 1 : 2);
    if (!p.has_sums || c.report) return reduce_sorted(context, job, keys, &p, room, x_layout, y_layout, counts);
    for (size_t i = 0; i < x_layout->outer; i++)
        for (size_t j = 0; j < x_layout->inner; j += GROUP_COLUMNS) {
            const plane columns = plane_of(job, keys, x_layout, y_layout, i, j);
            const size_t open = group_sums(&c, &columns.of, room + p.states, columns.results, columns.apart,
                                           (int64_t *)(room + p.numbers), i || j ? NULL : counts);
            if (open) reduce_open(context, &columns, &p, room, open);
        }
    return QUIRE_OK;
}
