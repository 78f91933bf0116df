/* place.c - the calls, which are the same everywhere: lend the arrays to the place, call, collect. */
#define _POSIX_C_SOURCE 200809L
#include "place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "number.h"

static const place *const PLACES[] = {
    &PLACE_CPU,
#ifdef QUIRE_TEST_CUDA
    &PLACE_CUDA,
#endif
};

/* Bytes of an element or of a result. */
static size_t size_of(quire_type type) {
    switch ((int)type) {
    case QUIRE_INT8:
    case QUIRE_UINT8: return 1;
    case QUIRE_INT16:
    case QUIRE_UINT16: return 2;
    case QUIRE_INT32:
    case QUIRE_UINT32: return 4;
    case QUIRE_INT64:
    case QUIRE_UINT64: return 8;
    case QUIRE_INT128: return 16;
    default: return type_size(type);
    }
}

/* That of results, by default as elements; of integers doubles. */
static size_t result_size_of(const quire_reduction *what) {
    if (what->result_type) return size_of(what->result_type);
    return what->type >= QUIRE_INT8 ? sizeof(double) : size_of(what->type);
}

#define PLACE_COUNT (sizeof PLACES / sizeof *PLACES)
#define MAX_VARIANTS 64

/* What is open at each place, each variant from its first use on. */
static struct opened {
    quire_context *context; /* in use, if used */
    int used;
    quire_context *of[MAX_VARIANTS];
    int tried[MAX_VARIANTS], had[MAX_VARIANTS];
} opened[PLACE_COUNT];

static const place *chosen;
static struct opened *now; /* of the chosen place */

int place_choose(const char *name) {
    for (size_t i = 0; i < PLACE_COUNT; i++)
        if (!strcmp(name, PLACES[i]->name)) {
            chosen = PLACES[i];
            now = &opened[i];
            return 1;
        }
    return 0;
}

static const place *the_place(void) {
    if (chosen) return chosen;
    const char *name = getenv("QUIRE_TEST_PLACE");
    if (!name || !*name) name = PLACES[0]->name;
    if (!place_choose(name)) { /* a misspelt place must not pass as a tested one */
        fprintf(stderr, "QUIRE_TEST_PLACE: no place is named %s\n", name);
        abort();
    }
    return chosen;
}

const char *place_unavailable(void) { return the_place()->unavailable(); }

const char *place_name(void) { return the_place()->name; }

const char *place_reserve(size_t bytes) { return the_place()->reserve(bytes); }

/* --------------------------------------------------------------------------------------------------------- contexts */

size_t place_variants(void) { return the_place()->variants; }

const char *place_use(size_t variant) {
    const place *there = the_place();
    if (!now->tried[variant]) {
        quire_status status = there->open(variant, &now->of[variant]);
        if (status != QUIRE_OK && status != QUIRE_TIER_UNAVAILABLE) {
            fprintf(stderr, "%s, %s: %s\n", place_name(), there->variant_name(variant), quire_status_string(status));
            abort();
        }
        now->tried[variant] = 1;
        now->had[variant] = status == QUIRE_OK;
    }
    if (!now->had[variant]) return NULL;
    now->context = now->of[variant];
    now->used = 1;
    return there->variant_name(variant);
}

quire_context *place_context(void) {
    the_place();
    if (!now->used) place_use(0); /* not over a variant that a test has chosen */
    return now->context;
}

void place_set_context(quire_context *context) {
    place_context(); /* the place is open from here on, and will not put its default over the test's own */
    now->context = context;
}

void place_close(void) {
    for (size_t i = 0; i < PLACE_COUNT; i++)
        for (size_t v = 0; v < PLACES[i]->variants; v++) quire_close(opened[i].of[v]);
    memset(opened, 0, sizeof opened);
    chosen = NULL;
    now = NULL;
}

/* ------------------------------------------------------------------------------------------------------------ calls */

/* The arrays are only read by the calls; a place may copy them, so the const is kept in spirit. */
static void *lend(place_slot slot, const void *host, size_t size) {
    place_context();
    return the_place()->lend(slot, (void *)(uintptr_t)host, size);
}

