/* gpu_timing.c - samples of queued calls.
 *
 * SPDX-License-Identifier: MIT
 */
#include "gpu_timing.h"

#include <math.h>
#include <stdio.h>

#include "command/terminal.h"
#include "gpu/buffers.h"
#include "gpu/device.h"
#include "gpu/read.h"
#include "number.h"

#define SAMPLE_SECONDS 1e-3 /* events see about half a microsecond */
#define MIN_SAMPLES 5
#define RESULTS 64
#define RESULT_BYTES 16
#define CACHES 2 /* how much is read to empty the cache, in caches */

static char *results, *flush, *workspace;
static size_t flush_bytes, workspace_bytes;

bool gpu_timing_open(void) {
    flush_bytes = CACHES * device_about()->cache;
    results = device_allocate(RESULTS * RESULT_BYTES);
    flush = device_allocate(flush_bytes);
    return (results && flush) || complain("too little device memory, even for the results");
}

void gpu_timing_close(void) {
    device_release(results);
    device_release(flush);
    device_release(workspace);
    results = flush = workspace = NULL;
    workspace_bytes = 0;
}

/* What is timed: one reducer at one job. */
typedef struct course {
    const reducer *how;
    job j; /* with the result type that the reducer takes */
    bool warm;
    int calls;    /* in a sample */
    int turn;     /* the next copy of the data */
    bool flushes; /* the cache is emptied before each */
    device_graph *graph;
    int error;
} course;

/* Whoever had an error first. Some errors stay, and everyone after has them too. */
static const reducer *first_to_fail;

/* Grows the workspace to what a reducer wants at a job. Graphs hold on to the workspace: all that are to be replayed
 * are to be captured after the last growth. */
static bool make_room(const reducer *r, const job *j) {
    const size_t bytes = r->workspace(r, j);
    if (bytes <= workspace_bytes) return true;
    char *larger = device_allocate(bytes);
    if (!larger) return false;
    device_wait();
    device_release(workspace);
    workspace = larger;
    workspace_bytes = bytes;
    return true;
}

/* Where call number at of a sample writes its result, or all calls their many. */
static char *results_of(const job *j, int at) {
    return j->results ? j->results : results + at % RESULTS * RESULT_BYTES;
}

/* Queues one call, on the next copy; at is which result it writes. */
static int queue(course *c, int at) {
    job j = c->j;
    const int copy = c->warm ? 0 : c->turn++;
    j.x = buffers_x(copy);
    j.y = buffers_y(copy);
    return c->how->enqueue(c->how, &j, workspace, results_of(&j, at), device_stream());
}

/* Everything that is to be queued between the marks of one sample. */
static int queue_calls(course *c) {
    int error = 0;
    for (int i = 0; i < c->calls && !error; i++) error = queue(c, i);
    return error;
}

/* Seconds a call. */
static double take_sample(course *c) {
    double seconds = NAN;
    if (!c->error && c->flushes) c->error = read_flush(flush, flush_bytes, results, device_stream());
    if (!c->error) c->error = device_mark(0);
    if (!c->error) c->error = c->graph ? device_replay(c->graph) : queue_calls(c);
    if (!c->error) c->error = device_mark(1);
    if (!c->error) c->error = device_between(&seconds);
    if (c->error && !first_to_fail) first_to_fail = c->how;
    return seconds / c->calls;
}

/* Calls for a sample that events see well; two, so that a copy is never read twice in turn. A call that cannot be
 * captured is a sample of its own. */
static void plan(course *c, const job *j, double seconds) {
    const int copies = buffers_copies();
    const double wanted = ceil(SAMPLE_SECONDS / (seconds > 1e-9 ? seconds : 1e-9));
    c->calls = wanted > GPU_MOST_CALLS ? GPU_MOST_CALLS : wanted > 2 ? (int)wanted : 2;
    if (c->how->not_capturable) c->calls = 1;
    const size_t different = (size_t)(c->calls < copies ? c->calls : copies);
    c->flushes = !c->warm && different * job_bytes(j) < CACHES * device_about()->cache;
}

