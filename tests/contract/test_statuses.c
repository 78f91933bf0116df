/* test_statuses.c - which status a call answers that has several faults at once: the first of those that quire.h lists
 * with the call, and a NULL before any misalignment. Every subset of faults is tried, on every place: all of this comes
 * before a place looks at memory. Whatever is refused has written nothing. */
#define _POSIX_C_SOURCE 200809L
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "place.h"
#include "support.h"

/* What a pointer may be. */
typedef enum pointer { GOOD, IS_NULL, MISALIGNED, POINTER_COUNT } pointer;

static union room {
    unsigned char bytes[sizeof(quire_accumulator) + 16];
    quire_accumulator accumulator;
} rooms[3], before[3]; /* for x, y or a second accumulator, and what is written */

static void *pointer_to(int room, pointer kind) {
    return kind == IS_NULL ? NULL : rooms[room].bytes + (kind == MISALIGNED ? 1 : 0);
}

static void poison(void) {
    memset(rooms, 0x5a, sizeof rooms);
    memcpy(before, rooms, sizeof rooms);
}

static void check_refused(quire_status found, quire_status expected, const char *call, unsigned faults) {
    ck_assert_msg(found == expected, "%s, faults 0x%x: status %d, not %d", call, faults, (int)found, (int)expected);
    ck_assert_msg(!memcmp(rooms, before, sizeof rooms), "%s, faults 0x%x: refused, but it wrote", call, faults);
}

/* The first fault of a list, by the bits that are set; QUIRE_OK if there is none. */
static quire_status first_of(const quire_status *list, unsigned faults) {
    for (int i = 0; faults >> i; i++)
        if (faults >> i & 1) return list[i];
    return QUIRE_OK;
}

/* Of pointers: NULL, then MISALIGNED. Elements of one byte are never misaligned, so types here have more. */
static quire_status pointer_status(const pointer *kind, int count) {
    quire_status status = QUIRE_OK;
    for (int i = 0; i < count; i++) {
        if (kind[i] == IS_NULL) return QUIRE_NULL_POINTER;
        if (kind[i] == MISALIGNED) status = QUIRE_MISALIGNED;
    }
    return status;
}

/* Every choice of three pointers. */
#define POINTERS_COUNT (POINTER_COUNT * POINTER_COUNT * POINTER_COUNT)
static void pointers(int number, pointer kind[3]) {
    for (int i = 0; i < 3; i++, number /= POINTER_COUNT) kind[i] = (pointer)(number % POINTER_COUNT);
}

/* ------------------------------------------------------------------------------------------------------- reductions */

/* _i: variant of the place. */
START_TEST(reductions) {
    static const quire_status list[] = { QUIRE_INVALID_TYPE, QUIRE_INVALID_METHOD, QUIRE_INVALID_RESULT_TYPE,
                                         QUIRE_SIZE_OVERFLOW };
    if (!place_use((size_t)_i)) return;
    for (int op = 0; op < CALL_COUNT; op++)
        for (unsigned faults = 0; faults < 16; faults++)
            for (int p = 0; p < POINTERS_COUNT; p++) {
                pointer kind[3];
                pointers(p, kind);
                if (op != OPERATION_DOT) kind[1] = GOOD; /* there is no y */
                const quire_status pointed = pointer_status(kind, 3), named = first_of(list, faults);
                if (!named && !pointed) continue;
                poison();
                const quire_type type = faults & 1 ? (quire_type)99 : QUIRE_F32;
                const quire_method method = faults & 2 ? (quire_method)99 : QUIRE_PLAIN;
                const quire_type result_type = faults & 4 ? (quire_type)99 : QUIRE_F64;
                check_refused(call_operation(place_context(), (operation)op, type, faults & 8 ? SIZE_MAX : 2,
                                             pointer_to(0, kind[0]), pointer_to(1, kind[1]), method, result_type,
                                             pointer_to(2, kind[2])),
                              named ? named : pointed, operation_name((operation)op), faults);
            }
}
END_TEST

/* Faults of quire_reduction, from the lowest bit, and of the layouts. */
static quire_reduction faulty(unsigned faults) {
    quire_reduction what;
    memset(&what, 0, sizeof what);
    what.operation = faults & 1 ? (quire_operation)99 : QUIRE_DOT;
    what.type = faults & 2 ? (quire_type)99 : QUIRE_F32;
    what.method = faults & 4 ? (quire_method)99 : QUIRE_EXACT;
    what.result_type = faults & 8 ? (quire_type)99 : QUIRE_F64;
    what.rounding = faults & 16 ? (quire_rounding)99 : QUIRE_TO_NEAREST;
    return what;
}

