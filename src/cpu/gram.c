/* gram.c - see layouts.h. The sums of each vector alone are made once, for some hundreds of them at a time; then the
 * sums of products, of which the results are made with these, for tiles of 8 x 8 pairs: blocks of their elements stay
 * in a cache for as long as all pairs of a tile read them. Where x and y are the same vectors, half of the pairs are
 * enough.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/context.h"
#include "cpu/ends.h"
#include "cpu/gather.h"
#include "cpu/layouts.h"
#include "cpu/results.h"
#include "cpu/vector.h"

#define SIDE ((size_t)8)             /* of a tile */
#define BAND ((size_t)256)           /* vectors whose own sums are kept */
#define NEAR_BLOCK ((size_t)1 << 12) /* elements of a block where they stand side by side */
#define APART_BLOCK ((size_t)1 << 8) /* where they are gathered first: of two sides of a tile */
#define LEAST_VECTORS ((size_t)4)    /* on each side: fewer are reduced pair by pair */
#define LEAST_ELEMENTS ((size_t)16)
_Static_assert(SIDE *SIDE == ENDS_TOGETHER, "the pairs of a tile go together");

/* Of each vector of a band. */
typedef struct {
    sum_ends sum[BAND], squares[BAND];
} band_sums;

typedef struct {
    const quire_job *job;
    cpu_context single;
    size_t size;
    format_description format;
    ends_kind kind;
    ptrdiff_t x_apart, y_apart, x_stride, y_stride; /* in bytes */
    size_t columns;                                 /* results of a row of the matrix */
    int is_symmetric;
    size_t first_x, first_y, x_count, y_count; /* the bands that meet */
    band_sums *x_sums, *y_sums;
} gram_work;

static const char *vector_x(const gram_work *w, size_t i) {
    return (const char *)w->job->x + (ptrdiff_t)i * w->x_apart;
}

static const char *vector_y(const gram_work *w, size_t j) {
    return (const char *)w->job->y + (ptrdiff_t)j * w->y_apart;
}

static int is_near(const gram_work *w, ptrdiff_t stride) { return stride == (ptrdiff_t)w->size; }

static size_t block_of(const gram_work *w) {
    return is_near(w, w->x_stride) && is_near(w, w->y_stride) ? NEAR_BLOCK : APART_BLOCK;
}

/* Elements from number k on of some vectors, side by side: where they stand, or in a buffer. */
typedef struct {
    const char *at[SIDE];
    _Alignas(64) char buffer[SIDE * APART_BLOCK * 8];
} block_rows;

static void load_rows(const gram_work *w, block_rows *rows, const char *first, ptrdiff_t apart, ptrdiff_t stride,
                      size_t count, size_t k, size_t n) {
    const int near = is_near(w, stride);
    for (size_t i = 0; i < count; i++) {
        const char *from = first + (ptrdiff_t)i * apart + (ptrdiff_t)k * stride;
        rows->at[i] = from;
        if (near) continue;
        rows->at[i] = rows->buffer + i * APART_BLOCK * w->size;
        gather(rows->buffer + i * APART_BLOCK * w->size, from, n, stride, w->size);
    }
}

static void merge_all(sum_ends *all, const many_ends *some, size_t count) {
    for (size_t i = 0; i < count; i++) ends_merge(&all[i], ends_at(some, i));
}

static void set_nothing(sum_ends *all, size_t count) {
    for (size_t i = 0; i < count; i++) all[i] = (sum_ends){ -0.0, -0.0, -0.0 };
}

/* ------------------------------------------------------------------------------------------------------- own sums */

