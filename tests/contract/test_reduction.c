/* test_reduction.c - quire_reduce and quire_finish: the status that quire.h gives to bad arguments, checked in its
 * order, nothing written, the context still good; and the bits of the calls that they are the general form of. Layouts
 * are in test_extents.c. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "families.h"
#include "place.h"
#include "support.h"

static quire_context *context; /* of the CPU, for arguments in host memory; or NULL */

static void open_context(int one) {
    if (one) check_ok(quire_open_cpu(&context, 2));
}

/* Also the proof that the context is still good after whatever a test did to it. */
static void close_context(void) {
    static const float x[4] = { 0x1p100f, 1, -0x1p100f, 1 };
    const quire_reduction what = { .type = QUIRE_F32 };
    const quire_layout layout = quire_strided(4, 1);
    float sum = -1;
    check_ok(quire_reduce(context, &what, &layout, x, NULL, NULL, &sum));
    ck_assert_float_eq(sum, 2);
    quire_close(context);
    context = NULL;
}

static const double zeros[8]; /* whatever the type */

/* Where results go: bytes that a refused call must leave as they are. */
static union room {
    unsigned char bytes[64];
    double aligned;
} room;

#define RESULT (room.bytes + 16)

static void poison(void) { memset(room.bytes, 0xa5, sizeof room.bytes); }

static int written_beside(size_t from, size_t size) {
    for (size_t i = 0; i < sizeof room.bytes; i++)
        if ((i < from || i >= from + size) && room.bytes[i] != 0xa5) return 1;
    return 0;
}

/* ---------------------------------------------------------------------------------------- arguments of quire_reduce */

typedef struct call {
    quire_reduction what;
    quire_layout x_layout, y_layout;
    int no_what, no_x_layout, no_y_layout;
    const void *x, *y;
    void *results;
} call;

static call good_call(operation op) {
    const quire_reduction what = {
        operation_number(op), QUIRE_F32, QUIRE_F64, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 }
    };
    const quire_layout two = quire_strided(2, 1);
    const call c = { what, two, two, 0, 0, 0, zeros, zeros, RESULT };
    return c;
}

static quire_status reduce(const call *c) {
    return quire_reduce(context, c->no_what ? NULL : &c->what, c->no_x_layout ? NULL : &c->x_layout, c->x,
                        c->no_y_layout ? NULL : &c->y_layout, c->y, c->results);
}

static void check_refused(call c, quire_status expected, const char *text) {
    poison();
    const quire_status status = reduce(&c);
    check_that(status == expected, "operation %d, %s: status %d, not %d", (int)c.what.operation, text, (int)status,
               (int)expected);
    check_that(!written_beside(0, 0), "operation %d, %s: refused, but written", (int)c.what.operation, text);
}

static const int BAD[] = { -1, 12, 99, INT_MAX, INT_MIN };
#define BAD_COUNT (sizeof BAD / sizeof *BAD)

static void check_enums(operation op) {
    for (size_t k = 0; k < BAD_COUNT; k++) {
        call c = good_call(op);
        c.what.operation = (quire_operation)BAD[k];
        check_refused(c, QUIRE_INVALID_OPERATION, "a bad operation");
        c = good_call(op);
        c.what.type = (quire_type)BAD[k];
        check_refused(c, QUIRE_INVALID_TYPE, "a bad type");
        c.what.result_type = (quire_type)0;
        check_refused(c, QUIRE_INVALID_TYPE, "a bad type, which is to be the result's");
        c = good_call(op);
        c.what.method = (quire_method)BAD[k];
        check_refused(c, QUIRE_INVALID_METHOD, "a bad method");
        c = good_call(op);
        c.what.result_type = (quire_type)BAD[k];
        check_refused(c, QUIRE_INVALID_RESULT_TYPE, "a bad result type");
        c = good_call(op);
        c.what.rounding = (quire_rounding)BAD[k];
        check_refused(c, QUIRE_INVALID_ROUNDING, "a bad rounding");
    }
    call c = good_call(op);
    c.what.type = (quire_type)0;
    check_refused(c, QUIRE_INVALID_TYPE, "no type");
    c = good_call(op);
    c.what.rounding = (quire_rounding)4;
    check_refused(c, QUIRE_INVALID_ROUNDING, "one more rounding than there are");
    for (size_t k = 0; k < 4; k++) {
        c = good_call(op);
        c.what.reserved[k] = k % 2 ? 1 : INT64_MIN;
        check_refused(c, QUIRE_INVALID_OPERATION, "a reserved word");
    }
}

