/* fuzz_groups.c - sums by key, segments of rows that are found through an index, and running sums, with arguments of
 * any kind.
 *
 * What the library accepts must give each group, segment or beginning of a vector the bits of the single call on its
 * elements; what it refuses must leave the results untouched. A layout that would reach outside of an array is given
 * only if it must be refused.
 *
 * SPDX-License-Identifier: MIT
 */
#include "fuzz_arguments.h"

#define BYTES 4096 /* of each array */
#define ROWS 64    /* keys, and entries of orders */
#define GROUPS 16
#define RESULTS 4096 /* bytes of all of them, with some more behind */

static _Alignas(16) unsigned char x[BYTES], y[BYTES];
static _Alignas(16) unsigned char results[RESULTS + 64], untouched[RESULTS + 64];

/* Numbers of rows or groups, of either width: most of them in [-2, most + 2), others any. */
struct numbers {
    int64_t wide[ROWS + 1];
    int32_t narrow[ROWS + 1];
    quire_index index;
};

static void put_number(struct numbers *numbers, size_t i, int64_t value) {
    numbers->narrow[i] = (int32_t)value;
    numbers->wide[i] = numbers->index == QUIRE_I64 ? value : numbers->narrow[i];
}

static void take_numbers(struct bytes_left *bytes, struct numbers *numbers, size_t count, size_t most) {
    for (size_t i = 0; i < count; i++) {
        const uint64_t small = take(bytes, 1);
        put_number(numbers, i, small < 250 ? (int64_t)(small % (most + 4)) - 2 : (int64_t)take(bytes, 8));
    }
}

static const void *numbers_of(const struct numbers *numbers) {
    return numbers->index == QUIRE_I64 ? (const void *)numbers->wide : numbers->narrow;
}

static quire_index take_index(struct bytes_left *bytes) {
    const uint64_t number = take(bytes, 1);
    return number < 240 ? (quire_index)(QUIRE_I32 + number % 2) : (quire_index)(number % 5);
}

static bool is_index(quire_index index) { return index == QUIRE_I32 || index == QUIRE_I64; }

/* A reduction of rows: two layouts of equal sizes, which are small or to be refused. */
struct rows {
    quire_reduction what;
    quire_layout x_layout, y_layout;
    struct reached x, y;
    bool two, has_layout, too_large, fits;
};

static struct rows take_rows(struct bytes_left *bytes) {
    struct rows r = { .what = take_reduction(bytes), .x_layout = take_layout(bytes) };
    const size_t size = size_of(r.what.type);
    r.two = reads_two(r.what.operation);
    r.has_layout = take(bytes, 1) % 2;
    r.y_layout = r.x_layout;
    if (r.has_layout) r.y_layout.stride = take_stride(bytes), r.y_layout.inner_stride = take_stride(bytes);
    r.x = reach_in(x, BYTES, &r.x_layout, size);
    r.y = reach_in(y, BYTES, &r.y_layout, size);
    r.too_large = r.x.too_large || (r.two && r.y.too_large);
    r.fits = r.x.fits && (!r.two || r.y.fits);
    return r;
}

static void copy_element(unsigned char *to, const quire_layout *l, const unsigned char *origin, size_t size, size_t i,
                         int64_t row, size_t j) {
    const ptrdiff_t at = (ptrdiff_t)i * l->outer_stride + row * l->stride + (ptrdiff_t)j * l->inner_stride;
    memcpy(to, origin + at * (ptrdiff_t)size, size);
}

/* A single call on some rows of vector (i, j), in their order. */
static void check_rows(const struct rows *r, const int64_t *x_rows, const int64_t *y_rows, size_t count, size_t i,
                       size_t j, const unsigned char *result) {
    const size_t size = size_of(r->what.type);
    unsigned char *u = malloc(count * size + 1), *v = malloc(count * size + 1);
    uint64_t single[2] = { 0, 0 };
    REQUIRE(u && v);
    for (size_t k = 0; k < count; k++) {
        copy_element(u + k * size, &r->x_layout, r->x.origin, size, i, x_rows[k], j);
        if (r->two) copy_element(v + k * size, &r->y_layout, r->y.origin, size, i, y_rows[k], j);
    }
    const quire_layout one = quire_strided(count, 1);
    REQUIRE(!quire_reduce(NULL, &r->what, &one, u, NULL, v, single));
    REQUIRE(!memcmp(single, result, result_size(&r->what)));
    free(u);
    free(v);
}

