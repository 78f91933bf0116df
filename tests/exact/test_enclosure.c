/* test_enclosure.c - the ends of exact sums on a CPU (src/cpu/block/ends.h, pairs.h), of every kind, tier, type and
 * term: that they enclose the sum, of vectors, of merged parts and of columns, and are it where they say that they are
 * exact; and results that ends of any kind tell, sums, roots and means beside the middle between two of them: that both
 * ends, in numbers of any length, are rounded to these. No result of data tells all of this, for ends that are too near
 * one another seldom cost a bit. The judge is MPFR. */
#include "cpu/ends.h"
#include "cpu/results.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "families.h"
#include "oracle_mpfr.h"
#include "support.h"

#define PRECISION 6000 /* bits that hold every sum of products */
#define LONGEST ((size_t)600)

static const quire_tier TIERS[] = { QUIRE_TIER_PORTABLE, QUIRE_TIER_AVX2, QUIRE_TIER_AVX512 };
#define TIER_COUNT (sizeof TIERS / sizeof *TIERS)

/* The power of two that a sum is of what its ends say. */
static long power_of(ends_kind kind, int is_product) {
    const long of_element = kind == ENDS_SCALED_DOWN ? ENDS_POWER : kind == ENDS_SCALED_UP ? -ENDS_POWER : 0;
    return is_product ? 2 * of_element : of_element;
}

static int is_there(ends_kind kind, quire_type type, quire_term term) {
    if (kind == ENDS_SCALED_UP && term != TERM_PRODUCT) return 0;
    return kind < ENDS_SCALED_DOWN || type == QUIRE_F64;
}

/* -------------------------------------------------------------------------------------------------------- enclosures
 */

typedef struct {
    quire_type type;
    quire_term term;
    size_t n;
    const char *x, *y;
    mpfr_t sum, end;
    size_t told, exact; /* how often ends were no NaN, and how often they were exact */
} enclosed;

static void sum_terms(enclosed *e) {
    mpfr_set_zero(e->sum, 1);
    for (size_t k = 0; k < e->n; k++) {
        double x = type_value(e->type, e->x, k);
        if (e->term == TERM_MAGNITUDE) x = fabs(x);
        mpfr_set_d(e->end, x, MPFR_RNDN);
        if (e->term == TERM_PRODUCT) mpfr_mul_d(e->end, e->end, type_value(e->type, e->y, k), MPFR_RNDN);
        mpfr_add(e->sum, e->sum, e->end, MPFR_RNDN);
    }
}

/* How sum + end, times 2^power, compares with the sum. */
static int compared(enclosed *e, double sum, double end, long power) {
    mpfr_set_d(e->end, sum, MPFR_RNDN);
    mpfr_add_d(e->end, e->end, end, MPFR_RNDN);
    mpfr_mul_2si(e->end, e->end, power, MPFR_RNDN);
    return mpfr_cmp(e->end, e->sum);
}

static void check_ends(enclosed *e, ends_kind kind, size_t tier, sum_ends found, const char *as) {
    if (isnan(found.low) || isnan(found.up) || !isfinite(found.sum)) { /* it overflowed on the way */
        check_that(e->type == QUIRE_F64 && isnan(found.low) && isnan(found.up), "%s of %zu of %s: %a -%a +%a", as, e->n,
                   type_name(e->type), found.sum, found.low, found.up);
        return;
    }
    const long power = power_of(kind, e->term == TERM_PRODUCT);
    const int low = compared(e, found.sum, -found.low, power), up = compared(e, found.sum, found.up, power);
    const int is_exact = found.low == -found.up;
    check_that(low <= 0 && up >= 0 && (!is_exact || (!low && !up)),
               "%s of %zu of %s, term %d, kind %d, tier %d: %a, -%a, +%a, %s", as, e->n, type_name(e->type),
               (int)e->term, (int)kind, (int)TIERS[tier], found.sum, found.low, found.up,
               is_exact ? "exact" : "enclosed");
    e->told++, e->exact += (size_t)is_exact;
}