START_TEST(general_call) {
    static const quire_status list[] = { QUIRE_INVALID_OPERATION,   QUIRE_INVALID_TYPE,     QUIRE_INVALID_METHOD,
                                         QUIRE_INVALID_RESULT_TYPE, QUIRE_INVALID_ROUNDING, QUIRE_INVALID_LAYOUT };
    const quire_layout layout = quire_strided(2, 1), other = quire_strided(3, 1);
    if (!place_use((size_t)_i)) return;
    for (unsigned faults = 0; faults < 64; faults++)
        for (int p = 0; p < POINTERS_COUNT; p++) {
            pointer kind[3];
            pointers(p, kind);
            const quire_reduction what = faulty(faults);
            const quire_layout *y_layout = faults & 32 ? &other : NULL;
            const quire_status pointed = pointer_status(kind, 3), named = first_of(list, faults);
            void *x = pointer_to(0, kind[0]), *y = pointer_to(1, kind[1]), *result = pointer_to(2, kind[2]);
            poison();
            check_refused(quire_reduce(place_context(), NULL, &layout, x, y_layout, y, result), QUIRE_NULL_POINTER,
                          "quire_reduce without what", faults);
            check_refused(quire_reduce(place_context(), &what, NULL, x, y_layout, y, result), QUIRE_NULL_POINTER,
                          "quire_reduce without x_layout", faults);
            if (named || pointed)
                check_refused(quire_reduce(place_context(), &what, &layout, x, y_layout, y, result),
                              named ? named : pointed, "quire_reduce", faults);
        }
}
END_TEST

/* What a place sees without the offsets, which may be in a device's memory. */
START_TEST(segments_call) {
    static const quire_status list[] = { QUIRE_INVALID_OPERATION,   QUIRE_INVALID_TYPE,     QUIRE_INVALID_METHOD,
                                         QUIRE_INVALID_RESULT_TYPE, QUIRE_INVALID_ROUNDING, QUIRE_INVALID_INDEX,
                                         QUIRE_SIZE_OVERFLOW };
    const unsigned all = 1 << sizeof list / sizeof *list;
    if (!place_use((size_t)_i)) return;
    for (unsigned faults = 0; faults < 2 * all; faults++) /* the last: x is misaligned */
        for (int p = 0; p < POINTERS_COUNT; p++) {
            pointer kind[4] = { GOOD, GOOD, GOOD, faults & all ? MISALIGNED : GOOD };
            pointers(p, kind);
            const quire_reduction what = faulty(faults);
            const quire_index index = faults & 32 ? (quire_index)3 : QUIRE_I64;
            const size_t segments = faults & 64 ? SIZE_MAX : 2;
            const quire_status pointed = pointer_status(kind, 4), named = first_of(list, faults & (all - 1));
            const void *begin = pointer_to(0, kind[0]), *end = pointer_to(1, kind[1]), *x = pointer_to(1, kind[3]);
            void *results = pointer_to(2, kind[2]);
            if (!named && !pointed) continue;
            poison();
            check_refused(quire_reduce_segments(place_context(), NULL, segments, index, begin, end, x, x, results),
                          QUIRE_NULL_POINTER, "quire_reduce_segments without what", faults);
            check_refused(quire_reduce_segments(place_context(), &what, segments, index, begin, end, x, x, results),
                          named ? named : pointed, "quire_reduce_segments", faults);
        }
}
END_TEST

/* And with them, on a CPU: arrays may be NULL only where no segment has an element. */
START_TEST(segments_of_no_array) {
    const int32_t begin[2] = { 7, 1 }, end[2] = { 7, 2 };
    float results[2] = { -1, -1 }, x[2] = { 1, 2 };
    quire_reduction what = { QUIRE_DOT, QUIRE_F32, QUIRE_F32, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } };
    if (strcmp(place_name(), "cpu") || !place_use((size_t)_i)) return;
    quire_context *c = place_context();
    ck_assert_int_eq(quire_reduce_segments(c, &what, 2, QUIRE_I32, begin, end, NULL, x, results), QUIRE_NULL_POINTER);
    ck_assert_int_eq(quire_reduce_segments(c, &what, 2, QUIRE_I32, begin, end, x, NULL, results), QUIRE_NULL_POINTER);
    ck_assert(results[0] == -1 && results[1] == -1);
    check_ok(quire_reduce_segments(c, &what, 2, QUIRE_I32, begin, begin, NULL, NULL, results));
    ck_assert(results[0] == 0 && results[1] == 0);
}
END_TEST

/* ----------------------------------------------------------------------------------------------------- accumulators */

