/* test_device_sums.c - sums inside kernels of users' own (quire/device.cuh), by kernels of the test's own: warps and
 * blocks of 1 to 1024 threads, states of threads merged in any order, and many blocks into one accumulator. Compiled
 * plainly, and with all that --use_fast_math and contraction may do. The judge is the CPU. CK_FORK=no. */
#define _POSIX_C_SOURCE 200809L
#include <string.h>

#include "device_cases.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

typedef int sums(const device_sums_job *job);
typedef int states(const device_sums_job *job, unsigned seed);
typedef int computed(const device_sums_job *job);
typedef int accumulate(const device_sums_job *job, int way, quire_accumulator *sum);
static const struct variant {
    const char *name;
    sums *sums;
    states *states;
    computed *computed;
    accumulate *accumulate;
} VARIANTS[] = { { "careful", device_sums_careful, device_states_careful, device_computed_careful,
                   device_accumulate_careful },
                 { "fast", device_sums_fast, device_states_fast, device_computed_fast, device_accumulate_fast } };

static const struct pair {
    quire_type type, result_type;
} PAIRS[] = { { QUIRE_F16, QUIRE_F16 }, { QUIRE_F16, QUIRE_F64 }, { QUIRE_BF16, QUIRE_BF16 },
              { QUIRE_F32, QUIRE_F32 }, { QUIRE_F32, QUIRE_F64 }, { QUIRE_F32, QUIRE_E4M3 },
              { QUIRE_F64, QUIRE_F64 }, { QUIRE_F64, QUIRE_F16 }, { QUIRE_E4M3, QUIRE_E4M3 },
              { QUIRE_E5M2, QUIRE_F32 } };

static const quire_operation OPERATIONS[] = { QUIRE_SUM, QUIRE_ASUM, QUIRE_SUMSQ, QUIRE_NRM2, QUIRE_MEAN, QUIRE_DOT };

#define NUMBER(who) who,
static const int WHO[] = { ALL_WHO(NUMBER) FLOATS_WHO(NUMBER) };
enum { ALL_COUNT = 3 };

static const size_t LENGTHS[] = { 0, 1, 2, 5, 31, 32, 33, 64, 100, 255, 257, 1000, 1025, 5000 };

static quire_reduction draw_what(generator *g, const struct pair *p) {
    quire_reduction what = { OPERATIONS[generator_below(g, COUNT_OF(OPERATIONS))],
                             p->type,
                             p->result_type,
                             QUIRE_EXACT,
                             QUIRE_TO_NEAREST,
                             0,
                             { 0 } };
    if (generator_below(g, 3) == 0) what.rounding = ROUNDINGS[generator_below(g, ROUNDING_COUNT)];
    return what;
}

START_TEST(collectives) {
    const struct pair *p = &PAIRS[_i];
    const int is_float = p->type == QUIRE_F32 && p->result_type == QUIRE_F32;
    size_t tried = 0;
    generator g;
    generator_seed(&g, 4900 + (uint64_t)_i);
    for (size_t turn = 0; turn < scaled(60); turn++)
        for (size_t t = 0; t < (is_float ? COUNT_OF(WHO) : ALL_COUNT); t++) {
            case_of c;
            open_case(&c, &g, draw_what(&g, p), 1 + generator_below(&g, 50),
                      LENGTHS[generator_below(&g, COUNT_OF(LENGTHS))]);
            c.job.who = WHO[t];
            for (size_t i = 0; i < COUNT_OF(VARIANTS); i++) {
                int error;
                clear(&c);
                error = VARIANTS[i].sums(&c.job);
                if (error == -1) continue; /* careful users try few types */
                must(error);
                collect(&c);
                for (size_t v = 0; v < c.job.vectors; v++) {
                    const uint64_t one = type_load(p->result_type, c.results, v), threads = (uint64_t)abs(c.job.who);
                    check_result(&c, v, VARIANTS[i].name);
                    check_that(!c.other[v] && c.sums[v] == threads * one, "threads differ in vector %zu", v);
                }
                tried += c.job.vectors;
            }
            close_case(&c);
        }
    check_that(tried, "no vector was tried");
}
END_TEST

/* What is decided is right, and undecided results are not written; of these vectors, which are made to be open, more
 * than half are decided. */
