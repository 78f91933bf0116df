/* judge.c - calls the library every way, and compares: exact with MPFR, the others with the scalar model of the
 * canonical order, all with their bounds.
 *
 * SPDX-License-Identifier: MIT
 */
#include "judge.h"

#include <stdio.h>
#include <string.h>

#include "model.h"

/* A method's results of one case, as they should be. */
typedef struct expectation {
    quire_method method;
    uint64_t bits[TYPE_COUNT];
    bool delivered[TYPE_COUNT]; /* some way gave these bits */
} expectation;

static void fail(judge *j, const test_case *c, failure f, const way *at, const char *more) {
    f.of = *c;
    f.place = at->place;
    snprintf(f.way, sizeof f.way, "%s%s", at->name, more);
    tally_fail(j->tally, &f);
}

/* ---------------------------------------------------------------------------------------------------------- methods */

static expectation expect(const judge *j, const test_case *c, const vectors *v, quire_method method) {
    expectation e = { .method = method };
    model_total total = { 0, 0 };
    if (method != QUIRE_EXACT) total = model_reduce(c->operation, c->type, c->n, v->x, v->y, method);
    for (int r = 0; r < TYPE_COUNT; r++)
        e.bits[r] = method == QUIRE_EXACT ? reference_bits(&j->truth, TYPES[r])
                                          : model_finish(c->operation, total, c->n, TYPES[r]);
    return e;
}

/* Takes a result into account: its error, and whether that is within the bound. */
static void weigh(judge *j, const test_case *c, quire_method method, int r, uint64_t bits, uint64_t expected,
                  const way *at) {
    const judgement is = reference_judge(&j->truth, method, TYPES[r], bits);
    errors_add(&j->tally->of[method_index(method)][type_index(c->type)][c->operation][r], &is, j->truth.tame);
    j->tally->judged += is.ratio == is.ratio;
    if (!(is.ratio > 1)) return;
    j->tally->violations++;
    fail(j, c,
         (failure){ VIOLATION, .method = method, .result_type = TYPES[r], .expected = expected, .got = bits,
                    .judgement = is },
         at, "");
}

static void compare(judge *j, const test_case *c, way *at, expectation *e, int r, uint64_t bits) {
    const int m = method_index(e->method);
    at->results++;
    j->tally->results[m]++;
    if (bits == e->bits[r]) {
        if (!e->delivered[r]) weigh(j, c, e->method, r, bits, bits, at);
        e->delivered[r] = true;
        return;
    }
    at->wrong++;
    j->tally->wrong[m]++;
    fail(j, c,
         (failure){ WRONG_BITS, .method = e->method, .result_type = TYPES[r], .expected = e->bits[r], .got = bits }, at,
         "");
    weigh(j, c, e->method, r, bits, e->bits[r], at);
}

static void try_way(judge *j, const test_case *c, const vectors *v, way *at, expectation *e) {
    way_take(at);
    for (int r = 0; r < TYPE_COUNT; r++) {
        uint64_t result = 0x5a5a5a5a5a5a5a5a;
        const quire_status status =
            way_reduce(at, c->operation, c->type, c->n, v->x, v->y, e->method, TYPES[r], &result);
        if (!status) {
            compare(j, c, at, e, r, type_load(TYPES[r], &result, 0));
            continue;
        }
        j->tally->bad_statuses++;
        fail(j, c, (failure){ BAD_STATUS, .method = e->method, .result_type = TYPES[r], .status = status }, at, "");
    }
}

static void try_method(judge *j, const test_case *c, const vectors *v, quire_method method) {
    expectation e = expect(j, c, v, method);
    for (int i = 0; i < j->ways->count; i++)
        if (c->n >= j->ways->one[i].least) try_way(j, c, v, &j->ways->one[i], &e);
}

/* ----------------------------------------------------------------------------------------- what only exact promises */

/* The same elements, pairs kept, in another order. */
static void permute(generator *g, const test_case *c, const vectors *v) {
    generator again = *g;
    generator_shuffle(g, c->n, type_size(c->type), v->x);
    if (v->y) generator_shuffle(&again, c->n, type_size(c->type), v->y);
}

static void compare_exact(judge *j, const test_case *c, int r, uint64_t bits, uint64_t *count, uint64_t *wrong,
                          const way *at, const char *more) {
    const uint64_t right = reference_bits(&j->truth, TYPES[r]);
    ++*count;
    if (bits == right) return;
    ++*wrong;
    fail(j, c, (failure){ WRONG_BITS, .method = QUIRE_EXACT, .result_type = TYPES[r], .expected = right, .got = bits },
         at, more);
}