/* The sums of up to SIDE vectors from one on. */
static void sum_rows(const gram_work *w, const char *first, ptrdiff_t apart, ptrdiff_t stride, size_t count,
                     sum_ends *sum, sum_ends *squares) {
    const ends_functions *add = w->single.tier->ends->of[w->kind][w->job->type];
    const size_t n = w->job->n, block = block_of(w);
    ends_vector of[SIDE];
    many_ends ends;
    block_rows rows;
    set_nothing(sum, count), set_nothing(squares, count);
    for (size_t k = 0, some; k < n; k += some) {
        some = n - k < block ? n - k : block;
        load_rows(w, &rows, first, apart, stride, count, k, some);
        for (size_t i = 0; i < count; i++) of[i] = (ends_vector){ rows.at[i], rows.at[i], some };
        add[TERM_IDENTITY].vectors(of, count, &ends);
        merge_all(sum, &ends, count);
        if (w->job->finish != FINISH_CORRELATION) continue;
        add[TERM_PRODUCT].vectors(of, count, &ends);
        merge_all(squares, &ends, count);
    }
}

static size_t tiles_of(size_t vectors) { return (vectors - 1) / SIDE + 1; }

static size_t side_of(size_t vectors, size_t tile) {
    return vectors - tile * SIDE < SIDE ? vectors - tile * SIDE : SIDE;
}

/* Units are sides of tiles: those of x, then those of y. */
static void run_rows(const void *work, size_t first, size_t last) {
    const gram_work *w = work;
    for (size_t u = first; u < last; u++) {
        const size_t of_x = tiles_of(w->x_count), tile = u < of_x ? u : u - of_x, at = tile * SIDE;
        if (u < of_x)
            sum_rows(w, vector_x(w, w->first_x + at), w->x_apart, w->x_stride, side_of(w->x_count, tile),
                     w->x_sums->sum + at, w->x_sums->squares + at);
        else
            sum_rows(w, vector_y(w, w->first_y + at), w->y_apart, w->y_stride, side_of(w->y_count, tile),
                     w->y_sums->sum + at, w->y_sums->squares + at);
    }
}

/* ----------------------------------------------------------------------------------------------------------- tiles */

/* A tile, by its first vectors in the bands. */
typedef struct {
    size_t x, y, rows, columns;
} gram_tile;

static void sum_products(const gram_work *w, const gram_tile *t, sum_ends *products) {
    const ends_function add = w->single.tier->ends->of[w->kind][w->job->type][TERM_PRODUCT].vectors;
    const size_t n = w->job->n, block = block_of(w);
    ends_vector of[ENDS_TOGETHER];
    many_ends ends;
    block_rows x, y;
    set_nothing(products, t->rows * t->columns);
    for (size_t k = 0, some; k < n; k += some) {
        some = n - k < block ? n - k : block;
        load_rows(w, &x, vector_x(w, w->first_x + t->x), w->x_apart, w->x_stride, t->rows, k, some);
        load_rows(w, &y, vector_y(w, w->first_y + t->y), w->y_apart, w->y_stride, t->columns, k, some);
        for (size_t i = 0; i < t->rows * t->columns; i++)
            of[i] = (ends_vector){ x.at[i / t->columns], y.at[i % t->columns], some };
        add(of, t->rows * t->columns, &ends);
        merge_all(products, &ends, t->rows * t->columns);
    }
}

static void reduce_pair(const gram_work *w, size_t i, size_t j, sum_ends products, void *result) {
    const size_t x = i - w->first_x, y = j - w->first_y;
    const sum_ends sums[MOST_PAIR_SUMS] = { products, w->y_sums->sum[y], w->x_sums->sum[x], w->x_sums->squares[x],
                                            w->y_sums->squares[y] };
    cpu_context past = w->single;
    quire_job job = *w->job;
    uint64_t bits;
    if (ends_round(sums, w->kind, &job, w->format, &bits)) {
        format_store(bits, w->format.size, result);
        return;
    }
    past.past_ends = w->kind == ENDS_BESIDE_SUM; /* else those have not been tried */
    job.x = vector_x(w, i), job.y = vector_y(w, j);
    vector_reduce(&past, &job, w->x_stride, w->y_stride, result);
}

