/* strided.c - parts of one vector whose elements stand apart: gathered in blocks, and reduced as contiguous ones are.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/strided.h"
#include "cpu/gather.h"
#include "cpu/results.h"

#define BLOCK STRIDED_BLOCK

/* ------------------------------------------------------------------------------------------------- through an index */

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

/* Elements of x, or of y, side by side: of n present entries from the one that stands at this address on. If some are
 * absent, the present ones stand as if these were not there. */
static void indexed_gather(const indexed_vector *v, int of_y, void *to, const char *at, size_t n, size_t size) {
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

/* ----------------------------------------------------------------------------------------------------------- blocks */

/* Whether y is another vector than x. */
static int reads_y(const strided_vector *v, const char *x, const char *y) {
    return v->indexed ? v->indexed->reads_y : x != y || v->x_stride != v->y_stride;
}

static int are_neighbours(const strided_vector *v, ptrdiff_t stride) {
    return stride == (ptrdiff_t)v->size && !v->indexed;
}

/* Elements of x, or of y, side by side. */
static void gather_elements(const strided_vector *v, int of_y, void *to, const char *from, size_t n) {
    if (v->indexed)
        indexed_gather(v->indexed, of_y, to, from, n, v->size);
    else
        gather(to, from, n, of_y ? v->y_stride : v->x_stride, v->size);
}

/* A block's elements side by side: as they stand if they do so already. *y is *x unless y is read. */
static void gather_block(const strided_vector *v, block_buffer *buffer, const char **x, const char **y, size_t n) {
    const int y_too = reads_y(v, *x, *y);
    const char *from_y = *y;
    if (!are_neighbours(v, v->x_stride)) {
        gather_elements(v, 0, buffer->x, *x, n);
        *x = buffer->x;
    }
    if (!y_too) {
        *y = *x;
    } else if (!are_neighbours(v, v->y_stride)) {
        gather_elements(v, 1, buffer->y, from_y, n);
        *y = buffer->y;
    }
}

void strided_begin(strided_blocks *b, const strided_vector *v, const char *x, const char *y, size_t n, size_t most) {
    const int in_place = are_neighbours(v, v->x_stride) && are_neighbours(v, v->y_stride);
    b->v = v, b->x = x, b->y = y, b->left = n;
    b->most = in_place || most < BLOCK ? most : BLOCK;
}

int strided_next(strided_blocks *b, ends_vector *block) {
    const strided_vector *v = b->v;
    if (!b->left) return 0;
    *block = (ends_vector){ b->x, b->y, b->left < b->most ? b->left : b->most };
    gather_block(v, &b->buffer, &block->x, &block->y, block->n);
    b->left -= block->n;
    if (!b->left) return 1; /* no pointer is formed beyond the end */
    b->x += (ptrdiff_t)block->n * v->x_stride, b->y += (ptrdiff_t)block->n * v->y_stride;
    return 1;
}

/* The elements of which all sums are made one after the other: the others find them in a cache. */
#define TOGETHER_ELEMENTS ((size_t)1 << 13)
_Static_assert(CARRIES_IN_TIME(TOGETHER_ELEMENTS), "limbs are carried after each block");

void strided_exact(const strided_vector *v, const quire_job *job, quire_accumulator *a, const char *x, const char *y,
                   size_t n, int fetches) {
    strided_blocks blocks;
    strided_begin(&blocks, v, x, y, n, TOGETHER_ELEMENTS);
    for (ends_vector b; strided_next(&blocks, &b);)
        for (int i = 0; i < job_sums(job); i++) {
            const ends_vector of = vector_of_sum(job, i, b);
            v->tier->exact[v->type][term_of(job, i)](&a[i], of.x, of.y, of.n, fetches);
            limbs_carry(a[i].limb);
        }
}

/* So many doubles at a time, even where they are neighbours: of those that overflow the others need not be read. */
#define DOUBLES ((size_t)1 << 16)

/* Beside a sum, a block of floats takes more than twice as long as by two ends alone; but mostly these are exact. Where
 * they are not, so many blocks more are not tried. */
#define NOT_TRIED 8

/* The ends of a block's one sum. not_tried: blocks to come. */
static sum_ends block_ends(const strided_vector *v, quire_term term, ends_kind kind, const ends_vector *block,
                           int *not_tried) {
    many_ends ends;
    if (*not_tried) {
        --*not_tried;
    } else if (kind == ENDS_BESIDE_SUM && term != TERM_PRODUCT && !has_double_lanes(v->type)) {
        v->tier->ends->of[ENDS_ALONE][v->type][term].vectors(block, 1, &ends);
        if (ends.low[0] == -ends.up[0] && double_is_finite(ends.up[0])) return ends_at(&ends, 0);
        *not_tried = NOT_TRIED;
    }
    v->tier->ends->of[kind][v->type][term].vectors(block, 1, &ends);
    return ends_at(&ends, 0);
}

void strided_ends(const strided_vector *v, const quire_job *job, ends_kind kind, const char *x, const char *y, size_t n,
                  sum_ends *sums) {
    const int count = job_sums(job), is_long = count == 1 && kind == ENDS_ALONE;
    const int by_sum = sum_tells_specials(kind, v->type);
    int not_tried[MOST_JOB_SUMS] = { 0 };
    strided_blocks blocks;
    for (int i = 0; i < count; i++) sums[i] = (sum_ends){ -0.0, -0.0, -0.0 };
    strided_begin(&blocks, v, x, y, n, count == 1 && has_double_lanes(v->type) ? DOUBLES : is_long ? n : BLOCK);
    for (ends_vector b; strided_next(&blocks, &b);) {
        for (int i = 0; i < count; i++) {
            const ends_vector of = vector_of_sum(job, i, b);
            ends_merge(&sums[i], block_ends(v, term_of(job, i), kind, &of, &not_tried[i]));
        }
        if (count == 1 && double_is_nan(by_sum ? sums->sum : sums->up)) return; /* whatever the others are */
    }
}

/* -------------------------------------------------------------------------------------------- tiles that have grown */

#define GROUPS (ORDER_LANES / PANEL) /* the lanes of a tile, as panels side by side */

/* The 256 lanes merged into the first: panels with panels, then the lanes of one. */
static void merge_lanes(const strided_vector *v, char *states, size_t state_bytes, lane_state *total) {
    const int is_double = has_double_lanes(v->type);
    const panel_merge_function merge = v->tier->lanes->merge[is_double][v->method];
    const lane_method *method = &lane_methods[v->method];
    lane_state lane[PANEL];
    for (size_t w = GROUPS / 2; w; w /= 2) merge(states, states + w * state_bytes, w);
    for (size_t i = 0; i < PANEL; i++)
        for (int k = 0; k < method->words; k++) {
            const double word = panel_word(states, k, i, is_double);
            if (is_double)
                lane[i].f64[k] = word;
            else
                lane[i].f32[k] = (float)word;
        }
    for (int w = PANEL / 2; w; w /= 2)
        for (int i = 0; i < w; i++) method->merge[is_double](&lane[i], &lane[i + w]);
    *total = lane[0];
}

/* A last row that is short is filled up with what adds nothing, as in a tile that has not grown (tile_fill). */
static void fill_row(char *row, size_t n, size_t size, uint64_t missing) {
    for (size_t i = n; i % ORDER_LANES; i++) format_store(missing, (int)size, row + i * size);
}

/* Strips of rows, of which each lane's state goes on with the next. */
static void grown_tile(const strided_vector *v, const char *x, const char *y, size_t n, lane_state *total) {
    const panel_add_function add = v->tier->lanes->of[v->type][v->term][v->method].add;
    const size_t row = ORDER_LANES * v->size;
    const ptrdiff_t group = (ptrdiff_t)(PANEL * v->size);
    const size_t real = has_double_lanes(v->type) ? sizeof(double) : sizeof(float);
    const size_t state_bytes = (size_t)lane_methods[v->method].words * PANEL * real;
    _Alignas(64) char states[GROUPS * PANEL_STATE_BYTES];
    const int y_too = reads_y(v, x, y);
    const uint64_t missing = missing_element(v->size, describe_term(v->term).sign);
    block_buffer buffer;
    const char *from_y = y_too ? buffer.y : buffer.x;
    for (size_t done = 0, count; done < n; done += count) {
        count = n - done < BLOCK ? n - done : BLOCK;
        gather_elements(v, 0, buffer.x, x + (ptrdiff_t)done * v->x_stride, count);
        if (y_too) gather_elements(v, 1, buffer.y, y + (ptrdiff_t)done * v->y_stride, count);
        fill_row(buffer.x, count, v->size, missing);
        if (y_too) fill_row(buffer.y, count, v->size, 0);
        const panel_rows rows = { buffer.x, from_y, (ptrdiff_t)row, (ptrdiff_t)row, (count - 1) / ORDER_LANES + 1 };
        add(rows, GROUPS, group, group, done != 0, states);
    }
    merge_lanes(v, states, state_bytes, total);
}

void strided_tile(const strided_vector *v, const char *x, const char *y, size_t n, size_t tile, lane_state *state) {
    if (tile > BLOCK) {
        grown_tile(v, x, y, n, state);
        return;
    }
    block_buffer buffer;
    gather_block(v, &buffer, &x, &y, n);
    v->tier->lanes->of[v->type][v->term][v->method].tile(x, y, n, tile, 0, state);
}
