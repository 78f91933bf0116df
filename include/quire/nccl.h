/* quire/nccl.h - exact sums over GPUs by NCCL: the same bits for any number of ranks and any distribution.
 *
 *     #include <quire/nccl.h>                                        // and link libquire, NCCL and the CUDA runtime
 *
 *     quire_reduction what = { 0 };
 *     what.type = QUIRE_F32;
 *     size_t size = quire_nccl_workspace(&what, 1);                  // once: cudaMalloc(&workspace, size)
 *     quire_status status = quire_nccl_allreduce(context, &what, n, x, NULL, result, comm, stream, workspace, size);
 *
 * Each rank adds its elements up exactly, ONE ncclAllReduce of integers merges these sums, and each rank rounds once.
 * The result is what a single rank with all elements would get from quire_reduce, bit for bit, whichever algorithm NCCL
 * takes.
 *
 * ALL CALLS HERE are collective: all ranks of comm make the same one, with the same *what and the same number of fields
 * or elements. How many elements of a vector a rank has is its own affair, 0 included. Results are written on every
 * rank. The method is QUIRE_EXACT. x, y and results are device memory, aligned to their elements. All calls have these:
 *
 *   context         a CUDA context on comm's device. Its work goes to stream from then on, as by quire_set_stream. For
 *                   a capture it must be on that stream before
 *   what            see quire_reduce; in host memory, read before the call returns
 *   comm            a blocking communicator (NCCL's default)
 *   stream          of comm's device
 *   workspace       device memory of comm's device, aligned to 256 bytes, as cudaMalloc gives it. It is in use until
 *                   the call's work on the stream has ended, and holds nothing between calls
 *   workspace_size  its bytes, at least what quire_nccl_workspace or quire_nccl_elements_workspace says
 *
 * A call is asynchronous on the stream. It allocates nothing, waits for nothing, and can be captured into a graph (make
 * one call before: NCCL connects ranks at the first). A graph replays with whatever x, y hold then.
 *
 * SEVERAL DEVICES OF ONE THREAD. NCCL wants their operations in one group, but a call's rounding comes after its
 * operation has started: so a call cannot stand inside ncclGroupStart and ncclGroupEnd. Prepare a job for each device,
 * and then
 *
 *     for (int step = 0; step < QUIRE_NCCL_STEPS; step++) {
 *         ncclGroupStart();
 *         for (int d = 0; d < devices; d++) quire_nccl_step(&job[d], step);
 *         ncclGroupEnd();
 *     }
 *
 * STATUSES are this rank's own, since nothing is waited for: those of quire_reduce (QUIRE_INVALID_TYPE for integers,
 * QUIRE_INVALID_METHOD for all but QUIRE_EXACT), QUIRE_OUT_OF_MEMORY (the workspace is too small), then those of
 * quire_set_stream (so QUIRE_NULL_POINTER for no context, QUIRE_WRONG_CONTEXT for one on the CPU),
 * QUIRE_NOT_DEVICE_MEMORY, QUIRE_DEVICE_FAULT, and QUIRE_COMMUNICATION_FAULT if a call of NCCL fails. A rank that gets
 * any but the last two has not joined; the others wait for it, as they do in ncclAllReduce, until ncclCommAbort.
 *
 * NCCL 2.7 or later. Compiles as C11 and later and as C++.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_NCCL_H
#define QUIRE_NCCL_H

#include <cuda_runtime.h>
#include <nccl.h>
#include <string.h>

#include <quire/quire.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------------------------------------------------- helpers */

static inline quire_status quire_nccl_status(ncclResult_t code) {
    return code == ncclSuccess ? QUIRE_OK : QUIRE_COMMUNICATION_FAULT;
}

/* What a call is made of. To be filled by quire_nccl_prepare*, and not to be read or written by callers. */
typedef struct quire_nccl_job {
    quire_context *context;
    quire_reduction what;
    quire_layout x_layout, y_layout; /* of vectors */
    const void *x, *y;
    void *results;
    size_t fields;   /* how many vectors, or how many elements */
    int by_element;  /* elements of the ranks' arrays are reduced, not vectors */
    int rank, ranks; /* of by_element */
    ncclComm_t comm;
    cudaStream_t stream;
    void *workspace;
} quire_nccl_job;

