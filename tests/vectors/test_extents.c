/* test_extents.c - layouts that no memory has: sizes and strides of any sign whose products and sums overflow are
 * QUIRE_INVALID_LAYOUT. What fits is worked out in integers that do not overflow. */
#define _GNU_SOURCE /* MAP_FIXED_NOREPLACE */
#include <gmp.h>
#include <string.h>
#include <sys/mman.h>

#include "place.h"
#include "support.h"

static const size_t COUNTS[] = { 0,
                                 1,
                                 2,
                                 3,
                                 5,
                                 0x7fffffff,
                                 0x80000000,
                                 0x80000001,
                                 0xffffffff,
                                 0x100000000,
                                 0x100000001,
                                 (size_t)PTRDIFF_MAX / 8,
                                 (size_t)PTRDIFF_MAX / 8 + 1,
                                 (size_t)PTRDIFF_MAX / 4,
                                 (size_t)PTRDIFF_MAX / 2,
                                 (size_t)PTRDIFF_MAX / 2 + 1,
                                 (size_t)PTRDIFF_MAX,
                                 (size_t)PTRDIFF_MAX + 1,
                                 (size_t)PTRDIFF_MAX + 2,
                                 SIZE_MAX - 1,
                                 SIZE_MAX };
#define COUNTS_COUNT (sizeof COUNTS / sizeof *COUNTS)

static ptrdiff_t any_stride(generator *g) {
    const size_t magnitude = COUNTS[generator_below(g, COUNTS_COUNT)] - (size_t)generator_below(g, 2);
    if (magnitude > (size_t)PTRDIFF_MAX) return PTRDIFF_MIN;
    return generator_next(g) & 1 ? (ptrdiff_t)magnitude : -(ptrdiff_t)magnitude;
}

static size_t any_count(generator *g) { return COUNTS[generator_below(g, generator_next(g) % 3 ? 5 : COUNTS_COUNT)]; }

static quire_layout any_layout(generator *g) {
    quire_layout l;
    l.outer = any_count(g), l.n = any_count(g), l.inner = any_count(g);
    l.outer_stride = any_stride(g), l.stride = any_stride(g), l.inner_stride = any_stride(g);
    return l;
}

/* Adds (count - 1) |stride|. */
static void add_span(mpz_t span, size_t count, ptrdiff_t stride) {
    mpz_t product;
    mpz_init_set_ui(product, count - 1);
    mpz_mul_si(product, product, stride);
    mpz_abs(product, product);
    mpz_add(span, span, product);
    mpz_clear(product);
}

static int fits(mpz_t elements, size_t size) {
    mpz_mul_ui(elements, elements, size);
    return mpz_cmp_ui(elements, (size_t)PTRDIFF_MAX) <= 0;
}

/* In integers that do not overflow. */
static int reaches(const quire_layout *l, size_t size) {
    mpz_t span;
    if (!l->outer || !l->n || !l->inner) return 1;
    mpz_init_set_ui(span, l->n);
    int good = fits(span, size);
    mpz_set_ui(span, 1);
    add_span(span, l->outer, l->outer_stride);
    add_span(span, l->n, l->stride);
    add_span(span, l->inner, l->inner_stride);
    good = fits(span, size) && good;
    mpz_clear(span);
    return good;
}

static int has_results(const quire_layout *l, size_t size) {
    mpz_t vectors;
    mpz_init_set_ui(vectors, l->outer);
    mpz_mul_ui(vectors, vectors, l->inner);
    const int good = fits(vectors, size);
    mpz_clear(vectors);
    return good;
}

/* No memory is needed to learn what a layout is: with NULL for it, one that is good comes as far as the pointers. */
static void check_layout(operation op, quire_type type, quire_type result_type, const quire_layout *x,
                         const quire_layout *y) {
    const quire_reduction what = { operation_number(op), type, result_type, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } };
    const int good =
        reaches(x, type_size(type)) && reaches(y, type_size(type)) && has_results(x, type_size(result_type));
    const quire_status expected = !good ? QUIRE_INVALID_LAYOUT : x->outer && x->inner ? QUIRE_NULL_POINTER : QUIRE_OK;
    const quire_status status = quire_reduce(NULL, &what, x, NULL, y, NULL, NULL);
    check_that(status == expected,
               "%s of %s to %s, { %zu, %zu, %zu, %td, %td, %td } and { %td, %td, %td }: status %d, not %d",
               operation_name(op), type_name(type), type_name(result_type), x->outer, x->n, x->inner, x->outer_stride,
               x->stride, x->inner_stride, y->outer_stride, y->stride, y->inner_stride, (int)status, (int)expected);
}

START_TEST(extents) {
    generator g;
    generator_seed(&g, 70);
    for (size_t turn = 0; turn < scaled(200000); turn++) {
        const quire_layout x = any_layout(&g);
        quire_layout y = x;
        const operation op = generator_next(&g) & 1 ? OPERATION_DOT : (operation)generator_below(&g, OPERATION_COUNT);
        if (op == OPERATION_DOT && generator_next(&g) & 1)
            y.outer_stride = any_stride(&g), y.stride = any_stride(&g), y.inner_stride = any_stride(&g);
        check_layout(op, TYPES[generator_below(&g, TYPE_COUNT)], TYPES[generator_below(&g, TYPE_COUNT)], &x, &y);
    }
}
END_TEST

