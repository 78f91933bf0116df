/* test_order.c - the arithmetic of src/order/order.h: how long tiles are, how tiles are split into a tree, which
 * methods let their rows grow. Of lengths that no test can sum, too; what it is good for, test_methods.c sees in bits.
 */
#include "order/order.h"

#include <check.h>

#include "support.h"

/* The sizes that docs/order.md tells. */
#define ROW ((size_t)256)
#define TILE (16 * ROW)
#define MOST ((size_t)32768)

static size_t tiles(size_t n, size_t tile) { return n / tile + (n % tile != 0); }

/* As short as 32768 tiles or fewer allow, a power of two of rows. */
static void check_tile(size_t n) {
    const size_t tile = order_tile(n, ROWS_GROW);
    ck_assert_msg(tile >= TILE && !(tile & (tile - 1)), "n = %zu: a tile of %zu", n, tile);
    ck_assert_msg(tiles(n, tile) <= MOST, "n = %zu: %zu tiles", n, tiles(n, tile));
    ck_assert_msg(tile == TILE || tiles(n, tile / 2) > MOST, "n = %zu: tiles of %zu would do", n, tile / 2);
    ck_assert_uint_eq(order_tile(n, ROWS_FIXED), TILE);
}

/* The first part is the largest power of two of parts that leaves a second one. */
static void check_split(size_t m) {
    const size_t first = order_split(m);
    ck_assert_msg(first && !(first & (first - 1)), "%zu parts: the first %zu", m, first);
    ck_assert_msg(first < m && first >= m - first, "%zu parts: the first %zu", m, first);
}

/* Numbers about all powers of two. */
static void check_about_powers(size_t least, void (*check)(size_t n)) {
    for (int k = 0; k < (int)(8 * sizeof(size_t)); k++)
        for (int d = -2; d <= 2; d++) {
            const size_t n = ((size_t)1 << k) + (size_t)d; /* from 0 down they are the largest */
            if (n >= least) check(n);
        }
}

START_TEST(sizes) {
    ck_assert_uint_eq(ORDER_LANES, ROW);
    ck_assert_uint_eq(ORDER_ROWS * ORDER_LANES, TILE);
    ck_assert_uint_eq(ORDER_TILES, MOST);
}
END_TEST

START_TEST(tiles_grow) {
    generator g;
    generator_seed(&g, 1);
    check_tile(0);
    check_about_powers(0, check_tile);
    for (size_t k = 1; k < 64; k++) check_tile(k * (MOST * TILE) / 16); /* also three quarters of powers */
    for (size_t i = 0; i < scaled(20000); i++) check_tile((size_t)(generator_next(&g) >> generator_below(&g, 64)));
    /* 2^27 elements are 32768 tiles of 16 rows; one more makes rows twice as many */
    ck_assert_uint_eq(order_tile(MOST * TILE, ROWS_GROW), TILE);
    ck_assert_uint_eq(order_tile(MOST * TILE + 1, ROWS_GROW), 2 * TILE);
}
END_TEST

START_TEST(parts_are_split_behind_a_power_of_two) {
    generator g;
    generator_seed(&g, 2);
    check_about_powers(2, check_split);
    for (size_t m = 2; m < 5000; m++) check_split(m);
    for (size_t i = 0; i < scaled(20000); i++) check_split((size_t)(generator_next(&g) >> generator_below(&g, 63)) | 2);
}
END_TEST

/* No path of the tree that the splits make is longer than those of a full tree, and the left ones are the longest. */
START_TEST(the_tree_is_balanced) {
    enum { PARTS = 40000 }; /* more than there are tiles of rows that grow */
    static int depth[PARTS + 1];
    int levels = 0;
    for (size_t m = 2; m <= PARTS; m++) {
        const int left = depth[order_split(m)], right = depth[m - order_split(m)];
        if ((size_t)1 << levels < m) levels++;
        depth[m] = left + 1;
        if (left < right || depth[m] != levels) ck_abort_msg("%zu parts: %d and %d levels", m, left, right);
    }
}
END_TEST

START_TEST(rows_of_methods) {
    ck_assert_int_eq(order_rows_of(QUIRE_PLAIN), ROWS_GROW);
    ck_assert_int_eq(order_rows_of(QUIRE_KAHAN), ROWS_GROW);
    ck_assert_int_eq(order_rows_of(QUIRE_PAIRWISE), ROWS_FIXED);
}
END_TEST

static void add(TCase *cases) {
    tcase_add_test(cases, sizes);
    tcase_add_test(cases, tiles_grow);
    tcase_add_test(cases, parts_are_split_behind_a_power_of_two);
    tcase_add_test(cases, the_tree_is_balanced);
    tcase_add_test(cases, rows_of_methods);
}

int main(void) { return run_cases_without_place("order", add); }
