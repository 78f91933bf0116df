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

/* How an Allreduce merges elements of a number of 64-bit words: an MPI type, and an operation of our own. */
typedef struct quire_mpi_merger {
    MPI_Datatype type;
    MPI_Op merge;
    int state; /* of one that is kept */
} quire_mpi_merger;

static inline int quire_mpi_make(quire_mpi_merger *m, MPI_User_function *function, int words) {
    m->type = MPI_DATATYPE_NULL, m->merge = MPI_OP_NULL;
    int code = MPI_Type_contiguous(words, MPI_UINT64_T, &m->type);
    if (code == MPI_SUCCESS) code = MPI_Type_commit(&m->type);
    if (code == MPI_SUCCESS) code = MPI_Op_create(function, 1, &m->merge);
    return code;
}

static inline void quire_mpi_unmake(quire_mpi_merger *m) {
    if (m->merge != MPI_OP_NULL) MPI_Op_free(&m->merge);
    if (m->type != MPI_DATATYPE_NULL) MPI_Type_free(&m->type);
}

#if defined(__GNUC__) /* which has these atomics, as have the compilers that define this, too */
enum { QUIRE_MPI_OPEN, QUIRE_MPI_CLOSED, QUIRE_MPI_KEPT };

/* At the start of MPI_Finalize. */
static inline int quire_mpi_forget(MPI_Comm comm, int key, void *merger, void *extra) {
    quire_mpi_merger *m = (quire_mpi_merger *)merger;
    (void)comm, (void)key, (void)extra;
    __atomic_store_n(&m->state, QUIRE_MPI_CLOSED, __ATOMIC_RELAXED); /* for good */
    quire_mpi_unmake(m);
    return MPI_SUCCESS;
}

/* Makes a merger that lives until MPI_Finalize, which begins by deleting the attributes of MPI_COMM_SELF (MPI 3.1,
 * 8.7.1). Nothing is kept where that is not there (in sessions), nor while another thread is at it. */
