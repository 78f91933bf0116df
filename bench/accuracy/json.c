/* json.c - the report as one object.
 *
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "command/terminal.h"
#include "json_parts.h"
#include "report.h"

static FILE *file;
static const char *name;

static bool trouble(int error) { return complain("%s: %s", name, strerror(error)); }

bool json_open(const char *path) {
    name = path;
    file = fopen(path, "w");
    return file || trouble(errno);
}

/* JSON has no Inf and no NaN: the string "inf", and null. */
static json_t *real(double value) {
    return isnan(value) ? json_null() : isinf(value) ? json_string("inf") : json_real(value);
}

static json_t *count(uint64_t value) { return json_integer((json_int_t)value); }

/* Text that is not UTF-8, of a file's name, becomes null. */
static json_t *text(const char *value) {
    json_t *string = json_string(value);
    return string ? string : json_null();
}

static json_t *hexadecimal(uint64_t bits, int digits) {
    char word[24];
    snprintf(word, sizeof word, "0x%0*" PRIx64, digits, bits);
    return json_string(word);
}

/* ------------------------------------------------------------------------------------------------------------ parts */

static void add_errors(json_t *to, int m, int type, int op, int result, const errors *e) {
    json_t *one = json_object();
    json_object_set_new(one, "method", text(method_name(METHODS[m])));
    json_object_set_new(one, "type", text(type_name(TYPES[type])));
    json_object_set_new(one, "operation", text(operation_name((operation)op)));
    json_object_set_new(one, "result_type", text(type_name(TYPES[result])));
    json_object_set_new(one, "results", count(e->cases));
    json_object_set_new(one, "tame_results", count(e->tame));
    json_object_set_new(one, "tame_mean_ulp", e->tame ? real(e->tame_sum / (double)e->tame) : json_null());
    json_object_set_new(one, "tame_worst_ulp", e->tame ? real(e->tame_worst) : json_null());
    json_object_set_new(one, "worst_ulp", real(e->worst));
    json_object_set_new(one, "worst_error_over_bound", real(e->ratio));
    json_object_set_new(one, "without_bound", count(e->unbounded));
    json_object_set_new(one, "violations", count(e->violations));
    json_array_append_new(to, one);
}

static json_t *all_errors(const tally *t) {
    json_t *all = json_array();
    for (int m = 0; m < METHOD_COUNT; m++)
        for (int type = 0; type < TYPE_COUNT; type++)
            for (int op = 0; op < OPERATION_COUNT; op++)
                for (int result = 0; result < TYPE_COUNT; result++)
                    if (t->of[m][type][op][result].cases)
                        add_errors(all, m, type, op, result, &t->of[m][type][op][result]);
    return all;
}

static void add_bits(json_t *to, const char *way, uint64_t results, uint64_t wrong) {
    json_t *one = json_object();
    json_object_set_new(one, "way", text(way));
    json_object_set_new(one, "results", count(results));
    json_object_set_new(one, "wrong", count(wrong));
    json_array_append_new(to, one);
}

static json_t *all_bits(const report *r) {
    json_t *all = json_array();
    for (int i = 0; i < r->ways->count; i++)
        add_bits(all, r->ways->one[i].name, r->ways->one[i].results, r->ways->one[i].wrong);
    add_bits(all, "exact, permuted", r->tally->permuted, r->tally->permuted_wrong);
    add_bits(all, "exact, split and merged", r->tally->split, r->tally->split_wrong);
    return all;
}

static json_t *all_methods(const tally *t) {
    json_t *all = json_array();
    for (int m = 0; m < METHOD_COUNT; m++) {
        json_t *one = json_object();
        json_object_set_new(one, "method", text(method_name(METHODS[m])));
        json_object_set_new(one, "results", count(t->results[m]));
        json_object_set_new(one, "wrong", count(t->wrong[m]));
        json_array_append_new(all, one);
    }
    return all;
}

static json_t *all_failures(const tally *t) {
    json_t *all = json_array();
    for (int i = 0; i < t->failure_count; i++) {
        const failure *f = &t->failures[i];
        const int digits = (int)(2 * type_size(f->result_type));
        char line[512];
        json_t *one = json_object();
        json_object_set_new(one, "text", text(failure_text(f, line, sizeof line)));
        json_object_set_new(one, "case", text(case_name(&f->of, line, sizeof line)));
        json_object_set_new(one, "way", text(f->way));
        json_object_set_new(one, "method", text(method_name(f->method)));
        json_object_set_new(one, "result_type", text(type_name(f->result_type)));
        json_object_set_new(one, "expected", f->fault == BAD_STATUS ? json_null() : hexadecimal(f->expected, digits));
        json_object_set_new(one, "got", f->fault == BAD_STATUS ? json_null() : hexadecimal(f->got, digits));
        json_array_append_new(all, one);
    }
    return all;
}

static json_t *all_left_out(const ways *w) {
    json_t *all = json_array();
    for (int i = 0; i < w->left_out_count; i++) json_array_append_new(all, text(w->left_out[i]));
    return all;
}

/* ------------------------------------------------------------------------------------------------------------ whole */

void json_facts(json_t *root, const head *h, uint64_t seed, double seconds) {
    for (int i = 0; i < FACTS; i++) json_object_set_new(root, h->one[i].name, text(h->one[i].value));
    json_object_set_new(root, "seed", hexadecimal(seed, 1));
    json_object_set_new(root, "seconds", real(seconds));
}

static json_t *whole(const report *r) {
    const tally *t = r->tally;
    json_t *root = json_object();
    json_object_set_new(root, "verdict", text(tally_passed(t) ? "pass" : "fail"));
    json_facts(root, r->head, r->options->seed, t->seconds);
    json_object_set_new(root, "cases", count(t->cases));
    json_object_set_new(root, "kinds", count(r->plan->only ? 1 : r->plan->count));
    json_object_set_new(root, "kinds_covered", count(r->plan->only ? t->cases : plan_covered(r->plan)));
    json_object_set_new(root, "longest", count(t->longest));
    json_object_set_new(root, "left_out", all_left_out(r->ways));
    json_object_set_new(root, "bounds_judged", count(t->judged));
    json_object_set_new(root, "violations", count(t->violations));
    json_object_set_new(root, "bad_statuses", count(t->bad_statuses));
    json_object_set_new(root, "methods", all_methods(t));
    json_object_set_new(root, "bits", all_bits(r));
    json_object_set_new(root, "failures", all_failures(t));
    json_object_set_new(root, "errors", all_errors(t));
    return root;
}

bool json_finish(json_t *root) {
    bool fine = !json_dumpf(root, file, JSON_INDENT(1) | JSON_REAL_PRECISION(6)) && putc('\n', file) != EOF;
    fine &= !fclose(file);
    const int error = errno;
    json_decref(root);
    return fine || trouble(error);
}

bool json_write(const report *r) { return json_finish(whole(r)); }