/* The last that fits and the first that does not, on each axis alone and on all, with strides of either sign. */
START_TEST(extents_at_their_ends) {
    for (int t = 0; t < TYPE_COUNT; t++) {
        const ptrdiff_t most = PTRDIFF_MAX / (ptrdiff_t)type_size(TYPES[t]) - 1;
        for (int axis = 0; axis < 4; axis++)
            for (int sign = -1; sign <= 1; sign += 2)
                for (int more = 0; more < 2; more++) {
                    const quire_layout at[4] = {
                        { 2, 1, 1, sign * (most + more), 0, 0 },
                        { 1, 2, 1, 0, sign * (most + more), 0 },
                        { 1, 1, 2, 0, 0, sign * (most + more) },
                        { 2, 2, 2, sign * (most / 4), -sign * (most / 4), sign * (most - most / 4 * 2 + more) },
                    };
                    const quire_layout *l = &at[axis];
                    ck_assert_int_eq(reaches(l, type_size(TYPES[t])), !more);
                    check_layout(OPERATION_SUM, TYPES[t], QUIRE_E4M3, l, l);
                    check_layout(OPERATION_DOT, TYPES[t], QUIRE_E4M3, l, l);
                }
        for (int more = 0; more < 2; more++) { /* and of the results */
            const quire_layout l = { (size_t)most + 1 + (size_t)more, 0, 1, 0, 0, 0 };
            check_layout(OPERATION_SUM, QUIRE_F16, TYPES[t], &l, &l);
        }
    }
}
END_TEST

/* Both vectors of a dot have the sizes that one of them has; that is seen before the pointers are. */
START_TEST(sizes_differ) {
    static const double zeros[8];
    const quire_reduction what = { .operation = QUIRE_DOT, .type = QUIRE_F32 };
    const quire_layout x = quire_strided(2, 1),
                       others[] = { { 0, 2, 1, 0, 1, 0 }, { 2, 2, 1, 0, 1, 0 }, { 1, 0, 1, 0, 1, 0 },
                                    { 1, 3, 1, 0, 1, 0 }, { 1, 2, 0, 0, 1, 0 }, { 1, 2, 2, 0, 1, 0 } };
    float result = -1;
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        ck_assert_int_eq(quire_reduce(NULL, &what, &x, zeros, &others[k], zeros, &result), QUIRE_INVALID_LAYOUT);
        ck_assert_int_eq(quire_reduce(NULL, &what, &others[k], zeros, &x, zeros, &result), QUIRE_INVALID_LAYOUT);
        ck_assert_int_eq(quire_reduce(NULL, &what, &x, NULL, &others[k], NULL, NULL), QUIRE_INVALID_LAYOUT);
    }
    ck_assert_float_eq(result, -1);
}
END_TEST

/* Vectors backward through low addresses, where the step behind the last one leads below 0: no pointer may be formed
 * there, as the undefined behaviour sanitizer sees. */
START_TEST(no_pointer_below_memory) {
    const size_t least = 0x10000, apart = 0x14000, vectors = 5;
    char *low = mmap((void *)least, 2 * vectors * apart, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (low != (void *)least) return; /* not to be had here */
    for (int t = 0; t < TYPE_COUNT; t++)
        for (size_t count = 2; count <= vectors; count++) { /* one by one, or as a panel */
            const size_t size = type_size(TYPES[t]);
            const ptrdiff_t stride = -(ptrdiff_t)(apart / size);
            const quire_layout outer = { count, 8, 1, stride, 1, 0 }, inner = { 1, 8, count, 0, 1, stride };
            const quire_layout columns = { 1, 2, count, 0, 2 * (ptrdiff_t)(apart / size), stride };
            const void *last = low + (count - 1) * apart;
            for (int op = 0; op < OPERATION_ALL; op++) {
                const quire_reduction what = { .operation = operation_number((operation)op), .type = TYPES[t] };
                uint64_t results[8];
                check_ok(place_layouts(&what, &outer, last, &outer, last, results));
                check_ok(place_layouts(&what, &inner, last, &inner, last, results));
                check_ok(place_layouts(&what, &columns, last, &columns, last, results));
            }
        }
    munmap(low, 2 * vectors * apart);
}
END_TEST

START_TEST(layouts_by_name) {
    const quire_layout rows = quire_rows(3, 4, 5), columns = quire_columns(3, 4, 5), strided = quire_strided(7, -2);
    const quire_layout expected[3] = { { 3, 4, 1, 5, 1, 0 }, { 1, 3, 4, 0, 5, 1 }, { 1, 7, 1, 0, -2, 0 } };
    ck_assert_int_eq(memcmp(&rows, &expected[0], sizeof rows), 0);
    ck_assert_int_eq(memcmp(&columns, &expected[1], sizeof rows), 0);
    ck_assert_int_eq(memcmp(&strided, &expected[2], sizeof rows), 0);
}
END_TEST

static void add_tests(TCase *cases) {
    tcase_add_test(cases, extents);
    tcase_add_test(cases, extents_at_their_ends);
    tcase_add_test(cases, sizes_differ);
    tcase_add_test(cases, no_pointer_below_memory);
    tcase_add_test(cases, layouts_by_name);
}

int main(void) { return run_cases("extents", add_tests); }
