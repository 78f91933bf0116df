/* test_environment.c - the caller's floating-point environment neither reaches the bits nor is changed: rounding modes,
 * flush-to-zero, raised flags and unmasked traps. Between environment_set and environment_reset no line of this file
 * computes with floating point; a trap that goes off there ends the test with SIGFPE. */
#define _GNU_SOURCE /* feenableexcept */
#include <fenv.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "families.h"
#include "many.h"
#include "place.h"
#include "support.h"

/* ----------------------------------------------------------------------------------------------------- environments */

#define FTZ 0x8000u
#define DAZ 0x0040u
#define MXCSR_FLAGS 0x003fu
#define MXCSR_MASKS 0x1f80u

static const struct hostile {
    const char *name;
    int rounding;
    unsigned flush; /* FTZ, DAZ */
    int flags;      /* raised before the call */
    int traps;      /* unmasked */
} HOSTILE[] = {
    { "default", FE_TONEAREST, 0, 0, 0 },
    { "upward", FE_UPWARD, 0, 0, 0 },
    { "downward", FE_DOWNWARD, 0, 0, 0 },
    { "toward zero", FE_TOWARDZERO, 0, 0, 0 },
    { "flags raised", FE_TONEAREST, 0, 1, 0 },
    { "traps unmasked", FE_TONEAREST, 0, 0, 1 },
    { "FTZ", FE_TONEAREST, FTZ, 0, 0 },
    { "DAZ", FE_TONEAREST, DAZ, 0, 0 },
    { "FTZ and DAZ", FE_TONEAREST, FTZ | DAZ, 0, 0 },
    { "upward, FTZ and DAZ, traps unmasked", FE_UPWARD, FTZ | DAZ, 0, 1 },
    { "downward, FTZ and DAZ, flags raised", FE_DOWNWARD, FTZ | DAZ, 1, 0 },
};
#define HOSTILE_COUNT ((int)(sizeof HOSTILE / sizeof *HOSTILE))

/* What a caller can see of its environment. */
typedef struct seen {
    int rounding, flags, traps;
    unsigned mxcsr; /* FTZ and DAZ, and again flags, masks and rounding */
    unsigned x87;   /* control word */
} seen;

static void environment_reset(void) { fesetenv(FE_DFL_ENV); /* the flags and, with glibc, all of MXCSR */ }

static void environment_set(const struct hostile *h) {
    environment_reset();
    fesetround(h->rounding);
#if defined(__x86_64__)
    _mm_setcsr(_mm_getcsr() | h->flush);
    if (h->flags) /* not through the x87 half, where a raised flag and an open mask would meet */
        _mm_setcsr(_mm_getcsr() | MXCSR_FLAGS);
    if (h->traps) _mm_setcsr(_mm_getcsr() & ~MXCSR_MASKS); /* the denormal trap too, which fenv.h does not know */
#else
    if (h->flags) feraiseexcept(FE_ALL_EXCEPT);
#endif
#if defined(__GLIBC__)
    if (h->traps) feenableexcept(FE_ALL_EXCEPT);
#endif
}

static seen environment_see(void) {
    seen now = { 0 };
    now.rounding = fegetround();
    now.flags = fetestexcept(FE_ALL_EXCEPT);
#if defined(__GLIBC__)
    now.traps = fegetexcept();
#endif
#if defined(__x86_64__)
    unsigned short control;
    __asm__ volatile("fnstcw %0" : "=m"(control));
    now.x87 = control;
    now.mxcsr = _mm_getcsr();
#endif
    return now;
}

static void check_seen(seen before, seen after, const char *environment, const char *call) {
    ck_assert_msg(before.rounding == after.rounding, "%s: %s left another rounding mode", environment, call);
    ck_assert_msg(before.flags == after.flags, "%s: %s changed the flags from 0x%x to 0x%x", environment, call,
                  (unsigned)before.flags, (unsigned)after.flags);
    ck_assert_msg(before.traps == after.traps, "%s: %s changed the traps", environment, call);
    ck_assert_msg(before.mxcsr == after.mxcsr, "%s: %s changed MXCSR from 0x%04x to 0x%04x", environment, call,
                  before.mxcsr, after.mxcsr);
    ck_assert_msg(before.x87 == after.x87, "%s: %s changed the x87 control word", environment, call);
}

/* ------------------------------------------------------------------------------------------------------- reductions */