static quire_status accumulate(int adder, quire_accumulator *a, quire_type type, size_t n, const void *x,
                               const void *y) {
    switch (adder) {
    case 0: return quire_accumulate(place_context(), a, type, n, x);
    case 1: return quire_accumulate_magnitudes(place_context(), a, type, n, x);
    default: return quire_accumulate_products(place_context(), a, type, n, x, y);
    }
}

START_TEST(accumulating) {
    static const quire_status list[] = { QUIRE_INVALID_TYPE, QUIRE_SIZE_OVERFLOW };
    if (!place_use((size_t)_i)) return;
    for (int adder = 0; adder < 3; adder++)
        for (unsigned faults = 0; faults < 4; faults++)
            for (int p = 0; p < POINTERS_COUNT; p++) {
                pointer kind[3];
                pointers(p, kind);
                if (adder < 2) kind[1] = GOOD; /* there is no y */
                const quire_status pointed = pointer_status(kind, 3), named = first_of(list, faults);
                if (!named && !pointed) continue;
                poison();
                check_refused(accumulate(adder, pointer_to(2, kind[2]), faults & 1 ? (quire_type)99 : QUIRE_F32,
                                         faults & 2 ? SIZE_MAX : 2, pointer_to(0, kind[0]), pointer_to(1, kind[1])),
                              named ? named : pointed, "accumulate", faults);
            }
}
END_TEST

START_TEST(merging_and_carrying) {
    for (int p = 0; p < POINTERS_COUNT; p++) {
        pointer kind[3];
        pointers(p, kind);
        poison();
        const quire_status merged = pointer_status(kind, 2), carried = pointer_status(kind, 1);
        if (merged)
            check_refused(quire_merge(pointer_to(0, kind[0]), pointer_to(1, kind[1])), merged, "quire_merge", 0);
        if (carried) check_refused(quire_carry(pointer_to(0, kind[0])), carried, "quire_carry", 0);
    }
}
END_TEST

START_TEST(rounding) {
    typedef quire_status rounder(const quire_accumulator *accumulator, quire_type result_type, void *result);
    static rounder *const rounders[] = { quire_round, quire_round_root, quire_round_mean };
    for (int r = 0; r < 3; r++)
        for (int p = 0; p < POINTERS_COUNT; p++) {
            pointer kind[3];
            pointers(p, kind);
            poison();
            const quire_status pointed = pointer_status(kind, 2);
            const quire_accumulator *a = pointer_to(0, kind[0]);
            void *result = pointer_to(1, kind[1]);
            check_refused(rounders[r](a, (quire_type)99, result), QUIRE_INVALID_RESULT_TYPE, "round", 1);
            check_refused(rounders[r](a, (quire_type)0, result), QUIRE_INVALID_RESULT_TYPE, "round", 1);
            if (pointed) check_refused(rounders[r](a, QUIRE_F32, result), pointed, "round", 0);
        }
}
END_TEST

START_TEST(finishing) {
    static const quire_status list[] = { QUIRE_INVALID_OPERATION, QUIRE_OK /* its type is not read */,
                                         QUIRE_INVALID_METHOD, QUIRE_INVALID_RESULT_TYPE, QUIRE_INVALID_ROUNDING };
    for (unsigned faults = 0; faults < 32; faults++)
        for (int p = 0; p < POINTERS_COUNT; p++) {
            pointer kind[3];
            pointers(p, kind);
            quire_reduction what = faulty(faults);
            const quire_status pointed = pointer_status(kind, 2), named = first_of(list, faults & ~2u);
            const quire_accumulator *a = pointer_to(0, kind[0]);
            void *result = pointer_to(1, kind[1]);
            poison();
            check_refused(quire_finish(NULL, a, NULL, result), QUIRE_NULL_POINTER, "quire_finish without what", faults);
            if (named || pointed)
                check_refused(quire_finish(&what, a, NULL, result), named ? named : pointed, "quire_finish", faults);
            what.method = QUIRE_KAHAN; /* is a method, but not for accumulators */
            check_refused(quire_finish(&what, a, NULL, result),
                          faults & 1 ? QUIRE_INVALID_OPERATION : QUIRE_INVALID_METHOD, "quire_finish by kahan", faults);
        }
}
END_TEST

/* --------------------------------------------------------------------------------------------------------- contexts */

/* An open call that fails leaves this in its place. */
static quire_context *untouched(void) {
    static int mark;
    return (quire_context *)(void *)&mark;
}

START_TEST(opening_on_the_cpu) {
    static const quire_status list[] = { QUIRE_NULL_POINTER, QUIRE_INVALID_THREADS, QUIRE_INVALID_TIER };
    for (unsigned faults = 1; faults < 8; faults++) {
        quire_context *context = untouched();
        setenv("QUIRE_TIER", faults & 4 ? "sse9" : "portable", 1);
        ck_assert_int_eq(quire_open_cpu(faults & 1 ? NULL : &context, faults & 2 ? -1 : 1), first_of(list, faults));
        ck_assert_ptr_eq(context, untouched());
    }
    unsetenv("QUIRE_TIER");
}
END_TEST

