/* contend_cpu.c - quire's methods on the CPU.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "command/terminal.h"
#include "contender.h"
#include "number.h"

#define OTHER_THREADS 3 /* to compare one thread with, where no number is asked for */

static quire_context *one_thread, *many_threads;

/* Moments are exact's alone. */
static bool takes(const contender *c, const job *j) {
    return c->method == QUIRE_EXACT || !operation_is_moment(j->operation);
}

static quire_status run_method(const contender *c, const job *j, uint64_t *bits) {
    union {
        float single;
        double full;
    } result = { .full = 0 };
    void *const to = j->results ? j->results : &result;
    const quire_status status = job_reduce(c->context, j, c->method, to);
    *bits = type_load(j->result_type, to, 0);
    return status;
}

quire_tier contenders_tier(const options *o) {
    const char *wanted = getenv("QUIRE_TIER");
    quire_tier best = QUIRE_TIER_PORTABLE;
    if (o->tier != QUIRE_TIER_BEST) return o->tier;
    for (int i = QUIRE_TIER_PORTABLE; i <= QUIRE_TIER_AVX512; i++) {
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
        c->takes = takes;
        c->run = run_method;
        c->method = (quire_method)o->methods[i];
        c->context = context;
        c->other = quire_has_openmp() ? other : NULL;
    }
}

bool contenders_add_cpu(contenders *all, const options *o) {
    if (o->threads > 1 && !quire_has_openmp()) return complain("--threads: this library was built without threads");
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
