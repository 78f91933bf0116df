/* test_arguments.c - every public function against bad arguments: the status that quire.h gives, checked in its order,
 * nothing written, the context still good. Host memory throughout: a CPU context, and NULL. */
#define _POSIX_C_SOURCE 200809L
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "place.h"
#include "support.h"

static quire_context *context; /* the one that a test opened, or NULL */

static void open_context(void) {
    check_ok(quire_open_cpu(&context, 2));
    ck_assert_ptr_nonnull(context);
}

/* Also the proof that the context is still good after whatever a test did to it. */
static void close_context(void) {
    static const float x[4] = { 0x1p100f, 1, -0x1p100f, 1 };
    float sum = -1;
    check_ok(quire_sum(context, QUIRE_F32, 4, x, QUIRE_EXACT, QUIRE_F32, &sum));
    ck_assert_float_eq(sum, 2);
    quire_close(context);
    context = NULL;
}

/* ------------------------------------------------------------------------------------------------------- reductions */

/* One call with everything that can be wrong with it. */
typedef struct call {
    quire_type type, result_type;
    quire_method method;
    size_t n;
    const void *x, *y;
    void *result;
} call;

static quire_status reduce(operation op, const call *c) {
    return call_operation(context, op, c->type, c->n, c->x, c->y, c->method, c->result_type, c->result);
}

static double ones[8]; /* two of any type lie in it; what they are does not matter */
static union room {
    unsigned char bytes[64];
    double aligned;
} room;

#define RESULT (room.bytes + 16)

static const call GOOD = { QUIRE_F32, QUIRE_F64, QUIRE_EXACT, 2, ones, ones, RESULT };

static void poison(void) { memset(room.bytes, 0xa5, sizeof room.bytes); }

/* Whether bytes of the room other than those of [from, from + size) were written. */
static int written_beside(size_t from, size_t size) {
    for (size_t i = 0; i < sizeof room.bytes; i++)
        if ((i < from || i >= from + size) && room.bytes[i] != 0xa5) return 1;
    return 0;
}

static void check_refused(operation op, call c, quire_status expected, const char *what) {
    quire_status status;
    poison();
    status = reduce(op, &c);
    ck_assert_msg(status == expected, "%s, %s: status %d, not %d", operation_name(op), what, (int)status,
                  (int)expected);
    ck_assert_msg(!written_beside(0, 0), "%s, %s: refused, but something was written", operation_name(op), what);
}

static const int BAD_ENUMS[] = { 0, -1, 7, 99, INT_MAX, INT_MIN };
#define BAD_ENUM_COUNT (sizeof BAD_ENUMS / sizeof *BAD_ENUMS)

static void check_enums(operation op) {
    for (size_t k = 0; k < BAD_ENUM_COUNT; k++) {
        call c = GOOD;
        c.type = (quire_type)BAD_ENUMS[k];
        check_refused(op, c, QUIRE_INVALID_TYPE, "a bad type");
        c.n = 0;
        check_refused(op, c, QUIRE_INVALID_TYPE, "a bad type and nothing to sum");
        c = GOOD;
        c.method = (quire_method)BAD_ENUMS[k];
        check_refused(op, c, QUIRE_INVALID_METHOD, "a bad method");
        c = GOOD;
        c.result_type = (quire_type)BAD_ENUMS[k];
        check_refused(op, c, QUIRE_INVALID_RESULT_TYPE, "a bad result type");
    }
}