static void check_pointers(operation op, quire_type type) {
    const int dot = op == OPERATION_DOT;
    call c = good_call(op);
    c.what.type = c.what.result_type = type;
    for (size_t off = 1; off < type_size(type); off++) {
        c.results = RESULT + off;
        check_refused(c, QUIRE_MISALIGNED, "results are misaligned");
        c.results = RESULT;
        c.x = (const unsigned char *)zeros + off;
        check_refused(c, QUIRE_MISALIGNED, "x is misaligned");
        c.x = zeros;
        c.y = (const unsigned char *)zeros + off;
        if (dot) check_refused(c, QUIRE_MISALIGNED, "y is misaligned");
        c.y = zeros;
    }
    c.results = NULL;
    check_refused(c, QUIRE_NULL_POINTER, "results are NULL");
    c.x_layout.n = c.y_layout.n = 0;
    check_refused(c, QUIRE_NULL_POINTER, "results are NULL, of no elements");
    c = good_call(op);
    c.x = NULL;
    check_refused(c, QUIRE_NULL_POINTER, "x is NULL");
    c = good_call(op);
    c.y = NULL;
    if (dot) check_refused(c, QUIRE_NULL_POINTER, "y is NULL");
}

/* All subsets of the nine kinds of fault: the status is the first in the header's list. */
static void check_order(operation op) {
    static const quire_status statuses[] = { QUIRE_NULL_POINTER,   QUIRE_INVALID_OPERATION,   QUIRE_INVALID_TYPE,
                                             QUIRE_INVALID_METHOD, QUIRE_INVALID_RESULT_TYPE, QUIRE_INVALID_ROUNDING,
                                             QUIRE_INVALID_LAYOUT, QUIRE_NULL_POINTER,        QUIRE_MISALIGNED };
    for (unsigned faults = 1; faults < 512; faults++) {
        call c = good_call(op);
        size_t first = 0;
        char text[40];
        while (!(faults >> first & 1)) first++;
        if (faults & 1) *(faults % 3 ? &c.no_what : &c.no_x_layout) = 1;
        if (faults & 2 && faults % 5) c.what.reserved[faults % 4] = 1;
        if (faults & 2 && !(faults % 5)) c.what.operation = (quire_operation)99;
        if (faults & 4) c.what.type = (quire_type)99;
        if (faults & 8) c.what.method = (quire_method)99;
        if (faults & 16) c.what.result_type = (quire_type)99;
        if (faults & 32) c.what.rounding = (quire_rounding)99;
        if (faults & 64) c.x_layout.n = SIZE_MAX;
        if (faults & 128) c.x = NULL;
        if (faults & 256) c.results = RESULT + 1;
        snprintf(text, sizeof text, "faults 0x%x", faults);
        check_refused(c, statuses[first], text);
    }
}

/* _i: with a context, or with NULL. */
START_TEST(reduce_refuses_bad_arguments) {
    open_context(_i);
    for (operation op = OPERATION_SUM; op < OPERATION_COUNT; op++) {
        check_enums(op);
        check_order(op);
        for (int t = 0; t < TYPE_COUNT; t++) check_pointers(op, TYPES[t]);
    }
    close_context();
}
END_TEST

/* What is allowed: NULL for what is not read; no vectors, and then no results; no elements. Own bytes are written
 * alone. */
START_TEST(reduce_takes_what_it_needs) {
    open_context(_i);
    for (operation op = OPERATION_SUM; op < OPERATION_COUNT; op++)
        for (int t = 0; t < TYPE_COUNT; t++) {
            const size_t size = type_size(TYPES[t]);
            call c = good_call(op), before;
            c.what.result_type = TYPES[t];
            c.no_y_layout = 1;
            if (op != OPERATION_DOT) c.y = NULL;
            before = c;
            poison();
            check_ok(reduce(&c));
            ck_assert(!written_beside(16, size));
            check_bits(TYPES[t], RESULT, 0, "%s of zeros", operation_name(op));
            ck_assert_int_eq(memcmp(&c.what, &before.what, sizeof c.what), 0);
            c.x_layout.n = 0;
            c.x = c.y = NULL;
            poison();
            check_ok(reduce(&c));
            ck_assert(!written_beside(16, size));
            check_bits(TYPES[t], RESULT, op == OPERATION_MEAN ? type_nan(TYPES[t]) : 0, "%s of nothing",
                       operation_name(op));
            for (int none = 0; none < 2; none++) { /* no vectors */
                *(none ? &c.x_layout.outer : &c.x_layout.inner) = 0;
                c.x_layout.n = SIZE_MAX; /* of none */
                c.x_layout.stride = PTRDIFF_MIN;
                check_refused(c, QUIRE_OK, "no vectors");
                c.results = NULL;
                check_refused(c, QUIRE_OK, "no vectors, no results");
                c.results = RESULT;
            }
        }
    close_context();
}
END_TEST