/* Calls check for each result, of part p of vector (i, j). */
static void check_parts(const struct rows *r, size_t parts,
                        void (*check)(const void *user, const struct rows *r, size_t part, size_t i, size_t j,
                                      const unsigned char *result),
                        const void *user) {
    const size_t inner = r->x_layout.inner, size = result_size(&r->what);
    if (!parts || !inner) return;
    for (size_t i = 0; i < r->x_layout.outer; i++)
        for (size_t p = 0; p < parts; p++)
            for (size_t j = 0; j < inner; j++) check(user, r, p, i, j, results + ((i * parts + p) * inner + j) * size);
}

/* Whether a call with so many results is worth making: it must be refused, or they have room. */
static bool is_possible(const struct rows *r, size_t parts, bool *too_large) {
    const __int128 vectors = times((__int128)r->x_layout.outer, (__int128)r->x_layout.inner);
    const __int128 bytes = times(times(vectors, (__int128)parts), (__int128)result_size(&r->what));
    *too_large = r->too_large || bytes > WHOLE;
    return *too_large || (r->fits && r->x_layout.n <= ROWS && bytes <= RESULTS && vectors <= RESULTS);
}

/* ------------------------------------------------------------------------------------------------------------ by key
 */

static void check_group(const void *user, const struct rows *r, size_t group, size_t i, size_t j,
                        const unsigned char *result) {
    const struct numbers *keys = user;
    int64_t rows[ROWS];
    size_t count = 0;
    for (size_t k = 0; k < r->x_layout.n; k++)
        if (keys->wide[k] == (int64_t)group) rows[count++] = (int64_t)k;
    check_rows(r, rows, rows, count, i, j, result);
}

/* Just the bytes that are needed, so that a sanitizer sees the first one too many. */
static void *workspace_of(size_t needed) {
    void *memory = NULL;
    REQUIRE(!posix_memalign(&memory, 256, needed + !needed));
    return memory;
}

static void by_key(struct bytes_left *bytes) {
    const struct rows r = take_rows(bytes);
    struct numbers keys = { .index = take_index(bytes) };
    const size_t groups = (size_t)take(bytes, 1) % (GROUPS + 1);
    const bool counted = take(bytes, 1) % 2, is_short = take(bytes, 1) == 7;
    int64_t counts[GROUPS + 1];
    bool too_large;
    take_numbers(bytes, &keys, ROWS, groups);
    if (!is_possible(&r, groups, &too_large)) return;
    const size_t needed = quire_by_key_workspace(NULL, &r.what, groups, keys.index, &r.x_layout);
    if (needed > (size_t)1 << 24) return;
    void *workspace = workspace_of(needed);
    memset(counts, 0xa5, sizeof counts);
    memcpy(results, untouched, sizeof results);
    const quire_status status = quire_reduce_by_key(NULL, &r.what, groups, keys.index, numbers_of(&keys), &r.x_layout,
                                                    r.x.origin, r.has_layout ? &r.y_layout : NULL, r.y.origin, results,
                                                    counted ? counts : NULL, workspace, needed - (is_short && needed));
    free(workspace);
    REQUIRE(!too_large || status);
    REQUIRE((is_named(r.what.type) && is_index(keys.index)) || status);
    if (status) {
        REQUIRE(!memcmp(results, untouched, sizeof results));
        for (size_t g = 0; g <= groups; g++) REQUIRE(!memcmp(&counts[g], untouched, sizeof *counts));
        return;
    }
    check_parts(&r, groups, check_group, &keys);
    for (size_t g = 0; g < groups && counted && !is_short; g++) {
        int64_t count = 0;
        for (size_t k = 0; k < r.x_layout.n; k++) count += keys.wide[k] == (int64_t)g;
        REQUIRE(counts[g] == count);
    }
}

