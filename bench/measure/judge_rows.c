/* judge_rows.c - whether the results of many vectors come out right.
 *
 * SPDX-License-Identifier: MIT
 */
#include "judge_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command/terminal.h"
#include "number.h"
#include "places/place.h"

#define SAMPLE_ELEMENTS 1048576 /* of vectors that are looked at */
#define SAMPLE_VECTORS 65536

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
