/* keyed.c - see keyed.h. */
#include "keyed.h"

#include <string.h>

#include "place.h"
#include "support.h"

row_array row_array_new(quire_type type, quire_layout layout, family which, uint64_t seed) {
    size_t origin;
    const size_t n = layout_elements(&layout, &origin), size = type_size(type);
    row_array a = { NULL, NULL, layout };
    if (!n) return a;
    a.memory = array_new(n * size, seed % 8 * size);
    family_fill(which, type, seed, n, a.memory);
    a.origin = (char *)a.memory + origin * size;
    return a;
}

void row_array_free(row_array *a) {
    if (a->memory) array_free(a->memory);
}

quire_layout draw_rows(generator *g, size_t n) {
    const size_t width = 1 + generator_below(g, generator_below(g, 3) ? 5 : 40), outer = 1 + generator_below(g, 3);
    const ptrdiff_t ld = (ptrdiff_t)(width + generator_below(g, 3));
    quire_layout l = quire_strided(n, 1);
    switch (generator_below(g, 6)) {
    case 0:
    case 1: return l;
    case 2: return quire_strided(n, generator_between(g, -3, 3));
    case 3: return quire_columns(n, width, ld);
    case 4: return (quire_layout){ outer, n, width, ld * (ptrdiff_t)n, ld, 1 };
    default: return (quire_layout){ outer, n, width, 1, -ld, generator_between(g, -1, 1) };
    }
}

uint64_t call_on_rows(const quire_reduction *what, const row_array *x, const int64_t *x_rows, const row_array *y,
                      const int64_t *y_rows, size_t count, size_t i, size_t j) {
    const quire_layout *l = &x->layout, *m = &y->layout;
    const size_t size = type_size(what->type);
    void *u = array_new(count * size, 0), *v = array_new(count * size, 0);
    for (size_t k = 0; k < count; k++) {
        copy_element(what->type, u, k, x->origin,
                     (ptrdiff_t)i * l->outer_stride + x_rows[k] * l->stride + (ptrdiff_t)j * l->inner_stride);
        if (!operation_reads_two(what->operation)) continue;
        copy_element(what->type, v, k, y->origin,
                     (ptrdiff_t)i * m->outer_stride + y_rows[k] * m->stride + (ptrdiff_t)j * m->inner_stride);
    }
    const uint64_t bits = single_call(what, count, u, v);
    array_free(u);
    array_free(v);
    return bits;
}

void *index_array(quire_index index, const int64_t *numbers, size_t count) {
    if (index == QUIRE_I64) return array_copy(numbers, count * sizeof *numbers, 0);
    int32_t *narrow = array_new(count * sizeof *narrow, 0);
    for (size_t i = 0; i < count; i++) narrow[i] = (int32_t)numbers[i];
    return narrow;
}

static size_t group_of(const grouped *d, size_t row) {
    return d->keys[row] < 0 || (uint64_t)d->keys[row] >= d->groups ? d->groups : (size_t)d->keys[row];
}

grouped grouped_of(int64_t *keys, size_t n, size_t groups) {
    grouped d = { groups, n, keys, array_new((n + 1) * sizeof(int64_t), 0),
                  array_new((groups + 2) * sizeof(int64_t), 0) };
    memset(d.offsets, 0, (groups + 2) * sizeof(int64_t));
    for (size_t i = 0; i < n; i++) d.offsets[group_of(&d, i) + 1]++;
    for (size_t g = 0; g <= groups; g++) d.offsets[g + 1] += d.offsets[g];
    for (size_t i = n; i-- > 0;) d.rows[--d.offsets[group_of(&d, i) + 1]] = (int64_t)i;
    for (size_t g = 0; g <= groups; g++) d.offsets[g] = d.offsets[g + 1]; /* each has gone back to where it begins */
    d.offsets[groups + 1] = (int64_t)n;
    return d;
}

void grouped_free(grouped *d) {
    array_free(d->keys);
    array_free(d->rows);
    array_free(d->offsets);
}

void check_by_key(const quire_reduction *what, const grouped *d, quire_index index, const row_array *x,
                  const row_array *y, size_t variant, size_t every) {
    const quire_layout *l = &x->layout;
    const size_t size = type_size(what->result_type), all = l->outer * d->groups * l->inner;
    void *results = array_new(all * size, 0), *keys = index_array(index, d->keys, d->n);
    int64_t *counts = array_new(d->groups * sizeof *counts, 0);
    const char *name = place_use(variant);
    memset(results, 0xa5, all * size);
    check_ok(place_by_key(what, d->groups, index, keys, l, x->origin, &y->layout, y->origin, results, counts));
    place_use(0);
    for (size_t g = 0; g < d->groups; g++)
        check_that(counts[g] == d->offsets[g + 1] - d->offsets[g], "group %zu: %lld rows", g, (long long)counts[g]);
    for (size_t r = 0; r < all; r += every) {
        const size_t i = r / l->inner / d->groups, g = r / l->inner % d->groups, j = r % l->inner;
        const int64_t *rows = d->rows + d->offsets[g];
        const size_t n = (size_t)counts[g];
        check_bits(what->result_type, (char *)results + r * size, call_on_rows(what, x, rows, y, rows, n, i, j),
                   "%s, %s, group %zu of %zu, %zu rows, vector (%zu, %zu)", name, reduction_text(what), g, d->groups, n,
                   i, j);
    }
    array_free(results);
    array_free(keys);
    array_free(counts);
}
