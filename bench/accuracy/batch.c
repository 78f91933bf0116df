/* batch.c - vectors laid out, answers found, the library called.
 *
 * SPDX-License-Identifier: MIT
 */
#include "batch.h"

#include <stdlib.h>
#include <string.h>

#include "../terminal.h"
#include "gpu.h"
#include "model.h"
#include "place.h"

#define GAP 3 /* elements between vectors that belong to none, at the most */
#define MOST_ELEMENTS (BATCH_ELEMENTS + GAP * (size_t)BATCH_VECTORS)
#define LINE 64

/* --------------------------------------------------------------------------------------------------------------- names */

const char *arrangement_name(arrangement which) {
    static const char *const names[ARRANGEMENTS] = { "rows", "columns", "middle axis", "segments" };
    return names[which];
}

const char *rounding_name(quire_rounding rounding) {
    static const char *const names[ROUNDING_COUNT] = { "to nearest", "downward", "upward", "toward zero" };
    return names[rounding];
}

static const size_t CLASS_ENDS[LENGTH_CLASSES] = { 0, 1, 4, 8, 16, 32, 64, 256, BATCH_LONGEST };

int length_class(size_t n) {
    int i = 0;
    while (n > CLASS_ENDS[i]) i++;
    return i;
}

const char *length_class_name(int which) {
    static const char *const names[LENGTH_CLASSES] = {
        "0", "1", "2-4", "5-8", "9-16", "17-32", "33-64", "65-256", "257-4096"
    };
    return names[which];
}

/* -------------------------------------------------------------------------------------------------------------- memory */

void batch_room(size_t room[SLOTS]) {
    room[SLOT_X] = room[SLOT_Y] = MOST_ELEMENTS * sizeof(double) + 2 * LINE;
    room[SLOT_RESULTS] = BATCH_VECTORS * sizeof(double);
    room[SLOT_BEGIN] = room[SLOT_END] = BATCH_VECTORS * sizeof(int64_t);
}

bool batch_open(batch *b) {
    size_t room[SLOTS];
    batch_room(room);
    bool enough = (b->results = aligned_alloc(LINE, room[SLOT_RESULTS])) != NULL;
    for (int i = 0; i < 2; i++) enough &= (b->room[i] = aligned_alloc(LINE, room[SLOT_X] / LINE * LINE)) != NULL;
    for (int i = 0; i < BATCH_QUESTIONS; i++) enough &= (b->expected[i] = aligned_alloc(LINE, room[SLOT_RESULTS])) != NULL;
    return enough || complain("too little memory");
}

void batch_close(batch *b) {
    free(b->results);
    for (int i = 0; i < 2; i++) free(b->room[i]);
    for (int i = 0; i < BATCH_QUESTIONS; i++) free(b->expected[i]);
}

/* ------------------------------------------------------------------------------------------------------------- layouts */

static size_t start_of(const batch *b, const quire_layout *l, size_t r) {
    if (b->arrangement == SEGMENTS) return b->begin[r];
    return r / l->inner * (size_t)l->outer_stride + r % l->inner * (size_t)l->inner_stride;
}

/* How many vectors: mostly thousands, now and then a few. */
static size_t choose_vectors(generator *g, size_t n) {
    const size_t most = n > BATCH_ELEMENTS / BATCH_VECTORS ? BATCH_ELEMENTS / n : BATCH_VECTORS;
    if (generator_below(g, 32) == 0) return 1 + (size_t)generator_below(g, 16);
    return most / 2 + 1 + (size_t)generator_below(g, most / 2);
}

/* One after the other, with gaps, of any length up to n; then shuffled. */
static void cut_segments(batch *b, generator *g) {
    const size_t n = b->of.n;
    size_t at = 0;
    for (size_t r = 0; r < b->vectors; r++) {
        at += (size_t)generator_below(g, GAP + 1);
        b->length[r] = generator_below(g, 4) ? (size_t)generator_below(g, n + 1) : n;
        b->begin[r] = at;
        at += b->length[r];
    }
    b->elements = at;
    for (size_t r = b->vectors; r > 1; r--) {
        const size_t other = (size_t)generator_below(g, r), begin = b->begin[other], length = b->length[other];
        b->begin[other] = b->begin[r - 1], b->length[other] = b->length[r - 1];
        b->begin[r - 1] = begin, b->length[r - 1] = length;
    }
    b->index = generator_below(g, 2) ? QUIRE_I32 : QUIRE_I64;
    for (size_t r = 0; r < b->vectors; r++) {
        const size_t ends[2] = { b->begin[r], b->begin[r] + b->length[r] };
        for (int i = 0; i < 2; i++)
            if (b->index == QUIRE_I64)
                b->offsets[i][r] = (int64_t)ends[i];
            else
                ((int32_t *)b->offsets[i])[r] = (int32_t)ends[i];
    }
}

