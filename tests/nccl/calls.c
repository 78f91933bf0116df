/* calls.c - of test_nccl.c: the three calls as users make them, captured too, and their statuses.
 *
 * SPDX-License-Identifier: MIT
 */
#include "ranks.h"

#include <pthread.h>

typedef struct thread_work {
    rank_state *rank;
    quire_reduction what;
    size_t n;
    int captured; /* into a graph, which runs three times */
    quire_status status[3];
    cudaError_t error;
    pthread_t thread;
} thread_work;

/* The three calls, one behind the other: results of each at a place of its own. */
static void enqueue(thread_work *w) {
    rank_state *const r = w->rank;
    const size_t size = quire_type_size(w->what.type), from = part_begin(w->n, r->rank, r->ranks, 2);
    const size_t own = part_begin(w->n, r->rank + 1, r->ranks, 2) - from;
    const size_t row = w->n / 3, begin = part_begin(row, r->rank, r->ranks, 2);
    const quire_layout rows = quire_rows(3, part_begin(row, r->rank + 1, r->ranks, 2) - begin, (ptrdiff_t)row);
    char *const all = (char *)r->x, *const results = (char *)r->results;
    w->status[0] = quire_nccl_allreduce(r->context, &w->what, own, all + from * size, NULL, results, r->comm, r->stream,
                                        r->workspace, ROOM);
    w->status[1] = quire_nccl_allreduce_fields(r->context, &w->what, 3, &rows, all + begin * size, NULL, NULL,
                                               results + 64, r->comm, r->stream, r->workspace, ROOM);
    w->status[2] = quire_nccl_allreduce_elements(r->context, &w->what, w->n, r->x, results + 256, r->comm, r->stream,
                                                 r->workspace, ROOM);
}

static void *run_thread(void *argument) {
    thread_work *const w = argument;
    cudaStream_t const stream = w->rank->stream;
    cudaGraph_t graph = NULL;
    cudaGraphExec_t exec = NULL;
    w->error = cudaSetDevice(w->rank->device);
    if (!w->captured) {
        enqueue(w);
    } else {
        if (!w->error) w->error = cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
        if (!w->error) enqueue(w);
        const cudaError_t ended = cudaStreamEndCapture(stream, &graph);
        if (!w->error) w->error = ended;
        if (!w->error) w->error = cudaGraphInstantiate(&exec, graph, 0);
        for (int i = 0; i < 3 && !w->error; i++) w->error = cudaGraphLaunch(exec, stream);
    }
    const cudaError_t waited = cudaStreamSynchronize(stream);
    if (!w->error) w->error = waited;
    if (exec) cudaGraphExecDestroy(exec);
    if (graph) cudaGraphDestroy(graph);
    return NULL;
}

void plain_calls(rank_state *all, int ranks, int captured) {
    const size_t n = 9999;
    quire_reduction what = { QUIRE_MEAN, QUIRE_F32, 0, 0, 0, 0, { 0 } };
    thread_work work[MOST_RANKS];
    uint32_t right[4] = { 0 };
    const quire_layout rows = quire_rows(3, n / 3, (ptrdiff_t)(n / 3));
    fill(ORDINARY, what.type, n);
    right[0] = (uint32_t)expected_of(&what, n);
    expect_status(quire_reduce(NULL, &what, &rows, x, NULL, NULL, right + 1), QUIRE_OK, "the CPU");
    for (int r = 0; r < ranks; r++) {
        memset(&work[r], 0, sizeof work[r]);
        work[r].rank = &all[r], work[r].what = what, work[r].n = n, work[r].captured = captured;
        put(&all[r], all[r].x, x, n * 4);
        put(&all[r], all[r].results, zeros, 256 + n * 4);
    }
    for (int r = 0; r < ranks; r++) must_start(pthread_create(&work[r].thread, NULL, run_thread, &work[r]));
    for (int r = 0; r < ranks; r++) pthread_join(work[r].thread, NULL);
    for (int i = 1; i < ranks; i++) memcpy((char *)x + (size_t)i * n * 4, x, n * 4); /* every rank has the same array */
    for (int r = 0; r < ranks; r++) {
        uint32_t found[1], fields[3];
        rank_state seen = all[r];
        expect(!work[r].error, "rank %d: %s", r, cudaGetErrorString(work[r].error));
        for (int i = 0; i < 3; i++) expect_status(work[r].status[i], QUIRE_OK, "a thread's call");
        get(&all[r], found, all[r].results, 4);
        get(&all[r], fields, (char *)all[r].results + 64, 12);
        expect(found[0] == right[0], "a thread's scalar: %x, not %x", found[0], right[0]);
        expect(!memcmp(fields, right + 1, 12), "a thread's fields");
        seen.results = (char *)seen.results + 256;
        expect_columns(&seen, &what, n, ranks, "a thread's elements");
    }
}