static void check_reductions(const struct hostile *h, family which, quire_type type, size_t n, const char *variant) {
    static const quire_type results[] = { QUIRE_F16, QUIRE_F64 };
    void *x = array_new(n * type_size(type), 0), *y = array_new(n * type_size(type), 0);
    family_fill_pair(which, type, n, n, x, y);
    for (int k = 0; k < OPERATION_COUNT * METHOD_COUNT * 2; k++) {
        operation op = (operation)(k / 2 / METHOD_COUNT);
        quire_method method = METHODS[k / 2 % METHOD_COUNT];
        quire_type result_type = results[k % 2];
        uint64_t expected = 0, result = 0x5a5a5a5a5a5a5a5a;
        quire_status status;
        seen before, after;

        check_ok(place_reduce(op, type, n, x, y, method, result_type, &expected));
        environment_set(h);
        before = environment_see();
        status = place_reduce(op, type, n, x, y, method, result_type, &result);
        after = environment_see();
        environment_reset();

        check_ok(status);
        check_bits(result_type, &result, type_load(result_type, &expected, 0), "%s: %s %s of %s %s, n = %zu, %s",
                   h->name, method_name(method), operation_name(op), family_name(which), type_name(type), n, variant);
        check_seen(before, after, h->name, variant);
    }
    array_free(x);
    array_free(y);
}

/* Together the families raise every exception: inexact, overflow, underflow, signaling NaNs, Inf - Inf; and subnormals.
 */
static const family FAMILIES[] = { FAMILY_UNIFORM,   FAMILY_EVERY_EXPONENT, FAMILY_ANY_BITS,
                                   FAMILY_SUBNORMAL, FAMILY_HUGE,           FAMILY_BOTH_INFINITIES };
#define FAMILIES_COUNT (sizeof FAMILIES / sizeof *FAMILIES)

START_TEST(no_environment_reaches_the_bits) {
    static const size_t lengths[] = { 0, 1, 3, 300, 9000 };
    generator g;
    generator_seed(&g, 890 + (uint64_t)_i);
    for (size_t v = 0; v < place_variants(); v++) {
        const char *variant = place_use(v);
        for (size_t f = 0; variant && f < FAMILIES_COUNT; f++)
            for (size_t t = 0; t < TYPE_COUNT; t++)
                for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
                    if (drawn(&g)) check_reductions(&HOSTILE[_i], FAMILIES[f], TYPES[t], lengths[k], variant);
    }
}
END_TEST

/* Were they all to answer wrongly alike, the test above would not see it. These values are known. */
START_TEST(known_sums_in_every_environment) {
    const float x[2] = { 0x1p-149f, 0x1p-149f }, y[3] = { 1, 0x1p-30f, -0x1p-140f };
    for (size_t m = 0; m < METHOD_COUNT; m++) {
        float tiny = -1, rounded = -1;
        seen before, after;
        environment_set(&HOSTILE[_i]);
        before = environment_see();
        quire_sum(NULL, QUIRE_F32, 2, x, METHODS[m], QUIRE_F32, &tiny);
        quire_sum(NULL, QUIRE_F32, 3, y, METHODS[m], QUIRE_F32, &rounded);
        after = environment_see();
        environment_reset();
        check_bits(QUIRE_F32, &tiny, 2, "%s, %s", HOSTILE[_i].name, method_name(METHODS[m]));
        check_bits(QUIRE_F32, &rounded, 0x3f800000, "%s, %s", HOSTILE[_i].name, method_name(METHODS[m]));
        check_seen(before, after, HOSTILE[_i].name, "quire_sum");
    }
}
END_TEST

#if defined(__x86_64__)
/* Every control word there is, by itself: one that is taken for the default is not put aside. Of subnormals, and of
 * what rounds. */
START_TEST(every_control_word) {
    enum { N = 300 };
    float x[2][N], expected[2] = { 0 }, found[2] = { 0 };
    unsigned after = 0, ours = _mm_getcsr();
    generator g;
    generator_seed(&g, 889);
    for (int i = 0; i < N; i++) x[0][i] = 0x1p-149f * (float)(i + 1), x[1][i] = 1.1f * (float)(i % 2 ? -i : 2 * i + 1);
    for (size_t m = 0; m < METHOD_COUNT; m++) {
        for (int k = 0; k < 2; k++) quire_sum(NULL, QUIRE_F32, N, x[k], METHODS[m], QUIRE_F32, &expected[k]);
        for (unsigned word = 0; word < 0x10000; word++) {
            if (!drawn(&g)) continue;
            _mm_setcsr(word);
            for (int k = 0; k < 2; k++) quire_sum(NULL, QUIRE_F32, N, x[k], METHODS[m], QUIRE_F32, &found[k]);
            after = _mm_getcsr();
            _mm_setcsr(ours);
            if (after == word && !memcmp(found, expected, sizeof found)) continue;
            ck_abort_msg("%s, MXCSR %04x: %a and %a, expected %a and %a; left as %04x", method_name(METHODS[m]), word,
                         found[0], found[1], expected[0], expected[1], after);
        }
    }
}
END_TEST
#endif

/* ----------------------------------------------------------------------------------------------------- many vectors */

