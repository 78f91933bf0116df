/* ways.c - what there is to run on.
 *
 * SPDX-License-Identifier: MIT
 */
#include "ways.h"

#include <fenv.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "command/terminal.h"

#define THREADS_FROM ((size_t)1 << 18) /* fewer elements are summed by one thread */
#define MANY 64                        /* threads */

void ways_leave_out(ways *w, const char *format, ...) {
    va_list arguments;
    if (w->left_out_count == MAX_LEFT_OUT) return;
    va_start(arguments, format);
    vsnprintf(w->left_out[w->left_out_count++], sizeof *w->left_out, format, arguments);
    va_end(arguments);
}

/* A place's own name is not said twice. */
static way *add(ways *w, const char *place, const char *name) {
    way *it = &w->one[w->count++];
    const bool said = !strncmp(name, place, strlen(place));
    *it = (way){ .place = place };
    snprintf(it->name, sizeof it->name, "%s%s%s", said ? "" : place, said ? "" : ", ", name);
    return it;
}

static void add_variants(ways *w, const char *place) {
    const char *name;
    for (size_t v = 0; v < place_variants(); v++)
        if ((name = place_use(v)))
            add(w, place, name)->variant = v;
        else
            ways_leave_out(w, "%s, way %zu of %zu: this machine, or this build, lacks the instruction set", place,
                           v + 1, place_variants());
}

/* -------------------------------------------------------------------------------------------------------------- CPU */

static bool add_threads(ways *w, int threads) {
    quire_context *context;
    char name[32];
    const quire_status status = quire_open_cpu(&context, threads);
    if (status) return complain("%d threads: %s", threads, quire_status_string(status));
    snprintf(name, sizeof name, "best, %d threads", threads);
    way *it = add(w, "cpu", name);
    it->context = context;
    it->least = THREADS_FROM;
    return true;
}

static bool add_cpu(ways *w) {
    place_choose("cpu");
    add_variants(w, "cpu");
    add(w, "cpu", "NULL, the caller rounds upward and flushes")->hostile = true;
    if (!quire_has_openmp()) return ways_leave_out(w, "threads: the library was built without them"), true;
    /* beside the variant with three; more threads than processors would wait for each other most of the time */
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return add_threads(w, 2) && (processors <= 3 || add_threads(w, processors < MANY ? (int)processors : MANY));
}

/* -------------------------------------------------------------------------------------------------------------- GPU */

/* NULL, or why there is no GPU. */
static const char *find_gpu(size_t bytes) {
    quire_context *context = NULL;
    const char *reason;
    if (!place_choose("cuda")) return "this quire-accuracy was built without CUDA";
    if ((reason = place_unavailable())) return reason;
    const quire_status status = quire_open_cuda(&context, 0, NULL);
    quire_close(context);
    return status ? quire_status_string(status) : place_reserve(bytes);
}

static bool add_gpu(ways *w, const options *o, size_t bytes) {
    const char *reason = find_gpu(bytes);
    if (!reason) return add_variants(w, "cuda"), true;
    if (o->places_named) return complain("--place gpu: %s", reason);
    ways_leave_out(w, "gpu: %s", reason);
    return true;
}

/* ------------------------------------------------------------------------------------------------------------- both */

bool ways_open(ways *w, const options *o, size_t bytes) {
    memset(w, 0, sizeof *w);
    unsetenv("QUIRE_TIER"); /* every tier has its turn */
    if (set_has(o->places, PLACE_CPU_BIT) && !add_cpu(w)) return false;
    return !set_has(o->places, PLACE_GPU_BIT) || add_gpu(w, o, bytes);
}

void ways_close(ways *w) {
    for (int i = 0; i < w->count; i++) quire_close(w->one[i].context);
    place_close();
}

void way_take(const way *it) {
    place_choose(it->place);
    place_use(it->variant);
    if (it->context) place_set_context(it->context);
}

/* Between the two no line computes with floating point. */
quire_status way_reduce(const way *it, operation op, quire_type type, size_t n, const void *x, const void *y,
                        quire_method method, quire_type result_type, void *result) {
    fenv_t environment;
    quire_status status;
    if (!it->hostile) return place_reduce(op, type, n, x, y, method, result_type, result);
    fegetenv(&environment);
    fesetround(FE_UPWARD);
#if defined(__x86_64__)
    _mm_setcsr(_mm_getcsr() | 0x8040); /* flush results, take operands for zero */
#endif
    status = place_reduce(op, type, n, x, y, method, result_type, result);
    fesetenv(&environment);
    return status;
}
