/* batch_layout.c - how the vectors of a batch lie: rows, columns, a middle axis, segments; forwards or backwards.
 *
 * SPDX-License-Identifier: MIT
 */
#include <assert.h>
#include <string.h>

#include "batch.h"

#define GAP 3 /* elements between vectors that belong to none, at the most */
#define LINE 64

/* ------------------------------------------------------------------------------------------------------------ names */

const char *arrangement_name(arrangement which) {
    static const char *const names[ARRANGEMENTS] = { "rows", "columns", "middle axis", "segments" };
    return names[which];
}

static const size_t CLASS_ENDS[LENGTH_CLASSES] = { 0, 1, 4, 8, 16, 32, 64, 256, ORDERED_MOST, MANY_LONGEST };

int length_class(size_t n) {
    int i = 0;
    while (n > CLASS_ENDS[i]) i++;
    return i;
}

const char *length_class_name(int which) {
    static const char *const names[LENGTH_CLASSES] = { "0",     "1",     "2-4",    "5-8",      "9-16",
                                                       "17-32", "33-64", "65-256", "257-4096", "to 1000000" };
    return names[which];
}

/* ---------------------------------------------------------------------------------------------------------- layouts */

/* Sums of size_t wrap around, so negative strides are right, too. */
static size_t start_of(const batch *b, const quire_layout *l, size_t first, size_t r) {
    if (b->arrangement == SEGMENTS) return b->begin[r];
    return first + r / l->inner * (size_t)l->outer_stride + r % l->inner * (size_t)l->inner_stride;
}

size_t batch_x_start(const batch *b, size_t r) { return start_of(b, &b->x_layout, b->x_first, r); }

size_t batch_y_start(const batch *b, size_t r) { return start_of(b, &b->y_layout, b->y_first, r); }

/* How many vectors: mostly thousands, now and then a few; few, too, if they are long. */
static size_t choose_vectors(generator *g, size_t n) {
    const size_t most = n > BATCH_ELEMENTS / BATCH_VECTORS ? BATCH_ELEMENTS / n : BATCH_VECTORS;
    if (n > ORDERED_MOST) return 1 + (size_t)generator_below(g, most + 1) / 2;
    if (generator_below(g, 32) == 0) return 1 + (size_t)generator_below(g, 16);
    return most / 2 + 1 + (size_t)generator_below(g, most / 2);
}

/* One after the other, with gaps, of any length up to n; then shuffled. */
static void cut_segments(batch *b, generator *g) {
    const size_t n = b->of.n;
    size_t at = 0;
    for (size_t r = 0; r < b->vectors; r++) {
        at += (size_t)generator_below(g, GAP + 1);
        b->length[r] = generator_below(g, 4) ? (size_t)generator_below(g, n + 1) : n;
        b->begin[r] = at;
        at += b->length[r];
    }
    b->elements = at;
    for (size_t r = b->vectors; r > 1; r--) {
        const size_t other = (size_t)generator_below(g, r), begin = b->begin[other], length = b->length[other];
        b->begin[other] = b->begin[r - 1], b->length[other] = b->length[r - 1];
        b->begin[r - 1] = begin, b->length[r - 1] = length;
    }
    b->index = generator_below(g, 2) ? QUIRE_I32 : QUIRE_I64;
    for (size_t r = 0; r < b->vectors; r++) {
        const size_t ends[2] = { b->begin[r], b->begin[r] + b->length[r] };
        for (int i = 0; i < 2; i++)
            if (b->index == QUIRE_I64)
                b->offsets[i][r] = (int64_t)ends[i];
            else
                ((int32_t *)b->offsets[i])[r] = (int32_t)ends[i];
    }
}

/* Turns one of the directions round: its last vector or element comes first. */
static void turn(ptrdiff_t *stride, size_t count, size_t *first) {
    if (count > 1) *first += (count - 1) * (size_t)*stride;
    *stride = -*stride;
}

static bool turn_some(generator *g, quire_layout *l, size_t *first) {
    const uint64_t which = generator_below(g, 2) ? generator_below(g, 8) : 0;
    if (which & 1) turn(&l->outer_stride, l->outer, first);
    if (which & 2) turn(&l->stride, l->n, first);
    if (which & 4) turn(&l->inner_stride, l->inner, first);
    return l->outer_stride < 0 || l->stride < 0 || l->inner_stride < 0;
}

/* y lies as x does, or one vector after the other. Each may go backwards. */
static void choose_layouts(batch *b, generator *g) {
    const size_t n = b->of.n, gap = (size_t)generator_below(g, 2) * (size_t)generator_below(g, GAP + 1);
    const ptrdiff_t signed_n = (ptrdiff_t)n;
    if (b->arrangement == MIDDLE_AXIS) {
        const size_t drawn = 2 + (size_t)generator_below(g, 14), inner = n > ORDERED_MOST ? 2 : drawn;
        const size_t outer = b->vectors < inner ? 1 : b->vectors / inner;
        const ptrdiff_t stride = (ptrdiff_t)inner;
        b->vectors = outer * inner;
        b->x_layout = (quire_layout){ outer, n, inner, signed_n * stride, stride, 1 };
        b->elements = b->vectors * n;
    } else if (b->arrangement == ROWS) {
        b->x_layout = quire_rows(b->vectors, n, signed_n + (ptrdiff_t)gap);
        b->elements = b->vectors * (n + gap);
    } else {
        const size_t apart = b->vectors + (n > ORDERED_MOST ? 0 : gap); /* a gap has n elements here */
        b->x_layout = quire_columns(n, b->vectors, (ptrdiff_t)apart);
        b->elements = n * apart;
    }
    b->y_layout = b->x_layout;
    if (generator_below(g, 2)) {
        b->y_layout.outer_stride = signed_n * (ptrdiff_t)b->x_layout.inner;
        b->y_layout.stride = 1;
        b->y_layout.inner_stride = signed_n;
    }
    b->backwards = turn_some(g, &b->x_layout, &b->x_first);
    b->backwards |= turn_some(g, &b->y_layout, &b->y_first) && b->of.operation == OPERATION_DOT;
    for (size_t r = 0; r < b->vectors; r++) b->length[r] = n;
}

/* Between vectors there are NaNs, so that what reads too far is found. */
void batch_lay_out(batch *b, generator *g) {
    const size_t size = type_size(b->of.type);
    b->x_first = b->y_first = 0;
    b->backwards = false;
    b->arrangement = (arrangement)generator_below(g, ARRANGEMENTS);
    b->vectors = choose_vectors(g, b->of.n);
    if (b->arrangement == SEGMENTS)
        cut_segments(b, g);
    else
        choose_layouts(b, g);
    assert(b->elements <= BATCH_ROOM);
    b->x = b->room[0] + generator_below(g, LINE / size) * size;
    b->y = b->room[1] + generator_below(g, LINE / size) * size;
    memset(b->x, 0xff, b->elements * size);
    if (b->of.operation == OPERATION_DOT) memset(b->y, 0xff, b->elements * size);
    memset(b->lengths, 0, sizeof b->lengths);
    for (size_t r = 0; r < b->vectors; r++) b->lengths[length_class(b->length[r])]++;
}