/* y lies as x does, or one vector after the other. */
static void choose_layouts(batch *b, generator *g) {
    const size_t n = b->of.n, gap = (size_t)generator_below(g, 2) * (size_t)generator_below(g, GAP + 1);
    const ptrdiff_t signed_n = (ptrdiff_t)n;
    if (b->arrangement == MIDDLE_AXIS) {
        const size_t inner = 2 + (size_t)generator_below(g, 14), outer = b->vectors < inner ? 1 : b->vectors / inner;
        const ptrdiff_t stride = (ptrdiff_t)inner;
        b->vectors = outer * inner;
        b->x_layout = (quire_layout){ outer, n, inner, signed_n * stride, stride, 1 };
        b->elements = b->vectors * n;
    } else if (b->arrangement == ROWS) {
        b->x_layout = quire_rows(b->vectors, n, signed_n + (ptrdiff_t)gap);
        b->elements = b->vectors * (n + gap);
    } else {
        b->x_layout = quire_columns(n, b->vectors, (ptrdiff_t)(b->vectors + gap));
        b->elements = n * (b->vectors + gap);
    }
    b->y_layout = b->x_layout;
    if (generator_below(g, 2)) {
        b->y_layout.outer_stride = signed_n * (ptrdiff_t)b->x_layout.inner;
        b->y_layout.stride = 1;
        b->y_layout.inner_stride = signed_n;
    }
    for (size_t r = 0; r < b->vectors; r++) b->length[r] = n;
}

/* Between vectors there are NaNs, so that what reads too far is found. */
static void lay_out(batch *b, generator *g) {
    const size_t size = type_size(b->of.type);
    b->arrangement = (arrangement)generator_below(g, ARRANGEMENTS);
    b->vectors = choose_vectors(g, b->of.n);
    if (b->arrangement == SEGMENTS)
        cut_segments(b, g);
    else
        choose_layouts(b, g);
    b->x = b->room[0] + generator_below(g, LINE / size) * size;
    b->y = b->room[1] + generator_below(g, LINE / size) * size;
    memset(b->x, 0xff, b->elements * size);
    if (b->of.operation == OPERATION_DOT) memset(b->y, 0xff, b->elements * size);
    memset(b->lengths, 0, sizeof b->lengths);
    for (size_t r = 0; r < b->vectors; r++) b->lengths[length_class(b->length[r])]++;
}

/* ------------------------------------------------------------------------------------------------------------- answers */

/* Four of exact, two of each other method. The draw is the same whatever methods are asked for. */
static void choose_questions(batch *b, generator *g, const arena *a, set methods) {
    b->question_count = 0;
    for (int i = 0; i < BATCH_QUESTIONS; i++) {
        const int m = i < 4 ? 0 : (i - 2) / 2;
        question q = { METHODS[m], b->of.type, QUIRE_TO_NEAREST, a->open[generator_below(g, (uint64_t)a->count)] };
        if (generator_below(g, 2)) q.result_type = TYPES[generator_below(g, TYPE_COUNT)];
        if (generator_below(g, 2)) q.rounding = (quire_rounding)generator_below(g, ROUNDING_COUNT);
        if (set_has(methods, m)) b->questions[b->question_count++] = q;
    }
}

typedef struct scratch {
    _Alignas(LINE) unsigned char x[BATCH_LONGEST * sizeof(double)], y[BATCH_LONGEST * sizeof(double)];
} scratch;

test_case batch_vector(const batch *b, size_t r) {
    test_case c = b->of;
    c.n = b->length[r];
    c.seed += r;
    return c;
}

static void fill_vector(const test_case *c, scratch *s) {
    if (c->operation == OPERATION_DOT)
        family_fill_pair(c->source->family, c->type, c->seed, c->n, s->x, s->y);
    else
        family_fill(c->source->family, c->type, c->seed, c->n, s->x);
}

static void scatter(quire_type type, size_t n, const void *from, unsigned char *to, size_t start, ptrdiff_t stride) {
    const size_t size = type_size(type);
    to += start * size;
    if (stride == 1)
        memcpy(to, from, n * size);
    else
        for (size_t k = 0; k < n; k++) type_store(type, to, k * (size_t)stride, type_load(type, from, k));
}

static uint64_t slow_answer(const test_case *c, const scratch *s, truth *t, const question *q) {
    if (q->method != QUIRE_EXACT)
        return model_directed(c->operation, model_reduce(c->operation, c->type, c->n, s->x, s->y, q->method), c->n,
                              q->result_type, q->rounding);
    oracle_reset(&t->mpfr);
    oracle_add(&t->mpfr, c->operation, c->type, c->n, s->x, s->y);
    return oracle_directed(&t->mpfr, c->operation, q->result_type, q->rounding);
}

uint64_t batch_slow_answer(const batch *b, truth *t, const question *q, size_t r) {
    const test_case c = batch_vector(b, r);
    scratch s;
    fill_vector(&c, &s);
    return slow_answer(&c, &s, t, q);
}