static char *result_of(const gram_work *w, size_t i, size_t j) {
    return (char *)w->job->result + (i * w->columns + j) * (size_t)w->format.size;
}

static void reduce_tile(const gram_work *w, const gram_tile *t) {
    sum_ends products[ENDS_TOGETHER];
    sum_products(w, t, products);
    for (size_t k = 0; k < t->rows * t->columns; k++) {
        const size_t i = w->first_x + t->x + k / t->columns, j = w->first_y + t->y + k % t->columns;
        if (w->is_symmetric && j < i) continue;
        reduce_pair(w, i, j, products[k], result_of(w, i, j));
        if (w->is_symmetric && i != j) memcpy(result_of(w, j, i), result_of(w, i, j), (size_t)w->format.size);
    }
}

static void run_tiles(const void *work, size_t first, size_t last) {
    const gram_work *w = work;
    const size_t across = tiles_of(w->y_count);
    for (size_t u = first; u < last; u++) {
        const size_t row = u / across, column = u % across;
        const gram_tile t = { row * SIDE, column * SIDE, side_of(w->x_count, row), side_of(w->y_count, column) };
        if (!w->is_symmetric || w->first_x != w->first_y || column >= row) reduce_tile(w, &t);
    }
}

/* -------------------------------------------------------------------------------------------------------- the call */

int is_gram(const cpu_context *context, const quire_job *job, const quire_layout *x, const quire_layout *y) {
    if ((job->finish != FINISH_COVARIANCE && job->finish != FINISH_CORRELATION) || !may_have_ends(context, job))
        return 0;
    return x->inner_stride == 0 && y->outer_stride == 0 && x->outer >= LEAST_VECTORS && x->inner >= LEAST_VECTORS &&
           job->n >= LEAST_ELEMENTS;
}

static int threads_for(const cpu_context *context, const gram_work *w, size_t products, size_t units) {
    return cpu_threads(context, product_or_most(w->job->n * w->size, products), units);
}

/* Of two bands. */
static void reduce_bands(const cpu_context *context, const gram_work *w) {
    const size_t rows = tiles_of(w->x_count), columns = tiles_of(w->y_count);
    const int is_one = w->x_sums == w->y_sums;
    units_run(context, run_rows, w, is_one ? rows : rows + columns, 1,
              threads_for(context, w, w->x_count + w->y_count, rows + columns));
    units_run(context, run_tiles, w, rows * columns, 1,
              threads_for(context, w, w->x_count * w->y_count, rows * columns));
}

void gram_reduce(const cpu_context *context, const quire_job *job, const quire_layout *x, const quire_layout *y) {
    band_sums of_x, of_y;
    gram_work w = { .job = job, .single = context_single(context), .columns = x->inner, .x_sums = &of_x };
    w.size = (size_t)describe_format(job->type).size;
    w.format = describe_format(job->result_type);
    w.kind = ends_kind_of(job, w.format);
    const byte_strides x_bytes = strides_of(x, w.size), y_bytes = strides_of(y, w.size);
    w.x_apart = x_bytes.outer, w.x_stride = x_bytes.element, w.y_apart = y_bytes.inner, w.y_stride = y_bytes.element;
    w.is_symmetric = job->x == job->y && w.x_apart == w.y_apart && w.x_stride == w.y_stride && x->outer == x->inner;
    for (w.first_x = 0; w.first_x < x->outer; w.first_x += BAND)
        for (w.first_y = w.is_symmetric ? w.first_x : 0; w.first_y < x->inner; w.first_y += BAND) {
            w.x_count = x->outer - w.first_x < BAND ? x->outer - w.first_x : BAND;
            w.y_count = x->inner - w.first_y < BAND ? x->inner - w.first_y : BAND;
            w.y_sums = w.is_symmetric && w.first_x == w.first_y ? &of_x : &of_y;
            reduce_bands(context, &w);
        }
}
