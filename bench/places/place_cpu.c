/* place_cpu.c - this machine's processors.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "command/terminal.h"
#include "number.h"
#include "place.h"
#include "timing/pin.h"

static bool put(data *d, job *j, bool shifted) {
    data_shift(d, shifted ? 1 : 0);
    j->x = data_x(d);
    j->y = data_y(d);
    return true;
}

static void *held;

static bool hold(job *j) {
    free(held);
    j->results = held = malloc((j->vectors + 1) * type_size(j->result_type));
    return held || complain("too little memory for %zu results", j->vectors);
}

static const void *results(const job *j) { return j->results; }

/* Those on one thread come first in the list, and are timed on one processor. */
static void time_all(const contenders *all, const bool *in, const job *j, const options *o, timing *of) {
    int single = 0;
    while (single < all->count && all->one[single].threads == 1) single++;
    const bool pinned = pin();
    timing_take(all, 0, single, in, j, o->seconds, of);
    if (pinned) unpin();
    if (single < all->count) timing_take(all, single, all->count, in, j, o->seconds, of);
}

static const char *run(const contender *c, const job *j, bool other, uint64_t *bits) {
    contender changed = *c;
    if (other) changed.context = c->other;
    const quire_status status = c->run(&changed, j, bits);
    return status ? quire_status_string(status) : NULL;
}

const place place_cpu = { "cpu", put, hold, results, time_all, run };
