/* climb.c - up the ladder on this machine's device, by itself: for profilers, and for the figures of docs/ladder.md.
 *
 *     climb list                          the rungs
 *     climb once NAME f32|f16 LOG2N       one reduction between profiler start and stop; NAME "all": every rung
 *     climb time f32|f16 LOG2N[,LOG2N] [NAME]
 *                                         a CSV: time, error and whether the bits are the same, of every rung and quire
 *
 * The rungs are checked by check.c; quire-bench measures them among others.
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cuda_profiler_api.h>

#include "arena.h"
#include "ladder.h"
#include "stopwatch.h"

#define RUNS 8 /* whose bits are compared */
#define MOST 64
#define SIZES 8

static cudaStream_t stream;
static quire_context *context;
static unsigned char *workspace;
static float *result;
static arena all;

static void must(int error, const char *what) {
    if (!error) return;
    fprintf(stderr, "climb: %s: %s\n", what, cudaGetErrorString((cudaError_t)error));
    exit(1);
}

/* ----------------------------------------------------------------------------------- quire's own, as the last rungs */

static bool quire_takes(const reducer *r, const job *j) {
    (void)r, (void)j;
    return true;
}
static size_t quire_workspace(const reducer *r, const job *j) {
    (void)r, (void)j;
    return 0;
}
static int quire_enqueue(const reducer *r, const job *j, void *memory, void *sum, void *where) {
    (void)memory, (void)where;
    return quire_sum(context, j->type, j->n, j->x, *(const quire_method *)r->own, QUIRE_F32, sum) ? cudaErrorUnknown
                                                                                                  : cudaSuccess;
}
static const quire_method methods[] = { QUIRE_PLAIN, QUIRE_PAIRWISE, QUIRE_KAHAN, QUIRE_EXACT };
static const reducer quires[] = {
    { "quire plain", "", quire_takes, quire_workspace, quire_enqueue, false, &methods[0] },
    { "quire pairwise", "", quire_takes, quire_workspace, quire_enqueue, false, &methods[1] },
    { "quire kahan", "", quire_takes, quire_workspace, quire_enqueue, false, &methods[2] },
    { "quire exact", "", quire_takes, quire_workspace, quire_enqueue, false, &methods[3] },
};

static const reducer *contestant(int i) { return i < ladder_count ? &ladder_reducers[i] : &quires[i - ladder_count]; }
static int contestants(void) { return ladder_count + (int)(sizeof quires / sizeof *quires); }

/* ------------------------------------------------------------------------------------------------------ the setting */

static job job_of(quire_type type, size_t n, const void *x) {
    return (job){ .operation = OPERATION_SUM, .type = type, .result_type = QUIRE_F32, .n = n, .x = x };
}

static void set_up(size_t data, quire_type type, size_t n) {
    size_t most = 256;
    const job j = job_of(type, n, NULL);
    must(cudaStreamCreate(&stream), "a stream");
    for (int i = 0; i < ladder_count; i++)
        if (ladder_reducers[i].takes(&ladder_reducers[i], &j)) {
            const size_t wanted = ladder_reducers[i].workspace(&ladder_reducers[i], &j);
            if (wanted > most) most = wanted;
        }
    must(cudaMalloc((void **)&workspace, most), "workspace");
    must(cudaMalloc((void **)&result, 256), "a result");
    all.bytes = data;
    must(cudaMalloc((void **)&all.memory, data), "data");
}

static size_t size_of(quire_type type) { return type == QUIRE_F16 ? 2 : 4; }

/* ------------------------------------------------------------------------------------------------------------- once */

static int once(const char *name, quire_type type, size_t n) {
    int found = 0;
    set_up(n * size_of(type), type, n);
    must(arena_fill(&all, type, ARENA_SIGNED), "filling");
    const job j = job_of(type, n, all.memory);
    must(cudaProfilerStart(), "the profiler");
    for (int i = 0; i < ladder_count; i++) {
        const reducer *r = &ladder_reducers[i];
        if ((strcmp(name, "all") && strcmp(name, r->name)) || !r->takes(r, &j)) continue;
        must(r->enqueue(r, &j, workspace, result, stream), r->name);
        found++;
    }
    must(cudaStreamSynchronize(stream), "running");
    must(cudaProfilerStop(), "the profiler");
    if (!found) fprintf(stderr, "climb: no rung \"%s\" takes that type; climb list tells them\n", name);
    return !found;
}

/* ------------------------------------------------------------------------------------------------------------- time */

typedef struct line {
    reading time;
    float sum[2]; /* of the signed data, of the positive */
    double ulps[2], relative[2];
    bool runs_equal, alignments_equal;
} line;

