/* quire/mpi.h - exact sums over the ranks of MPI: the same bits for any number of ranks and any distribution of the
 * data.
 *
 *     #include <quire/mpi.h>                                                  // and link libquire and MPI
 *
 *     quire_reduction what = { 0 };
 *     what.type = QUIRE_F64;
 *     double s;                                            // of the x of all ranks, correctly rounded
 *     quire_status status = quire_mpi_allreduce(NULL, &what, n, x, NULL, &s, MPI_COMM_WORLD);
 *
 * Each rank adds its elements up exactly, ONE MPI_Allreduce merges these sums, and each rank rounds once. The result is
 * what a single rank with all elements would get from quire_reduce, bit for bit. docs/ranks.md has the cost.
 *
 * All functions here are collective: all ranks of comm call the same one, with the same *what. How many elements of a
 * vector a rank has is its own affair, 0 included. results are written on every rank.
 *
 * ERRORS are everybody's. If a rank's arguments are bad, or its call fails, no rank waits in vain, all get the same
 * status (the greatest of theirs), and no results are written. Statuses are quire_reduce's, QUIRE_INVALID_TYPE also for
 * integers, and QUIRE_INVALID_OPERATION for what a call does not name; QUIRE_RANKS_DIFFER if the ranks' *what or sizes
 * are not the same where they must be; and QUIRE_COMMUNICATION_FAULT if an MPI call fails and the communicator's error
 * handler returns; then results are not to be used on any rank. QUIRE_RANKS_DIFFER, too, if ranks were compiled with
 * versions of this header that send records of different forms. One thing nobody can see in time: different numbers of
 * fields where a rank has fewer than 256 (128 for moments), since they are the length of the first message, as count is
 * in MPI_Allreduce. MPI's own rule holds there: some ranks get one of these two statuses, and others may wait.
 *
 * CONTEXTS are on the CPU (or NULL), data is in host memory, and the method is QUIRE_EXACT. Sums made on a device:
 * quire_accumulate there, copy the accumulators to host memory, quire_mpi_allreduce_accumulators, quire_finish.
 *
 * Nothing but quire_mpi_allreduce_elements allocates. A thread at a time may be in a call on one communicator, as MPI
 * has it. A first call makes an MPI type and an operation, which go at the start of MPI_Finalize: a shared object that
 * calls these functions must stay loaded until then.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_MPI_H
#define QUIRE_MPI_H

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include <quire/mpi_vectors.h>
#include <quire/quire.h>

#ifdef __cplusplus
extern "C" {
#endif

/* -------------------------------------------------------------------------------------------------------- the calls */

/* Reduces a vector of which each rank has a part: sum, asum, dot, nrm2, mean, sumsq, variance, stddev.
 *   context  where to work; NULL: this thread
 *   what     what is computed; the same on all ranks
 *   n, x, y  this rank's elements: any number, 0 included (x and y may be anything then); y is read by QUIRE_DOT alone
 *   result   one element of the result type */
static inline quire_status quire_mpi_allreduce(quire_context *context, const quire_reduction *what, size_t n,
                                               const void *x, const void *y, void *result, MPI_Comm comm) {
    quire_mpi_job job;
    memset(&job, 0, sizeof job);
    job.context = context, job.x = x, job.y = y, job.squares = 1;
    job.x_layout = job.y_layout = quire_strided(n, 1);
    if (what) job.what = *what;
    return quire_mpi_reduce(&job, 1, what ? quire_mpi_check(&job, 1, result) : QUIRE_NULL_POINTER, result, comm);
}

static inline quire_status quire_mpi_vectors(quire_context *context, const quire_reduction *what, size_t fields,
                                             const quire_layout *x_layout, const void *x, const quire_layout *y_layout,
                                             const void *y, void *results, int squares, MPI_Comm comm) {
    quire_mpi_job job;
    memset(&job, 0, sizeof job);
    job.context = context, job.x = x, job.y = y, job.squares = squares;
    if (what) job.what = *what;
    if (x_layout) job.x_layout = job.y_layout = *x_layout;
    if (y_layout) job.y_layout = *y_layout;
    quire_status status = what && x_layout ? quire_mpi_check(&job, fields, results) : QUIRE_NULL_POINTER;
    if (squares && job.what.operation == QUIRE_DOT) status = QUIRE_INVALID_OPERATION; /* of moments, which have no y */
    return quire_mpi_reduce(&job, fields, status, results, comm);
}

/* Reduces many vectors at once, in one Allreduce for each 256 of them: sum, asum, dot, nrm2, mean, sumsq.
 *   fields     how many vectors: outer * inner of the layout; the same on all ranks
 *   x_layout   where this rank's part of each vector stands: its n is this rank's own. Elements side by side are the
 *              fastest
 *   y_layout   of y; NULL: as x_layout
 *   results    of vector (i, j) at results[i * inner + j]
 * A field that is wider than a record (mpi_record.h says what that takes) costs an Allreduce of its own. */
