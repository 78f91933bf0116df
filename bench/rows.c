/* rows.c - many vectors a call: which there are, and whether they come out right.
 *
 * The elements are those of one vector of as many bytes as are asked for, which is cut into rows, columns or segments
 * anew for each length.
 *
 * SPDX-License-Identifier: MIT
 */
#include "rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "number.h"
#include "report.h"
#include "segments.h"
#include "terminal.h"

#define BYTES_ON_GPU 1073741824.0
#define BYTES_ON_CPU 67108864.0
#define QUICK_BYTES 4194304.0
#define SAMPLE_ELEMENTS 1048576 /* of vectors that are looked at */
#define SAMPLE_VECTORS 65536
#define MANY_LENGTHS 16

static const size_t lengths[MANY_LENGTHS] = { 8,   10,  16,   32,   33,   64,   100,   128,
                                              256, 512, 1000, 1024, 4096, 5000, 50257, 1048576 };
static const size_t means[] = { 8, 64, 1024, 65536 };
static const size_t quick_lengths[] = { 16, 1000 };

/* -------------------------------------------------------------------------------------------------------- the sizes */

/* The lengths that are asked for, or else those of the layout. */
static const size_t *lengths_of(const options *o, layout which, int *count) {
    *count = o->size_count;
    if (o->size_count) return o->sizes;
    *count = o->quick ? (int)(sizeof quick_lengths / sizeof *quick_lengths) : MANY_LENGTHS;
    if (o->quick) return quick_lengths;
    if (which >= LAYOUT_SEGMENTS) *count = (int)(sizeof means / sizeof *means);
    return which >= LAYOUT_SEGMENTS ? means : lengths;
}

/* Elements in all: the bytes that are asked for, or one vector of the greatest length. */
static size_t elements_of(const options *o, const place *where, size_t size) {
    const double usual = o->quick ? QUICK_BYTES : where == &place_gpu ? BYTES_ON_GPU : BYTES_ON_CPU;
    const double bytes = o->bytes > 0 ? o->bytes : usual;
    size_t elements = (size_t)bytes / size;
    for (int i = 0; i < o->layout_count; i++) {
        int count;
        const size_t *list = lengths_of(o, (layout)o->layouts[i], &count);
        for (int k = 0; k < count; k++)
            if (list[k] > elements) elements = list[k];
    }
    return elements;
}

static bool cuts_segments(const options *o) {
    for (int i = 0; i < o->layout_count; i++)
        if (o->layouts[i] >= LAYOUT_SEGMENTS) return true;
    return false;
}

