/* test_plan.c - how the CUDA backend cuts many vectors into units of work, for devices from one warp to thousands,
 * without a device: every element belongs to one part, parts of the canonical order are subtrees, and there is room for
 * all of them, and for shared memory.
 */
#include <check.h>
#include <stdlib.h>

#include "cuda/host/columns_plan.h"
#include "cuda/host/groups_plan.h"
#include "support.h"

static const quire_method ORDERED[] = { QUIRE_KAHAN, QUIRE_PAIRWISE, QUIRE_PLAIN };

static int is_power_of_two(size_t n) { return n && !(n & (n - 1)); }

/* How many warps are at work at once: of real devices, by the kernels for columns and for all else; or any. */
static size_t draw_warps(generator *g) {
    static const size_t of_one[] = { VECTORS_BLOCKS * VECTORS_THREADS / 32, VECTORS_WARPS };
    if (generator_below(g, 4) == 0) return (size_t)1 << generator_between(g, 0, 13);
    return of_one[generator_below(g, 2)] * (size_t)generator_between(g, 8, 160);
}

static void check_plan(const quire_layout *l, quire_method method, size_t warps) {
    const order_rows rows = order_rows_of(method);
    const vectors_plan p = plan_layout(l, rows, warps);
    const size_t vectors = l->outer * l->inner, tile = order_tile(l->n, rows);
    check_that(p.parts >= 1 && (l->n == 0 || (p.parts - 1) * p.part < l->n), "%u parts of %zu", p.parts, p.part);
    check_that(p.parts * p.part >= l->n, "%u parts of %zu leave some of %zu", p.parts, p.part, l->n);
    if (p.parts == 1) return;
    check_that(vectors * p.parts <= VECTORS_PLACES, "no room for %zu times %u", vectors, p.parts);
    check_that(vectors <= VECTORS_IN_PARTS, "no room for %zu vectors", vectors);
    check_that(p.part % tile == 0 && is_power_of_two(p.part / tile), "a part of %zu in tiles of %zu", p.part, tile);
    /* the kernel finds the same parts from how many there are (ordered_vectors.cuh) */
    size_t part = tile;
    while ((l->n - 1) / part >= p.parts) part *= 2;
    check_that(part == p.part, "parts of %zu, and of %zu", p.part, part);
}

START_TEST(layouts) {
    generator g;
    generator_seed(&g, 7);
    for (size_t turn = 0; turn < scaled(200000); turn++) {
        const size_t n = (size_t)(generator_next(&g) >> generator_between(&g, 24, 63)),
                     columns = generator_below(&g, 70000);
        const size_t warps = draw_warps(&g);
        const ptrdiff_t ld = (ptrdiff_t)columns + 1;
        const quire_layout all[] = { quire_rows(1 + columns, n, ld), quire_columns(n, 1 + columns, ld),
                                     quire_strided(n, 3) };
        const quire_layout *l = &all[generator_below(&g, 3)];
        check_plan(l, ORDERED[generator_below(&g, 3)], warps);
        const groups_plan p = plan_strided(l, warps);
        check_that(is_power_of_two(p.threads) && p.threads <= 32, "%u threads", p.threads);
        check_that(l->n == 0 || ((p.parts - 1) * p.part < l->n && p.parts * p.part >= l->n), "%u parts of %zu of %zu",
                   p.parts, p.part, l->n);
        check_that(p.parts == 1 || l->outer * l->inner * p.parts <= VECTORS_PLACES, "no room for %u parts", p.parts);
    }
}
END_TEST

/* Of vectors of one element the stride says nothing, and may be any, the least of its type too. */
START_TEST(strides_of_one_element) {
    for (size_t inner = 1; inner < 100; inner++) {
        const quire_layout plain = { 3, 1, inner, (ptrdiff_t)inner, PTRDIFF_MAX, 1 },
                           least = { 3, 1, inner, (ptrdiff_t)inner, PTRDIFF_MIN, 1 };
        check_that(plan_has_columns(&plain) == plan_has_columns(&least), "%zu vectors of one element", inner);
        check_plan(&least, QUIRE_PLAIN, 1000);
    }
}
END_TEST