static inline quire_status quire_mpi_allreduce_fields(quire_context *context, const quire_reduction *what,
                                                      size_t fields, const quire_layout *x_layout, const void *x,
                                                      const quire_layout *y_layout, const void *y, void *results,
                                                      MPI_Comm comm) {
    return quire_mpi_vectors(context, what, fields, x_layout, x, y_layout, y, results, 0, comm);
}

/* The same for sum, asum, nrm2, mean, sumsq, variance and stddev, with a record more for each field: 128 of them in one
 * Allreduce. */
static inline quire_status quire_mpi_allreduce_moments(quire_context *context, const quire_reduction *what,
                                                       size_t fields, const quire_layout *x_layout, const void *x,
                                                       void *results, MPI_Comm comm) {
    return quire_mpi_vectors(context, what, fields, x_layout, x, NULL, NULL, results, 1, comm);
}

/* An accumulator with what its rank says of the call: a message whose length does not depend on the arguments. */
typedef struct quire_mpi_first {
    int64_t word[QUIRE_ACCUMULATOR_WORDS];
    quire_record call;
} quire_mpi_first;

static inline void quire_mpi_merge_first(void *from, void *into, int *length, MPI_Datatype *type) {
    const quire_mpi_first *a = (const quire_mpi_first *)from;
    quire_mpi_first *b = (quire_mpi_first *)into;
    (void)type;
    for (int i = 0; i < *length; i++) {
        quire_record_merge(&b[i].call, &a[i].call);
        for (int k = 0; k < QUIRE_ACCUMULATOR_WORDS; k++)
            b[i].word[k] = (int64_t)((uint64_t)b[i].word[k] + (uint64_t)a[i].word[k]);
    }
}

/* Merges accumulators in host memory over the ranks, each with those of the same number; all ranks get the merged ones,
 * carried: the first in one Allreduce, all others in a second.
 *   count         how many; the same on all ranks, else QUIRE_RANKS_DIFFER; below 0: QUIRE_INVALID_LAYOUT
 *   accumulators  count of them, each the sum of at most 2^31 carried ones divided by the number of ranks
 * A bad argument on any rank leaves all untouched. */
static inline quire_status quire_mpi_allreduce_accumulators(int count, quire_accumulator *accumulators, MPI_Comm comm) {
    static quire_mpi_merger kept;
    const int most = 1 << 20; /* at once: their words must be an int */
    quire_status status = count < 0 ? QUIRE_INVALID_LAYOUT : QUIRE_OK;
    quire_reduction what;
    quire_mpi_first first;
    if (!status && count && !accumulators) status = QUIRE_NULL_POINTER;
    if (!status && (uintptr_t)accumulators & (sizeof(int64_t) - 1)) status = QUIRE_MISALIGNED;
    memset(&what, 0, sizeof what);
    memset(&first, 0, sizeof first);
    if (!status && count) memcpy(first.word, accumulators, sizeof first.word);
    first.call = quire_record_of_call(status, 0, count < 0 ? 0 : (uint64_t)count, &what);
    status = quire_mpi_allreduce_by(&kept, quire_mpi_merge_first, sizeof first / 8, 1, &first, comm);
    if (!status) status = quire_record_status(&first.call);
    for (int i = 1; i < count && !status; i += most) {
        const int some = count - i < most ? count - i : most;
        status = quire_mpi_status(
            MPI_Allreduce(MPI_IN_PLACE, &accumulators[i], some * QUIRE_ACCUMULATOR_WORDS, MPI_INT64_T, MPI_SUM, comm));
    }
    if (!status && count) memcpy(accumulators, first.word, sizeof first.word);
    for (int i = 0; i < count && !status; i++) status = quire_carry(&accumulators[i]);
    return status;
}

/* ---------------------------------------------------------------------------------------- element by element */

/* The ranges that the ranks reduce: elements [r * n / ranks, (r + 1) * n / ranks) are rank r's, without an overflow. */
static inline size_t quire_mpi_begin(size_t n, int rank, int ranks) {
    const size_t all = (size_t)ranks, r = (size_t)rank;
    return n / all * r + n % all * r / all;
}

/* Of elements of a size, which MPI moves and does not add. (MPI_Type_match_size knows Fortran's types, where MPI has
 * any.) */
static inline MPI_Datatype quire_mpi_bits(size_t size) {
    return size == 1 ? MPI_UINT8_T : size == 2 ? MPI_UINT16_T : size == 4 ? MPI_UINT32_T : MPI_UINT64_T;
}

/* n elements of x, with buffers: `gathered` for n / ranks + 1 elements of each rank, `mine` for as many results, counts
 * for 4 * ranks ints. */
