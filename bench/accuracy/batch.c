/* batch.c - vectors laid out, answers found, the library called.
 *
 * SPDX-License-Identifier: MIT
 */
#include "batch.h"

#include <stdlib.h>
#include <string.h>

#include "command/terminal.h"
#include "gpu.h"
#include "model.h"
#include "place.h"

#define LINE 64

/* ----------------------------------------------------------------------------------------------------------- memory */

void batch_room(size_t room[SLOTS]) {
    room[SLOT_X] = room[SLOT_Y] = BATCH_ROOM * sizeof(double) + 2 * LINE;
    room[SLOT_RESULTS] = BATCH_VECTORS * sizeof(double);
    room[SLOT_BEGIN] = room[SLOT_END] = BATCH_VECTORS * sizeof(int64_t);
}

bool batch_open(batch *b) {
    size_t room[SLOTS];
    batch_room(room);
    bool enough = (b->results = aligned_alloc(LINE, room[SLOT_RESULTS])) != NULL;
    for (int i = 0; i < 2; i++) {
        enough &= (b->room[i] = aligned_alloc(LINE, room[SLOT_X] / LINE * LINE)) != NULL;
        enough &= (b->vector[i] = aligned_alloc(LINE, MANY_LONGEST * sizeof(double))) != NULL;
    }
    for (int i = 0; i < BATCH_QUESTIONS; i++)
        enough &= (b->expected[i] = aligned_alloc(LINE, room[SLOT_RESULTS])) != NULL;
    return enough || complain("too little memory");
}

void batch_close(batch *b) {
    free(b->results);
    for (int i = 0; i < 2; i++) free(b->room[i]), free(b->vector[i]);
    for (int i = 0; i < BATCH_QUESTIONS; i++) free(b->expected[i]);
}

/* ---------------------------------------------------------------------------------------------------------- answers */

/* Four of exact, two of each other method; of moments all of exact. The draw is the same whatever methods are asked
 * for. */
static void choose_questions(batch *b, generator *g, const arena *a, set methods) {
    b->question_count = 0;
    for (int i = 0; i < BATCH_QUESTIONS; i++) {
        const int m = i < 4 || operation_is_moment(b->of.operation) ? 0 : (i - 2) / 2;
        question q = { METHODS[m], b->of.type, QUIRE_TO_NEAREST, a->open[generator_below(g, (uint64_t)a->count)] };
        if (generator_below(g, 2)) q.result_type = TYPES[generator_below(g, TYPE_COUNT)];
        if (generator_below(g, 2)) q.rounding = (quire_rounding)generator_below(g, ROUNDING_COUNT);
        if (set_has(methods, m)) b->questions[b->question_count++] = q;
    }
}

/* About n, or one that is common, or any. */
static int64_t choose_correction(generator *g, size_t n) {
    static const int64_t some[] = { 2, -1, -3, INT64_MIN, INT64_MAX };
    switch (generator_below(g, 8)) {
    case 0: return (int64_t)n + generator_between(g, -3, 3);
    case 1: return some[generator_below(g, sizeof some / sizeof *some)];
    default: return (int64_t)generator_below(g, 2);
    }
}

test_case batch_vector(const batch *b, size_t r) {
    test_case c = b->of;
    c.n = b->length[r];
    c.seed += r;
    return c;
}

static void fill_vector(const batch *b, const test_case *c) {
    if (c->operation == OPERATION_DOT)
        family_fill_pair(c->source->family, c->type, c->seed, c->n, b->vector[0], b->vector[1]);
    else
        family_fill(c->source->family, c->type, c->seed, c->n, b->vector[0]);
}

static void scatter(quire_type type, size_t n, const void *from, unsigned char *to, size_t start, ptrdiff_t stride) {
    const size_t size = type_size(type);
    if (stride == 1)
        memcpy(to + start * size, from, n * size);
    else
        for (size_t k = 0; k < n; k++) type_store(type, to, start + k * (size_t)stride, type_load(type, from, k));
}