/* A graph of one rank replays with what the array holds then. */
void replay(rank_state *r) {
    const quire_reduction what = { QUIRE_SUM, QUIRE_F64, 0, 0, 0, 0, { 0 } };
    const size_t n = 200000;
    cudaGraph_t graph = NULL;
    cudaGraphExec_t exec = NULL;
    must(cudaStreamBeginCapture(r->stream, cudaStreamCaptureModeThreadLocal), "begin of a capture");
    const quire_status status =
        quire_nccl_allreduce(r->context, &what, n, r->x, NULL, r->results, r->comm, r->stream, r->workspace, ROOM);
    must(cudaStreamEndCapture(r->stream, &graph), "end of a capture");
    expect_status(status, QUIRE_OK, "captured");
    must(cudaGraphInstantiate(&exec, graph, 0), "instantiation");
    for (int turn = 0; turn < 5; turn++) {
        fill(turn % 2 ? WIDE : ORDINARY, QUIRE_F64, n);
        put(r, r->x, x, n * 8);
        must(cudaGraphLaunch(exec, r->stream), "replay");
        expect_scalar(r, &what, n, 0, expected_of(&what, n), "replayed");
    }
    must(cudaGraphExecDestroy(exec), "cudaGraphExecDestroy");
    must(cudaGraphDestroy(graph), "cudaGraphDestroy");
}

/* --------------------------------------------------------------------------------------------------------- statuses */

/* In one way at a time each call is wrong: the status says so, nothing is written, and the next call works. */
void bad_arguments(rank_state *r) {
    const quire_reduction good = { QUIRE_SUM, QUIRE_F64, 0, 0, 0, 0, { 0 } };
    uint64_t before[8], after[8];
    double on_host[10] = { 0 };
    fill(ORDINARY, QUIRE_F64, 100);
    put(r, r->x, x, 800);
    memset(before, 0x55, sizeof before);
    put(r, r->results, before, sizeof before);
    for (int way = 0; way < 18; way++) {
        quire_reduction what = good;
        quire_layout layout = quire_rows(5, 10, 10), *l = &layout;
        quire_status right = QUIRE_OK;
        quire_context *context = r->context;
        void *px = r->x, *out = r->results, *workspace = r->workspace;
        size_t room = ROOM;
        ncclComm_t comm = r->comm;
        if (way == 0) right = QUIRE_NULL_POINTER;
        if (way == 1) right = QUIRE_INVALID_TYPE, what.type = (quire_type)99;
        if (way == 2) right = QUIRE_INVALID_OPERATION, what.operation = (quire_operation)99;
        if (way == 3) right = QUIRE_INVALID_RESULT_TYPE, what.result_type = (quire_type)99;
        if (way == 4) right = QUIRE_INVALID_METHOD, what.method = QUIRE_PLAIN;
        if (way == 5) right = QUIRE_INVALID_ROUNDING, what.rounding = (quire_rounding)9;
        if (way == 6) right = QUIRE_NULL_POINTER, px = NULL;
        if (way == 7) right = QUIRE_MISALIGNED, px = (char *)px + 1;
        if (way == 8) right = QUIRE_NULL_POINTER, out = NULL;
        if (way == 9) right = QUIRE_MISALIGNED, out = (char *)out + 4;
        if (way == 10) right = QUIRE_NULL_POINTER, workspace = NULL;
        if (way == 11) right = QUIRE_MISALIGNED, workspace = (char *)workspace + 8;
        if (way == 12) right = QUIRE_OUT_OF_MEMORY, room = 7;
        if (way == 13) right = QUIRE_NULL_POINTER, context = NULL;
        if (way == 14) right = QUIRE_INVALID_METHOD, what.operation = QUIRE_VARIANCE, what.method = QUIRE_PLAIN;
        if (way == 15)
            right = QUIRE_NOT_DEVICE_MEMORY, workspace = (void *)(((uintptr_t)zeros + 255) & ~(uintptr_t)255);
        if (way == 16) right = QUIRE_COMMUNICATION_FAULT, comm = NULL;
        if (way == 17) right = QUIRE_NOT_DEVICE_MEMORY, px = on_host;
        const quire_reduction *w = way ? &what : NULL;
        expect_status(quire_nccl_allreduce(context, w, 10, px, NULL, out, comm, r->stream, workspace, room), right,
                      "scalar");
        expect_status(
            quire_nccl_allreduce_fields(context, w, 5, l, px, NULL, NULL, out, comm, r->stream, workspace, room), right,
            "fields");
        if (way != 17) /* which NCCL alone can see */
            expect_status(quire_nccl_allreduce_elements(context, w, 5, px, out, comm, r->stream, workspace, room),
                          right, "elements");
    }
    quire_layout layout = quire_columns(5, 5, 5);
    expect_status(quire_nccl_allreduce_fields(r->context, &good, 5, &layout, r->x, NULL, NULL, r->results, r->comm,
                                              r->stream, r->workspace, ROOM),
                  QUIRE_INVALID_LAYOUT, "columns");
    expect_status(quire_nccl_allreduce_fields(r->context, &good, 4, &layout, r->x, NULL, NULL, r->results, r->comm,
                                              r->stream, r->workspace, ROOM),
                  QUIRE_INVALID_LAYOUT, "another number of fields");
    quire_reduction dot = good;
    dot.operation = QUIRE_DOT;
    expect_status(
        quire_nccl_allreduce_elements(r->context, &dot, 5, r->x, r->results, r->comm, r->stream, r->workspace, ROOM),
        QUIRE_INVALID_OPERATION, "dot of elements");
    get(r, after, r->results, sizeof after);
    expect(!memcmp(before, after, sizeof after), "results are touched");
    expect_status(
        quire_nccl_allreduce(r->context, &good, 100, r->x, NULL, r->results, r->comm, r->stream, r->workspace, ROOM),
        QUIRE_OK, "after errors");
    expect_scalar(r, &good, 100, 0, expected_of(&good, 100), "after errors");
}