typedef struct setting {
    quire_type type;
    size_t n;
    const reducer *r; /* NULL: the read loop of this shape */
    int shape;
} setting;

static float sum_of(const reducer *r, const job *j) {
    float sum;
    must(cudaMemsetAsync(result, 0xff, 4, stream), "clearing");
    must(r->enqueue(r, j, workspace, result, stream), r->name);
    must(cudaMemcpyAsync(&sum, result, 4, cudaMemcpyDeviceToHost, stream), r->name);
    must(cudaStreamSynchronize(stream), r->name);
    return sum;
}

static double exactly(quire_status (*reduce)(quire_context *, quire_type, size_t, const void *, quire_method,
                                             quire_type, void *),
                      const job *j) {
    double sum;
    must(reduce(context, j->type, j->n, j->x, QUIRE_EXACT, QUIRE_F64, result) ? cudaErrorUnknown : 0, "the exact sum");
    must(cudaMemcpyAsync(&sum, result, 8, cudaMemcpyDeviceToHost, stream), "the exact sum");
    must(cudaStreamSynchronize(stream), "the exact sum");
    return sum;
}

static void judge(line *l, int data, const reducer *r, const job *j, double truth, double magnitudes) {
    const float nearest = (float)truth, next = nextafterf(fabsf(nearest), INFINITY);
    l->sum[data] = sum_of(r, j);
    const double error = fabs((double)l->sum[data] - truth);
    l->ulps[data] = error / ((double)next - fabsf(nearest));
    l->relative[data] = error / magnitudes;
}

static void compare_bits(line *l, const reducer *r, const job *j) {
    unsigned char *moved;
    job elsewhere = *j;
    l->runs_equal = l->alignments_equal = true;
    for (int i = 1; i < RUNS; i++) {
        const float again = sum_of(r, j);
        if (memcmp(&again, &l->sum[0], 4)) l->runs_equal = false;
    }
    must(cudaMalloc((void **)&moved, job_bytes(j) + 16), "a copy");
    elsewhere.x = moved + size_of(j->type);
    must(cudaMemcpy(moved + size_of(j->type), j->x, job_bytes(j), cudaMemcpyDeviceToDevice), "a copy");
    const float there = sum_of(r, &elsewhere);
    if (memcmp(&there, &l->sum[0], 4)) l->alignments_equal = false;
    must(cudaFree(moved), "a copy");
}

static int queue(const void *own, int i, cudaStream_t where) {
    const setting *s = own;
    const job j = job_of(s->type, s->n, arena_piece(&all, s->n * size_of(s->type), i));
    if (s->r) return s->r->enqueue(s->r, &j, workspace, result, where);
    return arena_read(s->shape, job_bytes(&j), j.x, result, where);
}

/* A call alone first, so that slow ones are not repeated for minutes. */
static reading time_of(setting s) {
    reading r;
    const char *name = s.r ? s.r->name : "the read loop";
    must(stopwatch(&r, stream, 1, 1, queue, &s), name);
    const double fit = 0.05 / r.median;
    const int pieces = arena_pieces(&all, s.n * size_of(s.type)), most = pieces < 1024 ? pieces : 1024;
    const int calls = fit < 1 ? 1 : fit < most ? (int)fit : most, replays = r.median * calls > 0.06 ? 5 : 15;
    must(stopwatch(&r, stream, calls, replays, queue, &s), name);
    return r;
}

static void report(quire_type type, size_t n, const char *name, const line *l, double read) {
    static const char *const verdicts[] = { "no", "yes" };
    const double bytes = (double)n * (double)size_of(type);
    printf("%s,%s,%zu,%.6g,%.6g,%.1f,%.4f", name, type == QUIRE_F16 ? "f16" : "f32", n, l->time.median, l->time.best,
           bytes / l->time.median * 1e-9, l->time.median / read);
    if (!strcmp(name, "read"))
        puts(",,,,,,,,");
    else
        printf(",%.9g,%.4g,%.3g,%.9g,%.4g,%.3g,%s,%s\n", l->sum[0], l->ulps[0], l->relative[0], l->sum[1], l->ulps[1],
               l->relative[1], verdicts[l->runs_equal], verdicts[l->alignments_equal]);
    fflush(stdout);
}

/* Seconds of a call that is too slow to be taken up to larger sizes; a note says so. */
#define TOO_SLOW 0.01

static bool is_wanted(int i, const job *j, const char *name, const bool *is_slow) {
    const reducer *r = contestant(i);
    return r->takes(r, j) && !is_slow[i] && (!name || !strcmp(name, r->name));
}

