/* report.c - one page of text.
 *
 * SPDX-License-Identifier: MIT
 */
#include "report.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "command/terminal.h"

/* --------------------------------------------------------------------------------------------------------- failures */

static void show_bits(quire_type type, uint64_t bits, char text[64]) {
    snprintf(text, 64, "0x%0*" PRIx64 " (%a)", (int)(2 * type_size(type)), bits, type_decode(type, bits));
}

const char *failure_text(const failure *f, char *text, size_t size) {
    char got[64], expected[64];
    const quire_type type = f->of.type;
    show_bits(f->result_type, f->got, got);
    show_bits(f->result_type, f->expected, expected);
    int length = snprintf(text, size, "%s %s of %s %s, n = %zu, to %s; %s: ", method_name(f->method),
                          operation_name(f->of.operation), f->of.source->name, type_name(type), f->of.n,
                          type_name(f->result_type), f->way);
    if (length < 0 || (size_t)length >= size) return text;
    text += length;
    size -= (size_t)length;
    switch (f->fault) {
    case WRONG_BITS: snprintf(text, size, "%s expected, %s got", expected, got); break;
    case VIOLATION:
        if (isinf(f->judgement.ratio))
            snprintf(text, size, "%s, which no error bound allows; %s expected", got, expected);
        else
            snprintf(text, size, "%s is %.3g ulp off, %.3g times the bound", got, f->judgement.ulps,
                     f->judgement.ratio);
        break;
    case BAD_STATUS: snprintf(text, size, "status %d, %s", (int)f->status, quire_status_string(f->status)); break;
    }
    return text - length;
}

static void print_failures(const report *r) {
    char text[512], name[256];
    for (int i = 0; i < r->tally->failure_count; i++) {
        const failure *f = &r->tally->failures[i];
        printf("FAILED: %s\n", failure_text(f, text, sizeof text));
        printf("        again: quire-accuracy --case %s", case_name(&f->of, name, sizeof name));
        if (r->options->file_count && r->options->n != SIZE_MAX) printf(" --n %zu", r->options->n);
        if (r->options->typed) printf(" --type %s", r->options->type_words);
        for (int k = 0; k < r->options->file_count; k++) printf(" %s", r->options->files[k]);
        putchar('\n');
    }
    if (r->tally->failure_count) putchar('\n');
}

/* ------------------------------------------------------------------------------------------------------------- head */

static int bits_set(uint64_t word) {
    int count = 0;
    for (; word; word &= word - 1) count++;
    return count;
}

static void print_head(const report *r) {
    const tally *t = r->tally;
    for (int i = 0; i < FACTS; i++) printf("%-9s %s\n", r->head->one[i].name, r->head->one[i].value);
    printf("%-9s 0x%" PRIx64 "\n", "seed", r->options->seed);
    printf("%-9s %" PRIu64 " cases in %.1f s", "run", t->cases, t->seconds);
    if (!r->plan->only) printf(", %zu of %zu kinds (input, type, operation)", plan_covered(r->plan), r->plan->count);
    printf("; n up to %" PRIu64 "; arrays begin at %d places in 64 bytes\n", t->longest, bits_set(t->starts));
    for (int i = 0; i < r->ways->left_out_count; i++) printf("%-9s %s\n", "left out", r->ways->left_out[i]);
}

/* ------------------------------------------------------------------------------------------------------------ table */

/* A method and an input type: the results of one type, of every operation. */
static errors of_type(const tally *t, int method, int type, quire_type result_type) {
    errors all = { .cases = 0 };
    for (int op = 0; op < OPERATION_COUNT; op++) errors_merge(&all, &t->of[method][type][op][type_index(result_type)]);
    return all;
}

static errors of_any_type(const tally *t, int method, int type) {
    errors all = { .cases = 0 };
    for (int r = 0; r < TYPE_COUNT; r++) {
        const errors e = of_type(t, method, type, TYPES[r]);
        errors_merge(&all, &e);
    }
    return all;
}