static inline size_t quire_nccl_result_size(const quire_reduction *what) {
    return quire_type_size(what->result_type ? what->result_type : what->type);
}

/* Accumulators of a vector: for variance and stddev one more, of its squares. */
static inline size_t quire_nccl_sums(const quire_reduction *what) {
    return what->operation == QUIRE_VARIANCE || what->operation == QUIRE_STDDEV ? 2 : 1;
}

/* Elements of arrays are cut into a part for each rank, and a tail of fewer elements than there are ranks, which all
 * reduce. In the workspace stand this rank's part of every array, and behind it, aligned, the tails of all. */
static inline size_t quire_nccl_part(size_t n, int ranks) { return n / (size_t)ranks; }
static inline size_t quire_nccl_tail(size_t n, int ranks) { return n % (size_t)ranks; }
static inline size_t quire_nccl_tails_at(size_t n, int ranks, size_t size) {
    return (quire_nccl_part(n, ranks) * (size_t)ranks * size + 255) / 256 * 256;
}

/* Bytes of workspace for "fields" vectors: 1120 for each, 2240 for variance and stddev; 0 if *what is NULL or that is
 * more than memory holds. */
static inline size_t quire_nccl_workspace(const quire_reduction *what, size_t fields) {
    if (!what || fields > PTRDIFF_MAX / (2 * sizeof(quire_accumulator))) return 0;
    return fields * quire_nccl_sums(what) * sizeof(quire_accumulator);
}

/* Bytes of workspace for arrays of n elements on that number of ranks: about those of one array; 0 if an argument is
 * wrong. */
static inline size_t quire_nccl_elements_workspace(const quire_reduction *what, size_t n, int ranks) {
    const size_t size = what ? quire_type_size(what->type) : 0;
    if (!size || ranks < 1 || n > PTRDIFF_MAX / size / 2) return 0;
    return quire_nccl_tails_at(n, ranks, size) + (size_t)ranks * quire_nccl_tail(n, ranks) * size;
}

/* --------------------------------------------------------------------------------------------------------- checking */

/* What quire_reduce says of *what and the layouts: given no memory it checks all else. */
static inline quire_status quire_nccl_check_layouts(const quire_nccl_job *job) {
    const quire_reduction *what = &job->what;
    const quire_layout *x = &job->x_layout, *y = &job->y_layout, none = { 0, 0, 0, 0, 0, 0 };
    quire_status status = quire_reduce(NULL, what, &none, NULL, NULL, NULL, NULL);
    if (status) return status;
    if (what->operation == QUIRE_AVERAGE || what->operation == QUIRE_COVARIANCE || what->operation == QUIRE_CORRELATION)
        return QUIRE_INVALID_OPERATION;                      /* whose sums of each array have no place here */
    if (what->type >= QUIRE_INT8) return QUIRE_INVALID_TYPE; /* records have no bits for integers */
    if (what->method && what->method != QUIRE_EXACT) return QUIRE_INVALID_METHOD;
    if (x->inner ? job->fields / x->inner != x->outer || job->fields % x->inner : job->fields != 0)
        return QUIRE_INVALID_LAYOUT;
    status = quire_reduce(NULL, what, x, NULL, y, NULL, NULL);
    if (status && status != QUIRE_NULL_POINTER) return status;
    if (x->n > 1 && job->fields && (x->stride != 1 || (what->operation == QUIRE_DOT && y->stride != 1)))
        return QUIRE_INVALID_LAYOUT;
    return QUIRE_OK;
}