static void fail_status(judge *j, const test_case *c, quire_status status, const way *at, const char *more) {
    j->tally->bad_statuses++;
    fail(j, c, (failure){ BAD_STATUS, .method = QUIRE_EXACT, .result_type = QUIRE_F64, .status = status }, at, more);
}

static void try_permuted(judge *j, const test_case *c, const vectors *v, const way *at) {
    static const char more[] = ", permuted";
    for (int r = 0; r < TYPE_COUNT; r++) {
        uint64_t result = 0x5a5a5a5a5a5a5a5a;
        const quire_status status =
            way_reduce(at, c->operation, c->type, c->n, v->x, v->y, QUIRE_EXACT, TYPES[r], &result);
        if (status)
            fail_status(j, c, status, at, more);
        else
            compare_exact(j, c, r, type_load(TYPES[r], &result, 0), &j->tally->permuted, &j->tally->permuted_wrong, at,
                          more);
    }
}

/* Two ways to merge: the library's, and any integer sum. */
static quire_status merge(generator *g, quire_accumulator *into, const quire_accumulator *from) {
    int64_t to[QUIRE_ACCUMULATOR_WORDS], word[QUIRE_ACCUMULATOR_WORDS];
    if (generator_below(g, 2)) return quire_merge(into, from);
    memcpy(to, into, sizeof to);
    memcpy(word, from, sizeof word);
    for (int i = 0; i < QUIRE_ACCUMULATOR_WORDS; i++) to[i] += word[i];
    memcpy(into, to, sizeof to);
    return quire_carry(into);
}

/* Cut at random places, each part accumulated by itself, and merged from either side. */
static quire_status accumulate_parts(generator *g, const test_case *c, const vectors *v, quire_accumulator *total) {
    const size_t size = type_size(c->type);
    quire_status status = QUIRE_OK;
    for (size_t from = 0, to = 0; to < c->n && !status; from = to) {
        quire_accumulator part = QUIRE_ACCUMULATOR_ZERO;
        const char *x = (const char *)v->x + from * size, *y = v->y ? (const char *)v->y + from * size : NULL;
        to = generator_below(g, 4) ? from + (size_t)generator_below(g, c->n - from + 1) : c->n;
        status = place_accumulate_terms(c->operation, &part, c->type, to - from, x, y);
        if (status) break;
        if (generator_below(g, 2)) {
            status = merge(g, total, &part);
        } else {
            status = merge(g, &part, total);
            *total = part;
        }
    }
    return status;
}

static quire_status round_total(const quire_accumulator *total, operation op, quire_type result_type, void *result) {
    if (op == OPERATION_NRM2) return quire_round_root(total, result_type, result);
    if (op == OPERATION_MEAN) return quire_round_mean(total, result_type, result);
    return quire_round(total, result_type, result);
}

static void try_split(judge *j, generator *g, const test_case *c, const vectors *v, const way *at) {
    static const char more[] = ", split and merged";
    quire_accumulator total = QUIRE_ACCUMULATOR_ZERO;
    quire_status status = accumulate_parts(g, c, v, &total);
    for (int r = 0; r < TYPE_COUNT && !status; r++) {
        uint64_t result = 0x5a5a5a5a5a5a5a5a;
        status = round_total(&total, c->operation, TYPES[r], &result);
        if (!status)
            compare_exact(j, c, r, type_load(TYPES[r], &result, 0), &j->tally->split, &j->tally->split_wrong, at, more);
    }
    if (status) fail_status(j, c, status, at, more);
}

/* One way of each place has its turn, but not that of the hostile caller, whom accumulators do not meet here. */
static void try_freedom(judge *j, const test_case *c, const vectors *v) {
    generator g;
    generator_seed(&g, ~c->seed);
    permute(&g, c, v);
    for (int i = 0, next; i < j->ways->count; i = next) {
        for (next = i; next < j->ways->count && !strcmp(j->ways->one[next].place, j->ways->one[i].place);) next++;
        const way *at = &j->ways->one[i + (int)generator_below(&g, (uint64_t)(next - i))];
        if (at->hostile) at = &j->ways->one[i];
        way_take(at);
        try_permuted(j, c, v, at);
        try_split(j, &g, c, v, at);
    }
}

void judge_case(judge *j, const test_case *c, const vectors *v) {
    reference_find(&j->truth, c, v->x, v->y);
    for (int m = 0; m < METHOD_COUNT; m++)
        if (set_has(j->methods, m)) try_method(j, c, v, METHODS[m]);
    if (set_has(j->methods, method_index(QUIRE_EXACT))) try_freedom(j, c, v);
    j->tally->cases++;
    if (c->n > j->tally->longest) j->tally->longest = c->n;
    j->tally->starts |= (uint64_t)1 << v->offset_x;
    if (v->y) j->tally->starts |= (uint64_t)1 << v->offset_y;
}
