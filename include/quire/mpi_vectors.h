/* quire/mpi_vectors.h - of mpi.h: vectors that are distributed over ranks, from a rank's own elements to results.
 *
 * A rank checks its arguments, packs a record for each vector and one for the call (mpi_record.h), merges them over the
 * ranks, and finishes each vector. This header is part of mpi.h, and may change with it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_MPI_VECTORS_H
#define QUIRE_MPI_VECTORS_H

#include <mpi.h>
#include <string.h>

#include <quire/mpi_record.h>
#include <quire/quire.h>

#ifdef __cplusplus
extern "C" {
#endif

static inline quire_status quire_mpi_status(int code) {
    return code == MPI_SUCCESS ? QUIRE_OK : QUIRE_COMMUNICATION_FAULT;
}

/* One MPI_Allreduce, in place, of elements of the given number of 64-bit words, by an operation of our own. Type and
 * operation live for this call only: they cost a fraction of a microsecond, and nothing is left behind at MPI_Finalize.
 */
static inline quire_status quire_mpi_allreduce_by(MPI_User_function *function, int words, int count, void *elements,
                                                  MPI_Comm comm) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Op merge = MPI_OP_NULL;
    int code = MPI_Type_contiguous(words, MPI_UINT64_T, &type);
    if (code == MPI_SUCCESS) code = MPI_Type_commit(&type);
    if (code == MPI_SUCCESS) code = MPI_Op_create(function, 1, &merge);
    if (code == MPI_SUCCESS) code = MPI_Allreduce(MPI_IN_PLACE, elements, count, type, merge, comm);
    if (merge != MPI_OP_NULL) MPI_Op_free(&merge);
    if (type != MPI_DATATYPE_NULL) MPI_Type_free(&type);
    return quire_mpi_status(code);
}

static inline void quire_mpi_merge(void *from, void *into, int *length, MPI_Datatype *type) {
    (void)type;
    for (int i = 0; i < *length; i++) quire_record_merge((quire_record *)into + i, (const quire_record *)from + i);
}

/* Merges records over the ranks, the last of which is that of the call: says whether all ranks are well and agree. */
static inline quire_status quire_mpi_allreduce_records(int count, quire_record *records, MPI_Comm comm) {
    const quire_status fault = quire_mpi_allreduce_by(quire_mpi_merge, QUIRE_RECORD_WORDS + 1, count, records, comm);
    return fault ? fault : quire_record_status(&records[count - 1]);
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

static inline int quire_mpi_has_squares(const quire_mpi_job *job) { return quire_record_has_squares(&job->what); }

/* Whether a rank's own arguments are good. quire_reduce says so of *what and of the layouts, given no memory. */
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
    if (x->n > PTRDIFF_MAX / size) return QUIRE_SIZE_OVERFLOW;
    status = quire_reduce(NULL, what, x, NULL, y, NULL, NULL);
    if (status && status != QUIRE_NULL_POINTER) return status;
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

/* Whether a rank has but a double of each vector, to be added as it is: then no accumulator is needed. A context would
 * have a say in where the double lies. */
static inline int quire_mpi_is_one_double(const quire_mpi_job *job) {
    return !job->context && job->x_layout.n == 1 && job->what.type == QUIRE_F64 &&
           (!job->what.operation || job->what.operation == QUIRE_SUM || job->what.operation == QUIRE_MEAN);
}

/* The records of a vector of this rank. */
static inline quire_status quire_mpi_pack(const quire_mpi_job *job, size_t field, quire_record *records) {
    const quire_accumulator zero = QUIRE_ACCUMULATOR_ZERO;
    const int squares = quire_mpi_has_squares(job);
    quire_accumulator a[2];
    if (quire_mpi_is_one_double(job)) {
        records[0] = quire_record_of_double(quire_mpi_elements(job->x, &job->x_layout, field, 0, 1, 8, &a[0]));
        return QUIRE_OK;
    }
    a[0] = zero;
    if (squares) a[1] = zero;
    const quire_status status = quire_mpi_accumulate(job, field, a);
    records[0] = quire_record_of(&a[0]);
    if (squares) records[1] = quire_record_of(&a[1]);
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
 * record of a message is that of the call. */
#define QUIRE_MPI_RECORDS 257

static inline quire_status quire_mpi_reduce(const quire_mpi_job *job, size_t fields, quire_status status, void *results,
                                            MPI_Comm comm) {
    const size_t each = job->squares ? 2 : 1, most = (QUIRE_MPI_RECORDS - 1) / each;
    const size_t size = quire_type_size(job->what.result_type ? job->what.result_type : job->what.type);
    quire_record records[QUIRE_MPI_RECORDS];
    size_t from = 0;
    do {
        const size_t some = fields - from < most ? fields - from : most;
        quire_record *call = &records[each * some];
        memset(records, 0, each * some * sizeof *records);
        for (size_t i = 0; i < some && !status; i++) status = quire_mpi_pack(job, from + i, &records[each * i]);
        *call = quire_record_of_call(status, job->x_layout.n, fields, &job->what);
        status = quire_mpi_allreduce_records((int)(each * some) + 1, records, comm);
        for (size_t i = 0; i < some && !status; i++)
            status = quire_mpi_finish(job, from + i, &records[each * i], call->word[QUIRE_CALL_TERMS],
                                      (char *)results + (from + i) * size, comm);
        from += some;
    } while (from < fields && !status);
    return status;
}

#ifdef __cplusplus
}
#endif

#endif