/* Threads that share parts: all of a warp's groups are full, none has two threads too many, and warps take turns only
 * where a thread has all the parts of one. */
START_TEST(threads_of_parts) {
    generator g;
    generator_seed(&g, 12);
    for (size_t parts = 1; parts < 5000; parts += parts / 4 + 1)
        for (size_t all = 1; all < (size_t)1 << 20; all *= 3)
            for (size_t turn = 0; turn < 20; turn++) {
                const size_t warps = draw_warps(&g);
                const unsigned threads = plan_part_threads(parts, all, warps);
                check_that(is_power_of_two(threads) && threads <= 32, "%u threads", threads);
                check_that(threads == 1 || threads / 2 < parts, "%u threads for %zu parts", threads, parts);
                check_that(threads == 1 || plan_divide_up(all, 32 / threads) <= warps, "%u threads, %zu of %zu",
                           threads, all, warps);
                check_that(2 * threads > 32 || threads >= parts || plan_divide_up(all, 16 / threads) > warps,
                           "%u threads are too few", threads);
            }
}
END_TEST

/* Rows of the canonical order: the lanes of the threads of a group are all of a row's elements, or all of a row of
 * lanes, each once; and whether rows are aligned. */
START_TEST(ordered_rows) {
    generator g;
    generator_seed(&g, 11);
    for (size_t n = 1; n <= 600; n++)
        for (int size = 1; size <= 8; size *= 2) {
            const ordered_plan p = plan_ordered_rows(n, size);
            const size_t E = ROWS_CHUNK / (size_t)size, most = (size_t)ordered_slots(size),
                         slots = p.slots ? p.slots : most;
            check_that(is_power_of_two(p.threads) && p.threads <= 32, "%u threads", p.threads);
            check_that(p.slots <= 1 || p.slots == most, "%u slots", p.slots);
            check_that(p.slots ? n <= ORDER_LANES : p.threads * slots * E == ORDER_LANES, "%zu: %u slots", n, p.slots);
            check_that(p.rows_of_warp == 32 / p.threads * (p.slots ? ORDERED_LOADS / slots : 1), "%zu rows of a warp",
                       p.rows_of_warp);
            unsigned char taken[ORDER_LANES] = { 0 };
            for (size_t slot = 0; slot < slots; slot++)
                for (size_t thread = 0; thread < p.threads; thread++)
                    for (size_t i = 0; i < E; i++) taken[(slot * p.threads + thread) * E + i]++;
            for (size_t k = 0; k < n && k < ORDER_LANES; k++)
                check_that(taken[k] == 1, "lane %zu of %zu: %d times", k, n, taken[k]);
        }
    for (size_t turn = 0; turn < scaled(20000); turn++) {
        const int size = 1 << generator_below(&g, 4);
        const size_t rows = 1 + generator_below(&g, 9), at = 64 + generator_below(&g, 8) * (size_t)size;
        const quire_layout l = quire_rows(rows, 5, (ptrdiff_t)generator_below(&g, 40) - 20);
        int is_aligned = 1;
        for (size_t v = 0; v < rows; v++)
            if ((at + (uintptr_t)((ptrdiff_t)v * l.outer_stride * size)) % 16) is_aligned = 0;
        check_that(plan_begin_at(&l, (const void *)at, size, 16) == is_aligned, "%zu rows, %td apart", rows,
                   l.outer_stride);
    }
}
END_TEST

START_TEST(segments) {
    generator g;
    generator_seed(&g, 10);
    for (size_t count = 1; count < (size_t)1 << 40; count += count / 3 + 1)
        for (size_t turn = 0; turn < 100; turn++) {
            const size_t warps = draw_warps(&g);
            const size_t turns = plan_turns(count, warps);
            check_that(is_power_of_two(turns) && turns <= 32, "%zu vectors a warp", turns);
            check_that(turns == 1 || count / turns >= warps, "%zu of %zu for %zu warps", turns, count, warps);
            check_that(turns == 32 || count / (2 * turns) < warps, "%zu of %zu are too few", turns, count);
        }
}
END_TEST

