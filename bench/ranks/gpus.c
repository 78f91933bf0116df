/* gpus.c - GPUs as ranks, their threads, their clocks.
 *
 * SPDX-License-Identifier: MIT
 */
#include "gpus.h"

#include <pthread.h>
#include <stdio.h>

#include "command/terminal.h"
#include "samples.h"

#define SAMPLE_SECONDS 2e-3 /* events see about half a microsecond */
#define MOST_CALLS 64

/* ----------------------------------------------------------------------------------------------------------- errors */

static _Thread_local const char *trouble; /* of this thread: the first */

void gpu_note_cuda(cudaError_t error) {
    if (error && !trouble) trouble = cudaGetErrorString(error);
}

void gpu_note_nccl(ncclResult_t code) {
    if (code && !trouble) trouble = ncclGetErrorString(code);
}

void gpu_note_quire(quire_status status) {
    if (status && !trouble) trouble = quire_status_string(status);
}

/* ---------------------------------------------------------------------------------------------- opening and closing */

/* Numbers between 0.5 and 1, which differ from each other. */
static void fill(double *doubles, size_t n, float *floats, size_t m) {
    uint64_t state = 1;
    for (size_t i = 0; i < n || i < m; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        if (i < n) doubles[i] = 0.5 + (double)(state >> 12) * 0x1p-53;
        if (i < m) floats[i] = 0.5f + (float)(state >> 41) * 0x1p-24f;
    }
}

static void open_one(gpu *g, const gpu_room *room, const double *doubles, const float *floats) {
    const size_t copies = g->rank ? 1 : (size_t)g->ranks, bytes = room->floats * sizeof *floats;
    gpu_note_cuda(cudaSetDevice(g->rank));
    gpu_note_cuda(cudaStreamCreateWithFlags(&g->stream, cudaStreamNonBlocking));
    gpu_note_cuda(cudaEventCreate(&g->begin));
    gpu_note_cuda(cudaEventCreate(&g->end));
    gpu_note_cuda(cudaMalloc((void **)&g->doubles, room->doubles * sizeof *doubles));
    gpu_note_cuda(cudaMalloc((void **)&g->floats, copies * bytes));
    gpu_note_cuda(cudaMalloc(&g->results, room->result_bytes));
    gpu_note_cuda(cudaMalloc(&g->workspace, room->workspace_bytes));
    g->workspace_size = room->workspace_bytes;
    if (trouble) return;
    gpu_note_quire(quire_open_cuda(&g->context, g->rank, g->stream));
    gpu_note_cuda(cudaMemcpy(g->doubles, doubles, room->doubles * sizeof *doubles, cudaMemcpyHostToDevice));
    for (size_t i = 0; i < copies; i++)
        gpu_note_cuda(cudaMemcpy(g->floats + i * room->floats, floats, bytes, cudaMemcpyHostToDevice));
}

const char *gpus_open(gpu *all, int ranks, const gpu_room *room) {
    ncclComm_t comms[MOST_GPUS] = { 0 };
    double *doubles = malloc(room->doubles * sizeof *doubles);
    float *floats = malloc(room->floats * sizeof *floats);
    trouble = doubles && floats ? NULL : "out of memory";
    if (!trouble) {
        fill(doubles, room->doubles, floats, room->floats);
        gpu_note_nccl(ncclCommInitAll(comms, ranks, NULL));
    }
    memset(all, 0, (size_t)ranks * sizeof *all);
    for (int r = 0; r < ranks && !trouble; r++) {
        all[r].rank = r, all[r].ranks = ranks, all[r].comm = comms[r];
        open_one(&all[r], room, doubles, floats);
    }
    free(doubles);
    free(floats);
    return trouble;
}

void gpus_close(gpu *all, int ranks) {
    for (int r = 0; r < ranks; r++) {
        cudaSetDevice(r);
        cudaStreamSynchronize(all[r].stream);
        quire_close(all[r].context);
        cudaFree(all[r].doubles), cudaFree(all[r].floats), cudaFree(all[r].results), cudaFree(all[r].workspace);
        cudaEventDestroy(all[r].begin), cudaEventDestroy(all[r].end);
        cudaStreamDestroy(all[r].stream);
    }
    for (int r = 0; r < ranks; r++) ncclCommDestroy(all[r].comm);
}

/* ----------------------------------------------------------------------------------------------------------- timing */

/* What the threads share. Between two waits at the barrier one thread writes, or each its own. */
typedef struct race {
    int ranks, samples;
    gpu_call call;
    const void *what;
    bool captured;
    pthread_barrier_t barrier;
    double taken[MOST_GPUS]; /* of each GPU: seconds of a sample */
    const char *trouble[MOST_GPUS];
    double *seconds;
} race;