quire_status place_reduce(operation op, quire_type type, size_t n, const void *x, const void *y, quire_method method,
                          quire_type result_type, void *result) {
    quire_context *context = place_context();
    size_t size = n * size_of(type);
    const void *u = lend(PLACE_X, x, size);
    const void *v = op == OPERATION_DOT ? lend(PLACE_Y, y, size) : NULL;
    void *r = lend(PLACE_RESULT, result, size_of(result_type));
    const quire_status status = call_operation(context, op, type, n, u, v, method, result_type, r);
    the_place()->collect(PLACE_RESULT, result, size_of(result_type));
    return status;
}

quire_status place_reduction(const quire_reduction *what, size_t n, const void *x, const void *y, void *result) {
    quire_context *context = place_context();
    const quire_layout layout = quire_strided(n, 1);
    const size_t result_size = result_size_of(what);
    const void *u = lend(PLACE_X, x, n * size_of(what->type));
    const void *v = operation_reads_two(what->operation) ? lend(PLACE_Y, y, n * size_of(what->type)) : NULL;
    void *r = lend(PLACE_RESULT, result, result_size);
    const quire_status status = quire_reduce(context, what, &layout, u, NULL, v, r);
    the_place()->collect(PLACE_RESULT, result, result_size);
    return status;
}

quire_status place_accumulate(quire_accumulator *accumulator, quire_type type, size_t n, const void *x) {
    const void *u = lend(PLACE_X, x, n * size_of(type));
    void *r = lend(PLACE_RESULT, accumulator, sizeof *accumulator);
    quire_status status = quire_accumulate(place_context(), r, type, n, u);
    the_place()->collect(PLACE_RESULT, accumulator, sizeof *accumulator);
    return status;
}

quire_status place_accumulate_magnitudes(quire_accumulator *accumulator, quire_type type, size_t n, const void *x) {
    const void *u = lend(PLACE_X, x, n * size_of(type));
    void *r = lend(PLACE_RESULT, accumulator, sizeof *accumulator);
    quire_status status = quire_accumulate_magnitudes(place_context(), r, type, n, u);
    the_place()->collect(PLACE_RESULT, accumulator, sizeof *accumulator);
    return status;
}

quire_status place_accumulate_products(quire_accumulator *accumulator, quire_type type, size_t n, const void *x,
                                       const void *y) {
    const void *u = lend(PLACE_X, x, n * size_of(type));
    const void *v = y == x ? u : lend(PLACE_Y, y, n * size_of(type));
    void *r = lend(PLACE_RESULT, accumulator, sizeof *accumulator);
    quire_status status = quire_accumulate_products(place_context(), r, type, n, u, v);
    the_place()->collect(PLACE_RESULT, accumulator, sizeof *accumulator);
    return status;
}

quire_status place_finish(const quire_reduction *what, size_t count, const quire_accumulator *sums,
                          const quire_accumulator *squares, void *results) {
    const size_t size = count * result_size_of(what);
    const void *s = lend(PLACE_X, sums, count * sizeof *sums);
    const void *q = squares ? lend(PLACE_Y, squares, count * sizeof *squares) : NULL;
    void *r = lend(PLACE_RESULT, results, size);
    const quire_status status = quire_finish_many(place_context(), what, count, s, q, r);
    the_place()->collect(PLACE_RESULT, results, size);
    return status;
}

quire_status place_accumulate_terms(operation op, quire_accumulator *accumulator, quire_type type, size_t n,
                                    const void *x, const void *y) {
    switch (op) {
    case OPERATION_ASUM: return place_accumulate_magnitudes(accumulator, type, n, x);
    case OPERATION_DOT: return place_accumulate_products(accumulator, type, n, x, y);
    case OPERATION_NRM2:
    case OPERATION_SUMSQ: return place_accumulate_products(accumulator, type, n, x, x);
    default: return place_accumulate(accumulator, type, n, x);
    }
}

