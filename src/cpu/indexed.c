/* indexed.c - see indexed.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/indexed.h"
#include "cpu/gather.h"

#include <string.h>

QUIRE_INLINE int64_t row_of(const indexed_array *a, int64_t entry) {
    if (!a->order) return entry;
    return index_at(a->order, entry, a->is_64_bit);
}

/* The rows that an entry names; answers whether both are there. */
typedef struct {
    int64_t x, y;
} row_pair;

QUIRE_INLINE int find_rows(const indexed_vector *v, int64_t entry, row_pair *rows) {
    rows->x = row_of(&v->x, entry);
    if ((uint64_t)rows->x >= v->x.rows) return 0;
    rows->y = v->reads_y ? row_of(&v->y, entry) : rows->x;
    return !v->reads_y || (uint64_t)rows->y < v->y.rows;
}

size_t indexed_count(const indexed_vector *v, int64_t first, size_t n) {
    size_t count = 0;
    row_pair rows;
    for (size_t i = 0; i < n; i++) count += (size_t)find_rows(v, first + (int64_t)i, &rows);
    return count;
}

/* The size is a constant for each caller, and so are the columns where there is one. */
QUIRE_INLINE size_t gather_rows(const indexed_vector *v, int of_y, char *to, size_t apart, int64_t first, size_t n,
                                size_t columns, ptrdiff_t inner, size_t size) {
    const indexed_array *a = of_y ? &v->y : &v->x;
    char *next = to;
    row_pair rows;
    for (size_t i = 0; i < n; i++) {
        if (!find_rows(v, first + (int64_t)i, &rows)) continue;
        const char *from = a->base + (ptrdiff_t)(of_y ? rows.y : rows.x) * a->row;
        memcpy(next, from, size);
        for (size_t c = 1; c < columns; c++) memcpy(next + c * apart, from + (ptrdiff_t)c * inner, size);
        next += size;
    }
    return (size_t)(next - to) / size;
}

size_t indexed_gather_columns(const indexed_vector *v, int of_y, char *to, size_t apart, int64_t first, size_t n,
                              size_t columns, ptrdiff_t inner, size_t size) {
#define GATHER(bytes)                                                                                                  \
    return columns == 1 ? gather_rows(v, of_y, to, 0, first, n, 1, 0, bytes)                                           \
                        : gather_rows(v, of_y, to, apart, first, n, columns, inner, bytes)
    switch (size) {
    case 1: GATHER(1);
    case 2: GATHER(2);
    case 4: GATHER(4);
    default: GATHER(8);
    }
#undef GATHER
}

/* On from where the last walk ended, or from the beginning: the entries from there on of which the first is the present
 * one of this number. */
static void walk_to(const indexed_vector *v, size_t present) {
    indexed_walk *walk = v->walk;
    row_pair rows;
    if (walk->present > present) *walk = (indexed_walk){ 0, v->first };
    for (; walk->present < present; walk->entry++) walk->present += (size_t)find_rows(v, walk->entry, &rows);
}

void indexed_gather(const indexed_vector *v, int of_y, void *to, const char *at, size_t n, size_t size) {
    const size_t number = (size_t)(at - v->at) / v->entry_size;
    if (!v->walk) {
        indexed_gather_columns(v, of_y, to, 0, v->first + (int64_t)number, n, 1, 0, size);
        return;
    }
    walk_to(v, number);
    int64_t entry = v->walk->entry;
    for (size_t left = n; left;) { /* so many entries have no more elements */
        const size_t found = indexed_gather_columns(v, of_y, to, 0, entry, left, 1, 0, size);
        entry += (int64_t)left;
        to = (char *)to + found * size;
        left -= found;
    }
}