/* Pointers that are needed, and the workspace. */
static inline quire_status quire_nccl_check_memory(const quire_nccl_job *job, size_t needed, size_t workspace_size) {
    const uintptr_t size = quire_type_size(job->what.type), result_size = quire_nccl_result_size(&job->what);
    const int dot = job->what.operation == QUIRE_DOT;
    const int reads = job->by_element ? job->fields != 0 : job->fields != 0 && job->x_layout.n != 0;
    if (!job->fields) return QUIRE_OK;
    if (!job->results || !job->workspace || (reads && (!job->x || (dot && !job->y)))) return QUIRE_NULL_POINTER;
    const uintptr_t odd = reads ? (uintptr_t)job->x | (dot ? (uintptr_t)job->y : 0) : 0;
    if (odd & (size - 1) || (uintptr_t)job->results & (result_size - 1) || (uintptr_t)job->workspace & 255)
        return QUIRE_MISALIGNED;
    return !needed ? QUIRE_SIZE_OVERFLOW : needed > workspace_size ? QUIRE_OUT_OF_MEMORY : QUIRE_OK;
}

/* The context, and whether it finishes such an operation; and whether the workspace is of the communicator's device. */
static inline quire_status quire_nccl_check_place(const quire_nccl_job *job) {
    struct cudaPointerAttributes is;
    int device = 0;
    quire_status status = quire_set_stream(job->context, job->stream);
    if (!status) status = quire_finish_many(job->context, &job->what, 0, NULL, NULL, NULL);
    if (status || !job->fields) return status;
    if (ncclCommCuDevice(job->comm, &device) != ncclSuccess) return QUIRE_COMMUNICATION_FAULT;
    if (cudaPointerGetAttributes(&is, job->workspace) != cudaSuccess) {
        (void)cudaGetLastError(); /* taken off, or the next call would be blamed */
        return QUIRE_NOT_DEVICE_MEMORY;
    }
    return is.type == cudaMemoryTypeDevice && is.device == device ? QUIRE_OK : QUIRE_NOT_DEVICE_MEMORY;
}

/* Makes comm's device the current one; the caller's is given back by quire_nccl_leave. */
static inline quire_status quire_nccl_enter(const quire_nccl_job *job, int *callers) {
    int device = 0;
    if (cudaGetDevice(callers) != cudaSuccess) return QUIRE_DEVICE_FAULT;
    if (ncclCommCuDevice(job->comm, &device) != ncclSuccess) return QUIRE_COMMUNICATION_FAULT;
    return device == *callers || cudaSetDevice(device) == cudaSuccess ? QUIRE_OK : QUIRE_DEVICE_FAULT;
}

static inline quire_status quire_nccl_leave(int callers, quire_status status) {
    const int failed = cudaSetDevice(callers) != cudaSuccess;
    return !status && failed ? QUIRE_DEVICE_FAULT : status;
}

/* ---------------------------------------------------------------------------------------------------------- vectors */

static inline quire_accumulator *quire_nccl_accumulators(const quire_nccl_job *job, int squares) {
    return (quire_accumulator *)job->workspace + (squares ? job->fields : 0);
}

/* Adds up this rank's part of a vector: the terms of its operation, and for variance and stddev the squares. */
static inline quire_status quire_nccl_accumulate(const quire_nccl_job *job, size_t field) {
    const quire_operation operation = job->what.operation;
    const quire_type type = job->what.type;
    const size_t n = job->x_layout.n;
    const ptrdiff_t size = (ptrdiff_t)quire_type_size(type);
    const ptrdiff_t i = (ptrdiff_t)(field / job->x_layout.inner), j = (ptrdiff_t)(field % job->x_layout.inner);
    const char *x = (const char *)job->x + (i * job->x_layout.outer_stride + j * job->x_layout.inner_stride) * size,
               *y = x;
    quire_accumulator *sum = quire_nccl_accumulators(job, 0) + field;
    quire_status status;
    if (operation == QUIRE_DOT)
        y = (const char *)job->y + (i * job->y_layout.outer_stride + j * job->y_layout.inner_stride) * size;
    if (operation == QUIRE_ASUM)
        status = quire_accumulate_magnitudes(job->context, sum, type, n, x);
    else if (operation == QUIRE_DOT || operation == QUIRE_NRM2 || operation == QUIRE_SUMSQ)
        status = quire_accumulate_products(job->context, sum, type, n, x, y);
    else
        status = quire_accumulate(job->context, sum, type, n, x);
    if (!status && quire_nccl_sums(&job->what) == 2)
        status = quire_accumulate_products(job->context, quire_nccl_accumulators(job, 1) + field, type, n, x, x);
    return status;
}

