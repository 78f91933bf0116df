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
 * All functions here are collective: all ranks of comm call the same one, with the same number of fields or elements
 * (where it is an argument of its own, as MPI's count is), and the same *what. How many elements of a vector a rank has
 * is its own affair, 0 included. results are written on every rank.
 *
 * ERRORS are everybody's. If a rank's arguments are bad, or its call fails, no rank waits in vain, all get the same
 * status (the greatest of theirs), and no results are written. Statuses are quire_reduce's, and
 * QUIRE_COMMUNICATION_FAULT if an MPI call fails and the communicator's error handler returns; then results are not to
 * be used on any rank.
 *
 * CONTEXTS are on the CPU (or NULL), data is in host memory, and the method is QUIRE_EXACT. Sums made on a device:
 * quire_accumulate there, copy the accumulators to host memory, quire_mpi_allreduce_accumulators, quire_finish.
 *
 * Nothing but quire_mpi_allreduce_elements allocates. A thread at a time may be in a call on one communicator, as MPI
 * has it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_MPI_H
#define QUIRE_MPI_H

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include <quire/mpi_record.h>
#include <quire/quire.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------------------------------------------------- helpers */

static inline quire_status quire_mpi_status(int code) {
    return code == MPI_SUCCESS ? QUIRE_OK : QUIRE_COMMUNICATION_FAULT;
}

static inline void quire_mpi_merge(void *from, void *into, int *length, MPI_Datatype *type) {
    (void)type;
    for (int i = 0; i < *length; i++) quire_record_merge((quire_record *)into + i, (const quire_record *)from + i);
}

/* Merges records over the ranks, in place. The type and the operation live for this call only: they cost a fraction of
 * a microsecond, and nothing is left behind at MPI_Finalize. */
static inline quire_status quire_mpi_allreduce_records(int count, quire_record *records, MPI_Comm comm) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Op merge = MPI_OP_NULL;
    int code = MPI_Type_contiguous(QUIRE_RECORD_WORDS + 1, MPI_UINT64_T, &type);
    if (code == MPI_SUCCESS) code = MPI_Type_commit(&type);
    if (code == MPI_SUCCESS) code = MPI_Op_create(quire_mpi_merge, 1, &merge);
    if (code == MPI_SUCCESS) code = MPI_Allreduce(MPI_IN_PLACE, records, count, type, merge, comm);
    if (merge != MPI_OP_NULL) MPI_Op_free(&merge);
    if (type != MPI_DATATYPE_NULL) MPI_Type_free(&type);
    return quire_mpi_status(code);
}

/* Vectors that are distributed over ranks, as quire_reduce has them, and what is done with each. squares: a field has a
 * record for its squares, too, whatever the operation, so that the length of a message is a matter of which function
 * was called; only variance and stddev fill it. */
typedef struct quire_mpi_job {
    quire_context *context;
    quire_reduction what;
    quire_layout x_layout, y_layout;
    const void *x, *y;
    int squares;
} quire_mpi_job;

static inline int quire_mpi_has_squares(const quire_mpi_job *job) {
    return job->what.operation == QUIRE_VARIANCE || job->what.operation == QUIRE_STDDEV;
}

/* Whether a rank's own arguments are good. quire_reduce says so of *what, given no vectors. */
static inline quire_status quire_mpi_check(const quire_mpi_job *job, size_t fields, const void *results) {
    const quire_reduction *what = &job->what;
    const quire_layout *x = &job->x_layout, *y = &job->y_layout, none = { 0, 0, 0, 0, 0, 0 };
    const size_t size = quire_type_size(what->type);
    const size_t result_size = quire_type_size(what->result_type ? what->result_type : what->type);
    const int dot = what->operation == QUIRE_DOT;
    quire_status status = quire_reduce(NULL, what, &none, NULL, NULL, NULL, NULL);
    if (status) return status;
    if (quire_mpi_has_squares(job) && !job->squares) return QUIRE_INVALID_OPERATION;
    if (what->method && what->method != QUIRE_EXACT) return QUIRE_INVALID_METHOD;
    if (x->inner ? fields / x->inner != x->outer || fields % x->inner : fields != 0) return QUIRE_INVALID_LAYOUT;
    if (dot && (x->outer != y->outer || x->n != y->n || x->inner != y->inner)) return QUIRE_INVALID_LAYOUT;
    if (x->n > PTRDIFF_MAX / size) return QUIRE_SIZE_OVERFLOW;
    if (!fields) return QUIRE_OK;
    if (!results || (x->n && (!job->x || (dot && !job->y)))) return QUIRE_NULL_POINTER;
    const uintptr_t odd = x->n ? (uintptr_t)job->x | (dot ? (uintptr_t)job->y : 0) : 0;
    return odd & (size - 1) || (uintptr_t)results & (result_size - 1) ? QUIRE_MISALIGNED : QUIRE_OK;
}