/* ----------------------------------------------------------------------------------------------------- many vectors */

/* How far the least and the greatest element of a layout are from the one of index 0. */
static void extent(const quire_layout *l, ptrdiff_t *least, ptrdiff_t *greatest) {
    const size_t counts[3] = { l->outer, l->n, l->inner };
    const ptrdiff_t strides[3] = { l->outer_stride, l->stride, l->inner_stride };
    *least = *greatest = 0;
    for (int i = 0; i < 3; i++) {
        ptrdiff_t reach = counts[i] > 1 ? (ptrdiff_t)(counts[i] - 1) * strides[i] : 0;
        *(reach < 0 ? least : greatest) += reach;
    }
}

/* Where the element of index 0 is, once all that a layout reaches is lent. */
static const void *lend_layout(place_slot slot, const quire_layout *l, const void *x, size_t size) {
    ptrdiff_t least, greatest, bytes = (ptrdiff_t)size;
    if (!x || !l->outer || !l->n || !l->inner) return lend(slot, x, 0);
    extent(l, &least, &greatest);
    const char *lowest = lend(slot, (const char *)x + least * bytes, (size_t)(greatest - least + 1) * size);
    return lowest - least * bytes;
}

quire_status place_layouts(const quire_reduction *what, const quire_layout *x_layout, const void *x,
                           const quire_layout *y_layout, const void *y, void *results) {
    const size_t size = size_of(what->type), bytes = x_layout->outer * x_layout->inner * result_size_of(what);
    const void *u = lend_layout(PLACE_X, x_layout, x, size);
    const void *v = NULL;
    if (operation_reads_two(what->operation))
        v = y == x ? u : lend_layout(PLACE_Y, y_layout ? y_layout : x_layout, y, size);
    void *r = lend(PLACE_RESULT, results, bytes);
    quire_status status = quire_reduce(place_context(), what, x_layout, u, y_layout, v, r);
    the_place()->collect(PLACE_RESULT, results, bytes);
    return status;
}

quire_status place_segments(const quire_reduction *what, size_t segments, quire_index index, const void *begin,
                            const void *end, size_t elements, const void *x, const void *y, void *results) {
    const size_t size = elements * size_of(what->type), bytes = segments * result_size_of(what);
    const size_t offsets = segments * (index == QUIRE_I32 ? sizeof(int32_t) : sizeof(int64_t));
    const void *u = lend(PLACE_X, x, size);
    const void *v = operation_reads_two(what->operation) ? lend(PLACE_Y, y, size) : NULL;
    const void *b = lend(PLACE_BEGIN, begin, offsets), *e = lend(PLACE_END, end, offsets);
    void *r = lend(PLACE_RESULT, results, bytes);
    quire_status status = quire_reduce_segments(place_context(), what, segments, index, b, e, u, v, r);
    the_place()->collect(PLACE_RESULT, results, bytes);
    return status;
}

/* A layout's elements back to where they came from. */
static void collect_layout(place_slot slot, const quire_layout *l, void *x, size_t size) {
    ptrdiff_t least, greatest;
    if (!x || !l->outer || !l->n || !l->inner) return;
    extent(l, &least, &greatest);
    the_place()->collect(slot, (char *)x + least * (ptrdiff_t)size, (size_t)(greatest - least + 1) * size);
}

quire_status place_scan(const quire_reduction *what, quire_scan_kind kind, const quire_layout *x_layout, const void *x,
                        const quire_layout *results_layout, void *results) {
    const size_t size = size_of(what->type), result = result_size_of(what);
    const place_slot slot = results == x ? PLACE_X : PLACE_RESULT;
    const void *u = lend_layout(PLACE_X, x_layout, x, size);
    void *r = (void *)(uintptr_t)(results == x ? u : lend_layout(slot, results_layout, results, result));
    const quire_status status = quire_scan(place_context(), what, kind, x_layout, u, results_layout, r);
    collect_layout(slot, results_layout, results, result);
    return status;
}

/* ------------------------------------------------------------------------------------------------------ sums by key */