bool rows_room(const options *o, const place *where, bool whole, size_t *bytes, size_t *host_bytes) {
    *bytes = *host_bytes = 0;
    for (int i = 0; i < o->type_count; i++) {
        const size_t size = type_size((quire_type)o->types[i]), elements = elements_of(o, where, size);
        const size_t room = data_room(elements, whole) * size;
        if (elements > INT32_MAX && cuts_segments(o))
            return complain("--segments: offsets have 31 bits, and these are %zu elements", elements);
        if (elements * size > *bytes) *bytes = elements * size;
        if (room > *host_bytes) *host_bytes = room;
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------------ the offsets */

static int32_t *offsets;
static size_t offsets_room;

static bool cut_segments(const options *o, job *j) {
    const size_t room = segments_room(j->n, j->length);
    if (room > offsets_room) {
        free(offsets);
        offsets = malloc(room * sizeof *offsets);
        offsets_room = offsets ? room : 0;
        if (!offsets) return complain("too little memory for %zu offsets", room);
    }
    j->vectors = segments_cut(j->layout, j->n, j->length, o->seed, offsets);
    j->offsets = j->host_offsets = offsets;
    return true;
}

/* The vectors of a length of a layout. */
static bool lay_out(const options *o, job *j, const data *d) {
    j->n = d->n;
    if (j->layout >= LAYOUT_SEGMENTS) return cut_segments(o, j);
    j->vectors = d->n / j->length;
    j->n = j->vectors * j->length;
    return true;
}

/* ---------------------------------------------------------------------------------------------------------- the run */

static bool run_length(const contenders *all, const options *o, data *d, operation which, layout layout,
                       size_t length) {
    static row rows[MAX_CONTENDERS];
    job j = {
        .operation = which, .type = d->type, .result_type = result_type(o, d->type), .layout = layout, .length = length
    };
    int count;
    if (interrupted()) return true;
    return lay_out(o, &j, d) && all->place->hold(&j) && measure(all, o, &j, NULL, d, rows, &count) &&
           report_rows(rows, count);
}

static bool run_operation(const contenders *all, const options *o, data *d, operation which) {
    for (int i = 0; i < o->layout_count; i++) {
        int count;
        const layout layout = (enum layout)o->layouts[i];
        const size_t *list = lengths_of(o, layout, &count);
        for (int k = 0; k < count; k++)
            if (!run_length(all, o, d, which, layout, list[k])) return false;
    }
    return true;
}

static bool run_type(const contenders *all, const options *o, data *d, family from, quire_type type) {
    const source source = { family_name(from), from, 0, NULL };
    const size_t n = elements_of(o, all->place, type_size(type));
    for (int pair = 0; pair <= 1; pair++) /* the data of a dot product may differ */
        for (int i = 0; i < o->operation_count && !interrupted(); i++) {
            const operation which = (operation)o->operations[i];
            if ((which == OPERATION_DOT) != pair) continue;
            if (!data_fill(d, source, type, o->seed, n, pair) || !run_operation(all, o, d, which)) return false;
        }
    return true;
}

bool rows_run(const contenders *all, const options *o, data *d) {
    for (int f = 0; f < o->family_count; f++)
        for (int t = 0; t < o->type_count; t++)
            if (!run_type(all, o, d, (family)o->families[f], (quire_type)o->types[t])) return false;
    return true;
}

void rows_close(void) {
    free(offsets);
    offsets = NULL;
    offsets_room = 0;
}

/* ---------------------------------------------------------------------------------------------------------- judging */

/* Results of single calls on vectors 0, apart, 2 apart, ... of a job. */
typedef struct sample {
    const job *j;
    size_t count, apart;
    char *x, *y;                      /* room for a vector */
    uint64_t *bits[METHOD_COUNT + 1]; /* of each method; NULL: not yet asked for */
} sample;

static bool open_sample(sample *s, const job *j) {
    size_t longest = 1, most = SAMPLE_ELEMENTS / j->length;
    most = most < 2 ? 2 : most > SAMPLE_VECTORS ? SAMPLE_VECTORS : most;
    *s = (sample){ .j = j, .apart = j->vectors > most ? (j->vectors - 1) / (most - 1) : 1 };
    s->count = j->vectors ? (j->vectors - 1) / s->apart + 1 : 0;
    for (size_t i = 0; i < s->count; i++)
        if (job_vector_length(j, i * s->apart) > longest) longest = job_vector_length(j, i * s->apart);
    s->x = malloc(longest * type_size(j->type));
    s->y = malloc(longest * type_size(j->type));
    return (s->x && s->y) || complain("too little memory to check results with");
}

static void close_sample(sample *s) {
    free(s->x);
    free(s->y);
    for (int i = 0; i <= METHOD_COUNT; i++) free(s->bits[i]);
}

/* Elements of vector v, one behind the other. */
static void gather(const sample *s, const data *d, size_t v, size_t n) {
    const size_t size = type_size(d->type);
    const char *x = data_x(d), *y = data_y(d);
    for (size_t k = 0; k < n; k++) {
        const size_t at = data_place(d, job_element(s->j, v, k)) * size;
        memcpy(s->x + k * size, x + at, size);
        if (y) memcpy(s->y + k * size, y + at, size);
    }
}

static const uint64_t *single_calls(sample *s, const data *d, quire_method method) {
    if (s->bits[method]) return s->bits[method];
    uint64_t *bits = s->bits[method] = malloc((s->count + 1) * sizeof *bits);
    job one = {
        .operation = s->j->operation, .type = s->j->type, .result_type = s->j->result_type, .x = s->x, .y = s->y
    };
    for (size_t i = 0; bits && i < s->count; i++) {
        double result;
        one.n = job_vector_length(s->j, i * s->apart);
        gather(s, d, i * s->apart, one.n);
        const quire_status status = job_reduce(NULL, &one, method, &result);
        if (status) return complain("%s: %s", method_name(method), quire_status_string(status)), NULL;
        bits[i] = type_load(one.result_type, &result, 0);
    }
    return bits;
}

/* An ulp of a type at a magnitude. */
static double ulp_at(quire_type type, double magnitude) {
    const number_format *f = type_format(type);
    int exponent;
    if (!(magnitude > 0) || isinf(magnitude)) return ldexp(1, f->least);
    frexp(magnitude, &exponent);
    exponent -= f->precision;
    return ldexp(1, exponent > f->least ? exponent : f->least);
}

static bool are_same(const sample *s, const void *results, const uint64_t *bits) {
    bool same = true;
    for (size_t i = 0; i < s->count; i++) same &= type_load(s->j->result_type, results, i * s->apart) == bits[i];
    return same;
}

/* Both infinite, both not numbers: no error. */
static double error_of(const sample *s, const void *results, quire_type type, const uint64_t *exact) {
    double error = 0, greatest = 0;
    for (size_t i = 0; i < s->count; i++) {
        const double wanted = type_decode(s->j->result_type, exact[i]), got = type_value(type, results, i * s->apart);
        if (!isfinite(wanted)) continue;
        const double apart = isfinite(got) ? fabs(got - wanted) : INFINITY;
        if (apart > error) error = apart;
        if (fabs(wanted) > greatest) greatest = fabs(wanted);
    }
    return error / ulp_at(s->j->result_type, greatest);
}

/* One more run, and its results. */
static const void *results_of(const row *r, const job *j, bool other) {
    const contender *c = r->contender;
    job own = *j;
    uint64_t bits;
    own.result_type = r->timing.result;
    const char *trouble = c->place->run(c, &own, other, &bits);
    const void *results = trouble ? NULL : c->place->results(&own);
    if (!results) complain("%s: %s", c->name, trouble ? trouble : "its results cannot be had");
    return results;
}

static bool judge_row(sample *s, const data *d, row *r) {
    const contender *c = r->contender;
    const uint64_t *exact = single_calls(s, d, QUIRE_EXACT);
    const void *results = results_of(r, s->j, false);
    if (!exact || !results) return false;
    r->error_ulps = error_of(s, results, r->timing.result, exact);
    r->runs = r->timing.same_bits ? YES : NO;
    if (c->role != ROLE_METHOD) return true;
    const uint64_t *wanted = single_calls(s, d, c->method);
    if (!wanted) return false;
    if (!are_same(s, results, wanted)) r->runs = NO;
    if (!c->other && !c->other_launch) return true;
    if (!(results = results_of(r, s->j, true))) return false;
    r->launches = are_same(s, results, wanted) ? YES : NO;
    return true;
}

bool rows_judge(const job *j, const data *d, row *rows, int count) {
    sample s;
    bool fine = open_sample(&s, j);
    for (int i = 0; i < count && fine; i++)
        if (rows[i].contender->role != ROLE_CEILING) fine = judge_row(&s, d, &rows[i]);
    close_sample(&s);
    return fine;
}