/* A device, and wishes for some. */
static device_facts draw_device(generator *g) {
    device_facts d = { (unsigned)generator_between(g, 8, 160), 2, true, { 0, 0 } };
    if (generator_below(g, 4) == 0) d.wish.blocks = 1 + (unsigned)generator_below(g, 9000);
    return d;
}

/* Each block has a unit, for each of its warps or for all. */
static void check_blocks(const device_facts *d, size_t blocks, size_t units, size_t warps) {
    check_that(blocks >= 1 && (blocks - 1) * warps < units, "%zu blocks of %zu warps for %zu units", blocks, warps,
               units);
    check_that(!d->wish.blocks || blocks <= d->wish.blocks, "%zu blocks", blocks);
}

/* Rows of groups: those that are taken together are whole chunks, which threads have room for, as a block has for those
 * that are staged; and parts cover a row. */
static void check_groups_plan(const quire_layout *l, size_t at, int size, unsigned slots, int is_pair, unsigned loads,
                              const device_facts *d) {
    const size_t warps = plan_blocks(d, GROUPS_BLOCKS) * (GROUPS_THREADS / 32), bytes = l->n * (size_t)size,
                 chunks = plan_divide_up(bytes, ROWS_CHUNK);
    const void *x = (const void *)at;
    quire_layout rows;
    check_that(plan_as_rows(l, &rows) && rows.outer == l->outer * l->inner && rows.inner == 1, "no rows");
    const quire_layout apart = { rows.outer, rows.n, 1, rows.outer_stride + 1, 1, 0 }; /* of y: neither whole nor one */
    const groups_plan p = plan_groups(&rows, x, is_pair ? &rows : NULL, x, size, slots, loads, warps),
                      other = plan_groups(&rows, x, &apart, x, size, slots, loads, warps);
    check_that(!other.fits || rows.outer == 1 || other.shape == ROWS_ONE_BY_ONE, "short rows of y that are apart");
    check_that(p.fits == (l->n != 0), "%zu elements fit: %d", l->n, p.fits);
    if (!p.fits) return;
    check_blocks(d, plan_group_blocks(d, &p), rows.outer * p.parts, p.rows_of_unit);
    check_that(p.units == plan_divide_up(rows.outer * p.parts, p.rows_of_unit), "%zu units", p.units);
    check_that(is_power_of_two(p.threads) && p.threads <= 32, "%u threads", p.threads);
    check_that(p.parts == 1 || p.shape == ROWS_ONE_BY_ONE, "parts of short rows");
    check_that((p.parts - 1) * p.part < l->n && p.parts * p.part >= l->n, "%u parts of %zu for %zu", p.parts, p.part,
               l->n);
    check_that(p.parts == 1 || rows.outer * p.parts <= VECTORS_PLACES, "no room for %zu times %u", rows.outer, p.parts);
    if (p.shape == ROWS_ONE_BY_ONE) {
        check_that(p.rows_of_unit == GROUPS_THREADS / p.threads, "%zu rows of %u threads", p.rows_of_unit, p.threads);
        check_that(p.threads >= GROUPS_LONG || p.threads * loads >= chunks, "%u threads for %zu", p.threads, chunks);
    } else if (p.shape == ROWS_TOGETHER) {
        check_that(p.slots == 1 || p.slots == 2 || p.slots == GROUPS_SLOTS, "%u slots", p.slots); /* are compiled */
        check_that(at % ROWS_CHUNK == 0 && bytes % ROWS_CHUNK == 0 &&
                       (rows.outer == 1 || stride_magnitude(rows.outer_stride) * (size_t)size % ROWS_CHUNK == 0),
                   "%zu bytes at %zu, %td apart", bytes, at, rows.outer_stride);
        check_that(p.threads * p.slots >= chunks, "%u threads, %u slots for %zu", p.threads, p.slots, chunks);
        check_that(p.rows_of_unit == (p.slots == 1 ? loads / 2 : loads / p.slots) * (GROUPS_THREADS / p.threads),
                   "%zu rows", p.rows_of_unit);
    } else {
        check_that(rows.outer == 1 || rows.outer_stride == (ptrdiff_t)l->n, "rows %td apart", rows.outer_stride);
        check_that(p.rows_of_unit * bytes + 2 * (ROWS_CHUNK - 1) <= STRETCH_BYTES / (is_pair ? 2 : 1),
                   "no room for %zu rows of %zu", p.rows_of_unit, bytes);
        check_that(p.rows_of_unit && p.rows_of_unit % (GROUPS_THREADS / p.threads) == 0, "%zu rows", p.rows_of_unit);
    }
}