static size_t index_size(quire_index index) { return index == QUIRE_I32 ? sizeof(int32_t) : sizeof(int64_t); }

/* Memory for a workspace, at a multiple of 256 bytes, and with just so many; NULL if there is none. */
static void *workspace_new(size_t size) {
    void *workspace = NULL;
    return size && !posix_memalign(&workspace, 256, size) ? workspace : NULL;
}

quire_status place_order_by_key(size_t groups, quire_index index, size_t n, const void *keys, void *order,
                                void *offsets) {
    const size_t size = index_size(index), needed = quire_order_workspace(place_context(), groups, index, n);
    void *workspace = workspace_new(needed);
    const void *k = lend(PLACE_KEYS, keys, n * size);
    void *o = lend(PLACE_X_ORDER, order, n * size), *f = lend(PLACE_BEGIN, offsets, (groups + 1) * size);
    void *w = lend(PLACE_WORKSPACE, workspace, needed);
    const quire_status status = quire_order_by_key(place_context(), groups, index, n, k, o, f, w, needed);
    the_place()->collect(PLACE_X_ORDER, order, n * size);
    the_place()->collect(PLACE_BEGIN, offsets, (groups + 1) * size);
    free(workspace);
    return status;
}

/* Results of a reduction for each vector of a layout and each of so many parts, in bytes. */
static size_t results_size(const quire_reduction *what, const quire_layout *l, size_t parts) {
    return l->outer * l->inner * parts * result_size_of(what);
}

quire_status place_by_key(const quire_reduction *what, size_t groups, quire_index index, const void *keys,
                          const quire_layout *x_layout, const void *x, const quire_layout *y_layout, const void *y,
                          void *results, int64_t *counts) {
    const size_t needed = quire_by_key_workspace(place_context(), what, groups, index, x_layout);
    const size_t size = size_of(what->type), bytes = results_size(what, x_layout, groups);
    void *workspace = workspace_new(needed);
    const void *u = lend_layout(PLACE_X, x_layout, x, size), *v = NULL;
    if (operation_reads_two(what->operation))
        v = y == x ? u : lend_layout(PLACE_Y, y_layout ? y_layout : x_layout, y, size);
    const void *k = lend(PLACE_KEYS, keys, x_layout->n * index_size(index));
    void *r = lend(PLACE_RESULT, results, bytes), *c = lend(PLACE_COUNTS, counts, groups * sizeof *counts);
    void *w = lend(PLACE_WORKSPACE, workspace, needed);
    const quire_status status =
        quire_reduce_by_key(place_context(), what, groups, index, k, x_layout, u, y_layout, v, r, c, w, needed);
    the_place()->collect(PLACE_RESULT, results, bytes);
    if (counts) the_place()->collect(PLACE_COUNTS, counts, groups * sizeof *counts);
    free(workspace);
    return status;
}

quire_status place_gathered(const quire_reduction *what, const place_rows *rows, const quire_layout *x_layout,
                            const void *x, const quire_layout *y_layout, const void *y, void *results) {
    const size_t size = size_of(what->type), bytes = results_size(what, x_layout, rows->segments);
    const size_t offsets = rows->segments * index_size(rows->index), order = rows->entries * index_size(rows->index);
    const void *u = lend_layout(PLACE_X, x_layout, x, size), *v = NULL;
    if (operation_reads_two(what->operation))
        v = y == x ? u : lend_layout(PLACE_Y, y_layout ? y_layout : x_layout, y, size);
    const void *b = lend(PLACE_BEGIN, rows->begin, offsets), *e = lend(PLACE_END, rows->end, offsets);
    const void *i = lend(PLACE_X_ORDER, rows->x_order, order), *j = lend(PLACE_Y_ORDER, rows->y_order, order);
    void *r = lend(PLACE_RESULT, results, bytes);
    const quire_status status = quire_reduce_gathered(place_context(), what, rows->segments, rows->index, b, e, i,
                                                      x_layout, u, j, y_layout, v, r);
    the_place()->collect(PLACE_RESULT, results, bytes);
    return status;
}
