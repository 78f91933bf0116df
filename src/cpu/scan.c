/* scan.c - running sums on the CPU. A state goes along each vector, and has the ends of every running sum
 * (block/scan.h), which mostly tell its result. What they leave open is settled by limbs.
 *
 * As long as the state is exact it is all that is known of the elements before a block: limbs, where a block needs
 * them, begin with it. From where it is not, limbs take every element, until they fit a state again. So no element is
 * read again once results are stored, which may stand in the place of elements.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/ends.h"
#include "cpu/exact.h"
#include "cpu/gather.h"
#include "cpu/layouts.h"
#include "cpu/pair.h"
#include "cpu/split.h"

#define BLOCK ((size_t)ENDS_TOGETHER)
#define PANEL_VECTORS ((size_t)16)       /* neighbours that go together, where their elements stand side by side */
#define CHUNK_ELEMENTS ((size_t)1 << 14) /* of vectors that one thread takes at a time, about */

/* ----------------------------------------------------------------------------------------------------------- states */

typedef struct {
    scan_state state;
    int is_held;             /* whether limbs hold all elements so far */
    uint64_t last;           /* the bits of the last result, in memory as they are stored */
    size_t count;            /* elements so far */
    size_t since_carry;      /* and those that limbs hold since their last carry */
    quire_accumulator limbs; /* undefined unless it is held */
} running_sum;

static void running_sum_begin(running_sum *r) {
    r->state = (scan_state){ -0.0, 0, 0, 0, ~(uint64_t)0 };
    r->is_held = 0, r->last = 0, r->count = 0;
}

/* A block's elements, as doubles, and what becomes of them. The first result is that before the block. */
typedef struct {
    double value[BLOCK];
    many_ends ends;
    _Alignas(8) char results[(BLOCK + 1) * 8];
} scan_block;

static int is_exact(const scan_state *s) {
    return s->off == 0 && double_is_finite(s->sum) && double_is_finite(s->lost);
}

/* ------------------------------------------------------------------------------------------------------------ limbs */

static void limbs_take(running_sum *r, double value) {
    accumulator_note(&r->limbs, value);
    if (double_is_finite(value)) limbs_add_double(r->limbs.limb, value);
    accumulator_count(&r->limbs, 1);
    if (++r->since_carry <= CARRY_ELEMENTS) return;
    limbs_carry(r->limbs.limb);
    r->since_carry = 0;
}

/* Limbs begin with an exact state. */
static void limbs_begin(running_sum *r) {
    const scan_state *s = &r->state;
    memset(&r->limbs, 0, sizeof r->limbs);
    limbs_add_double(r->limbs.limb, s->sum);
    limbs_add_double(r->limbs.limb, s->lost);
    accumulator_count(&r->limbs, r->count);
    if (r->count) r->limbs.other = s->magnitudes ? OTHER_NONZERO : !(s->signs >> 63);
    r->since_carry = 2;
    r->is_held = 1;
}

static int is_special(const quire_accumulator *a) { return a->nan || a->positive_infinity || a->negative_infinity; }

/* Adds a block's elements to limbs, which settle the results that are open, a bit for each. */
static void settle_block(running_sum *r, const double *value, size_t n, uint64_t open, const quire_job *job,
                         format_description format, char *results) {
    if (!r->is_held) limbs_begin(r);
    for (size_t k = 0; k < n; k++) {
        limbs_take(r, value[k]);
        if (!(open >> k & 1)) continue;
        const quire_total total =
            is_special(&r->limbs) ? accumulator_total_of(&r->limbs, total_zero(0)) : accumulator_total(&r->limbs);
        format_store(total_round(total, format, job->rounding), format.size, results + k * (size_t)format.size);
    }
}

/* A state of what limbs hold; exact, if two doubles can be. Of what is not finite, or no double, the sum is infinite,
 * and all that follows is open. */
static void state_of_limbs(running_sum *r) {
    const format_description f64 = describe_format(QUIRE_F64);
    quire_accumulator left = r->limbs;
    scan_state *s = &r->state;
    if (is_special(&left)) return;
    s->sum = double_of_bits(total_round(accumulator_total(&left), f64, QUIRE_TO_NEAREST));
    s->lost = s->off = 0;
    if (!double_is_finite(s->sum)) return;
    limbs_add_double(left.limb, -s->sum);
    s->lost = double_of_bits(total_round(limbs_total(left.limb), f64, QUIRE_TO_NEAREST));
    limbs_add_double(left.limb, -s->lost);
    quire_total off = limbs_total(left.limb);
    off.negative = 0;
    s->off = double_of_bits(total_round(off, f64, QUIRE_UPWARD));
    r->is_held = s->off != 0;
}