/* ---------------------------------------------------------------------------------------- arguments of quire_finish */

static void check_not_finished(const quire_reduction *what, const quire_accumulator *sum, void *result,
                               quire_status expected, const char *text) {
    poison();
    const quire_status status = quire_finish(what, sum, NULL, result);
    check_that(status == expected, "finish, %s: status %d, not %d", text, (int)status, (int)expected);
    check_that(!written_beside(0, 0), "finish, %s: refused, but written", text);
}

START_TEST(finish_refuses_bad_arguments) {
    static const quire_status statuses[] = { QUIRE_NULL_POINTER,        QUIRE_INVALID_OPERATION, QUIRE_INVALID_METHOD,
                                             QUIRE_INVALID_RESULT_TYPE, QUIRE_INVALID_ROUNDING,  QUIRE_NULL_POINTER,
                                             QUIRE_MISALIGNED };
    const quire_accumulator sum = QUIRE_ACCUMULATOR_ZERO;
    for (operation op = OPERATION_SUM; op < OPERATION_COUNT; op++)
        for (unsigned faults = 1; faults < 128; faults++)
            for (unsigned kind = 0; kind < 5; kind++) {
                quire_reduction what = good_call(op).what;
                size_t first = 0;
                char text[60];
                while (!(faults >> first & 1)) first++;
                if (faults & 2 && kind % 2) what.operation = (quire_operation)BAD[kind];
                if (faults & 2 && !(kind % 2)) what.reserved[kind % 4] = INT64_MIN;
                if (faults & 4) what.method = kind < 3 ? (quire_method)(QUIRE_KAHAN + kind) : (quire_method)BAD[kind];
                if (faults & 8) what.result_type = (quire_type)BAD[kind];
                if (faults & 8 && kind == 1) what.result_type = (quire_type)0, what.type = (quire_type)99;
                if (faults & 16) what.rounding = kind == 1 ? (quire_rounding)4 : (quire_rounding)BAD[kind];
                snprintf(text, sizeof text, "%s, faults 0x%x, kind %u", operation_name(op), faults, kind);
                check_not_finished(faults & 1 ? NULL : &what, faults & 32 && kind % 2 ? NULL : &sum,
                                   faults & 32 && !(kind % 2) ? NULL
                                   : faults & 64              ? RESULT + 1
                                                              : RESULT,
                                   statuses[first], text);
            }
}
END_TEST

/* The type is read only where it is to be the result's; the accumulators are not written. */
START_TEST(finish_takes_what_it_needs) {
    const quire_accumulator sum = QUIRE_ACCUMULATOR_ZERO;
    for (operation op = OPERATION_SUM; op < OPERATION_COUNT; op++)
        for (int t = 0; t < TYPE_COUNT; t++)
            for (int named = 0; named < 3; named++) {
                quire_reduction what = { operation_number(op), TYPES[t], (quire_type)0, QUIRE_EXACT,
                                         QUIRE_TO_NEAREST,     5,        { 0 } };
                quire_accumulator copy = sum;
                if (named) what.type = named == 1 ? (quire_type)0 : (quire_type)99, what.result_type = TYPES[t];
                if (named == 2) what.method = (quire_method)0;
                poison();
                check_ok(quire_finish(&what, &copy, named ? &copy : NULL, RESULT));
                ck_assert(!written_beside(16, type_size(TYPES[t])));
                check_bits(TYPES[t], RESULT, op == OPERATION_MEAN ? type_nan(TYPES[t]) : 0, "%s of nothing",
                           operation_name(op));
                ck_assert_int_eq(memcmp(&copy, &sum, sizeof sum), 0);
            }
}
END_TEST

/* -------------------------------------------------------------------------------------------------------- same bits */

static const size_t LENGTHS[] = { 0, 1, 2, 37, 300, 4500 };
#define LENGTH_COUNT (sizeof LENGTHS / sizeof *LENGTHS)