/* Rows of the canonical order that are staged: a tile at most, of which a group has all lanes, side by side, and no
 * more of them than a block has room for. */
static void check_staged(const quire_layout *rows, size_t at, int size, int is_pair, const device_facts *d) {
    const size_t warps = plan_blocks(d, ORDERED_BLOCKS) * (ORDERED_THREADS / 32), bytes = rows->n * (size_t)size;
    const void *x = (const void *)at;
    const quire_layout apart = { rows->outer, rows->n, 1, rows->outer_stride + 1, 1, 0 };
    groups_plan p;
    check_that(rows->outer == 1 || !plan_ordered_staged(rows, x, &apart, x, size, warps, &p), "rows of y are apart");
    if (!plan_ordered_staged(rows, x, is_pair ? rows : NULL, x, size, warps, &p)) return;
    check_that(p.shape == ROWS_STAGED && plan_is_contiguous(rows), "rows %td apart", rows->outer_stride);
    check_that(at % ROWS_CHUNK || bytes % ROWS_CHUNK, "rows of %zu bytes at %zu are whole chunks", bytes, at);
    check_that(rows->n <= order_tile(rows->n, ROWS_FIXED), "%zu elements are more than a tile", rows->n);
    check_that(is_power_of_two(p.threads) && p.threads <= 32, "%u threads", p.threads);
    check_that(p.threads == 32 || p.threads * VECTORS_LANES >= rows->n, "%u threads for %zu", p.threads, rows->n);
    check_that(p.rows_of_unit * bytes + 2 * (ROWS_CHUNK - 1) <= STRETCH_BYTES / (is_pair ? 2 : 1),
               "no room for %zu rows of %zu", p.rows_of_unit, bytes);
    check_that(p.rows_of_unit && p.rows_of_unit % (ORDERED_THREADS / p.threads) == 0, "%zu rows", p.rows_of_unit);
    check_blocks(d, plan_group_blocks(d, &p), rows->outer, p.rows_of_unit);
}

START_TEST(staged) {
    generator g;
    generator_seed(&g, 14);
    for (size_t turn = 0; turn < scaled(300000); turn++) {
        const int size = 1 << generator_below(&g, 4);
        const size_t n = 1 + generator_below(&g, (uint64_t)1 << generator_between(&g, 1, 13)),
                     vectors = 1 + generator_below(&g, (uint64_t)1 << generator_between(&g, 1, 24));
        const quire_layout rows = { vectors, n, 1, (ptrdiff_t)(n + (generator_below(&g, 4) == 0)), 1, 0 };
        const device_facts d = draw_device(&g);
        check_staged(&rows, 64 + generator_below(&g, 3) * (size_t)size, size, (int)generator_below(&g, 2), &d);
    }
}
END_TEST

START_TEST(groups) {
    generator g;
    generator_seed(&g, 13);
    for (size_t turn = 0; turn < scaled(300000); turn++) {
        static const int sizes[] = { 1, 2, 4, 8 };
        const int size = sizes[generator_below(&g, 4)];
        const size_t of_chunk = (size_t)(ROWS_CHUNK / size), least = generator_below(&g, 2) ? of_chunk : 1;
        const size_t n = (size_t)(generator_next(&g) >> generator_between(&g, 32, 63)) * least,
                     vectors = 1 + generator_below(&g, (uint64_t)1 << generator_between(&g, 1, 24));
        const ptrdiff_t ld = (ptrdiff_t)(n + generator_below(&g, 3) * least);
        const quire_layout below = quire_rows(vectors, n, ld), beside = { 1, n, vectors, 0, 1, -ld },
                           both = { vectors, n, 3, 3 * ld, 1, ld };
        const quire_layout *all[] = { &below, &beside, &both };
        const device_facts d = draw_device(&g);
        const int is_pair = (int)generator_below(&g, 2);
        check_groups_plan(all[generator_below(&g, 3)], 64 + generator_below(&g, 3) * (size_t)size, size,
                          2 + 2 * (unsigned)generator_below(&g, 2), is_pair,
                          group_loads(is_pair || generator_below(&g, 2)), &d);
    }
}
END_TEST