/* What turns out not to be capturable is queued call by call. */
static void capture(course *c) {
    c->turn = 0;
    if (c->how->not_capturable || c->error) return;
    c->error = device_capture();
    if (c->error) return;
    const int queued = queue_calls(c), ended = device_captured(&c->graph);
    if (!queued && !ended) return;
    device_forget(c->graph);
    c->graph = NULL;
    c->turn = 0;
}

/* The first result, a warm-up, and what a sample is to be. */
static void prepare(course *c, const contender *who, const job *j, const options *o, timing *t) {
    *c = (course){ .how = who->reducer, .j = *j, .warm = o->warm, .calls = 1 };
    *t = (timing){ .same_bits = true, .warm = o->warm };
    reducer_takes(c->how, &c->j);
    t->result = c->j.result_type;
    t->trouble = gpu_run(c->how, &c->j, &t->bits);
    if (t->trouble) return;
    c->flushes = !c->warm;
    plan(c, j, take_sample(c));
    if (!o->queued) capture(c);
    t->clock = c->graph ? "graph" : c->calls > 1 ? "queue" : "events";
    take_sample(c);
}

/* Whether the calls of the last sample had the bits of the first; of many vectors the last call, and the first vector.
 */
static void compare_results(course *c, timing *t) {
    char last[RESULTS * RESULT_BYTES];
    const int many = c->j.results ? 1 : c->calls < RESULTS ? c->calls : RESULTS;
    if (!c->error) c->error = device_download(last, results_of(&c->j, 0), many * RESULT_BYTES);
    for (int i = 0; i < many && !c->error; i++)
        t->same_bits &= type_load(c->j.result_type, last + i * RESULT_BYTES, 0) == t->bits;
}

static const char *explain(const course *c) {
    static char text[256];
    if (c->how == first_to_fail) return device_trouble(c->error);
    snprintf(text, sizeof text, "%s (after %s failed)", device_trouble(c->error), first_to_fail->name);
    return text;
}

static void finish(course *c, timing *t, double *samples, long count) {
    if (t->trouble) return;
    take_sample(c); /* the results of this one are looked at */
    compare_results(c, t);
    device_forget(c->graph);
    if (c->error && !first_to_fail) first_to_fail = c->how;
    if (c->error)
        t->trouble = explain(c);
    else
        timing_of_gpu(t, samples, count);
}

/* Who gets no room is told by gpu_run. */
static void make_room_for(const contender *c, const job *j) {
    job own = *j;
    reducer_takes(c->reducer, &own);
    make_room(c->reducer, &own);
}

void gpu_time(const contenders *all, const bool *in, const job *j, const options *o, timing *of) {
    static double samples[MAX_CONTENDERS][MAX_SAMPLES];
    static course courses[MAX_CONTENDERS];
    int racing = 0;
    first_to_fail = NULL;
    for (int i = 0; i < all->count; i++)
        if (in[i]) make_room_for(&all->one[i], j);
    for (int i = 0; i < all->count; i++)
        if (in[i]) prepare(&courses[i], &all->one[i], j, o, &of[i]), racing++;
    long count = 0;
    const double end = timing_now() + o->seconds * racing;
    while (count < MAX_SAMPLES && (count < MIN_SAMPLES || timing_now() < end) && !(count && interrupted())) {
        for (int k = 0; k < all->count; k++) {
            const int i = (k + (int)count) % all->count;
            if (in[i] && !of[i].trouble) samples[i][count] = take_sample(&courses[i]);
        }
        count++;
    }
    for (int i = 0; i < all->count; i++)
        if (in[i]) finish(&courses[i], &of[i], samples[i], count);
}

const char *gpu_run(const reducer *r, const job *j, uint64_t *bits) {
    char result[RESULT_BYTES] = { 0 };
    course c = { .how = r, .j = *j };
    reducer_takes(r, &c.j);
    if (!make_room(r, &c.j)) return "too little device memory for its workspace";
    int error = r->enqueue(r, &c.j, workspace, results_of(j, 0), device_stream());
    if (!error) error = device_download(result, results_of(j, 0), RESULT_BYTES);
    *bits = type_load(c.j.result_type, result, 0);
    return error ? device_trouble(error) : NULL;
}