/* For every type, as that of the elements and as that of the result. */
static void check_pointers(operation op, quire_type type) {
    const unsigned char *bytes = (const unsigned char *)ones;
    size_t size = type_size(type);
    call c = GOOD;
    c.type = c.result_type = type;
    c.x = NULL;
    check_refused(op, c, QUIRE_NULL_POINTER, "x is NULL");
    c.x = ones;
    c.result = NULL;
    check_refused(op, c, QUIRE_NULL_POINTER, "result is NULL");
    c.n = 0;
    check_refused(op, c, QUIRE_NULL_POINTER, "result is NULL, n = 0");
    c.n = 2;
    for (size_t off = 1; off < size; off++) {
        c.result = RESULT + off;
        check_refused(op, c, QUIRE_MISALIGNED, "result is misaligned");
        c.result = RESULT;
        c.x = bytes + off;
        check_refused(op, c, QUIRE_MISALIGNED, "x is misaligned");
        c.x = ones;
        c.y = op == OPERATION_DOT ? bytes + off : c.y;
        if (op == OPERATION_DOT) check_refused(op, c, QUIRE_MISALIGNED, "y is misaligned");
        c.y = ones;
    }
    c.y = NULL;
    if (op == OPERATION_DOT) check_refused(op, c, QUIRE_NULL_POINTER, "y is NULL");
    c.y = ones;
    c.n = SIZE_MAX;
    check_refused(op, c, QUIRE_SIZE_OVERFLOW, "n is SIZE_MAX");
    c.n = SIZE_MAX / size + (size > 1);
    check_refused(op, c, QUIRE_SIZE_OVERFLOW, "n elements are one more than SIZE_MAX bytes");
    c.n = PTRDIFF_MAX / size + 1;
    check_refused(op, c, QUIRE_SIZE_OVERFLOW, "n elements are more than PTRDIFF_MAX bytes, which no object of C is");
    c.x = c.y = NULL;
    check_refused(op, c, QUIRE_SIZE_OVERFLOW, "too many elements of NULL");
}

/* All subsets of the six kinds of fault in one call: the status is the first in the header's list. */
static void check_order(operation op) {
    static const quire_status statuses[] = { QUIRE_INVALID_TYPE,  QUIRE_INVALID_METHOD, QUIRE_INVALID_RESULT_TYPE,
                                             QUIRE_SIZE_OVERFLOW, QUIRE_NULL_POINTER,   QUIRE_MISALIGNED };
    for (unsigned faults = 1; faults < 64; faults++) {
        call c = GOOD;
        size_t first = 0;
        char what[40];
        while (!(faults >> first & 1)) first++;
        if (faults & 1) c.type = (quire_type)99;
        if (faults & 2) c.method = (quire_method)99;
        if (faults & 4) c.result_type = (quire_type)99;
        if (faults & 8) c.n = SIZE_MAX;
        if (faults & 16) c.x = NULL;
        if (faults & 32) c.result = RESULT + 1;
        snprintf(what, sizeof what, "faults 0x%x", faults);
        check_refused(op, c, statuses[first], what);
    }
}

/* _i: with a context, or with NULL. */
START_TEST(reductions_refuse_bad_arguments) {
    if (_i) open_context();
    for (int op = 0; op < CALL_COUNT; op++) {
        check_enums((operation)op);
        check_order((operation)op);
        for (size_t t = 0; t < TYPE_COUNT; t++) check_pointers((operation)op, TYPES[t]);
    }
    close_context();
}
END_TEST

/* What is allowed: nothing at NULL; and a result has its own bytes written and no other. */
START_TEST(reductions_write_one_element) {
    if (_i) open_context();
    for (int op = 0; op < CALL_COUNT; op++)
        for (size_t k = 0; k < TYPE_COUNT * TYPE_COUNT * METHOD_COUNT; k++) {
            call c = { TYPES[k % TYPE_COUNT],
                       TYPES[k / TYPE_COUNT % TYPE_COUNT],
                       METHODS[k / TYPE_COUNT / TYPE_COUNT],
                       0,
                       NULL,
                       NULL,
                       RESULT };
            size_t size = type_size(c.result_type);
            poison();
            check_ok(reduce((operation)op, &c));
            ck_assert(!written_beside(16, size));
            check_bits(c.result_type, RESULT, op == OPERATION_MEAN ? type_nan(c.result_type) : 0, "%s of nothing",
                       operation_name((operation)op));
            c.n = 2;
            c.x = c.y = ones; /* all zeros, whatever the type */
            c.result = RESULT + size;
            poison();
            check_ok(reduce((operation)op, &c));
            ck_assert(!written_beside(16 + size, size));
            check_bits(c.result_type, RESULT + size, 0, "%s of zeros", operation_name((operation)op));
        }
    close_context();
}
END_TEST

