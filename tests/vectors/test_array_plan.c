/* test_array_plan.c - how the CUDA backend shares one array among blocks, without a device: for devices from one
 * multiprocessor to hundreds, for lengths and wishes of all kinds. Every element is in one share, shares of the
 * canonical order are subtrees, and there is a place for what each block leaves. How fast a launch is, no test can
 * tell.
 */
#include <check.h>
#include <stdlib.h>

#include "cuda/host/array_plan.h"
#include "support.h"

static int is_power(size_t n) { return n && !(n & (n - 1)); }

static size_t draw_length(generator *g) { return (size_t)(generator_next(g) >> generator_between(g, 24, 63)); }

static device_facts draw_device(generator *g) {
    device_facts d = { (unsigned)generator_between(g, 1, 300), 2, true, { 0, 0 } };
    if (generator_below(g, 3) == 0) d.wish.blocks = (unsigned)generator_between(g, 1, 20000);
    if (generator_below(g, 3) == 0) d.wish.warps = (unsigned)generator_between(g, 1, 8);
    return d;
}

START_TEST(exact_arrays) {
    generator g;
    generator_seed(&g, 31);
    for (size_t turn = 0; turn < scaled(100000); turn++) {
        const device_facts d = draw_device(&g);
        const size_t bytes = 1 + draw_length(&g);
        const int is_wide = (int)generator_below(&g, 2);
        const array_plan p = plan_exact_array(&d, bytes, is_wide);
        const size_t of_one = is_wide ? ARRAY_WIDE_BLOCKS : ARRAY_BLOCKS;
        check_that(p.blocks >= 1 && p.blocks <= ARRAY_MOST && ARRAY_MOST <= VECTORS_PLACES, "%zu blocks", p.blocks);
        check_that(d.wish.blocks || p.blocks <= d.multiprocessors * of_one, "%zu blocks wait for others", p.blocks);
        check_that(p.blocks == 1 || (p.blocks - 1) * ARRAY_LEAST < bytes, "%zu blocks for %zu bytes", p.blocks, bytes);
        check_that(p.threads == ARRAY_THREADS, "%u threads", p.threads);
    }
}
END_TEST

/* Warps take the parts in turn; all have about as many. */
START_TEST(limbs) {
    generator g;
    generator_seed(&g, 32);
    for (size_t turn = 0; turn < scaled(100000); turn++) {
        const device_facts d = draw_device(&g);
        const size_t n = generator_below(&g, 50) ? draw_length(&g) : 0;
        const unsigned threads = 32u << generator_below(&g, 4), blocks = (unsigned)generator_between(&g, 1, 6);
        const array_plan p = plan_limbs(&d, n, threads, blocks);
        check_that(p.blocks <= VECTORS_PLACES && p.threads == threads, "%zu blocks of %u", p.blocks, p.threads);
        check_that(p.part >= LIMBS_PART_LEAST && p.part <= LIMBS_PART, "%zu elements of a part", p.part);
        check_that(p.part <= UINT32_MAX && p.part % LIMBS_PART_LEAST == 0, "%zu elements of a part", p.part);
        check_that(n == 0 || (p.blocks - 1) * (threads / 32) * p.part < n, "%zu blocks have nothing", p.blocks);
    }
}
END_TEST

START_TEST(ordered_arrays) {
    static const quire_method methods[] = { QUIRE_KAHAN, QUIRE_PAIRWISE, QUIRE_PLAIN };
    static const unsigned lanes[] = { 1, 2, 4, 8 };
    generator g;
    generator_seed(&g, 33);
    for (size_t turn = 0; turn < scaled(100000); turn++) {
        const device_facts d = draw_device(&g);
        const size_t n = generator_below(&g, 50) ? draw_length(&g) : 0;
        const size_t tile = order_tile(n, order_rows_of(methods[generator_below(&g, 3)]));
        const unsigned of_thread = lanes[generator_below(&g, 4)], of_tile = ORDER_LANES / of_thread;
        const array_plan p = plan_ordered_array(&d, n, tile, of_thread);
        check_that(p.part % tile == 0 && is_power(p.part / tile), "a part of %zu in tiles of %zu", p.part, tile);
        check_that(p.blocks >= 1 && p.blocks <= ORDERED_ARRAY_MOST, "%zu groups", p.blocks);
        check_that(n == 0 ? p.blocks == 1 : plan_divide_up(n, p.part) == p.blocks, "%zu blocks of %zu", p.blocks, n);
        check_that(p.threads % of_tile == 0 && is_power(p.threads / of_tile), "%u threads", p.threads);
        check_that(p.threads <= ORDERED_ARRAY_THREADS, "%u threads", p.threads);
        check_that(p.part / tile % (p.threads / of_tile) == 0, "a block has not as many tiles as it adds at a time");
        check_that(p.threads == of_tile || !d.wish.warps || p.threads <= d.wish.warps * 32, "%u threads", p.threads);
    }
}
END_TEST

static void add_tests(TCase *cases) {
    tcase_add_test(cases, exact_arrays);
    tcase_add_test(cases, limbs);
    tcase_add_test(cases, ordered_arrays);
}

int main(void) { return run_cases_without_place("array plan", add_tests); }