/* As one vector, as two parts, and as a column of a panel. */
static void check_kind(enclosed *e, ends_kind kind, size_t tier, const ends_functions *of, size_t cut, char *panel) {
    const size_t size = type_size(e->type), row = PANEL * size;
    const int is_pair = e->y != e->x;
    many_ends first, second;
    const ends_vector all = { e->x, e->y, e->n }, start = { e->x, e->y, cut },
                      rest = { e->x + cut * size, e->y + cut * size, e->n - cut };
    of->vectors(&all, 1, &first);
    check_ends(e, kind, tier, ends_at(&first, 0), "a vector");
    if (cut) {
        of->vectors(&start, 1, &first);
        of->vectors(&rest, 1, &second);
        sum_ends both = ends_at(&first, 0);
        ends_merge(&both, ends_at(&second, 0));
        check_ends(e, kind, tier, both, "two parts");
    }
    for (size_t k = 0; k < e->n; k++)
        for (size_t c = 0; c < PANEL; c++) {
            memcpy(panel + k * row + c * size, e->x + k * size, size);
            memcpy(panel + LONGEST * row + k * row + c * size, e->y + k * size, size);
        }
    const panel_rows rows = { panel, is_pair ? panel + LONGEST * row : panel, (ptrdiff_t)row, (ptrdiff_t)row, e->n };
    of->columns(rows, PANEL, &first);
    check_ends(e, kind, tier, ends_at(&first, cut % PANEL), "a column");
}

static void check_enclosed(enclosed *e, size_t cut, char *panel) {
    sum_terms(e);
    for (size_t tier = 0; tier < TIER_COUNT; tier++) {
        const cpu_tier *functions = cpu_tier_find(TIERS[tier]);
        for (int kind = 0; functions && kind < ENDS_KINDS; kind++)
            if (is_there((ends_kind)kind, e->type, e->term))
                check_kind(e, (ends_kind)kind, tier, &functions->ends->of[kind][e->type][e->term], cut, panel);
    }
}

/* A family's, or random bits of a narrow range of exponents, wherever it is. */
static void fill(generator *g, quire_type type, size_t n, void *x) {
    const int bits = type_format(type)->precision - 1, fields = 2 * type_format(type)->bias;
    const uint64_t first = generator_below(g, (uint64_t)fields), some = 1 + generator_below(g, 60);
    const family any = (family)generator_below(g, FAMILY_ONE_NAN);
    if (any != FAMILY_ANY_BITS && generator_below(g, 3)) {
        family_fill(any, type, generator_next(g), n, x);
        return;
    }
    for (size_t k = 0; k < n; k++) {
        const uint64_t any_field = first + generator_below(g, some),
                       field = any_field < (uint64_t)fields ? any_field : first,
                       fraction = generator_next(g) & ((1ull << bits) - 1);
        const uint64_t number = field << bits | (generator_below(g, 2) ? fraction : 0);
        type_store(type, x, k,
                   (type_is_finite(type, number) ? number : type_greatest(type)) |
                       (generator_below(g, 2) ? type_sign(type) : 0));
    }
}

START_TEST(ends_enclose) {
    const quire_type type = TYPES[_i];
    const size_t size = type_size(type);
    char *x = array_new(LONGEST * size, 0), *y = array_new(LONGEST * size, 0),
         *panel = array_new(2 * LONGEST * PANEL * size, 0);
    generator g;
    enclosed e = { type, TERM_IDENTITY, 0, x, y, { { 0 } }, { { 0 } }, 0, 0 };
    generator_seed(&g, 4900 + (uint64_t)_i);
    mpfr_init2(e.sum, PRECISION), mpfr_init2(e.end, PRECISION);
    for (size_t turn = 0; turn < scaled(type == QUIRE_F64 ? 20000 : 4000); turn++) {
        e.n = 1 + generator_below(&g, turn % 16 ? 40 : LONGEST);
        e.term = (quire_term)generator_below(&g, TERM_COUNT);
        fill(&g, type, e.n, x), fill(&g, type, e.n, y);
        e.y = e.term == TERM_PRODUCT && generator_below(&g, 2) ? y : x;
        check_enclosed(&e, generator_below(&g, e.n), panel);
    }
    check_that(e.exact && (type != QUIRE_F64 || e.told > e.exact), "nothing is tested");
    mpfr_clear(e.sum), mpfr_clear(e.end);
    array_free(x), array_free(y), array_free(panel);
}
END_TEST

/* ----------------------------------------------------------------------------------------------------------- results
 */

/* Ends near a number of which the result is a number of its type or a middle between two, off by little. */
static sum_ends draw_ends(generator *g, mpfr_t number, int alone) {
    const double sum = mpfr_get_d(number, MPFR_RNDN);
    const double unit = ldexp(fabs(sum), -53 - generator_between(g, 0, 60));
    mpfr_sub_d(number, number, sum, MPFR_RNDN);
    const double lost =
        mpfr_get_d(number, MPFR_RNDN) + (generator_below(g, 3) ? 0 : generator_uniform(g) * unit - unit / 2);
    sum_ends e = { sum, -lost, lost };
    if (generator_below(g, 4)) e.low += unit * generator_uniform(g), e.up += unit * generator_uniform(g);
    if (!alone) return e;
    e = (sum_ends){ -0.0, -sum, sum };
    if (generator_below(g, 4)) e.low = -nextafter(sum, -INFINITY);
    if (generator_below(g, 4)) e.up = nextafter(sum, INFINITY);
    return e;
}