START_TEST(one_liners_answer_nan) {
    const float x[3] = { 1, 2, 4 };
    const double d[3] = { 1, 2, 4 };
    const unsigned char *bytes = (const unsigned char *)ones;
    float nothing = quire_sumf(NULL, 0);
    double nothing_d = quire_sumd(NULL, 0);
    ck_assert_float_eq(quire_sumf(x, 3), 7);
    ck_assert_double_eq(quire_sumd(d, 3), 7);
    check_bits(QUIRE_F32, &nothing, 0, "the sum of nothing");
    check_bits(QUIRE_F64, &nothing_d, 0, "the sum of nothing");
    ck_assert(isnan(quire_sumf(NULL, 3)) && isnan(quire_sumd(NULL, 3)));
    ck_assert(isnan(quire_sumf(x, SIZE_MAX)) && isnan(quire_sumd(d, SIZE_MAX / 8 + 1)));
    ck_assert(isnan(quire_sumf((const float *)(const void *)(bytes + 2), 2)));
    ck_assert(isnan(quire_sumd((const double *)(const void *)(bytes + 4), 2)));
}
END_TEST

/* ----------------------------------------------------------------------------------------------------- accumulators */

typedef enum adder { ADD, ADD_MAGNITUDES, ADD_PRODUCTS, ADDER_COUNT } adder;

static quire_status accumulate(adder which, quire_accumulator *a, quire_type type, size_t n, const void *x,
                               const void *y) {
    switch (which) {
    case ADD: return quire_accumulate(context, a, type, n, x);
    case ADD_MAGNITUDES: return quire_accumulate_magnitudes(context, a, type, n, x);
    default: return quire_accumulate_products(context, a, type, n, x, y);
    }
}

static union accumulator_room {
    quire_accumulator accumulator;
    unsigned char bytes[sizeof(quire_accumulator) + 16];
} accumulators, before;

static void check_accumulate(adder which, size_t offset, quire_type type, size_t n, const void *x, const void *y,
                             quire_status expected) {
    quire_accumulator *a = offset == 99 ? NULL : (quire_accumulator *)(void *)(accumulators.bytes + offset);
    quire_status status = accumulate(which, a, type, n, x, y);
    ck_assert_msg(status == expected, "adder %d: status %d, not %d", (int)which, (int)status, (int)expected);
    ck_assert_msg(!memcmp(&accumulators, &before, sizeof before), "adder %d: refused, but it wrote", (int)which);
}

START_TEST(accumulators_refuse_bad_arguments) {
    const void *odd = (const unsigned char *)ones + 1;
    size_t null = 99;
    if (_i) open_context();
    memset(&accumulators, 0x5a, sizeof accumulators);
    before = accumulators;
    for (int k = 0; k < ADDER_COUNT; k++) {
        adder which = (adder)k;
        for (size_t b = 0; b < BAD_ENUM_COUNT; b++)
            check_accumulate(which, 0, (quire_type)BAD_ENUMS[b], 2, ones, ones, QUIRE_INVALID_TYPE);
        for (size_t t = 0; t < TYPE_COUNT; t++) {
            size_t much = SIZE_MAX / type_size(TYPES[t]) + (type_size(TYPES[t]) > 1);
            check_accumulate(which, 0, TYPES[t], much, ones, ones, QUIRE_SIZE_OVERFLOW);
            check_accumulate(which, null, TYPES[t], SIZE_MAX, NULL, NULL, QUIRE_SIZE_OVERFLOW);
            if (type_size(TYPES[t]) > 1) check_accumulate(which, 0, TYPES[t], 2, odd, ones, QUIRE_MISALIGNED);
            check_accumulate(which, 0, TYPES[t], 2, NULL, ones, QUIRE_NULL_POINTER);
            check_accumulate(which, null, TYPES[t], 2, odd, ones, QUIRE_NULL_POINTER);
            check_accumulate(which, null, TYPES[t], 0, NULL, NULL, QUIRE_NULL_POINTER);
            check_accumulate(which, 4, TYPES[t], 2, ones, ones, QUIRE_MISALIGNED);
            check_accumulate(which, 1, TYPES[t], 0, NULL, NULL, QUIRE_MISALIGNED);
        }
        check_accumulate(which, null, (quire_type)99, SIZE_MAX, NULL, NULL, QUIRE_INVALID_TYPE);
    }
    check_accumulate(ADD_PRODUCTS, 0, QUIRE_F32, 2, ones, odd, QUIRE_MISALIGNED);
    check_accumulate(ADD_PRODUCTS, 0, QUIRE_F32, 2, ones, NULL, QUIRE_NULL_POINTER);
    close_context();
}
END_TEST