/* A running sum that goes on from limbs. */
static void running_sum_resume(running_sum *r, const quire_accumulator *from, const quire_job *job,
                               format_description format) {
    running_sum_begin(r);
    r->limbs = *from, r->count = (size_t)from->count;
    r->is_held = 1, r->since_carry = 0;
    if (!r->count) return;
    r->state.magnitudes = from->other >= OTHER_NONZERO, r->state.signs = from->other ? 0 : ~(uint64_t)0;
    if (is_special(from)) r->state.sum = NAN; /* which leaves all that follows to limbs */
    state_of_limbs(r);
    format_store(total_round(accumulator_total(from), format, job->rounding), format.size, &r->last);
}

/* The results of a block, behind that before it. */
static void scan_one_block(running_sum *r, scan_block *b, size_t n, const cpu_tier *tier, const quire_job *job,
                           format_description format) {
    char *results = b->results + format.size;
    scan_state after = r->state;
    tier->scan->ends(&after, b->value, n, &b->ends);
    const uint64_t open = ends_results(tier, ENDS_ALONE, &b->ends, NULL, n, job, format, results);
    const int by_limbs = r->is_held || open || !is_exact(&after);
    if (by_limbs) settle_block(r, b->value, n, open, job, format, results);
    r->state = after;
    if (by_limbs) state_of_limbs(r);
    r->count += n;
    memcpy(b->results, &r->last, (size_t)format.size);
    memcpy(&r->last, b->results + n * (size_t)format.size, (size_t)format.size);
}

/* --------------------------------------------------------------------------------------------------------- elements */

/* n elements that stand side by side to where they stand apart. */
#define SCATTER(type)                                                                                                  \
    do {                                                                                                               \
        for (size_t k = 0; k < n; k++)                                                                                 \
            memcpy(__builtin_assume_aligned(to + (ptrdiff_t)k * stride, sizeof(type)), from + k * sizeof(type),        \
                   sizeof(type));                                                                                      \
    } while (0)
static void scatter(char *to, ptrdiff_t stride, const char *from, size_t n, size_t size) {
    if (stride == (ptrdiff_t)size) {
        memcpy(to, from, n * size);
        return;
    }
    switch (size) {
    case 1: SCATTER(uint8_t); break;
    case 2: SCATTER(uint16_t); break;
    case 4: SCATTER(uint32_t); break;
    default: SCATTER(uint64_t); break;
    }
}
#undef SCATTER

/* ---------------------------------------------------------------------------------------------------------- vectors */

/* Strides are in bytes; those along which there is but one are 0. */
typedef struct {
    ptrdiff_t outer, element, inner;
} byte_strides;

static byte_strides strides_of(const quire_layout *l, size_t size) {
    const ptrdiff_t bytes = (ptrdiff_t)size;
    return (byte_strides){ l->outer > 1 ? l->outer_stride * bytes : 0, l->n > 1 ? l->stride * bytes : 0,
                           l->inner > 1 ? l->inner_stride * bytes : 0 };
}

typedef struct {
    const quire_job *job;
    const cpu_tier *tier;
    quire_scan_kind kind;
    byte_strides x, results;
    size_t vectors, inner, panel, panels; /* all, those side by side, of them in a panel, panels of all of these */
    format_description format;
} scan_work;

static void scan_block_of(const scan_work *w, running_sum *r, const char *x, char *to, size_t n) {
    scan_block b;
    const size_t size = (size_t)w->format.size;
    w->tier->scan->values[w->job->type](b.value, x, w->x.element, n);
    if (w->job->term == TERM_MAGNITUDE)
        for (size_t k = 0; k < n; k++) b.value[k] = abs_f64(b.value[k]);
    scan_one_block(r, &b, n, w->tier, w->job, w->format);
    scatter(to, w->results.element, w->kind == QUIRE_EXCLUSIVE ? b.results : b.results + size, n, size);
}

static void scan_panel(const scan_work *w, size_t panel) {
    running_sum running[PANEL_VECTORS];
    const size_t i = panel / w->panels, first = panel % w->panels * w->panel, left = w->inner - first;
    const size_t vectors = left < w->panel ? left : w->panel, n = w->job->n;
    const char *x = (const char *)w->job->x + (ptrdiff_t)i * w->x.outer + (ptrdiff_t)first * w->x.inner;
    char *to = (char *)w->job->result + (ptrdiff_t)i * w->results.outer + (ptrdiff_t)first * w->results.inner;
    for (size_t j = 0; j < vectors; j++) running_sum_begin(&running[j]);
    for (size_t k = 0; k < n; k += BLOCK)
        for (size_t j = 0; j < vectors; j++) {
            const ptrdiff_t column = (ptrdiff_t)j, row = (ptrdiff_t)k;
            scan_block_of(w, &running[j], x + column * w->x.inner + row * w->x.element,
                          to + column * w->results.inner + row * w->results.element, n - k < BLOCK ? n - k : BLOCK);
        }
}