/* This rank's own sums, in the workspace. */
static inline quire_status quire_nccl_local_sums(const quire_nccl_job *job) {
    const size_t bytes = quire_nccl_workspace(&job->what, job->fields);
    quire_status status = QUIRE_OK;
    if (bytes && cudaMemsetAsync(job->workspace, 0, bytes, job->stream) != cudaSuccess) return QUIRE_DEVICE_FAULT;
    if (!job->x_layout.n) return QUIRE_OK; /* and x may be anything */
    for (size_t field = 0; field < job->fields && !status; field++) status = quire_nccl_accumulate(job, field);
    return status;
}

/* Merges the sums of all ranks: the one operation of NCCL. */
static inline quire_status quire_nccl_merge_sums(const quire_nccl_job *job) {
    const size_t words = quire_nccl_workspace(&job->what, job->fields) / sizeof(int64_t);
    if (!words) return QUIRE_OK;
    return quire_nccl_status(
        ncclAllReduce(job->workspace, job->workspace, words, ncclInt64, ncclSum, job->comm, job->stream));
}

static inline quire_status quire_nccl_round_sums(const quire_nccl_job *job) {
    return quire_finish_many(job->context, &job->what, job->fields, quire_nccl_accumulators(job, 0),
                             quire_nccl_accumulators(job, 1), job->results);
}

/* ----------------------------------------------------------------------------------------------- element by element */

static inline char *quire_nccl_tails(const quire_nccl_job *job) {
    return (char *)job->workspace + quire_nccl_tails_at(job->fields, job->ranks, quire_type_size(job->what.type));
}

/* Every rank gets its part of every array, and the tails of all. */
static inline quire_status quire_nccl_exchange(const quire_nccl_job *job) {
    const size_t size = quire_type_size(job->what.type);
    const size_t part = quire_nccl_part(job->fields, job->ranks) * size;
    const size_t tail = quire_nccl_tail(job->fields, job->ranks) * size;
    const char *x = (const char *)job->x, *x_tail = x + part * (size_t)job->ranks;
    char *parts = (char *)job->workspace, *tails = quire_nccl_tails(job);
    ncclResult_t code = ncclGroupStart(), end;
    if (code != ncclSuccess) return QUIRE_COMMUNICATION_FAULT;
    for (int r = 0; r < job->ranks; r++) {
        const size_t at = (size_t)r;
        if (part && !code) code = ncclSend(x + at * part, part, ncclInt8, r, job->comm, job->stream);
        if (part && !code) code = ncclRecv(parts + at * part, part, ncclInt8, r, job->comm, job->stream);
        if (tail && !code) code = ncclSend(x_tail, tail, ncclInt8, r, job->comm, job->stream);
        if (tail && !code) code = ncclRecv(tails + at * tail, tail, ncclInt8, r, job->comm, job->stream);
    }
    end = ncclGroupEnd();
    return quire_nccl_status(code != ncclSuccess ? code : end);
}

/* Reduces this rank's part into its place among the results, and the tail. */
static inline quire_status quire_nccl_local_columns(const quire_nccl_job *job) {
    const size_t part = quire_nccl_part(job->fields, job->ranks), tail = quire_nccl_tail(job->fields, job->ranks);
    const size_t result_size = quire_nccl_result_size(&job->what), ranks = (size_t)job->ranks;
    const quire_layout parts = quire_columns(ranks, part, (ptrdiff_t)part);
    const quire_layout tails = quire_columns(ranks, tail, (ptrdiff_t)tail);
    char *mine = (char *)job->results + (size_t)job->rank * part * result_size;
    char *last = (char *)job->results + ranks * part * result_size;
    quire_status status = quire_reduce(job->context, &job->what, &parts, job->workspace, NULL, NULL, mine);
    if (!status) status = quire_reduce(job->context, &job->what, &tails, quire_nccl_tails(job), NULL, NULL, last);
    return status;
}