/* n elements of a vector of a layout, side by side: where they are, or copied. */
static inline const void *quire_mpi_elements(const void *x, const quire_layout *layout, size_t field, size_t from,
                                             size_t n, size_t size, void *copy) {
    const ptrdiff_t i = (ptrdiff_t)(field / layout->inner), j = (ptrdiff_t)(field % layout->inner);
    const char *first =
        (const char *)x +
        (i * layout->outer_stride + j * layout->inner_stride + (ptrdiff_t)from * layout->stride) * (ptrdiff_t)size;
    if (layout->stride == 1) return first;
    for (size_t k = 0; k < n; k++)
        memcpy((char *)copy + k * size, first + (ptrdiff_t)k * layout->stride * (ptrdiff_t)size, size);
    return copy;
}

/* Adds a vector up: the terms of its operation to into[0], for a variance its squares to into[1]. */
static inline quire_status quire_mpi_accumulate(const quire_mpi_job *job, size_t field, quire_accumulator *into) {
    const size_t most = 512;
    double x_copy[512], y_copy[512];
    const quire_operation operation = job->what.operation;
    const quire_type type = job->what.type;
    const size_t size = quire_type_size(type), n = job->x_layout.n;
    const int contiguous = job->x_layout.stride == 1 && (operation != QUIRE_DOT || job->y_layout.stride == 1);
    quire_status status = QUIRE_OK;
    for (size_t k = 0; k < n && !status;) {
        const size_t some = contiguous || n - k < most ? n - k : most;
        const void *x = quire_mpi_elements(job->x, &job->x_layout, field, k, some, size, x_copy), *y = x;
        if (operation == QUIRE_DOT) y = quire_mpi_elements(job->y, &job->y_layout, field, k, some, size, y_copy);
        if (operation == QUIRE_ASUM)
            status = quire_accumulate_magnitudes(job->context, into, type, some, x);
        else if (operation == QUIRE_DOT || operation == QUIRE_NRM2 || operation == QUIRE_SUMSQ)
            status = quire_accumulate_products(job->context, into, type, some, x, y);
        else
            status = quire_accumulate(job->context, into, type, some, x);
        if (quire_mpi_has_squares(job) && !status)
            status = quire_accumulate_products(job->context, into + 1, type, some, x, x);
        k += some;
    }
    return status;
}

/* Finishes a vector whose record says that it is wide: with whole accumulators. */
static inline quire_status quire_mpi_finish_wide(const quire_mpi_job *job, size_t field, void *result, MPI_Comm comm) {
    const quire_accumulator zero = QUIRE_ACCUMULATOR_ZERO;
    quire_accumulator whole[2] = { zero, zero };
    const int used = 1 + quire_mpi_has_squares(job);
    quire_status status = quire_mpi_accumulate(job, field, whole);
    const int code = MPI_Allreduce(MPI_IN_PLACE, whole, used * QUIRE_ACCUMULATOR_WORDS, MPI_INT64_T, MPI_SUM, comm);
    if (!status) status = quire_mpi_status(code);
    return status ? status : quire_finish(&job->what, &whole[0], &whole[1], result);
}

/* Finishes a vector: from its records, or, if they are wide, on all ranks, from whole accumulators. */
static inline quire_status quire_mpi_finish(const quire_mpi_job *job, size_t field, const quire_record *records,
                                            uint64_t count, void *result, MPI_Comm comm) {
    const int squares = quire_mpi_has_squares(job);
    quire_accumulator a[2];
    if ((records[0].head | (squares ? records[1].head : 0)) & QUIRE_RECORD_WIDE)
        return quire_mpi_finish_wide(job, field, result, comm);
    quire_record_to(&records[0], count, &a[0]);
    if (squares) quire_record_to(&records[1], count, &a[1]);
    return quire_finish(&job->what, &a[0], squares ? &a[1] : NULL, result);
}

/* The vectors of a job, some at a time: as many as fit QUIRE_MPI_RECORDS records, in one Allreduce each. The last
 * record of a message is the number of terms. Every record has the status of its rank. */
#define QUIRE_MPI_RECORDS 257