/* Panels: all columns, rows and tiles belong to one block each, whose threads find room. */
static void check_share(const panel_share *s, const quire_layout *l, const char *x, int size) {
    const size_t E = (size_t)(ROWS_CHUNK / size);
    check_that((s->panels - 1) * s->columns < l->inner && s->panels * s->columns >= l->inner,
               "%zu panels of %zu of %zu", s->panels, s->columns, l->inner);
    check_that(s->panels == 1 || s->columns % E == 0, "panels of %zu", s->columns);
    check_that(s->bundles * s->bundle >= l->outer * s->panels && (s->bundles - 1) * s->bundle < l->outer * s->panels,
               "%zu bundles of %u of %zu", s->bundles, s->bundle, l->outer * s->panels);
    check_that(is_power_of_two(s->threads) && s->bundle * s->chunks * s->threads <= PANEL_THREADS,
               "%u threads for %u chunks", s->threads, s->bundle * s->chunks);
    check_that((s->tiles - 1) * (size_t)s->tile + s->last_tile == l->n && s->last_tile <= s->tile, "%u tiles",
               s->tiles);
    if (s->by_elements) return;
    for (unsigned row = 0; row < 20 && row < l->n; row++) {
        const uintptr_t at = (uintptr_t)x + (size_t)(row * l->stride * size), beyond = at % ROWS_CHUNK / (unsigned)size;
        check_that(s->columns + beyond <= s->chunks * E, "%u chunks of %zu columns", s->chunks, s->columns);
        check_that(l->n <= s->threads || (size_t)(s->threads * l->stride * size) % ROWS_CHUNK == 0, "rows stand apart");
    }
}

/* Of the canonical order: lanes, and parts that are subtrees. */
static void check_panels(const columns_plan *p, const quire_layout *l, const char *x, int size) {
    const panel_share *s = &p->share;
    const size_t E = (size_t)(ROWS_CHUNK / size), width = s->bundle * s->chunks * E;
    const unsigned all = s->lanes * s->threads, chunks = s->bundle * s->chunks;
    check_share(s, l, x, size);
    check_that(is_power_of_two(s->lanes) && all <= ORDER_LANES, "%u lanes", all);
    check_that(all == ORDER_LANES || all >= l->n, "%u lanes for %zu rows", all, l->n);
    check_that(s->lanes % s->lanes_at_once == 0 || s->lanes < s->lanes_at_once, "%u of %u lanes at once",
               s->lanes_at_once, s->lanes);
    check_that((p->parts - 1) * s->tiles_of_part < s->tiles && p->parts * s->tiles_of_part >= s->tiles, "%zu parts",
               p->parts);
    check_that(is_power_of_two(s->tiles_of_part), "%u tiles of a part", s->tiles_of_part);
    check_that(s->tiles == 1 || (width <= chunks * s->threads && s->join * width <= PANEL_THREADS * E),
               "%zu columns of a block", width);
    check_that(p->parts == 1 ||
                   (s->bundles * s->records * width <= VECTORS_PLACES && s->bundles * s->tickets <= VECTORS_IN_PARTS),
               "no room for %zu parts", p->parts);
}

/* Of exact sums: a tile is a part, and all begin at a chunk as the first one does. */
static void check_columns(const columns_plan *p, const quire_layout *l, const char *x, int size) {
    const panel_share *s = &p->share;
    check_share(s, l, x, size);
    check_that(s->tiles == p->parts && s->tile == p->part && s->tiles_of_part == 1, "%zu parts", p->parts);
    check_that(p->parts == 1 || (p->part % ROWS_CHUNK == 0 && p->part % s->threads == 0), "parts of %zu", p->part);
    check_that(p->part <= COLUMNS_PART_MOST + PANEL_THREADS, "parts of %zu", p->part);
    check_that(p->parts == 1 || p->parts * l->outer * l->inner <= VECTORS_PLACES, "no room for %zu parts", p->parts);
}