typedef struct runner {
    gpu *g;
    race *shared;
    pthread_t thread;
} runner;

static void queue(runner *r, int calls) {
    for (int i = 0; i < calls && !trouble; i++) r->shared->call(r->g, r->shared->what);
}

/* Whether all threads are well: with one that is not, the others would wait in NCCL for ever. */
static bool all_well(runner *r) {
    race *s = r->shared;
    bool well = true;
    s->trouble[r->g->rank] = trouble;
    pthread_barrier_wait(&s->barrier);
    for (int i = 0; i < s->ranks; i++) well = well && !s->trouble[i];
    pthread_barrier_wait(&s->barrier);
    return well;
}

/* Seconds of so many calls, or of a graph of them, on the slowest GPU: the same number on all threads. All begin at
 * once, as far as a barrier can bring that about. */
static double take_sample(runner *r, int calls, cudaGraphExec_t graph) {
    race *s = r->shared;
    float milliseconds = 0;
    double slowest = 0;
    pthread_barrier_wait(&s->barrier);
    gpu_note_cuda(cudaEventRecord(r->g->begin, r->g->stream));
    if (graph)
        gpu_note_cuda(cudaGraphLaunch(graph, r->g->stream));
    else
        queue(r, calls);
    gpu_note_cuda(cudaEventRecord(r->g->end, r->g->stream));
    gpu_note_cuda(cudaEventSynchronize(r->g->end));
    gpu_note_cuda(cudaEventElapsedTime(&milliseconds, r->g->begin, r->g->end));
    s->taken[r->g->rank] = milliseconds * 1e-3;
    pthread_barrier_wait(&s->barrier);
    for (int i = 0; i < s->ranks; i++) slowest = s->taken[i] > slowest ? s->taken[i] : slowest;
    return slowest;
}

/* A graph of so many calls. */
static cudaGraphExec_t capture(runner *r, int calls) {
    cudaGraph_t graph = NULL;
    cudaGraphExec_t exec = NULL;
    gpu_note_cuda(cudaStreamBeginCapture(r->g->stream, cudaStreamCaptureModeThreadLocal));
    if (trouble) return NULL;
    queue(r, calls);
    gpu_note_cuda(cudaStreamEndCapture(r->g->stream, &graph));
    if (!trouble) gpu_note_cuda(cudaGraphInstantiate(&exec, graph, 0));
    if (graph) cudaGraphDestroy(graph);
    return exec;
}

static void *run(void *argument) {
    runner *r = argument;
    race *s = r->shared;
    cudaGraphExec_t graph = NULL;
    int calls = 4;
    trouble = NULL;
    gpu_note_cuda(cudaSetDevice(r->g->rank));
    if (all_well(r)) take_sample(r, calls, NULL); /* NCCL connects ranks at the first call */
    if (all_well(r)) {
        const double wanted = SAMPLE_SECONDS * calls / (take_sample(r, calls, NULL) + 1e-9);
        calls = wanted > MOST_CALLS ? MOST_CALLS : wanted > 2 ? (int)wanted : 2;
    }
    if (s->captured && all_well(r)) graph = capture(r, calls);
    if (all_well(r)) take_sample(r, calls, graph);
    for (int i = 0; i < s->samples && all_well(r); i++) {
        const double taken = take_sample(r, calls, graph) / calls;
        if (!r->g->rank) s->seconds[i] = taken;
    }
    if (graph) cudaGraphExecDestroy(graph);
    return NULL;
}

const char *gpus_time(gpu *all, int ranks, gpu_call call, const void *what, bool captured, int samples,
                      double *seconds) {
    static race shared;
    static runner runners[MOST_GPUS];
    memset(&shared, 0, sizeof shared);
    shared.ranks = ranks, shared.samples = samples, shared.call = call, shared.what = what;
    shared.captured = captured, shared.seconds = seconds;
    if (pthread_barrier_init(&shared.barrier, NULL, (unsigned)ranks)) return "no barrier for threads";
    for (int r = 0; r < ranks; r++) {
        runners[r].g = &all[r], runners[r].shared = &shared;
        if (!pthread_create(&runners[r].thread, NULL, run, &runners[r])) continue;
        complain("no thread for GPU %d", r); /* the others wait at the barrier */
        exit(1);
    }
    for (int r = 0; r < ranks; r++) pthread_join(runners[r].thread, NULL);
    pthread_barrier_destroy(&shared.barrier);
    for (int r = 0; r < ranks; r++)
        if (shared.trouble[r]) return shared.trouble[r];
    samples_sort(seconds, samples);
    return NULL;
}
