/* place_gpu.c - a CUDA device: who works there, how one result is had. Time is gpu_timing.c's.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/terminal.h"
#include "contenders/notes.h"
#include "gpu/buffers.h"
#include "gpu/device.h"
#include "gpu/methods.h"
#include "gpu/read.h"
#include "ladder/ladder.h"
#include "number.h"
#include "peers/peers.h"
#include "place.h"
#include "timing/gpu_timing.h"

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

/* Of many vectors: offsets and results on the device, and results in host memory. */
static struct held { void *offsets, *results, *host_results; } held;

static void release(void) {
    device_release(held.offsets);
    device_release(held.results);
    free(held.host_results);
    held = (struct held){ NULL };
}

const char *gpu_open(contenders *all, const options *o) {
    if (!quire_has_cuda()) return "the library was built without CUDA";
    const char *missing = device_open();
    is_open = true;
    if (!missing) missing = methods_open(device_stream());
    if (missing) return missing;
    contenders_add_reducers(all, ROLE_CEILING, read_reducers, read_count);
    if (o->peers) peers_add_gpu(all, o->layout_count > 0);
    add_methods(all, o);
    if (o->ladder) contenders_add_reducers(all, ROLE_RUNG, ladder_reducers, ladder_count);
    return NULL;
}

void gpu_close(void) {
    if (!is_open) return;
    methods_close();
    peers_close();
    gpu_timing_close();
    buffers_close();
    release();
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
    snprintf(text, size,
             "%s, %d multiprocessors, compute %d.%d, %.0f GiB, L2 %.0f MiB, driver %s (CUDA %d.%d), CUDA %d.%d",
             f->name, f->multiprocessors, f->major, f->minor, (double)f->memory / gibibyte,
             (double)f->cache / gibibyte * 1024, f->driver[0] ? f->driver : "unknown", f->supported / 1000,
             f->supported % 1000 / 10, f->runtime / 1000, f->runtime % 1000 / 10);
}

/* -------------------------------------------------------------------------------------------------------- the place */

static bool put(data *d, job *j, bool shifted) {
    const int error = buffers_fill(d, shifted, GPU_MOST_CALLS);
    if (error) return complain("gpu: %s", device_trouble(error));
    j->x = buffers_x(0);
    j->y = buffers_y(0);
    return true;
}

#define ROOM 16 /* more bytes of results, for one is fetched as so many */

static bool hold(job *j) {
    const size_t bytes = j->vectors * sizeof(double) + ROOM, offsets = (j->vectors + 1) * sizeof *j->host_offsets;
    release();
    held.results = device_allocate(bytes);
    held.host_results = malloc(bytes);
    if (j->host_offsets) held.offsets = device_allocate(offsets);
    if (!held.results || !held.host_results || (j->host_offsets && !held.offsets))
        return complain("too little memory for %zu results; try a smaller --bytes", j->vectors);
    j->results = held.results;
    j->offsets = held.offsets;
    const int error = j->host_offsets ? device_upload(held.offsets, j->host_offsets, offsets) : 0;
    return !error || complain("gpu: %s", device_trouble(error));
}

static const void *results(const job *j) {
    const size_t bytes = j->vectors * type_size(j->result_type);
    return device_download(held.host_results, held.results, bytes) ? NULL : held.host_results;
}

static const char *run(const contender *c, const job *j, bool other, uint64_t *bits) {
    return gpu_run(other ? c->other_launch : c->reducer, j, bits);
}

const place place_gpu = { "gpu", put, hold, results, gpu_time, run };