/* The order is that of a stable sort, with the rows of no group at its end. */
static void order(struct bytes_left *bytes) {
    struct numbers keys = { .index = take_index(bytes) }, found = { .index = keys.index }, offsets = found;
    const size_t groups = (size_t)take(bytes, 1) % (GROUPS + 1), n = (size_t)take(bytes, 1) % (ROWS + 1);
    take_numbers(bytes, &keys, n, groups);
    const size_t needed = quire_order_workspace(NULL, groups, keys.index, n);
    REQUIRE(needed < (size_t)1 << 24 && (needed != 0) == is_index(keys.index));
    void *workspace = workspace_of(needed);
    const quire_status status =
        quire_order_by_key(NULL, groups, keys.index, n, numbers_of(&keys), (void *)(uintptr_t)numbers_of(&found),
                           (void *)(uintptr_t)numbers_of(&offsets), workspace, needed);
    free(workspace);
    REQUIRE(!status == is_index(keys.index));
    if (status) return;
    size_t at = 0;
    for (size_t g = 0; g <= groups; g++) {
        const int64_t begin = keys.index == QUIRE_I64 ? offsets.wide[g] : offsets.narrow[g];
        REQUIRE(begin == (int64_t)at);
        for (size_t k = 0; k < n; k++) {
            const bool is_of_none = keys.wide[k] < 0 || keys.wide[k] >= (int64_t)groups;
            if (g < groups ? keys.wide[k] != (int64_t)g : !is_of_none) continue;
            REQUIRE((keys.index == QUIRE_I64 ? found.wide[at] : found.narrow[at]) == (int64_t)k);
            at++;
        }
    }
    REQUIRE(at == n);
}

/* ---------------------------------------------------------------------------------------------------------- gathered
 */

struct gathered {
    struct numbers begin, end, x_order, y_order;
    bool has_x, has_y;
};

static int64_t row_at(const struct numbers *order, bool is_there, int64_t position) {
    return is_there ? order->wide[position] : position;
}

static void check_segment(const void *user, const struct rows *r, size_t segment, size_t i, size_t j,
                          const unsigned char *result) {
    const struct gathered *g = user;
    const int64_t n = (int64_t)r->x_layout.n;
    int64_t x_rows[ROWS], y_rows[ROWS];
    size_t count = 0;
    for (int64_t k = g->begin.wide[segment]; k < g->end.wide[segment]; k++) {
        const int64_t row = row_at(&g->x_order, g->has_x, k), y_row = row_at(&g->y_order, g->has_y, k);
        if (row < 0 || row >= n || (r->two && (y_row < 0 || y_row >= n))) continue;
        x_rows[count] = row, y_rows[count++] = r->two ? y_row : row;
    }
    check_rows(r, x_rows, y_rows, count, i, j, result);
}

static void gathered(struct bytes_left *bytes) {
    const struct rows r = take_rows(bytes);
    struct gathered g = { .begin.index = take_index(bytes) };
    g.end.index = g.x_order.index = g.y_order.index = g.begin.index;
    const size_t segments = (size_t)take(bytes, 1) % (GROUPS + 1);
    const uint64_t flags = take(bytes, 1);
    bool too_large;
    g.has_x = flags & 1, g.has_y = flags & 2;
    for (size_t s = 0; s < segments; s++) {
        put_number(&g.begin, s, (int64_t)(take(bytes, 1) % ROWS));
        put_number(&g.end, s, (int64_t)(take(bytes, 1) % (ROWS + 1)));
    }
    take_numbers(bytes, &g.x_order, ROWS, r.x_layout.n < ROWS ? r.x_layout.n : ROWS);
    take_numbers(bytes, &g.y_order, ROWS, r.x_layout.n < ROWS ? r.x_layout.n : ROWS);
    if (!is_possible(&r, segments, &too_large)) return;
    memcpy(results, untouched, sizeof results);
    const quire_status status = quire_reduce_gathered(NULL, &r.what, segments, g.begin.index, numbers_of(&g.begin),
                                                      numbers_of(&g.end), g.has_x ? numbers_of(&g.x_order) : NULL,
                                                      &r.x_layout, r.x.origin, g.has_y ? numbers_of(&g.y_order) : NULL,
                                                      r.has_layout ? &r.y_layout : NULL, r.y.origin, results);
    REQUIRE(!too_large || status);
    REQUIRE((is_named(r.what.type) && is_index(g.begin.index)) || status);
    if (status)
        REQUIRE(!memcmp(results, untouched, sizeof results));
    else
        check_parts(&r, segments, check_segment, &g);
}

/* ------------------------------------------------------------------------------------------------------- running sums
 */

static ptrdiff_t place_of(const quire_layout *l, size_t i, size_t k, size_t j) {
    return (ptrdiff_t)i * l->outer_stride + (ptrdiff_t)k * l->stride + (ptrdiff_t)j * l->inner_stride;
}

/* Whether no two results stand in the same place, of a layout that stays within the room. */
static bool are_apart(const quire_layout *l, const unsigned char *origin, size_t size) {
    static bool taken[RESULTS + 64];
    memset(taken, 0, sizeof taken);
    for (size_t i = 0; i < l->outer; i++)
        for (size_t k = 0; k < l->n; k++)
            for (size_t j = 0; j < l->inner; j++) {
                const size_t at = (size_t)(origin - results + place_of(l, i, k, j) * (ptrdiff_t)size);
                if (taken[at]) return false;
                taken[at] = true;
            }
    return true;
}

