/* by_key.c - sums by key on the CPU: rows in the order of their groups, and of each group's rows a segment.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/key_order.h"
#include "cpu/layouts.h"

size_t cpu_order_workspace(quire_context *context, const quire_keys *keys) {
    const cpu_context c = cpu_context_of(context);
    return key_order_workspace(&c, keys);
}

quire_status cpu_order_by_key(quire_context *context, const quire_keys *keys, void *order, void *offsets,
                              void *workspace) {
    const cpu_context c = cpu_context_of(context);
    key_order(&c, keys, keys->index, order, offsets, workspace);
    return QUIRE_OK;
}

/* A workspace holds the order, the offsets, and what is needed to find them. */
typedef struct {
    quire_index index;
    size_t offsets, workspace, bytes; /* where they are, behind the order, and where they end; 0: too large */
} by_key_plan;

static by_key_plan plan_of(const cpu_context *context, const quire_keys *keys) {
    by_key_plan p = { keys->n <= INT32_MAX ? QUIRE_I32 : QUIRE_I64, 0, 0, 0 };
    const size_t size = p.index == QUIRE_I32 ? sizeof(int32_t) : sizeof(int64_t);
    const size_t more = key_order_workspace(context, keys);
    size_t bytes = 0;
    int fits = more && workspace_add(&bytes, keys->n, size);
    p.offsets = bytes;
    fits = fits && workspace_add(&bytes, keys->groups + 1, size);
    p.workspace = bytes;
    fits = fits && workspace_add(&bytes, more, 1);
    p.bytes = fits ? bytes : 0;
    return p;
}

size_t cpu_by_key_workspace(quire_context *context, const quire_job *job, const quire_keys *keys,
                            const quire_layout *x_layout, int arrays) {
    const cpu_context c = cpu_context_of(context);
    (void)job, (void)x_layout, (void)arrays;
    return plan_of(&c, keys).bytes;
}

static void count_groups(const quire_segments *s, int64_t *counts) {
    for (size_t g = 0; g < s->count; g++)
        counts[g] = s->index == QUIRE_I64 ? ((const int64_t *)s->end)[g] - ((const int64_t *)s->begin)[g]
                                          : ((const int32_t *)s->end)[g] - ((const int32_t *)s->begin)[g];
}

quire_status cpu_reduce_by_key(quire_context *context, const quire_job *job, const quire_keys *keys,
                               const quire_layout *x_layout, const quire_layout *y_layout, int64_t *counts,
                               void *workspace) {
    const cpu_context c = cpu_context_of(context);
    const by_key_plan p = plan_of(&c, keys);
    char *order = workspace, *offsets = order + p.offsets;
    const size_t size = p.index == QUIRE_I32 ? sizeof(int32_t) : sizeof(int64_t);
    const quire_gathered rows = {
        { keys->groups, p.index, offsets, offsets + size }, order, order, *x_layout, *y_layout
    };
    key_order(&c, keys, p.index, order, offsets, order + p.workspace);
    if (counts) count_groups(&rows.segments, counts);
    return x_layout->outer && x_layout->inner ? cpu_reduce_gathered(context, job, &rows) : QUIRE_OK;
}