/* The sum of which a result of so many bits more or less is a number, or a middle, of a type. */
static void draw_number(generator *g, quire_type to, finish_kind finish, size_t n, mpfr_t number) {
    const number_format *f = type_format(to);
    const int bits = f->precision + generator_between(g, -1, 2);
    const int scale = generator_below(g, 4) ? generator_between(g, -20, 20)
                                            : generator_between(g, f->least + f->precision - 2, f->greatest + 1);
    mpfr_set_d(number, floor(ldexp(1 + generator_uniform(g), bits < 53 ? bits : 52)), MPFR_RNDN);
    if (bits >= 53) mpfr_add_d(number, number, 0.5, MPFR_RNDN);
    mpfr_mul_2si(number, number, scale - bits, MPFR_RNDN);
    if (finish == FINISH_DIVIDE) mpfr_mul_ui(number, number, n, MPFR_RNDN);
    if (finish == FINISH_ROOT) mpfr_sqr(number, number, MPFR_RNDN);
    if (finish != FINISH_ROOT && generator_below(g, 2)) mpfr_neg(number, number, MPFR_RNDN);
}

/* What (sum + end) * 2^power becomes, rounded once. */
static uint64_t rounded_end(double sum, double end, long power, const quire_job *job, mpfr_t exact) {
    mpfr_t result;
    int ternary;
    mpfr_init2(result, type_format(job->result_type)->precision);
    mpfr_set_d(exact, sum, MPFR_RNDN);
    mpfr_add_d(exact, exact, end, MPFR_RNDN);
    mpfr_mul_2si(exact, exact, power, MPFR_RNDN);
    const mpfr_rnd_t rounding = oracle_rounding(job->rounding);
    if (job->finish == FINISH_ROOT)
        ternary = mpfr_sqrt(result, exact, rounding);
    else if (job->finish == FINISH_DIVIDE)
        ternary = mpfr_div_ui(result, exact, job->n, rounding);
    else
        ternary = mpfr_set(result, exact, rounding);
    const uint64_t bits = oracle_fit(result, ternary, job->result_type, job->rounding);
    mpfr_clear(result);
    return bits;
}

/* Results of some ends at once, as many as are told. */
static size_t check_some(const cpu_tier *tier, ends_kind kind, const many_ends ends[MOST_SUMS], size_t count,
                         quire_job *job, mpfr_t exact) {
    const long power = power_of(kind, job->term == TERM_PRODUCT);
    const size_t size = type_size(job->result_type);
    char results[ENDS_TOGETHER * sizeof(double)];
    size_t told = 0;
    const uint64_t open = ends_results(tier, kind, ends, NULL, count, job, describe_format(job->result_type), results);
    for (size_t i = 0; i < count; i++) {
        if (open >> i & 1) continue;
        const sum_ends e = ends_at(&ends[0], i);
        const uint64_t low = rounded_end(e.sum, -e.low, power, job, exact),
                       up = rounded_end(e.sum, e.up, power, job, exact);
        check_that(low == up, "told though ends differ: %a -%a +%a", e.sum, e.low, e.up);
        check_bits(job->result_type, results + i * size, low, "finish %d, kind %d, n %zu, %s: %a -%a +%a",
                   (int)job->finish, (int)kind, job->n, rounding_name(job->rounding), e.sum, e.low, e.up);
        told++;
    }
    return told;
}

START_TEST(results_of_ends) {
    static const finish_kind FINISHES[] = { FINISH_KEEP, FINISH_ROOT, FINISH_DIVIDE };
    generator g;
    mpfr_t number;
    size_t told = 0, all = 0;
    generator_seed(&g, 4950);
    mpfr_init2(number, PRECISION);
    for (size_t turn = 0; turn < scaled(12000); turn++) {
        const size_t n = (size_t)1 << generator_below(&g, 40), count = 1 + generator_below(&g, ENDS_TOGETHER);
        const finish_kind finish = FINISHES[generator_below(&g, 3)];
        const quire_term term = finish == FINISH_ROOT || generator_below(&g, 4) == 0 ? TERM_PRODUCT : TERM_IDENTITY;
        ends_kind kind = (ends_kind)generator_below(&g, ENDS_KINDS);
        if (!is_there(kind, QUIRE_F64, term)) kind = ENDS_ALONE;
        quire_job job;
        many_ends ends[MOST_SUMS];
        memset(&job, 0, sizeof job), memset(ends, 0, sizeof ends);
        job.type = QUIRE_F64, job.method = QUIRE_EXACT, job.term = term, job.finish = finish;
        job.n = 1 + generator_below(&g, n),
        job.rounding = ROUNDINGS[generator_below(&g, 2) ? generator_below(&g, 4) : 0];
        job.result_type = generator_below(&g, 2) ? TYPES[generator_below(&g, TYPE_COUNT)] : QUIRE_F64;
        for (size_t i = 0; i < count; i++) {
            draw_number(&g, job.result_type, finish, job.n, number);
            mpfr_mul_2si(number, number, -power_of(kind, term == TERM_PRODUCT), MPFR_RNDN);
            sum_ends e = draw_ends(&g, number, kind == ENDS_ALONE && generator_below(&g, 2));
            if (!isfinite(e.sum) || fabs(e.sum) < 0x1p-900) e = (sum_ends){ 1, 0, -0.0 };
            ends_put(&ends[0], i, e);
        }
        for (size_t tier = 0; tier < TIER_COUNT; tier++)
            if (cpu_tier_find(TIERS[tier]))
                told += check_some(cpu_tier_find(TIERS[tier]), kind, ends, count, &job, number), all += count;
    }
    check_that(told > all / 2, "%zu of %zu are told", told, all);
    mpfr_clear(number);
}
END_TEST