/* Rows, with gaps, long, wide and narrow columns, strides; and segments; and by key a vector and columns. */
static const quire_layout LAYOUTS[] = {
    { 31, 40, 1, 40, 1, 0 },  { 7, 300, 1, 305, 1, 0 }, { 3, 8300, 1, 8301, 1, 0 }, { 1, 40, 40, 0, 41, 1 },
    { 1, 300, 33, 0, 33, 1 }, { 1, 50, 3, 0, 3, 1 },    { 2, 900, 1, 900, 7, 0 },   { 1, 8192, 5, 0, 3, 1 },
};
enum { LAYOUT_COUNT = sizeof LAYOUTS / sizeof *LAYOUTS, MANY_ELEMENTS = 25000, MOST_VECTORS = 40 };

static quire_status call_many(size_t k, const quire_reduction *what, const void *x, const void *y, uint64_t *results) {
    static const int32_t offsets[8] = { 0, 5, 5, 300, 301, 9400, 9416, MANY_ELEMENTS };
    static const quire_layout keyed[2] = { { 1, MANY_ELEMENTS, 1, 0, 1, 0 }, { 1, 8000, 3, 0, 3, 1 } };
    static int32_t keys[MANY_ELEMENTS];
    for (int i = 0; i < MANY_ELEMENTS; i++) keys[i] = i % 7 * i % 14;
    if (k < LAYOUT_COUNT) return place_layouts(what, &LAYOUTS[k], x, NULL, y, results);
    if (k > LAYOUT_COUNT)
        return place_by_key(what, 13, QUIRE_I32, keys, &keyed[k - LAYOUT_COUNT - 1], x, NULL, y, results, NULL);
    return place_segments(what, 7, QUIRE_I32, offsets, offsets + 1, MANY_ELEMENTS, x, y, results);
}

static void check_many(const struct hostile *h, size_t k, const quire_reduction *what, const void *x, const void *y,
                       const char *variant) {
    uint64_t expected[MOST_VECTORS] = { 0 }, results[MOST_VECTORS] = { 0 };
    quire_status status;
    seen before, after;

    check_ok(call_many(k, what, x, y, expected));
    environment_set(h);
    before = environment_see();
    status = call_many(k, what, x, y, results);
    after = environment_see();
    environment_reset();

    check_ok(status);
    check_that(!memcmp(results, expected, sizeof results), "%s: %s, layout %zu, %s", h->name, reduction_text(what), k,
               variant);
    check_seen(before, after, h->name, variant);
}

START_TEST(many_vectors_in_every_environment) {
    generator g;
    generator_seed(&g, 900 + (uint64_t)_i);
    for (size_t f = 0; f < FAMILIES_COUNT * TYPE_COUNT; f++) {
        if (!drawn(&g)) continue;
        const quire_type type = TYPES[f % TYPE_COUNT];
        void *x = array_new(MANY_ELEMENTS * type_size(type), 0), *y = array_new(MANY_ELEMENTS * type_size(type), 0);
        family_fill_pair(FAMILIES[f / TYPE_COUNT], type, f, MANY_ELEMENTS, x, y);
        for (size_t v = 0; v < place_variants(); v++) {
            const char *variant = place_use(v);
            for (size_t k = 0; variant && k <= LAYOUT_COUNT + 2; k++) {
                quire_reduction what = draw_reduction(&g);
                what.type = type;
                check_many(&HOSTILE[_i], k, &what, x, y, variant);
            }
        }
        place_use(0);
        array_free(x);
        array_free(y);
    }
}
END_TEST

/* ------------------------------------------------------------------------------------------- the other public calls */

typedef struct answers {
    float sumf;
    double sumd, rounded, root, mean;
    quire_accumulator accumulator;
} answers;

static quire_status call_the_others(const float *x, const double *d, size_t n, quire_context **context, answers *a) {
    quire_accumulator more = QUIRE_ACCUMULATOR_ZERO;
    quire_status failed = quire_open_cpu(context, 2);
    memset(a, 0, sizeof *a);
    a->sumf = quire_sumf(x, n);
    a->sumd = quire_sumd(d, n);
    failed |= quire_set_tier(*context, QUIRE_TIER_PORTABLE);
    failed |= quire_set_progress(*context, NULL, NULL);
    failed |= quire_accumulate(NULL, &a->accumulator, QUIRE_F32, n, x);
    failed |= quire_accumulate_magnitudes(*context, &more, QUIRE_F64, n, d);
    failed |= quire_accumulate_products(*context, &more, QUIRE_F64, n, d, d);
    failed |= quire_merge(&a->accumulator, &more);
    failed |= quire_carry(&a->accumulator);
    failed |= quire_round(&a->accumulator, QUIRE_F64, &a->rounded);
    failed |= quire_round_root(&a->accumulator, QUIRE_F64, &a->root);
    failed |= quire_round_mean(&a->accumulator, QUIRE_F64, &a->mean);
    return failed;
}

