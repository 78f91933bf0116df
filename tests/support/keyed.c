/* keyed.c - see keyed.h. */
#include "keyed.h"

#include <string.h>

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