static void put(quire_type type, void *x, size_t k, double number) {
    if (type == QUIRE_F64)
        ((double *)x)[k] = number;
    else
        ((float *)x)[k] = (float)number;
}

/* Numbers that overflow on the way if they are doubles, times 1: with infinities, perhaps times what is dropped of
 * scaled elements, and NaN among them, or so that they come to 0. */
static void draw_specials(generator *g, quire_type type, size_t n, void *x, void *y) {
    static const double SPECIAL[] = { INFINITY, -INFINITY, NAN };
    const int cancels = generator_below(g, 3) == 0;
    const double most = type == QUIRE_F64 ? 0x1p1023 : 1, least = type == QUIRE_F64 ? 0x1p-700 : 0x1p-140;
    double last = 0;
    for (size_t k = 0; k < n; k++) {
        last = cancels && k % 2 ? -last : (double)(float)(generator_uniform(g) - 0.5) * most;
        put(type, x, k, cancels && k == n - 1 && n % 2 ? 0 : last);
        put(type, y, k, 1);
    }
    for (size_t i = 0, count = 1 + generator_below(g, 3); !cancels && i < count; i++) {
        const size_t k = generator_below(g, n);
        put(type, x, k, SPECIAL[generator_below(g, 3)]);
        put(type, y, k, generator_below(g, 2) ? least : 1);
    }
}

/* That they are told without all bits, by the sum beside the ends: of doubles scaled down, of floats as they are. */
START_TEST(specials_are_told) {
    const quire_type type = _i ? QUIRE_F64 : QUIRE_F32;
    _Alignas(8) char x[LONGEST * sizeof(double)], y[sizeof x];
    generator g;
    generator_seed(&g, 4951 + (uint64_t)_i);
    for (size_t turn = 0; turn < scaled(2000); turn++) {
        const int is_product = type == QUIRE_F32 || generator_below(&g, 2); /* sums of a few floats have ends alone */
        const size_t n = 2 + generator_below(&g, LONGEST - 1);
        quire_accumulator a = QUIRE_ACCUMULATOR_ZERO;
        double expected;
        quire_job job;
        draw_specials(&g, type, n, x, y);
        check_ok(is_product ? quire_accumulate_products(NULL, &a, type, n, x, y)
                            : quire_accumulate(NULL, &a, type, n, x));
        check_ok(quire_round(&a, QUIRE_F64, &expected));
        memset(&job, 0, sizeof job);
        job.type = type, job.result_type = QUIRE_F64, job.method = QUIRE_EXACT, job.n = n;
        job.term = is_product ? TERM_PRODUCT : TERM_IDENTITY, job.x = x, job.y = is_product ? y : x;
        for (size_t tier = 0; tier < TIER_COUNT; tier++) {
            const cpu_tier *of = cpu_tier_find(TIERS[tier]);
            uint64_t bits = 0;
            check_that(!of || ends_tell(of, &job, describe_format(QUIRE_F64), &bits),
                       "%zu elements of type %d: tier %zu", n, (int)type, tier);
            if (of) check_bits(QUIRE_F64, &bits, double_bits(expected), "%zu elements, tier %zu", n, tier);
        }
    }
}
END_TEST

static void add_tests(TCase *cases) {
    tcase_add_loop_test(cases, specials_are_told, 0, 2);
    tcase_add_loop_test(cases, ends_enclose, 0, TYPE_COUNT);
    tcase_add_test(cases, results_of_ends);
}

int main(void) { return run_cases_without_place("enclosures", add_tests); }
