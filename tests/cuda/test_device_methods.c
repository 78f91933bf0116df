/* test_device_methods.c - the methods of the canonical order, and means and variances, inside kernels of users' own
 * (quire/device.cuh), by kernels of the test's own: warps and blocks of 1 to 1024 threads, and states that the kernel
 * adds and merges. Compiled plainly, and with all that --use_fast_math and contraction may do. The judge is the CPU.
 * CK_FORK=no. */
#define _POSIX_C_SOURCE 200809L
#include "device_calls.h"
#include "device_cases.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

typedef int kernel(const device_sums_job *job);
typedef int seeded(const device_sums_job *job, unsigned seed);
static const struct variant {
    const char *name;
    kernel *methods, *order, *moments;
    seeded *moment_states;
} VARIANTS[] = { { "careful", device_methods_careful, device_order_careful, device_moments_careful,
                   device_moment_states_careful },
                 { "fast", device_methods_fast, device_order_fast, device_moments_fast, device_moment_states_fast } };

static const struct choice {
    quire_method method;
    quire_type type, result_type;
} METHOD_CHOICES[] = {
#define METHOD_CHOICE(name, METHOD, T, type, R, result_type) { METHOD, type, result_type },
    FEW_METHODS(METHOD_CHOICE) MORE_METHODS(METHOD_CHOICE)
}, MOMENT_CHOICES[] = {
#define MOMENT_CHOICE(T, type, R, result_type) { QUIRE_EXACT, type, result_type },
    FEW_MOMENTS(MOMENT_CHOICE) MORE_MOMENTS(MOMENT_CHOICE)
};

/* The operations that all choices have come first. */
static const quire_operation OPERATIONS[] = { QUIRE_SUM, QUIRE_NRM2, QUIRE_DOT, QUIRE_ASUM, QUIRE_SUMSQ, QUIRE_MEAN };
enum { COMMON_OPERATIONS = 3 };

#define NUMBER(who) who,
static const int METHOD_WHO[] = { METHODS_WHO(NUMBER) KAHANS_WHO(NUMBER) },
                 MOMENT_WHO[] = { MOMENTS_WHO(NUMBER) FLOATS_MOMENTS_WHO(NUMBER) };
enum { COMMON_METHOD_WHO = 3, COMMON_MOMENT_WHO = 2 };

/* Up to several tiles of 4096 elements, and rounds of four tiles at a time. */
static const size_t LENGTHS[] = {
    0, 1, 2, 31, 33, 100, 255, 256, 257, 300, 1000, 4095, 4096, 4097, 9000, 20000, 41000
};

static quire_reduction reduction_of(generator *g, const struct choice *c, quire_operation operation) {
    quire_reduction what = { operation, c->type, c->result_type, c->method, QUIRE_TO_NEAREST, 0, { 0 } };
    if (generator_below(g, 3) == 0) what.rounding = ROUNDINGS[generator_below(g, ROUNDING_COUNT)];
    return what;
}

/* All results are the CPU's, and all threads have them. */
static void check_all(case_of *c, const char *name) {
    collect(c);
    for (size_t v = 0; v < c->job.vectors; v++) {
        const uint64_t one = type_load(c->job.what.result_type, c->results, v), threads = (uint64_t)abs(c->job.who);
        check_result(c, v, name);
        check_that(!c->other[v], "two ways differ in vector %zu of %zu elements", v, c->job.n);
        check_that(c->sums[v] == threads * one, "threads differ in vector %zu of %zu elements", v, c->job.n);
    }
}

/* A long vector is one of few. */
static size_t vectors_of(generator *g, size_t n) { return 1 + generator_below(g, n > 5000 ? 4 : 40); }

START_TEST(collectives) {
    const struct choice *choice = &METHOD_CHOICES[_i];
    const int has_all = choice->method == QUIRE_KAHAN && choice->type == QUIRE_F32 && choice->result_type == QUIRE_F32;
    const size_t operations = has_all ? COUNT_OF(OPERATIONS) : COMMON_OPERATIONS,
                 whos = has_all ? COUNT_OF(METHOD_WHO) : COMMON_METHOD_WHO;
    size_t tried = 0;
    generator g;
    generator_seed(&g, 5300 + (uint64_t)_i);
    for (size_t turn = 0; turn < scaled(60); turn++)
        for (size_t t = 0; t < whos; t++) {
            const size_t n = LENGTHS[generator_below(&g, COUNT_OF(LENGTHS))];
            case_of c;
            open_case(&c, &g, reduction_of(&g, choice, OPERATIONS[generator_below(&g, operations)]), vectors_of(&g, n),
                      n);
            c.job.who = METHOD_WHO[t];
            for (size_t i = 0; i < COUNT_OF(VARIANTS); i++) {
                clear(&c);
                const int error = VARIANTS[i].methods(&c.job);
                if (error == -1) continue; /* careful users try few types */
                must(error);
                check_all(&c, VARIANTS[i].name);
                tried += c.job.vectors;
            }
            close_case(&c);
        }
    check_that(tried, "no vector was tried");
}
END_TEST