/* The parts of all, in place. */
static inline quire_status quire_nccl_gather(const quire_nccl_job *job) {
    const size_t bytes = quire_nccl_part(job->fields, job->ranks) * quire_nccl_result_size(&job->what);
    if (!bytes) return QUIRE_OK;
    return quire_nccl_status(ncclAllGather((char *)job->results + (size_t)job->rank * bytes, job->results, bytes,
                                           ncclInt8, job->comm, job->stream));
}

/* -------------------------------------------------------------------------------------------------------- the calls */

#define QUIRE_NCCL_STEPS 2

/* Enqueues one of the steps of a prepared job: 0, then 1. Statuses: of the device and of NCCL, see above. */
static inline quire_status quire_nccl_step(const quire_nccl_job *job, int step) {
    int callers = 0;
    quire_status status = job->fields ? quire_nccl_enter(job, &callers) : QUIRE_OK;
    if (status || !job->fields) return status;
    if (job->by_element) {
        status = step ? quire_nccl_local_columns(job) : quire_nccl_exchange(job);
        if (step && !status) status = quire_nccl_gather(job);
    } else {
        status = step ? quire_nccl_round_sums(job) : quire_nccl_local_sums(job);
        if (!step && !status) status = quire_nccl_merge_sums(job);
    }
    return quire_nccl_leave(callers, status);
}

static inline quire_status quire_nccl_steps(const quire_nccl_job *job, quire_status status) {
    for (int step = 0; step < QUIRE_NCCL_STEPS && !status; step++) status = quire_nccl_step(job, step);
    return status;
}

/* Checks the arguments of quire_nccl_allreduce_fields and keeps them in *job, from which nothing is freed. */
static inline quire_status
quire_nccl_prepare_fields(quire_nccl_job *job, quire_context *context, const quire_reduction *what, size_t fields,
                          const quire_layout *x_layout, const void *x, const quire_layout *y_layout, const void *y,
                          void *results, ncclComm_t comm, cudaStream_t stream, void *workspace, size_t workspace_size) {
    memset(job, 0, sizeof *job);
    if (!what || !x_layout) return QUIRE_NULL_POINTER;
    job->context = context, job->what = *what, job->fields = fields;
    job->x_layout = *x_layout, job->y_layout = y_layout ? *y_layout : *x_layout;
    job->x = x, job->y = y, job->results = results;
    job->comm = comm, job->stream = stream, job->workspace = workspace;
    quire_status status = quire_nccl_check_layouts(job);
    if (!status) status = quire_nccl_check_memory(job, quire_nccl_workspace(what, fields), workspace_size);
    return status ? status : quire_nccl_check_place(job);
}

/* Of quire_nccl_allreduce. */
static inline quire_status quire_nccl_prepare(quire_nccl_job *job, quire_context *context, const quire_reduction *what,
                                              size_t n, const void *x, const void *y, void *result, ncclComm_t comm,
                                              cudaStream_t stream, void *workspace, size_t workspace_size) {
    const quire_layout layout = quire_strided(n, 1);
    return quire_nccl_prepare_fields(job, context, what, 1, &layout, x, NULL, y, result, comm, stream, workspace,
                                     workspace_size);
}

