/* many_report.c - what --many covered, on a page or two.
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>

#include "gpu.h"
#include "many.h"
#include "report.h"

/* ------------------------------------------------------------------------------------------------------------- head */

/* Combinations of method, type, operation, family and class of lengths that were met. */
static uint64_t cells_met(const many_tally *t) {
    const uint64_t *cell = (const uint64_t *)t->cells;
    uint64_t met = 0;
    for (size_t i = 0; i < sizeof t->cells / sizeof *cell; i++) met += cell[i] != 0;
    return met;
}

static int size_of(set s) {
    int size = 0;
    for (; s; s &= s - 1) size++;
    return size;
}

static int cells_asked_for(const options *o) {
    const size_t longest = o->n < MANY_LONGEST ? o->n : MANY_LONGEST;
    const int moments = set_has(o->operations, OPERATION_VARIANCE) + set_has(o->operations, OPERATION_STDDEV);
    const int of_methods =
        size_of(o->methods) * (size_of(o->operations) - moments) + moments; /* moments: by exact alone */
    return of_methods * size_of(o->types) * size_of(o->families) * (length_class(longest) + 1);
}

static void print_head(const many_report *r) {
    const many_tally *t = r->tally;
    for (int i = 0; i < FACTS; i++) printf("%-9s %s\n", r->head->one[i].name, r->head->one[i].value);
    printf("%-9s 0x%" PRIx64 "\n", "seed", r->options->seed);
    printf("%-9s %" PRIu64 " batches, %" PRIu64 " vectors, %" PRIu64
           " calls in %.1f s on %d threads; %.0f results a second\n",
           "run", t->batches, t->vectors, t->calls, t->seconds, t->threads, (double)t->results / t->seconds);
    if (!r->plan->only)
        printf("%-9s %zu of %zu kinds (input, type, operation); %" PRIu64 " of %d with method and class of lengths\n",
               "covered", plan_covered(r->plan), r->plan->count, cells_met(t), cells_asked_for(r->options));
    if (set_has(r->options->places, PLACE_GPU_BIT) && !t->has_gpu) printf("%-9s gpu: %s\n", "left out", gpu_error());
    if (set_has(r->options->places, PLACE_CPU_BIT))
        printf("%-9s calls on several threads, and callers who round upward: a run without --many has them\n",
               "left out");
}

/* ----------------------------------------------------------------------------------------------------------- tables */

static void print_operations(const many_tally *t) {
    printf("\n%-14s", "results");
    for (int op = 0; op < OPERATION_ALL; op++) printf(" %12s", operation_name((operation)op));
    for (int m = 0; m < METHOD_COUNT; m++)
        for (int type = 0; type < TYPE_COUNT; type++) {
            printf("\n%-9s %-4s", method_name(METHODS[m]), type_name(TYPES[type]));
            for (int op = 0; op < OPERATION_ALL; op++) {
                uint64_t sum = 0;
                for (int f = 0; f < FAMILY_COUNT; f++)
                    for (int i = 0; i < LENGTH_CLASSES; i++) sum += t->cells[m][type][op][f][i];
                printf(" %12" PRIu64, sum);
            }
        }
    putchar('\n');
}

uint64_t many_of_family(const many_tally *t, int family, int length) {
    uint64_t sum = 0;
    for (int m = 0; m < METHOD_COUNT; m++)
        for (int type = 0; type < TYPE_COUNT; type++)
            for (int op = 0; op < OPERATION_ALL; op++) sum += t->cells[m][type][op][family][length];
    return sum;
}

static void print_families(const many_tally *t) {
    printf("\n%-16s", "results, by n");
    for (int i = 0; i < LENGTH_CLASSES; i++) printf(" %10s", length_class_name(i));
    for (int f = 0; f < FAMILY_COUNT; f++) {
        printf("\n%-16s", family_name((family)f));
        for (int i = 0; i < LENGTH_CLASSES; i++) printf(" %10" PRIu64, many_of_family(t, f, i));
    }
    putchar('\n');
}

static void print_roundings(const many_tally *t) {
    printf("\n%-14s", "rounded");
    for (int r = 0; r < TYPE_COUNT; r++) printf(" %12s", type_name(TYPES[r]));
    for (int k = 0; k < ROUNDING_COUNT; k++) {
        printf("\n%-14s", rounding_name((quire_rounding)k));
        for (int r = 0; r < TYPE_COUNT; r++) printf(" %12" PRIu64, t->rounded[r][k]);
    }
    printf("\n\n%-14s", "vectors as");
    for (int i = 0; i < ARRANGEMENTS; i++) printf(" %12s", arrangement_name((arrangement)i));
    printf("    backwards\n%-14s", "");
    for (int i = 0; i < ARRANGEMENTS; i++) printf(" %12" PRIu64, t->arranged[i]);
    printf(" %12" PRIu64 "\n", t->backwards);
}

static void print_ways(const many_tally *t) {
    printf("\n%-30s %14s %12s\n", "bits compared", "results", "wrong");
    for (int i = 0; i < ARENA_WAYS; i++)
        if (t->ways[i]) printf("%-30s %14" PRIu64 " %12" PRIu64 "\n", arena_way_name(i), t->ways[i], t->wrong_ways[i]);
    putchar('\n');
}

/* ----------------------------------------------------------------------------------------------------------- counts */

static void print_counts(const many_tally *t) {
    for (int i = 0; i < t->failure_count; i++) printf("%s\n\n", t->failures[i].text);
    printf("oracles    %" PRIu64 " answers compared with MPFR's, GMP's or the model's, %" PRIu64 " different\n",
           t->sampled, t->sampled_wrong);
    printf("results    %" PRIu64 " compared, %" PRIu64 " wrong\n", t->results, t->wrong);
    if (t->bad_statuses) printf("statuses   %" PRIu64 " calls failed\n", t->bad_statuses);
}

bool many_print(const many_report *r) {
    report_verdict(many_passed(r->tally), r->tally->batches != 0);
    print_head(r);
    print_operations(r->tally);
    print_families(r->tally);
    print_roundings(r->tally);
    print_ways(r->tally);
    print_counts(r->tally);
    return report_flush();
}