static inline void quire_mpi_keep(quire_mpi_merger *m, MPI_User_function *function, int words) {
    int initialized = 0, finalized = 0, key = MPI_KEYVAL_INVALID, state = QUIRE_MPI_OPEN;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    if (!initialized || finalized) return;
    if (!__atomic_compare_exchange_n(&m->state, &state, QUIRE_MPI_CLOSED, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return;
    int code = quire_mpi_make(m, function, words);
    if (code == MPI_SUCCESS) code = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, quire_mpi_forget, &key, NULL);
    if (code == MPI_SUCCESS) code = MPI_Comm_set_attr(MPI_COMM_SELF, key, m);
    if (key != MPI_KEYVAL_INVALID) MPI_Comm_free_keyval(&key); /* it lives as long as the attribute */
    if (code != MPI_SUCCESS) quire_mpi_unmake(m);
    __atomic_store_n(&m->state, code == MPI_SUCCESS ? QUIRE_MPI_KEPT : QUIRE_MPI_OPEN, __ATOMIC_RELEASE);
}
#endif

/* One MPI_Allreduce, in place. Type and operation are kept, where they can be: to make and free them takes longer than
 * all else that a rank does for one number. */
static inline quire_status quire_mpi_allreduce_by(quire_mpi_merger *kept, MPI_User_function *function, int words,
                                                  int count, void *elements, MPI_Comm comm) {
    quire_mpi_merger m;
#if defined(__GNUC__)
    int state = __atomic_load_n(&kept->state, __ATOMIC_ACQUIRE);
    if (state == QUIRE_MPI_OPEN) {
        quire_mpi_keep(kept, function, words);
        state = __atomic_load_n(&kept->state, __ATOMIC_ACQUIRE);
    }
    if (state == QUIRE_MPI_KEPT)
        return quire_mpi_status(MPI_Allreduce(MPI_IN_PLACE, elements, count, kept->type, kept->merge, comm));
#endif
    (void)kept;
    int code = quire_mpi_make(&m, function, words);
    if (code == MPI_SUCCESS) code = MPI_Allreduce(MPI_IN_PLACE, elements, count, m.type, m.merge, comm);
    quire_mpi_unmake(&m);
    return quire_mpi_status(code);
}

static inline void quire_mpi_merge(void *from, void *into, int *length, MPI_Datatype *type) {
    (void)type;
    for (int i = 0; i < *length; i++) quire_record_merge((quire_record *)into + i, (const quire_record *)from + i);
}

/* Merges records over the ranks, the first of which is that of the call: says whether all ranks are well and agree. */
static inline quire_status quire_mpi_allreduce_records(int count, quire_record *records, MPI_Comm comm) {
    static quire_mpi_merger kept;
    const quire_status fault =
        quire_mpi_allreduce_by(&kept, quire_mpi_merge, QUIRE_RECORD_WORDS + 1, count, records, comm);
    return fault ? fault : quire_record_status(&records[0]);
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
    if (what->type >= QUIRE_INT8) return QUIRE_INVALID_TYPE; /* integers: a record has no bits for them */
    if (quire_mpi_has_squares(job) && !job->squares) return QUIRE_INVALID_OPERATION;
    if (quire_record_has_pair_sums(what)) return QUIRE_INVALID_OPERATION;
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
    if (quire_mpi_is_one_double(job)) {
        double copy;
        records[0] = quire_record_of_double(quire_mpi_elements(job->x, &job->x_layout, field, 0, 1, 8, &copy));
        return QUIRE_OK;
    }
    const quire_accumulator zero = QUIRE_ACCUMULATOR_ZERO;
    const int squares = quire_mpi_has_squares(job);
    quire_accumulator a[2];
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

/* Finishes a vector: from its records, or, if they are wide, on all ranks, from whole accumulators. a: two that are
 * zero, and stay so. */
static inline quire_status quire_mpi_finish(const quire_mpi_job *job, size_t field, const quire_record *records,
                                            uint64_t count, quire_accumulator *a, void *result, MPI_Comm comm) {
    const int squares = quire_mpi_has_squares(job);
    if ((records[0].head | (squares ? records[1].head : 0)) & QUIRE_RECORD_WIDE)
        return quire_mpi_finish_wide(job, field, result, comm);
    quire_record_to(&records[0], count, &a[0]);
    if (squares) quire_record_to(&records[1], count, &a[1]);
    const quire_status status = quire_finish(&job->what, &a[0], squares ? &a[1] : NULL, result);
    quire_record_undo(&records[0], &a[0]);
    if (squares) quire_record_undo(&records[1], &a[1]);
    return status;
}

/* The vectors of a job, some at a time: as many as fit QUIRE_MPI_RECORDS records, in one Allreduce each. The first
 * record of a message is that of the call: if messages differ in length, it is what they have in common. */
#define QUIRE_MPI_RECORDS 257

static inline quire_status quire_mpi_reduce(const quire_mpi_job *job, size_t fields, quire_status status, void *results,
                                            MPI_Comm comm) {
    const size_t each = job->squares ? 2 : 1, most = (QUIRE_MPI_RECORDS - 1) / each;
    const size_t size = quire_type_size(job->what.result_type ? job->what.result_type : job->what.type);
    const quire_accumulator zero = QUIRE_ACCUMULATOR_ZERO;
    quire_record records[QUIRE_MPI_RECORDS];
    quire_accumulator a[2];
    size_t from = 0;
    a[0] = zero;
    if (quire_mpi_has_squares(job)) a[1] = zero;
    do {
        const size_t some = fields - from < most ? fields - from : most;
        memset(records, 0, (each * some + 1) * sizeof *records);
        for (size_t i = 0; i < some && !status; i++) status = quire_mpi_pack(job, from + i, &records[1 + each * i]);
        records[0] = quire_record_of_call(status, job->x_layout.n, fields, &job->what);
        status = quire_mpi_allreduce_records((int)(each * some) + 1, records, comm);
        for (size_t i = 0; i < some && !status; i++)
            status = quire_mpi_finish(job, from + i, &records[1 + each * i], records[0].word[QUIRE_CALL_TERMS], a,
                                      (char *)results + (from + i) * size, comm);
        from += some;
    } while (from < fields && !status);
    return status;
}

#ifdef __cplusplus
}
#endif

#endif