START_TEST(other_calls_in_every_environment) {
    enum { N = 777 };
    float x[N];
    double d[N];
    answers expected, found;
    quire_context *context;
    quire_status failed;
    seen before, after;
    size_t chain;

    family_fill(FAMILY_POSITIVE, QUIRE_F32, 1, N, x);
    family_fill(FAMILY_SUBNORMAL, QUIRE_F64, 2, N, d);
    check_ok(call_the_others(x, d, N, &context, &expected));
    quire_close(context);

    environment_set(&HOSTILE[_i]);
    before = environment_see();
    failed = call_the_others(x, d, N, &context, &found);
    chain = quire_chain_length(QUIRE_PLAIN, (size_t)1 << 28);
    quire_close(context);
    after = environment_see();
    environment_reset();

    check_ok(failed);
    check_seen(before, after, HOSTILE[_i].name, "one of the other calls");
    ck_assert_uint_eq(chain, 55);
    check_bits(QUIRE_F32, &found.sumf, type_load(QUIRE_F32, &expected.sumf, 0), "quire_sumf");
    check_bits(QUIRE_F64, &found.sumd, double_bits(expected.sumd), "quire_sumd");
    check_bits(QUIRE_F64, &found.rounded, double_bits(expected.rounded), "quire_round");
    check_bits(QUIRE_F64, &found.root, double_bits(expected.root), "quire_round_root");
    check_bits(QUIRE_F64, &found.mean, double_bits(expected.mean), "quire_round_mean");
    ck_assert_msg(!memcmp(&found.accumulator, &expected.accumulator, sizeof found.accumulator),
                  "the accumulator differs");
}
END_TEST

/* --------------------------------------------------------------------------------------------------- worker threads */

/* Threads inherit the environment of whoever opened their context: so it is opened in a hostile one, and used in that
 * and in another. */
START_TEST(worker_threads_in_every_environment) {
    enum { N = (1 << 20) + 4321, POOL = 4 };
    const struct hostile opener = HOSTILE[_i], caller = HOSTILE[(_i * 3 + 1) % HOSTILE_COUNT];
    float *x = array_new(N * sizeof *x, 0);
    double expected[METHOD_COUNT];
    quire_context *context;

    family_fill(FAMILY_FINITE_BITS, QUIRE_F32, 6, N, x);
    for (size_t i = 0; i < N; i++) /* nothing overflows in float, and sums of subnormals are there to be flushed */
        type_store(QUIRE_F32, x, i, type_load(QUIRE_F32, x, i) & (i < N / 2 ? 0x807fffff : 0xbfffffff));
    for (size_t m = 0; m < METHOD_COUNT; m++)
        check_ok(quire_sum(NULL, QUIRE_F32, N, x, METHODS[m], QUIRE_F64, &expected[m]));
    environment_set(&opener);
    seen before = environment_see();
    const quire_status opened = quire_open_cpu(&context, POOL);
    seen after = environment_see();
    environment_reset();
    check_ok(opened);
    check_seen(before, after, opener.name, "quire_open_cpu with threads");
    for (size_t k = 0; k < 2 * METHOD_COUNT; k++) {
        const struct hostile *h = k % 2 ? &caller : &opener;
        const size_t m = k / 2;
        double result = 0;
        environment_set(h);
        before = environment_see();
        const quire_status status = quire_sum(context, QUIRE_F32, N, x, METHODS[m], QUIRE_F64, &result);
        after = environment_see();
        environment_reset();
        check_ok(status);
        check_bits(QUIRE_F64, &result, double_bits(expected[m]), "opened with %s, called with %s, %s", opener.name,
                   h->name, method_name(METHODS[m]));
        check_seen(before, after, h->name, "quire_sum with threads");
    }
    quire_close(context);
    array_free(x);
}
END_TEST

static void add_tests(TCase *cases) {
    tcase_add_loop_test(cases, no_environment_reaches_the_bits, 0, HOSTILE_COUNT);
    tcase_add_loop_test(cases, known_sums_in_every_environment, 0, HOSTILE_COUNT);
#if defined(__x86_64__)
    tcase_add_test(cases, every_control_word);
#endif
    tcase_add_loop_test(cases, many_vectors_in_every_environment, 0, HOSTILE_COUNT);
    tcase_add_loop_test(cases, other_calls_in_every_environment, 0, HOSTILE_COUNT);
    tcase_add_loop_test(cases, worker_threads_in_every_environment, 0, HOSTILE_COUNT);
}

int main(void) {
    setenv("QUIRE_CPU_THREAD", "65536", 1); /* bytes, as src/cpu/context.c reads it: threads for short arrays, too */
    return run_cases("environment", add_tests);
}