static inline quire_status quire_mpi_reduce(const quire_mpi_job *job, size_t fields, quire_status status, void *results,
                                            MPI_Comm comm) {
    const quire_accumulator zero = QUIRE_ACCUMULATOR_ZERO;
    const size_t each = job->squares ? 2 : 1, most = (QUIRE_MPI_RECORDS - 1) / each;
    const size_t size = quire_type_size(job->what.result_type ? job->what.result_type : job->what.type);
    const int squares = quire_mpi_has_squares(job);
    quire_record records[QUIRE_MPI_RECORDS];
    size_t from = 0;
    do {
        const size_t some = fields - from < most ? fields - from : most;
        quire_record *count = &records[each * some];
        memset(records, 0, each * some * sizeof *records);
        for (size_t i = 0; i < some && !status; i++) {
            quire_accumulator a[2];
            a[0] = zero;
            if (squares) a[1] = zero;
            status = quire_mpi_accumulate(job, from + i, a);
            records[each * i] = quire_record_of(&a[0]);
            if (squares) records[each * i + 1] = quire_record_of(&a[1]);
        }
        *count = quire_record_of_count(job->x_layout.n);
        count->head |= (uint64_t)status << 16;
        const quire_status fault = quire_mpi_allreduce_records((int)(each * some) + 1, records, comm);
        status = fault ? fault : (quire_status)QUIRE_RECORD_STATUS(count->head);
        for (size_t i = 0; i < some && !status; i++)
            status = quire_mpi_finish(job, from + i, &records[each * i], count->word[0],
                                      (char *)results + (from + i) * size, comm);
        from += some;
    } while (from < fields && !status);
    return status;
}

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
    return quire_mpi_reduce(
        &job, fields, what && x_layout ? quire_mpi_check(&job, fields, results) : QUIRE_NULL_POINTER, results, comm);
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

/* The same for all of these and for variance and stddev, with a record more for each field: 128 of them in one
 * Allreduce. */
static inline quire_status quire_mpi_allreduce_moments(quire_context *context, const quire_reduction *what,
                                                       size_t fields, const quire_layout *x_layout, const void *x,
                                                       void *results, MPI_Comm comm) {
    return quire_mpi_vectors(context, what, fields, x_layout, x, NULL, NULL, results, 1, comm);
}

/* Merges accumulators in host memory over the ranks, each with those of the same number; all ranks get the merged ones,
 * carried. QUIRE_NULL_POINTER and QUIRE_MISALIGNED on any rank leave all untouched. */
static inline quire_status quire_mpi_allreduce_accumulators(int count, quire_accumulator *accumulators, MPI_Comm comm) {
    const quire_accumulator zero = QUIRE_ACCUMULATOR_ZERO;
    int status = count > 0 && !accumulators ? QUIRE_NULL_POINTER : QUIRE_OK;
    if (!status && (uintptr_t)accumulators & (sizeof(int64_t) - 1)) status = QUIRE_MISALIGNED;
    quire_status fault = quire_mpi_status(MPI_Allreduce(MPI_IN_PLACE, &status, 1, MPI_INT, MPI_MAX, comm));
    if (fault || status) return fault ? fault : (quire_status)status;
    for (int i = 0; i < count && !fault; i++) {
        quire_accumulator merged = zero;
        fault = quire_mpi_status(
            MPI_Allreduce(&accumulators[i], &merged, QUIRE_ACCUMULATOR_WORDS, MPI_INT64_T, MPI_SUM, comm));
        if (fault) break;
        quire_carry(&merged);
        accumulators[i] = merged;
    }
    return fault;
}

/* ---------------------------------------------------------------------------------------- element by element */

/* The ranges that the ranks reduce: elements [r * n / ranks, (r + 1) * n / ranks) are rank r's, without an overflow. */
static inline size_t quire_mpi_begin(size_t n, int rank, int ranks) {
    const size_t all = (size_t)ranks, r = (size_t)rank;
    return n / all * r + n % all * r / all;
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
 *   n        elements of x and of results, the same on all ranks; else QUIRE_INVALID_LAYOUT
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
    memset(&job, 0, sizeof job);
    job.x = x, job.what = *what, job.squares = 1;
    job.x_layout = job.y_layout = quire_strided(n, 1);
    const quire_status status = quire_mpi_check(&job, 1, n ? results : &job);
    return !status && what->operation == QUIRE_DOT ? QUIRE_INVALID_OPERATION : status;
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

    /* Whether all are ready, and of one mind about n and the sizes: the greatest and the least of each. */
    int64_t said[5] = { (int64_t)status, (int64_t)n, -(int64_t)n, (int64_t)(size * 16 + result_size), 0 };
    said[4] = -said[3];
    code = MPI_Allreduce(MPI_IN_PLACE, said, 5, MPI_INT64_T, MPI_MAX, comm);
    status = code != MPI_SUCCESS ? QUIRE_COMMUNICATION_FAULT : (quire_status)said[0];
    if (!status && (said[1] != -said[2] || said[3] != -said[4])) status = QUIRE_INVALID_LAYOUT;

    MPI_Datatype x_type = MPI_DATATYPE_NULL, result_type = MPI_DATATYPE_NULL;
    if (!status) status = quire_mpi_status(MPI_Type_match_size(MPI_TYPECLASS_INTEGER, (int)size, &x_type));
    if (!status) status = quire_mpi_status(MPI_Type_match_size(MPI_TYPECLASS_INTEGER, (int)result_size, &result_type));
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