static uint64_t slow_moment(const batch *b, const test_case *c, const question *q) {
    oracle_moments o;
    oracle_moments_open(&o, c->type, c->n, b->vector[0], b->vector[0]);
    const uint64_t bits = (c->operation == OPERATION_STDDEV ? oracle_stddev : oracle_variance)(
        &o, b->correction, q->result_type, q->rounding);
    oracle_moments_close(&o);
    return bits;
}

/* Of the vector that has been filled. */
static uint64_t slow_answer(const batch *b, const test_case *c, truth *t, const question *q) {
    const void *x = b->vector[0], *y = b->vector[1];
    if (operation_is_moment(c->operation)) return slow_moment(b, c, q);
    if (q->method != QUIRE_EXACT)
        return model_directed(c->operation, model_reduce(c->operation, c->type, c->n, x, y, q->method), c->n,
                              q->result_type, q->rounding);
    oracle_reset(&t->mpfr);
    oracle_add(&t->mpfr, c->operation, c->type, c->n, x, y);
    return oracle_directed(&t->mpfr, c->operation, q->result_type, q->rounding);
}

uint64_t batch_slow_answer(const batch *b, truth *t, const question *q, size_t r) {
    const test_case c = batch_vector(b, r);
    fill_vector(b, &c);
    return slow_answer(b, &c, t, q);
}

static unrounded quick_answer(const batch *b, truth *t, const test_case *c, quire_method method) {
    const void *x = b->vector[0], *y = b->vector[1];
    if (operation_is_moment(c->operation))
        return words_moment(&t->sum, &t->squares, c->operation, c->type, c->n, x, b->correction);
    if (method == QUIRE_EXACT) return words_reduce(&t->sum, c->operation, c->type, c->n, x, y);
    return ordered_reduce(t->tables, &t->sum, c->operation, c->type, c->n, x, y, method);
}

/* Questions about one method stand together. More than a tile is beyond the quick oracle of the order: the model
 * answers. */
static void answer(batch *b, truth *t, const test_case *c, size_t r, bool sample) {
    unrounded u = { .kind = UNROUNDED_NAN };
    for (int i = 0; i < b->question_count; i++) {
        const question *q = &b->questions[i];
        const bool same = i && b->questions[i - 1].method == q->method;
        const bool is_quick = q->method == QUIRE_EXACT || c->n <= ORDERED_MOST;
        if (!same && is_quick) u = quick_answer(b, t, c, q->method);
        const uint64_t bits = is_quick ? unrounded_bits(&u, q->result_type, q->rounding) : slow_answer(b, c, t, q);
        type_store(q->result_type, b->expected[i], r, bits);
        if (!sample || !is_quick) continue;
        b->sampled++;
        b->sampled_wrong += bits != slow_answer(b, c, t, q);
    }
}

void batch_make(batch *b, truth *t, const test_case *c, const arena *a, set methods) {
    generator g;
    generator_seed(&g, ~c->seed);
    b->of = *c;
    b->sampled = b->sampled_wrong = 0;
    batch_lay_out(b, &g);
    b->correction = choose_correction(&g, c->n);
    choose_questions(b, &g, a, methods);
    for (size_t r = 0; r < b->vectors; r++) {
        const test_case vector = batch_vector(b, r);
        fill_vector(b, &vector);
        const ptrdiff_t stride = b->arrangement == SEGMENTS ? 1 : b->x_layout.stride;
        const ptrdiff_t y_stride = b->arrangement == SEGMENTS ? 1 : b->y_layout.stride;
        scatter(c->type, vector.n, b->vector[0], b->x, batch_x_start(b, r), stride);
        if (c->operation == OPERATION_DOT)
            scatter(c->type, vector.n, b->vector[1], b->y, batch_y_start(b, r), y_stride);
        answer(b, t, &vector, r, generator_below(&g, BATCH_SAMPLE) == 0);
    }
}

/* ------------------------------------------------------------------------------------------------------ the library */

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
    const quire_reduction what = { .operation = operation_number(b->of.operation),
                                   .type = b->of.type,
                                   .result_type = q->result_type,
                                   .method = q->method,
                                   .rounding = q->rounding,
                                   .correction = b->correction };
    const size_t size = type_size(b->of.type);
    x = (const char *)x + b->x_first * size;
    y = b->of.operation == OPERATION_DOT ? (const char *)y + b->y_first * size : NULL;
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
