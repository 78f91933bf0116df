/* place_gpu.c - a CUDA device: who works there, how one result is had. Time is gpu_timing.c's.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "../facts.h"
#include "../peers/peers.h"
#include "../place.h"
#include "../terminal.h"
#include "buffers.h"
#include "device.h"
#include "gpu_timing.h"
#include "methods.h"
#include "number.h"
#include "read.h"
#ifdef QUIRE_BENCH_LADDER
#include "ladder/ladder.h"
#endif

static bool is_open;

static void add_methods(contenders *all, const options *o) {
    for (int i = 0; i < o->method_count; i++) {
        const quire_method method = (quire_method)o->methods[i];
        contender *c = contenders_add(all, ROLE_METHOD, method_name(method));
        c->method = method;
        c->reducer = methods_reducer(method, false);
        c->other_launch = methods_reducer(method, true);
    }
}

static const char *add_ladder(contenders *all, const options *o) {
    (void)all;
    if (!o->ladder) return NULL;
#ifdef QUIRE_BENCH_LADDER
    contenders_add_reducers(all, ROLE_RUNG, ladder_reducers, ladder_count);
    return NULL;
#else
    return "this quire-bench was built without the ladder";
#endif
}

const char *gpu_open(contenders *all, const options *o) {
    if (!quire_has_cuda()) return "the library was built without CUDA";
    const char *missing = device_open();
    is_open = true;
    if (!missing) missing = methods_open(device_stream());
    if (missing) return missing;
    contenders_add_reducers(all, ROLE_CEILING, read_reducers, read_count);
    if (o->peers) peers_add_gpu(all);
    add_methods(all, o);
    return add_ladder(all, o);
}

void gpu_close(void) {
    if (!is_open) return;
    methods_close();
    peers_close();
    gpu_timing_close();
    buffers_close();
    device_close();
    is_open = false;
}

bool gpu_reserve(size_t bytes, bool wants_y) {
    if (gpu_timing_open() && buffers_open(bytes, wants_y)) return true;
    return false;
}

void gpu_describe(char *text, size_t size) {
    const device_facts *f = device_about();
    const double gibibyte = 1073741824.0;
    if (!f->multiprocessors) {
        snprintf(text, size, "none");
        return;
    }
    snprintf(text, size, "%s, %d multiprocessors, compute %d.%d, %.0f GiB, L2 %.0f MiB, driver %s (CUDA %d.%d), CUDA %d.%d",
             f->name, f->multiprocessors, f->major, f->minor, (double)f->memory / gibibyte,
             (double)f->cache / gibibyte * 1024, f->driver[0] ? f->driver : "unknown", f->supported / 1000,
             f->supported % 1000 / 10, f->runtime / 1000, f->runtime % 1000 / 10);
}

/* ------------------------------------------------------------------------------------------------------------ the place */

static bool put(data *d, job *j, bool shifted) {
    const int error = buffers_fill(d, shifted, GPU_MOST_CALLS);
    if (error) return complain("gpu: %s", device_trouble(error));
    j->x = buffers_x(0);
    j->y = buffers_y(0);
    return true;
}

static const char *run(const contender *c, const job *j, bool other, uint64_t *bits) {
    return gpu_run(other ? c->other_launch : c->reducer, j, bits);
}

const place place_gpu = { "gpu", put, gpu_time, run };