START_TEST(panels) {
    generator g;
    generator_seed(&g, 12);
    for (size_t turn = 0; turn < scaled(300000); turn++) {
        static const int sizes[] = { 1, 2, 4, 8 };
        const int size = sizes[generator_below(&g, 4)];
        const size_t n = 1 + (size_t)(generator_next(&g) >> generator_between(&g, 24, 63));
        const size_t width = 8 + (size_t)(generator_next(&g) >> generator_between(&g, 40, 63)),
                     outer = 1 + generator_below(&g, 50), ld = width + generator_below(&g, 20);
        const quire_layout l = { outer, n, width, (ptrdiff_t)(n * ld), (ptrdiff_t)ld, 1 };
        const char *const x = (const char *)(uintptr_t)(generator_below(&g, 16) * (size_t)size);
        const device_facts d = draw_device(&g);
        const quire_method method = ORDERED[generator_below(&g, 3)];
        const int is_product = (int)generator_below(&g, 2);
        const columns_plan columns = plan_columns(&l, x, &l, x, size, plan_blocks(&d, COLUMNS_BLOCKS));
        if (columns.fits) check_columns(&columns, &l, x, size);
        if (!plan_has_panels(&l, &l, size)) continue;
        const columns_plan p =
            plan_panels(&l, x, &l, x, is_product, size, order_rows_of(method), plan_blocks(&d, PANEL_SPREAD));
        check_panels(&p, &l, x, size);
    }
}
END_TEST

/* Constants that the kernels rely on. */
START_TEST(constants) {
    check_that(LONG_SEGMENTS <= VECTORS_IN_PARTS, "long segments have slots of their own");
    check_that(VECTORS_PLACES / LONG_SEGMENTS >= 16, "parts enough for each of them");
    check_that(VECTORS_WARPS % (VECTORS_THREADS / 32) == 0, "whole blocks of a multiprocessor");
    check_that(VECTORS_LANES * 32 == ORDER_LANES, "a warp has all lanes of a tile");
}
END_TEST

static void check_shared(const char *name, size_t shared, size_t kept, int blocks, size_t multiprocessor) {
    check_that(shared + kept <= 48 << 10, "%s: a block has %zu + %zu bytes", name, shared, kept);
    check_that((size_t)blocks * (shared + kept + (1 << 10)) <= multiprocessor, "%s: %d blocks of %zu + %zu bytes", name,
               blocks, shared, kept);
}

/* What launches ask for is what every block may have; and as many blocks as registers leave room for fit a
 * multiprocessor of compute capability 9.0. */
START_TEST(shared_memory) {
    check_shared("rows", STRETCH_BYTES, GROUPS_THREADS / 32, GROUPS_BLOCKS, 228 << 10);
    check_shared("segments", SEGMENTS_THREADS / 32 * SEGMENTS_ROOM, SEGMENTS_THREADS, SEGMENTS_BLOCKS, 228 << 10);
    check_that(SEGMENTS_ROOM <= 4096, "gaps that are copied may hold a page that is not there");
    check_that(SEGMENTS_COPIED >> SEGMENTS_SHARERS_LOG <= SEGMENTS_SHARE, "a thread's share of a copied segment");
    check_that(STRETCH_BYTES / 2 % ROWS_CHUNK == 0, "rooms are whole chunks");
}
END_TEST

static void add(TCase *cases) {
    tcase_set_timeout(cases, 300);
    tcase_add_test(cases, layouts);
    tcase_add_test(cases, strides_of_one_element);
    tcase_add_test(cases, threads_of_parts);
    tcase_add_test(cases, ordered_rows);
    tcase_add_test(cases, segments);
    tcase_add_test(cases, groups);
    tcase_add_test(cases, staged);
    tcase_add_test(cases, panels);
    tcase_add_test(cases, shared_memory);
    tcase_add_test(cases, constants);
}

int main(void) { return run_cases_without_place("plan", add); }