START_TEST(states_of_threads) {
    const struct pair *p = &PAIRS[_i];
    const size_t size = type_size(p->result_type);
    unsigned char untouched[8];
    size_t decided = 0, undecided = 0;
    generator g;
    generator_seed(&g, 5000 + (uint64_t)_i);
    memset(untouched, 0x5a, sizeof untouched);
    for (size_t turn = 0; turn < scaled(60); turn++) {
        case_of c;
        open_case(&c, &g, draw_what(&g, p), 1 + generator_below(&g, 50),
                  1 + LENGTHS[generator_below(&g, COUNT_OF(LENGTHS))]);
        for (size_t i = 0; i < COUNT_OF(VARIANTS); i++) {
            int error;
            clear(&c);
            error = VARIANTS[i].states(&c.job, (unsigned)generator_next(&g));
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
    check_that(decided + undecided < 500 || decided > undecided, "%zu sums are decided, %zu are not", decided,
               undecided);
}
END_TEST

/* The elements are the products as they are rounded, and no longer ones. */
START_TEST(computed_elements) {
    const quire_reduction what = { QUIRE_SUM, QUIRE_F64, QUIRE_F64, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } };
    const size_t vectors = 300, n = 9;
    generator g;
    generator_seed(&g, 5200);
    for (size_t turn = 0; turn < scaled(20); turn++) {
        double *products = array_new(vectors * n * sizeof *products, 0), *x, *y;
        const quire_layout l = quire_rows(vectors, n, (ptrdiff_t)n);
        size_t decided = 0;
        case_of c;
        open_case(&c, &g, what, vectors, n);
        x = (double *)c.x, y = (double *)c.y;
        for (size_t k = 0; k < vectors * n; k++) { /* of every two one takes away what the other adds, nearly */
            x[k] = k % 2 ? -x[k - 1] : 1 + generator_uniform(&g), y[k] = k % 2 ? y[k - 1] : generator_uniform(&g);
            if (k % 4 == 1) y[k] = x[k - 1] * y[k - 1], x[k] = -1;
            products[k] = x[k] * y[k];
        }
        check_ok(quire_reduce(NULL, &what, &l, products, NULL, NULL, c.expected));
        CUDA(cudaMemcpy((void *)c.job.x, x, vectors * n * sizeof *x, cudaMemcpyHostToDevice));
        CUDA(cudaMemcpy((void *)c.job.y, y, vectors * n * sizeof *y, cudaMemcpyHostToDevice));
        for (size_t i = 0; i < COUNT_OF(VARIANTS); i++) {
            clear(&c);
            must(VARIANTS[i].computed(&c.job));
            collect(&c);
            for (size_t v = 0; v < vectors; v++)
                if (c.flags[v]) check_result(&c, v, VARIANTS[i].name), decided++;
        }
        check_that(decided > vectors, "%zu are decided", decided);
        close_case(&c);
        array_free(products);
    }
}
END_TEST

START_TEST(accumulators) {
    static const quire_type OF[] = { QUIRE_F16, QUIRE_BF16, QUIRE_F32, QUIRE_F64, QUIRE_E4M3, QUIRE_E5M2 };
    generator g;
    generator_seed(&g, 5100 + (uint64_t)_i);
    for (size_t turn = 0; turn < scaled(40); turn++) {
        quire_reduction what = { generator_below(&g, 2) ? QUIRE_SUM : QUIRE_DOT, OF[_i], QUIRE_F64, QUIRE_EXACT,
                                 ROUNDINGS[generator_below(&g, ROUNDING_COUNT)], 0,      { 0 } };
        quire_accumulator *sum, found;
        case_of c;
        CUDA(cudaMalloc((void **)&sum, sizeof *sum));
        open_case(&c, &g, what, 1, 1 + generator_below(&g, 20000));
        for (size_t i = 0; i < COUNT_OF(VARIANTS) * ATOMIC_WAYS; i++) {
            const int way = (int)(i % ATOMIC_WAYS), error = (CUDA(cudaMemset(sum, 0, sizeof *sum)),
                                                             VARIANTS[i / ATOMIC_WAYS].accumulate(&c.job, way, sum));
            if (error == -1) continue;
            must(error);
            CUDA(cudaMemcpy(&found, sum, sizeof found, cudaMemcpyDeviceToHost));
            check_ok(quire_finish(&what, &found, NULL, c.results));
            check_that(found.count == (int64_t)c.job.n, "%lld terms are counted", (long long)found.count);
            check_result(&c, 0, way == ATOMIC_BLOCKS ? "by blocks" : way == ATOMIC_SUMS ? "by sums" : "by elements");
        }
        close_case(&c);
        CUDA(cudaFree(sum));
    }
}
END_TEST

static void add_tests(TCase *cases) {
    tcase_add_loop_test(cases, collectives, 0, (int)COUNT_OF(PAIRS));
    tcase_add_loop_test(cases, states_of_threads, 0, (int)COUNT_OF(PAIRS));
    tcase_add_test(cases, computed_elements);
    tcase_add_loop_test(cases, accumulators, 0, TYPE_COUNT);
}

int main(void) {
    if (device_is_missing()) return 0;
    return run_cases_without_place("sums inside kernels", add_tests);
}