START_TEST(accumulators_of_nothing_stay) {
    static const quire_accumulator zero = QUIRE_ACCUMULATOR_ZERO;
    memset(&accumulators, 0, sizeof accumulators);
    for (int k = 0; k < ADDER_COUNT; k++)
        for (size_t t = 0; t < TYPE_COUNT; t++) {
            quire_accumulator *a =
                (quire_accumulator *)(void *)(accumulators.bytes + 8); /* words need no more than 8 */
            check_ok(accumulate((adder)k, a, TYPES[t], 0, NULL, NULL));
            ck_assert_int_eq(memcmp(a, &zero, sizeof zero), 0);
        }
}
END_TEST

START_TEST(merge_and_carry_refuse_null) {
    quire_accumulator a = QUIRE_ACCUMULATOR_ZERO, copy;
    a.limb[3] = -7;
    copy = a;
    ck_assert_int_eq(quire_merge(NULL, &a), QUIRE_NULL_POINTER);
    ck_assert_int_eq(quire_merge(&a, NULL), QUIRE_NULL_POINTER);
    ck_assert_int_eq(quire_merge(NULL, NULL), QUIRE_NULL_POINTER);
    ck_assert_int_eq(quire_carry(NULL), QUIRE_NULL_POINTER);
    ck_assert_int_eq(memcmp(&a, &copy, sizeof a), 0);
}
END_TEST

typedef quire_status rounder(const quire_accumulator *accumulator, quire_type result_type, void *result);

static void check_rounder(rounder *round, const quire_accumulator *a, quire_type type, void *result,
                          quire_status expected) {
    poison();
    ck_assert_int_eq(round(a, type, result), expected);
    ck_assert_msg(!written_beside(0, 0), "refused, but something was written");
}

START_TEST(rounding_refuses_bad_arguments) {
    static rounder *const rounders[] = { quire_round, quire_round_root, quire_round_mean };
    quire_accumulator a = QUIRE_ACCUMULATOR_ZERO, copy = a;
    rounder *round = rounders[_i];
    for (size_t b = 0; b < BAD_ENUM_COUNT; b++) {
        check_rounder(round, &a, (quire_type)BAD_ENUMS[b], RESULT, QUIRE_INVALID_RESULT_TYPE);
        check_rounder(round, NULL, (quire_type)BAD_ENUMS[b], NULL, QUIRE_INVALID_RESULT_TYPE);
    }
    for (size_t t = 0; t < TYPE_COUNT; t++) {
        size_t size = type_size(TYPES[t]);
        check_rounder(round, NULL, TYPES[t], RESULT, QUIRE_NULL_POINTER);
        check_rounder(round, &a, TYPES[t], NULL, QUIRE_NULL_POINTER);
        check_rounder(round, NULL, TYPES[t], RESULT + 1, QUIRE_NULL_POINTER);
        for (size_t off = 1; off < size; off++) check_rounder(round, &a, TYPES[t], RESULT + off, QUIRE_MISALIGNED);
        check_ok(round(&a, TYPES[t], RESULT));
        ck_assert(!written_beside(16, size));
    }
    ck_assert_int_eq(memcmp(&a, &copy, sizeof a), 0);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("arguments");
    TCase *cases = tcase_create("arguments");
    tcase_add_loop_test(cases, reductions_refuse_bad_arguments, 0, 2);
    tcase_add_loop_test(cases, reductions_write_one_element, 0, 2);
    tcase_add_test(cases, one_liners_answer_nan);
    tcase_add_loop_test(cases, accumulators_refuse_bad_arguments, 0, 2);
    tcase_add_test(cases, accumulators_of_nothing_stay);
    tcase_add_test(cases, merge_and_carry_refuse_null);
    tcase_add_loop_test(cases, rounding_refuses_bad_arguments, 0, 3);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