static void scan_panels(const void *work, size_t first, size_t last) {
    for (size_t panel = first; panel < last; panel++) scan_panel(work, panel);
}

/* --------------------------------------------------------------------------------------- vectors that threads share */

/* A long vector is cut into pieces. All are added up, then each has its results, from what is before it: by then, no
 * piece is read by another thread, and results may replace elements. */
#define SHARED_PIECES ((size_t)32)

typedef struct {
    const scan_work *w;
    cpu_context single;
    const char *x;
    char *to;
    size_t piece; /* elements of one, a multiple of a block's */
    quire_accumulator *sums;
} shared_scan;

static size_t elements_of_piece(const shared_scan *s, size_t piece) {
    const size_t left = s->w->job->n - piece * s->piece;
    return left < s->piece ? left : s->piece;
}

static void add_pieces(const void *work, size_t first, size_t last) {
    const shared_scan *s = work;
    quire_job job = *s->w->job;
    for (size_t p = first; p < last; p++) {
        job.x = job.y = s->x + (ptrdiff_t)(p * s->piece) * s->w->x.element;
        job.n = elements_of_piece(s, p);
        memset(&s->sums[p], 0, sizeof *s->sums);
        exact_accumulate(&s->single, &job, s->w->x.element, s->w->x.element, &s->sums[p]);
        accumulator_carry(&s->sums[p]);
    }
}

static void scan_pieces(const void *work, size_t first, size_t last) {
    const shared_scan *s = work;
    const scan_work *w = s->w;
    running_sum r;
    for (size_t p = first; p < last; p++) {
        const size_t begin = p * s->piece, end = begin + elements_of_piece(s, p);
        running_sum_resume(&r, &s->sums[p], w->job, w->format);
        for (size_t k = begin; k < end; k += BLOCK)
            scan_block_of(w, &r, s->x + (ptrdiff_t)k * w->x.element, s->to + (ptrdiff_t)k * w->results.element,
                          end - k < BLOCK ? end - k : BLOCK);
    }
}

/* From the sums of pieces to those before them. */
static void sums_before(quire_accumulator *sums, size_t pieces) {
    quire_accumulator before = QUIRE_ACCUMULATOR_ZERO;
    for (size_t p = 0; p < pieces; p++) {
        const quire_accumulator own = sums[p];
        sums[p] = before;
        accumulator_merge(&before, &own);
    }
}

static void scan_shared(const cpu_context *context, const scan_work *w, size_t vector, int threads) {
    quire_accumulator sums[SHARED_PIECES];
    const ptrdiff_t i = (ptrdiff_t)(vector / w->inner), j = (ptrdiff_t)(vector % w->inner);
    const size_t blocks = (w->job->n - 1) / BLOCK + 1;
    shared_scan s = { w, context_single(context), NULL, NULL, ((blocks - 1) / SHARED_PIECES + 1) * BLOCK, sums };
    s.x = (const char *)w->job->x + i * w->x.outer + j * w->x.inner;
    s.to = (char *)w->job->result + i * w->results.outer + j * w->results.inner;
    const size_t pieces = (w->job->n - 1) / s.piece + 1;
    cpu_context quiet = *context;
    quiet.report = NULL;
    units_run(&quiet, add_pieces, &s, pieces, 1, threads);
    sums_before(sums, pieces);
    units_run(vector + 1 == w->vectors ? context : &quiet, scan_pieces, &s, pieces, 1, threads);
}

quire_status cpu_scan(quire_context *context, const quire_job *job, quire_scan_kind kind, const quire_layout *x_layout,
                      const quire_layout *results_layout) {
    const cpu_context c = cpu_context_of(context);
    const size_t size = (size_t)describe_format(job->type).size, inner = x_layout->inner;
    const format_description format = describe_format(job->result_type);
    scan_work w = { job,
                    c.tier,
                    kind,
                    strides_of(x_layout, size),
                    strides_of(results_layout, (size_t)format.size),
                    x_layout->outer * inner,
                    inner,
                    1,
                    0,
                    format };
    const int threads = cpu_threads(&c, job->n * size, SHARED_PIECES);
    if (threads > 1 && w.vectors < (size_t)threads) {
        for (size_t v = 0; v < w.vectors; v++) scan_shared(&c, &w, v, threads);
        return QUIRE_OK;
    }
    if (inner > 1 && stride_magnitude(w.x.inner) < stride_magnitude(w.x.element)) w.panel = PANEL_VECTORS;
    w.panels = (inner - 1) / w.panel + 1;
    const size_t units = x_layout->outer * w.panels, unit = job->n * w.panel;
    const size_t together = unit < CHUNK_ELEMENTS ? CHUNK_ELEMENTS / unit : 1, chunks = (units - 1) / together + 1;
    units_run(&c, scan_panels, &w, units, together, cpu_threads(&c, units * unit * size, chunks));
    return QUIRE_OK;
}