/* Results against single calls, each of which empties its place; what is left must be untouched. */
static void check_sums(const quire_reduction *what, quire_scan_kind kind, const quire_layout *l,
                       const unsigned char *elements, const quire_layout *to, unsigned char *origin) {
    const size_t size = size_of(what->type), result = result_size(what);
    unsigned char *vector = malloc(l->n * size + 1);
    REQUIRE(vector);
    for (size_t i = 0; i < l->outer; i++)
        for (size_t j = 0; j < l->inner; j++) {
            gather_vector(l, size, elements, i, j, vector);
            for (size_t k = 0; k < l->n; k++) {
                const quire_layout one = quire_strided(k + (kind == QUIRE_INCLUSIVE), 1);
                unsigned char *found = origin + place_of(to, i, k, j) * (ptrdiff_t)result;
                uint64_t single[2] = { 0, 0 };
                REQUIRE(!quire_reduce(NULL, what, &one, vector, NULL, NULL, single));
                REQUIRE(!memcmp(single, found, result));
                memset(found, 0xa5, result);
            }
        }
    REQUIRE(!memcmp(results, untouched, sizeof results));
    free(vector);
}

static void scan(struct bytes_left *bytes) {
    static _Alignas(16) unsigned char kept[BYTES];
    quire_reduction what = take_reduction(bytes);
    if (what.operation % 3 == 2) what.operation = QUIRE_SUM, what.method = QUIRE_EXACT;
    const quire_scan_kind kind = (quire_scan_kind)(take(bytes, 1) % 9 % 3);
    const quire_layout from = take_layout(bytes);
    quire_layout to = from;
    const size_t size = size_of(what.type), result = result_size(&what);
    if (take(bytes, 1) % 2) to.outer_stride = take_stride(bytes), to.stride = take_stride(bytes);
    if (take(bytes, 1) % 4 == 3) to.inner_stride = take_stride(bytes);
    const struct reached at = reach_in(x, BYTES, &from, size), there = reach_in(results, RESULTS, &to, result);
    const bool too_large = at.too_large || there.too_large;
    const __int128 all = times(times((__int128)from.outer, (__int128)from.inner), (__int128)from.n);
    if (!too_large && (!at.fits || !there.fits || all > RESULTS)) return;
    const bool has_elements = !too_large && all; /* else the other sizes may be any */
    if (has_elements && !are_apart(&to, there.origin, result)) return;
    const bool in_place = has_elements && size == result && !memcmp(&from, &to, sizeof to) && take(bytes, 1) % 2;
    memcpy(results, untouched, sizeof results);
    memcpy(kept, x, sizeof kept);
    unsigned char *origin = results + (there.origin - results);
    if (in_place) /* the elements stand where the results go */
        for (size_t i = 0; i < from.outer; i++)
            for (size_t k = 0; k < from.n; k++)
                for (size_t j = 0; j < from.inner; j++)
                    memcpy(origin + place_of(&from, i, k, j) * (ptrdiff_t)size,
                           at.origin + place_of(&from, i, k, j) * (ptrdiff_t)size, size);
    const quire_status status =
        quire_scan(NULL, &what, kind, &from, in_place ? origin : at.origin, &to, too_large ? results : origin);
    REQUIRE(!memcmp(kept, x, sizeof kept));
    REQUIRE(!too_large || status);
    REQUIRE((is_named(what.type) && kind <= QUIRE_EXCLUSIVE) || status);
    if (!status && has_elements)
        check_sums(&what, kind, &from, at.origin, &to, origin);
    else if (!in_place)
        REQUIRE(!memcmp(results, untouched, sizeof results));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static void (*const calls[])(struct bytes_left *) = { by_key, gathered, scan, order };
    struct bytes_left bytes = { data, size };
    void (*const call)(struct bytes_left *) = calls[take(&bytes, 1) % 4];
    memset(untouched, 0xa5, sizeof untouched);
    /* The arrays are made of the last bytes, again and again, turned a little each time. */
    for (size_t i = 0; i < BYTES; i++) {
        x[i] = size ? (uint8_t)(data[size - 1 - i % size] + i / 64) : (uint8_t)i;
        y[i] = (uint8_t)(x[i] * 5 + 3);
    }
    call(&bytes);
    return 0;
}
