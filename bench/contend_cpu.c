/* contend_cpu.c - quire's methods on the CPU.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "contender.h"
#include "number.h"
#include "terminal.h"

#define OTHER_THREADS 3 /* to compare one thread with, where no number is asked for */

static quire_context *one_thread, *many_threads;

/* The one that has no function of its own. */
static quire_status sumsq(quire_context *context, const job *j, quire_method method, void *result) {
    const quire_reduction what = { .operation = QUIRE_SUMSQ, .type = j->type, .result_type = j->result_type, .method = method };
    const quire_layout layout = quire_strided(j->n, 1);
    return quire_reduce(context, &what, &layout, j->x, NULL, NULL, result);
}

static quire_status run_method(const contender *c, const job *j, uint64_t *bits) {
    union {
        float single;
        double full;
    } result = { .full = 0 };
    quire_status status = QUIRE_OK;
    switch (j->operation) {
    case OPERATION_SUM: status = quire_sum(c->context, j->type, j->n, j->x, c->method, j->result_type, &result); break;
    case OPERATION_ASUM: status = quire_asum(c->context, j->type, j->n, j->x, c->method, j->result_type, &result); break;
    case OPERATION_DOT: status = quire_dot(c->context, j->type, j->n, j->x, j->y, c->method, j->result_type, &result); break;
    case OPERATION_NRM2: status = quire_nrm2(c->context, j->type, j->n, j->x, c->method, j->result_type, &result); break;
    case OPERATION_MEAN: status = quire_mean(c->context, j->type, j->n, j->x, c->method, j->result_type, &result); break;
    case OPERATION_SUMSQ: status = sumsq(c->context, j, c->method, &result); break;
    case OPERATION_COUNT: break;
    }
    *bits = type_load(j->result_type, &result, 0);
    return status;
}

quire_tier contenders_tier(const options *o) {
    const char *wanted = getenv("QUIRE_TIER");
    quire_tier best = QUIRE_TIER_PORTABLE;
    if (o->tier != QUIRE_TIER_BEST) return o->tier;
    for (int i = QUIRE_TIER_PORTABLE; i <= QUIRE_TIER_AVX512VNNI; i++) {
        if (!quire_tier_available((quire_tier)i)) continue;
        best = (quire_tier)i;
        if (wanted && !strcmp(wanted, quire_tier_name(best))) break;
    }
    return best;
}

static bool open_context(quire_context **context, int threads, quire_tier tier) {
    quire_status status = quire_open_cpu(context, threads);
    if (!status && tier != QUIRE_TIER_BEST) status = quire_set_tier(*context, tier);
    return !status || complain("%s: %s", tier ? quire_tier_name(tier) : "cpu", quire_status_string(status));
}

static void add_methods(contenders *all, const options *o, int threads, quire_context *context, quire_context *other) {
    for (int i = 0; i < o->method_count; i++) {
        contender *c = contenders_add(all, ROLE_METHOD, method_name(o->methods[i]));
        c->threads = threads;
        c->run = run_method;
        c->method = (quire_method)o->methods[i];
        c->context = context;
        c->other = quire_has_openmp() ? other : NULL;
    }
}

bool contenders_add_cpu(contenders *all, const options *o) {
    if (o->threads > 1 && !quire_has_openmp()) return complain("--threads: this library was built without OpenMP");
    if (!open_context(&one_thread, 1, o->tier)) return false;
    if (!open_context(&many_threads, o->threads > 1 ? o->threads : OTHER_THREADS, o->tier)) return false;
    add_methods(all, o, 1, one_thread, many_threads);
    if (o->threads > 1) add_methods(all, o, o->threads, many_threads, one_thread);
    return true;
}

void contenders_close_cpu(void) {
    quire_close(one_thread);
    quire_close(many_threads);
    one_thread = many_threads = NULL;
}