static void judge_and_time(quire_type type, size_t n, const char *name) {
    static line lines[MOST];
    static bool is_slow[MOST];
    const job j = job_of(type, n, all.memory);
    for (int data = 1; data >= 0; data--) {
        must(arena_fill(&all, type, data ? ARENA_POSITIVE : ARENA_SIGNED), "filling");
        const double truth = exactly(quire_sum, &j), magnitudes = exactly(quire_asum, &j);
        for (int i = 0; i < contestants(); i++)
            if (is_wanted(i, &j, name, is_slow)) judge(&lines[i], data, contestant(i), &j, truth, magnitudes);
    }
    line read = { .time = { 1e9, 1e9 } };
    for (int shape = 0; shape < READ_SHAPES; shape++) {
        const reading r = time_of((setting){ type, n, NULL, shape });
        if (r.median < read.time.median) read.time = r;
    }
    report(type, n, "read", &read, read.time.median);
    for (int i = 0; i < contestants(); i++) {
        const reducer *r = contestant(i);
        if (!is_wanted(i, &j, name, is_slow)) continue;
        compare_bits(&lines[i], r, &j);
        lines[i].time = time_of((setting){ type, n, r, 0 });
        report(type, n, r->name, &lines[i], read.time.median);
        is_slow[i] = lines[i].time.median > TOO_SLOW;
        if (is_slow[i])
            fprintf(stderr, "climb: %s takes %.3g s at n = %zu: left out of larger ones\n", r->name,
                    lines[i].time.median, n);
    }
}

static void head(void) {
    struct cudaDeviceProp device;
    int driver = 0, runtime = 0;
    char date[32];
    const time_t now = time(NULL);
    must(cudaGetDeviceProperties(&device, 0), "the device");
    must(cudaDriverGetVersion(&driver), "the driver");
    must(cudaRuntimeGetVersion(&runtime), "the runtime");
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
    printf("# chip: %s, %d multiprocessors\n# cuda: driver %d, runtime %d\n# quire: %s\n# date: %s\n", device.name,
           device.multiProcessorCount, driver, runtime, quire_version(), date);
    puts("# method: median of 15 replays (5 if slow) of a graph of calls, data in turn from 8 GiB; time_over_read: "
         "over the "
         "time of the best read loop");
    puts("rung,type,n,median_seconds,best_seconds,gb_per_s,time_over_read,sum_signed,ulps_signed,relative_signed,"
         "sum_positive,ulps_positive,relative_positive,runs_equal,alignments_equal");
}

static int timed(quire_type type, const char *sizes, const char *name) {
    size_t n[SIZES];
    int count = 0;
    for (char *end; *sizes && count < SIZES; sizes = *end == ',' ? end + 1 : end) {
        const long e = strtol(sizes, &end, 10);
        if (end == sizes || e < 4 || e > 31)
            return fprintf(stderr, "climb: no list of log2 n, 4 to 31: %s\n", sizes), 1;
        n[count++] = (size_t)1 << e;
        if (*end != ',' && *end) return fprintf(stderr, "climb: no list of log2 n, 4 to 31: %s\n", sizes), 1;
    }
    size_t most = 0;
    for (int i = 0; i < count; i++) most = n[i] > most ? n[i] : most;
    set_up((size_t)1 << 33, type, most);
    if (quire_open_cuda(&context, 0, stream)) return fprintf(stderr, "climb: no CUDA in this quire\n"), 1;
    head();
    for (int i = 0; i < count; i++) judge_and_time(type, n[i], name);
    quire_close(context);
    return 0;
}

static int list(void) {
    for (int i = 0; i < ladder_count; i++)
        if (!ladder_is_in_half(&ladder_reducers[i]))
            printf("%-20s %s\n", ladder_reducers[i].name, ladder_reducers[i].what);
    return 0;
}

static quire_type type_of(const char *text) {
    if (!strcmp(text, "f32")) return QUIRE_F32;
    if (!strcmp(text, "f16")) return QUIRE_F16;
    fprintf(stderr, "climb: a type is f32 or f16, not %s\n", text);
    exit(2);
}

int main(int argc, char **argv) {
    int devices = 0;
    if (argc == 2 && !strcmp(argv[1], "list")) return list();
    if (cudaGetDeviceCount(&devices) || !devices) return fprintf(stderr, "climb: no CUDA device\n"), 1;
    if (argc == 5 && !strcmp(argv[1], "once")) {
        const int e = atoi(argv[4]);
        if (e >= 0 && e <= 31) return once(argv[2], type_of(argv[3]), (size_t)1 << e);
    }
    if ((argc == 4 || argc == 5) && !strcmp(argv[1], "time"))
        return timed(type_of(argv[2]), argv[3], argc == 5 ? argv[4] : NULL);
    fprintf(stderr,
            "usage: climb list | climb once NAME|all f32|f16 LOG2N | climb time f32|f16 LOG2N[,LOG2N] [NAME]\n");
    return 2;
}