/* Of quire_nccl_allreduce_elements. */
static inline quire_status quire_nccl_prepare_elements(quire_nccl_job *job, quire_context *context,
                                                       const quire_reduction *what, size_t n, const void *x,
                                                       void *results, ncclComm_t comm, cudaStream_t stream,
                                                       void *workspace, size_t workspace_size) {
    memset(job, 0, sizeof *job);
    if (!what) return QUIRE_NULL_POINTER;
    job->context = context, job->what = *what, job->fields = n, job->by_element = 1;
    job->x_layout = job->y_layout = quire_columns(1, n, (ptrdiff_t)n);
    job->x = x, job->results = results;
    job->comm = comm, job->stream = stream, job->workspace = workspace;
    quire_status status = quire_nccl_check_layouts(job);
    if (!status && what->operation == QUIRE_DOT) status = QUIRE_INVALID_OPERATION;
    if (!status && n && (!comm || ncclCommUserRank(comm, &job->rank) || ncclCommCount(comm, &job->ranks)))
        status = QUIRE_COMMUNICATION_FAULT;
    if (!status)
        status =
            quire_nccl_check_memory(job, n ? quire_nccl_elements_workspace(what, n, job->ranks) : 0, workspace_size);
    return status ? status : quire_nccl_check_place(job);
}

/* Reduces a vector of which each rank has a part: sum, asum, dot, nrm2, mean, sumsq, variance, stddev.
 *   n, x, y  this rank's elements: any number, 0 included (x and y may be anything then); y is read by QUIRE_DOT alone
 *   result   one element of the result type
 * Over the wire go 1120 bytes, whatever n is; for variance and stddev 2240. */
static inline quire_status quire_nccl_allreduce(quire_context *context, const quire_reduction *what, size_t n,
                                                const void *x, const void *y, void *result, ncclComm_t comm,
                                                cudaStream_t stream, void *workspace, size_t workspace_size) {
    quire_nccl_job job;
    return quire_nccl_steps(
        &job, quire_nccl_prepare(&job, context, what, n, x, y, result, comm, stream, workspace, workspace_size));
}

/* Reduces many vectors at once, in one ncclAllReduce of 1120 bytes for each, or 2240 as above.
 *   fields    how many vectors: outer * inner of the layout; the same on all ranks, 0 included
 *   x_layout  where this rank's part of each vector stands, in host memory: its n is this rank's own. The elements of a
 *             vector stand side by side (stride is 1), else QUIRE_INVALID_LAYOUT. A vector costs a launch: they should
 *             be few and long. Many of one element on each rank: quire_nccl_allreduce_elements, to the same bits
 *   y_layout  of y; NULL: as x_layout
 *   results   fields elements of the result type, of vector (i, j) at results[i * inner + j] */
static inline quire_status quire_nccl_allreduce_fields(quire_context *context, const quire_reduction *what,
                                                       size_t fields, const quire_layout *x_layout, const void *x,
                                                       const quire_layout *y_layout, const void *y, void *results,
                                                       ncclComm_t comm, cudaStream_t stream, void *workspace,
                                                       size_t workspace_size) {
    quire_nccl_job job;
    return quire_nccl_steps(&job, quire_nccl_prepare_fields(&job, context, what, fields, x_layout, x, y_layout, y,
                                                            results, comm, stream, workspace, workspace_size));
}

/* The elementwise reduction of arrays over ranks: results[i] is the sum (asum, mean, nrm2, sumsq, variance, stddev) of
 * x[i] of all ranks, correctly rounded: the same bits for any number and order of ranks that have these elements
 * between them.
 *   n        elements of x and of results, the same on all ranks, 0 included
 *   x        this rank's array
 *   results  n elements of the result type; may be x if the result type is the type, and else is not to overlap it
 * QUIRE_INVALID_OPERATION for QUIRE_DOT, too.
 *
 * The traffic is that of a ring allreduce: every element goes out once (ncclSend, ncclRecv), is reduced by one rank,
 * and comes back once (ncclAllGather). An array may be reduced piece by piece, in a smaller workspace, with the same
 * bits. */
static inline quire_status quire_nccl_allreduce_elements(quire_context *context, const quire_reduction *what, size_t n,
                                                         const void *x, void *results, ncclComm_t comm,
                                                         cudaStream_t stream, void *workspace, size_t workspace_size) {
    quire_nccl_job job;
    return quire_nccl_steps(
        &job, quire_nccl_prepare_elements(&job, context, what, n, x, results, comm, stream, workspace, workspace_size));
}

#ifdef __cplusplus
}
#endif

#endif