/* The calls of one vector are shorthands; what is 0 is a default, and what is not read may be anything. */
static void check_call(operation op, quire_type type, size_t n, const void *x, const void *y, quire_method method,
                       quire_type result_type, const char *text) {
    uint64_t expected[1], result[1];
    quire_reduction what = { operation_number(op), type, result_type, method, QUIRE_TO_NEAREST, INT64_MIN, { 0 } };
    if (op == OPERATION_SUM) what.operation = (quire_operation)0;
    if (result_type == type) what.result_type = (quire_type)0;
    if (method == QUIRE_EXACT) what.method = (quire_method)0;
    check_ok(place_reduce(op, type, n, x, y, method, result_type, expected));
    check_ok(place_reduction(&what, n, x, y, result));
    check_bits(result_type, result, type_load(result_type, expected, 0), "%s %s of %zu %s, %s", method_name(method),
               operation_name(op), n, type_name(type), text);
}

START_TEST(equals_the_single_calls) {
    const quire_type type = TYPES[_i / FAMILY_COUNT];
    const family which = (family)(_i % FAMILY_COUNT);
    size_t turn = 0;
    for (size_t l = 0; l < LENGTH_COUNT; l++) {
        const size_t n = LENGTHS[l];
        void *x = array_new(n * type_size(type), 0), *y = array_new(n * type_size(type), 0);
        family_fill_pair(which, type, 70 + l, n, x, y);
        for (operation op = OPERATION_SUM; op < CALL_COUNT; op++)
            for (int m = 0; m < METHOD_COUNT; m++) {
                check_call(op, type, n, x, y, METHODS[m], type, family_name(which));
                check_call(op, type, n, x, y, METHODS[m], TYPES[turn++ % TYPE_COUNT], family_name(which));
            }
        array_free(x);
        array_free(y);
    }
}
END_TEST

/* What a reduction makes of terms, quire_finish makes of them in accumulators, however they came there. */
static void check_finish(operation op, quire_type type, size_t n, const unsigned char *x, const unsigned char *y,
                         quire_type result_type, quire_rounding rounding, const char *text) {
    const size_t part = n / 3, bytes = part * type_size(type);
    const quire_reduction what = { operation_number(op), type, result_type, QUIRE_EXACT, rounding, 0, { 0 } };
    quire_accumulator sum = QUIRE_ACCUMULATOR_ZERO, rest = QUIRE_ACCUMULATOR_ZERO;
    uint64_t expected[1], result[1];
    check_ok(place_accumulate_terms(op, &sum, type, part, x, y));
    check_ok(place_accumulate_terms(op, &rest, type, n - part, x + bytes, y + bytes));
    check_ok(quire_merge(&sum, &rest));
    check_ok(quire_finish(&what, &sum, NULL, result));
    check_ok(place_reduction(&what, n, x, y, expected));
    check_bits(result_type, result, type_load(result_type, expected, 0), "%s of %zu %s, %s, rounding %d",
               operation_name(op), n, type_name(type), text, (int)rounding);
}

START_TEST(finish_equals_reduce) {
    const quire_type type = TYPES[_i / FAMILY_COUNT];
    const family which = (family)(_i % FAMILY_COUNT);
    size_t turn = 0;
    for (size_t l = 0; l < LENGTH_COUNT; l++) {
        const size_t n = LENGTHS[l];
        void *x = array_new(n * type_size(type), 0), *y = array_new(n * type_size(type), 0);
        for (operation op = OPERATION_SUM; op < OPERATION_COUNT; op++) {
            family_fill_pair(which, type, 80 + l, n, x, y);
            for (int rounding = 0; rounding < 4; rounding++)
                check_finish(op, type, n, x, y, TYPES[turn++ / 3 % TYPE_COUNT], (quire_rounding)rounding,
                             family_name(which));
        }
        array_free(x);
        array_free(y);
    }
}
END_TEST

static void add_tests(TCase *cases) {
    tcase_add_loop_test(cases, reduce_refuses_bad_arguments, 0, 2);
    tcase_add_loop_test(cases, reduce_takes_what_it_needs, 0, 2);
    tcase_add_test(cases, finish_refuses_bad_arguments);
    tcase_add_test(cases, finish_takes_what_it_needs);
    tcase_add_loop_test(cases, equals_the_single_calls, 0, TYPE_COUNT * FAMILY_COUNT);
    tcase_add_loop_test(cases, finish_equals_reduce, 0, TYPE_COUNT * FAMILY_COUNT);
}

int main(void) { return run_cases("reduction", add_tests); }