static void print_line(const tally *t, int method, int type) {
    const errors e = of_type(t, method, type, TYPES[type] == QUIRE_F64 ? QUIRE_F64 : QUIRE_F32);
    const errors widest = of_type(t, method, type, QUIRE_F64), all = of_any_type(t, method, type);
    if (!all.cases) return;
    printf("%-9s %-4s  ", method_name(METHODS[method]), type_name(TYPES[type]));
    if (e.tame)
        printf("%9.3g %10.3g ", e.tame_sum / (double)e.tame, e.tame_worst);
    else
        printf("%9s %10s ", "-", "-");
    printf("%10.3g  %11.2g  %9" PRIu64 " %9" PRIu64 " %10" PRIu64 "\n", e.worst, widest.ratio, all.cases, all.unbounded,
           all.violations);
}

static void print_table(const report *r) {
    printf("\n%-14s  %20s %10s\n", "", "tame data", "any data");
    printf("%-9s %-4s  %9s %10s %10s  %11s  %9s %9s %10s\n", "method", "type", "mean/ulp", "worst/ulp", "worst/ulp",
           "error/bound", "results", "no bound", "violations");
    for (int m = 0; m < METHOD_COUNT; m++)
        for (int i = 0; i < TYPE_COUNT; i++) print_line(r->tally, m, i);
    printf("ulp: errors of f32 results (of f64: of f64 results), in their ulps. tame: sum of magnitudes\n"
           "<= %d |sum|, no underflow. error/bound: worst of f64 results, which hide least; the counts are of all "
           "results.\n"
           "no bound: partial sums, or the result, may overflow; the bits are checked nevertheless.\n",
           TAME);
}

/* ------------------------------------------------------------------------------------------------------- equal bits */

static void print_count(const char *what, uint64_t results, uint64_t wrong) {
    printf("%-48s %12" PRIu64 " %12" PRIu64 "\n", what, results, wrong);
}

static void print_ways(const report *r) {
    const tally *t = r->tally;
    printf("\n%-48s %12s %12s\n", "bits compared", "results", "wrong");
    for (int i = 0; i < r->ways->count; i++)
        print_count(r->ways->one[i].name, r->ways->one[i].results, r->ways->one[i].wrong);
    if (t->permuted) print_count("exact, permuted", t->permuted, t->permuted_wrong);
    if (t->split) print_count("exact, split and merged", t->split, t->split_wrong);
}

static void print_counts(const report *r) {
    const tally *t = r->tally;
    uint64_t ordered = 0, ordered_wrong = 0;
    for (int m = 0; m < METHOD_COUNT; m++)
        if (METHODS[m] != QUIRE_EXACT) ordered += t->results[m], ordered_wrong += t->wrong[m];
    const int exact = method_index(QUIRE_EXACT);
    if (t->results[exact])
        printf("exact      %" PRIu64 " results, %" PRIu64 " with bits other than MPFR's\n",
               t->results[exact] + t->permuted + t->split, t->wrong[exact] + t->permuted_wrong + t->split_wrong);
    if (ordered)
        printf("others     %" PRIu64 " results, %" PRIu64 " with bits other than the canonical order's\n", ordered,
               ordered_wrong);
    printf("bounds     %" PRIu64 " results judged, %" PRIu64 " violations\n", t->judged, t->violations);
    if (t->bad_statuses) printf("statuses   %" PRIu64 " calls failed\n", t->bad_statuses);
}

bool report_flush(void) {
    if (!fflush(stdout) && !ferror(stdout)) return true;
    return complain("standard output: %s", strerror(errno));
}

/* What everybody wants to know first. */
static void print_verdict(const report *r) {
    const tally *t = r->tally;
    report_verdict(tally_passed(t), t->cases != 0);
}

void report_verdict(bool passed, bool any) {
    printf("verdict   %s\n          %s\n\n",
           passed ? "pass"
           : any  ? "FAIL"
                  : "nothing was checked",
           passed ? "on this machine every result had the bits that it must have"
           : any  ? "some results had other bits than they must have, or were beyond their bound: see below"
                  : "the run was over before the first case");
}

bool report_print(const report *r) {
    print_verdict(r);
    print_head(r);
    print_table(r);
    print_ways(r);
    putchar('\n');
    print_failures(r);
    print_counts(r);
    return report_flush();
}