/* "Unset, empty or best, QUIRE_TIER means the best." Which instructions run, test_contexts.c sees. */
START_TEST(an_empty_tier_is_the_best) {
    static const char *const names[] = { "", "best" };
    const float x[3] = { 0x1p100f, 1, -0x1p100f };
    for (int k = 0; k < 2; k++) {
        quire_context *context = NULL;
        float sum = 0;
        setenv("QUIRE_TIER", names[k], 1);
        check_ok(quire_open_cpu(&context, 1));
        check_ok(quire_sum(context, QUIRE_F32, 3, x, QUIRE_EXACT, QUIRE_F32, &sum));
        ck_assert_float_eq(sum, 1);
        check_ok(quire_sum(NULL, QUIRE_F32, 3, x, QUIRE_EXACT, QUIRE_F32, &sum));
        quire_close(context);
    }
    unsetenv("QUIRE_TIER");
}
END_TEST

/* A NULL is found before a missing device, and that before a number that no device has. */
START_TEST(opening_on_a_device) {
    static const int devices[] = { 0, 1, -1, 99, INT_MAX, INT_MIN };
    quire_context *first = untouched();
    const quire_status there = quire_open_cuda(&first, 0, NULL);
    for (size_t k = 0; k < sizeof devices / sizeof *devices; k++) {
        quire_context *context = untouched();
        ck_assert_int_eq(quire_open_cuda(NULL, devices[k], NULL), QUIRE_NULL_POINTER);
        if (there == QUIRE_NO_DEVICE) {
            ck_assert_int_eq(quire_open_cuda(&context, devices[k], NULL), QUIRE_NO_DEVICE);
            ck_assert_ptr_eq(context, untouched());
        } else if (devices[k] < 0 || devices[k] >= 99) {
            ck_assert_int_eq(quire_open_cuda(&context, devices[k], NULL), QUIRE_INVALID_DEVICE);
            ck_assert_ptr_eq(context, untouched());
        }
    }
    if (there)
        ck_assert_ptr_eq(first, untouched());
    else
        quire_close(first);
    ck_assert(quire_has_cuda() || there == QUIRE_NO_DEVICE);
}
END_TEST

/* Of the place's context, and of none. */
START_TEST(steering) {
    const int on_cpu = !strcmp(place_name(), "cpu");
    quire_context *c;
    ck_assert_int_eq(quire_set_tier(NULL, (quire_tier)99), QUIRE_NULL_POINTER);
    ck_assert_int_eq(quire_set_stream(NULL, NULL), QUIRE_NULL_POINTER);
    ck_assert_int_eq(quire_set_progress(NULL, NULL, NULL), QUIRE_NULL_POINTER);
    if (!place_use((size_t)_i)) return;
    c = place_context();
    ck_assert_msg(!c == (on_cpu && _i == 0), "variant %d is not in use", _i);
    if (!c) return;
    ck_assert_int_eq(quire_set_tier(c, (quire_tier)99), QUIRE_INVALID_TIER);
    for (int tier = QUIRE_TIER_PORTABLE; tier <= QUIRE_TIER_AVX512VNNI && !on_cpu; tier++)
        ck_assert_int_eq(quire_set_tier(c, (quire_tier)tier), QUIRE_WRONG_CONTEXT);
    ck_assert_int_eq(quire_set_stream(c, NULL), on_cpu ? QUIRE_WRONG_CONTEXT : QUIRE_OK);
    ck_assert_int_eq(quire_set_progress(c, NULL, NULL), on_cpu ? QUIRE_OK : QUIRE_WRONG_CONTEXT);
}
END_TEST

static void add_tests(TCase *cases) {
    const int variants = (int)place_variants();
    tcase_add_loop_test(cases, reductions, 0, variants);
    tcase_add_loop_test(cases, general_call, 0, variants);
    tcase_add_loop_test(cases, segments_call, 0, variants);
    tcase_add_loop_test(cases, segments_of_no_array, 0, variants);
    tcase_add_loop_test(cases, accumulating, 0, variants);
    tcase_add_test(cases, merging_and_carrying);
    tcase_add_test(cases, rounding);
    tcase_add_test(cases, finishing);
    tcase_add_test(cases, opening_on_the_cpu);
    tcase_add_test(cases, an_empty_tier_is_the_best);
    tcase_add_test(cases, opening_on_a_device);
    tcase_add_loop_test(cases, steering, 0, variants);
}

int main(void) { return run_cases("statuses", add_tests); }