/* Of one tile, whose rows are 16 in all methods. */
START_TEST(states_in_order) {
    const struct choice *choice = &METHOD_CHOICES[_i];
    generator g;
    generator_seed(&g, 5400 + (uint64_t)_i);
    for (size_t turn = 0; turn < scaled(60); turn++) {
        const size_t n = 1 + generator_below(&g, 4096);
        case_of c;
        open_case(&c, &g, reduction_of(&g, choice, OPERATIONS[generator_below(&g, COUNT_OF(OPERATIONS))]),
                  vectors_of(&g, n), n);
        for (size_t i = 0; i < COUNT_OF(VARIANTS); i++) {
            clear(&c);
            const int error = VARIANTS[i].order(&c.job);
            if (error == -1) continue;
            must(error);
            collect(&c);
            for (size_t v = 0; v < c.job.vectors; v++) {
                check_that(c.flags[v] == 1, "an ordered sum is undecided");
                check_result(&c, v, VARIANTS[i].name);
            }
        }
        close_case(&c);
    }
}
END_TEST

/* Means, variances and their roots, with corrections about n and others. */
static quire_reduction moment_of(generator *g, const struct choice *c, size_t n) {
    static const quire_operation OF[] = { QUIRE_VARIANCE, QUIRE_STDDEV, QUIRE_MEAN };
    const int64_t CORRECTIONS[] = { 0, 1, (int64_t)n - 1, (int64_t)n, (int64_t)n + 1, -3, 2, (int64_t)1 << 45 };
    quire_reduction what = reduction_of(g, c, OF[generator_below(g, COUNT_OF(OF))]);
    if (what.operation != QUIRE_MEAN)
        what.correction =
            CORRECTIONS[generator_below(g, 2) ? generator_below(g, 2) : generator_below(g, COUNT_OF(CORRECTIONS))];
    return what;
}

START_TEST(moments) {
    const struct choice *choice = &MOMENT_CHOICES[_i];
    const int is_float = choice->type == QUIRE_F32 && choice->result_type == QUIRE_F32;
    size_t tried = 0;
    generator g;
    generator_seed(&g, 5500 + (uint64_t)_i);
    for (size_t turn = 0; turn < scaled(60); turn++)
        for (size_t t = 0; t < (is_float ? COUNT_OF(MOMENT_WHO) : COMMON_MOMENT_WHO); t++) {
            const size_t n = LENGTHS[generator_below(&g, 13)]; /* up to 4096 */
            case_of c;
            open_case(&c, &g, moment_of(&g, choice, n), vectors_of(&g, n), n);
            c.job.who = MOMENT_WHO[t];
            for (size_t i = 0; i < COUNT_OF(VARIANTS); i++) {
                clear(&c);
                const int error = VARIANTS[i].moments(&c.job);
                if (error == -1) continue;
                must(error);
                check_all(&c, VARIANTS[i].name);
                tried += c.job.vectors;
            }
            close_case(&c);
        }
    check_that(tried, "no vector was tried");
}
END_TEST

/* What is decided is right, and undecided results are not written. */
START_TEST(states_of_moments) {
    const struct choice *choice = &MOMENT_CHOICES[_i];
    const size_t size = type_size(choice->result_type);
    unsigned char untouched[8];
    size_t decided = 0, undecided = 0;
    generator g;
    generator_seed(&g, 5600 + (uint64_t)_i);
    memset(untouched, 0x5a, sizeof untouched);
    for (size_t turn = 0; turn < scaled(60); turn++) {
        const size_t n = LENGTHS[generator_below(&g, 13)];
        case_of c;
        open_case(&c, &g, moment_of(&g, choice, n), vectors_of(&g, n), n);
        for (size_t i = 0; i < COUNT_OF(VARIANTS); i++) {
            clear(&c);
            const int error = VARIANTS[i].moment_states(&c.job, (unsigned)generator_next(&g));
            if (error == -1) continue;
            must(error);
            collect(&c);
            for (size_t v = 0; v < c.job.vectors; v++) {
                if (c.flags[v])
                    check_result(&c, v, VARIANTS[i].name);
                else
                    check_that(!memcmp(c.results + v * size, untouched, size), "an undecided result is written");
                decided += c.flags[v], undecided += !c.flags[v];
            }
        }
        close_case(&c);
    }
    check_that(decided + undecided < 500 || 2 * decided > undecided, "%zu are decided, %zu are not", decided,
               undecided);
}
END_TEST

static void add_tests(TCase *cases) {
    tcase_add_loop_test(cases, collectives, 0, (int)COUNT_OF(METHOD_CHOICES));
    tcase_add_loop_test(cases, states_in_order, 0, (int)COUNT_OF(METHOD_CHOICES));
    tcase_add_loop_test(cases, moments, 0, (int)COUNT_OF(MOMENT_CHOICES));
    tcase_add_loop_test(cases, states_of_moments, 0, (int)COUNT_OF(MOMENT_CHOICES));
}

int main(void) {
    if (device_is_missing()) return 0;
    return run_cases_without_place("methods and variances inside kernels", add_tests);
}