/* Questions about one method stand together. */
static void answer(batch *b, truth *t, const test_case *c, const scratch *s, size_t r, bool sample) {
    unrounded u = { .kind = UNROUNDED_NAN };
    for (int i = 0; i < b->question_count; i++) {
        const question *q = &b->questions[i];
        const bool same = i && b->questions[i - 1].method == q->method;
        if (!same && q->method == QUIRE_EXACT)
            u = words_reduce(&t->sum, c->operation, c->type, c->n, s->x, s->y);
        else if (!same)
            u = ordered_reduce(t->tables, &t->sum, c->operation, c->type, c->n, s->x, s->y, q->method);
        const uint64_t bits = unrounded_bits(&u, q->result_type, q->rounding);
        type_store(q->result_type, b->expected[i], r, bits);
        if (!sample) continue;
        b->sampled++;
        b->sampled_wrong += bits != slow_answer(c, s, t, q);
    }
}

void batch_make(batch *b, truth *t, const test_case *c, const arena *a, set methods) {
    scratch s;
    generator g;
    generator_seed(&g, ~c->seed);
    b->of = *c;
    b->sampled = b->sampled_wrong = 0;
    lay_out(b, &g);
    choose_questions(b, &g, a, methods);
    for (size_t r = 0; r < b->vectors; r++) {
        const test_case vector = batch_vector(b, r);
        fill_vector(&vector, &s);
        const ptrdiff_t stride = b->arrangement == SEGMENTS ? 1 : b->x_layout.stride;
        const ptrdiff_t y_stride = b->arrangement == SEGMENTS ? 1 : b->y_layout.stride;
        scatter(c->type, vector.n, s.x, b->x, start_of(b, &b->x_layout, r), stride);
        if (c->operation == OPERATION_DOT) scatter(c->type, vector.n, s.y, b->y, start_of(b, &b->y_layout, r), y_stride);
        answer(b, t, &vector, &s, r, generator_below(&g, BATCH_SAMPLE) == 0);
    }
}

/* --------------------------------------------------------------------------------------------------------- the library */

/* On the device arrays begin at the same place in 64 bytes; its allocations are aligned to 256. */
static void *device_x(const batch *b, const arena *a) { return a->device[SLOT_X] + (uintptr_t)b->x % LINE; }

static void *device_y(const batch *b, const arena *a) { return a->device[SLOT_Y] + (uintptr_t)b->y % LINE; }

static bool sent(bool fine) { return fine || complain("copying to the GPU or back: %s", gpu_error()); }

bool batch_send(const batch *b, const arena *a) {
    const size_t bytes = b->elements * type_size(b->of.type);
    const size_t offsets = b->vectors * (b->index == QUIRE_I32 ? sizeof(int32_t) : sizeof(int64_t));
    if (!arena_has_gpu(a)) return true;
    bool fine = gpu_send(a->stream, device_x(b, a), b->x, bytes);
    if (b->of.operation == OPERATION_DOT) fine = fine && gpu_send(a->stream, device_y(b, a), b->y, bytes);
    if (b->arrangement == SEGMENTS)
        fine = fine && gpu_send(a->stream, a->device[SLOT_BEGIN], b->offsets[0], offsets) &&
               gpu_send(a->stream, a->device[SLOT_END], b->offsets[1], offsets);
    return sent(fine);
}

static quire_status call(const batch *b, quire_context *context, const question *q, const void *begin, const void *end,
                         const void *x, const void *y, void *results) {
    const quire_reduction what = { .operation = place_operation(b->of.operation),
                                   .type = b->of.type,
                                   .result_type = q->result_type,
                                   .method = q->method,
                                   .rounding = q->rounding };
    if (b->of.operation != OPERATION_DOT) y = NULL;
    if (b->arrangement == SEGMENTS)
        return quire_reduce_segments(context, &what, b->vectors, b->index, begin, end, x, y, results);
    return quire_reduce(context, &what, &b->x_layout, x, y ? &b->y_layout : NULL, y, results);
}

bool batch_ask(batch *b, const arena *a, const question *q, quire_status *status) {
    const size_t bytes = b->vectors * type_size(q->result_type);
    quire_context *context = a->context[q->way];
    memset(b->results, 0x5a, bytes);
    if (!arena_way_is_gpu(q->way)) {
        *status = call(b, context, q, b->offsets[0], b->offsets[1], b->x, b->y, b->results);
        return true;
    }
    if (!sent(gpu_send(a->stream, a->device[SLOT_RESULTS], b->results, bytes))) return false;
    *status = call(b, context, q, a->device[SLOT_BEGIN], a->device[SLOT_END], device_x(b, a), device_y(b, a),
                   a->device[SLOT_RESULTS]);
    return sent(gpu_fetch(a->stream, b->results, a->device[SLOT_RESULTS], bytes));
}