static inline quire_status quire_mpi_elements_at_once(quire_context *context, const quire_reduction *what, size_t n,
                                                      const char *x, char *results, char *gathered, char *mine,
                                                      int *counts, MPI_Datatype x_type, MPI_Datatype result_type,
                                                      MPI_Comm comm) {
    int rank = 0, ranks = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    int *sent = counts, *sent_at = counts + ranks, *got = counts + 2 * ranks, *got_at = counts + 3 * ranks;
    const size_t own = quire_mpi_begin(n, rank + 1, ranks) - quire_mpi_begin(n, rank, ranks);
    for (int r = 0; r < ranks; r++) {
        sent_at[r] = (int)quire_mpi_begin(n, r, ranks);
        sent[r] = (int)quire_mpi_begin(n, r + 1, ranks) - sent_at[r];
        got[r] = (int)own;
        got_at[r] = r * (int)own;
    }
    int code = MPI_Alltoallv(x, sent, sent_at, x_type, gathered, got, got_at, x_type, comm);
    if (code != MPI_SUCCESS) return QUIRE_COMMUNICATION_FAULT;
    const quire_layout columns = quire_columns((size_t)ranks, own, (ptrdiff_t)own);
    const quire_status status = quire_reduce(context, what, &columns, gathered, NULL, NULL, mine);
    code = MPI_Allgatherv(mine, (int)own, result_type, results, sent, sent_at, result_type, comm);
    return status ? status : quire_mpi_status(code);
}

/* The elementwise reduction of arrays over ranks: results[i] is the sum (asum, mean, nrm2, sumsq, variance, stddev) of
 * x[i] of all ranks, correctly rounded: the same bits for any number and order of ranks that have these elements
 * between them.
 *   n        elements of x and of results, the same on all ranks; else QUIRE_RANKS_DIFFER
 *   x        this rank's array
 *   results  n elements of the result type, on all ranks; may be x if the result type is the type
 *
 * The traffic is that of a ring allreduce: every element goes out once (MPI_Alltoallv), is reduced by one rank, and
 * comes back once (MPI_Allgatherv). Two buffers of up to QUIRE_MPI_ELEMENTS elements are allocated:
 * QUIRE_OUT_OF_MEMORY. */
#define QUIRE_MPI_ELEMENTS ((size_t)1 << 18)

static inline quire_status quire_mpi_check_elements(const quire_reduction *what, size_t n, const void *x,
                                                    const void *results) {
    quire_mpi_job job;
    if (!what) return QUIRE_NULL_POINTER;
    if (what->operation == QUIRE_DOT) return QUIRE_INVALID_OPERATION;
    memset(&job, 0, sizeof job);
    job.x = x, job.what = *what, job.squares = 1;
    job.x_layout = job.y_layout = quire_strided(n, 1);
    return quire_mpi_check(&job, 1, n ? results : &job);
}

static inline quire_status quire_mpi_allreduce_elements(quire_context *context, const quire_reduction *what, size_t n,
                                                        const void *x, void *results, MPI_Comm comm) {
    int ranks = 1, code = MPI_Comm_size(comm, &ranks);
    if (code != MPI_SUCCESS) return QUIRE_COMMUNICATION_FAULT;
    quire_status status = quire_mpi_check_elements(what, n, x, results);
    const size_t size = status ? 1 : quire_type_size(what->type);
    const size_t result_size = status ? 1 : quire_type_size(what->result_type ? what->result_type : what->type);
    const size_t once = n < QUIRE_MPI_ELEMENTS ? n : QUIRE_MPI_ELEMENTS, own = once / (size_t)ranks + 1;
    char *gathered = status ? NULL : (char *)malloc(own * (size_t)ranks * size);
    char *mine = status ? NULL : (char *)malloc(own * result_size);
    int *counts = status ? NULL : (int *)malloc(4 * (size_t)ranks * sizeof(int));
    if (!status && (!gathered || !mine || !counts)) status = QUIRE_OUT_OF_MEMORY;
    if (!status) { /* a try on one zero: whether the context will do */
        const quire_layout one = quire_strided(1, 1);
        memset(gathered, 0, size);
        status = quire_reduce(context, what, &one, gathered, NULL, NULL, mine);
    }

    quire_reduction said;
    memset(&said, 0, sizeof said);
    if (what) said = *what;
    quire_record call = quire_record_of_call(status, 0, n, &said);
    status = quire_mpi_allreduce_records(1, &call, comm); /* whether all are ready, and agree */

    const MPI_Datatype x_type = quire_mpi_bits(size), result_type = quire_mpi_bits(result_size);
    for (size_t from = 0; from < n && !status; from += once) {
        const size_t some = n - from < once ? n - from : once;
        status = quire_mpi_elements_at_once(context, what, some, (const char *)x + from * size,
                                            (char *)results + from * result_size, gathered, mine, counts, x_type,
                                            result_type, comm);
    }
    free(gathered);
    free(mine);
    free(counts);
    return status;
}

#ifdef __cplusplus
}
#endif

#endif
