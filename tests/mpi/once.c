/* once.c - of test_mpi.c: threads whose first calls come at the same time, what calls leave behind, and messages that
 * differ in length. The functions here that have MPI's names are called in place of MPI's own.
 *
 * SPDX-License-Identifier: MIT
 */
#define _POSIX_C_SOURCE 200809L /* barriers */
#include "ranks.h"

#include <pthread.h>
#include <stdio.h>

static int made, freed; /* by one thread at a time, but while threads run */

int MPI_Op_create(MPI_User_function *function, int commute, MPI_Op *op) {
    __atomic_add_fetch(&made, 1, __ATOMIC_RELAXED);
    return PMPI_Op_create(function, commute, op);
}

int MPI_Op_free(MPI_Op *op) {
    __atomic_add_fetch(&freed, 1, __ATOMIC_RELAXED);
    return PMPI_Op_free(op);
}

int MPI_Type_contiguous(int count, MPI_Datatype of, MPI_Datatype *type) {
    __atomic_add_fetch(&made, 1, __ATOMIC_RELAXED);
    return PMPI_Type_contiguous(count, of, type);
}

int MPI_Type_free(MPI_Datatype *type) {
    __atomic_add_fetch(&freed, 1, __ATOMIC_RELAXED);
    return PMPI_Type_free(type);
}

/* As in an MPI that was built without Fortran. */
int MPI_Type_match_size(int type_class, int size, MPI_Datatype *type) {
    (void)type_class, (void)size, (void)type;
    return MPI_ERR_ARG;
}

enum { THREADS = 4, CALLS = 50 };
static pthread_barrier_t start;

typedef struct worker {
    MPI_Comm comm;
    int wrong;
} worker;

static void *work(void *argument) {
    worker *w = argument;
    const quire_reduction what = { QUIRE_SUM, QUIRE_F64, 0, 0, 0, 0, { 0 } };
    const double mine = rank ? 0x1p-60 : 1e300, minus = -1e300;
    pthread_barrier_wait(&start);
    for (int i = 0; i < CALLS; i++) { /* of all numbers: (ranks - 1) * 2^-60 */
        const double two[2] = { mine, minus };
        double sum = 0;
        const quire_status status = quire_mpi_allreduce(NULL, &what, rank ? 1 : 2, two, NULL, &sum, w->comm);
        w->wrong += status != QUIRE_OK || sum != (ranks - 1) * 0x1p-60;
    }
    return NULL;
}

void threads(int provided) {
    worker workers[THREADS];
    pthread_t thread[THREADS];
    if (provided == MPI_THREAD_MULTIPLE) {
        pthread_barrier_init(&start, NULL, THREADS);
        for (int i = 0; i < THREADS; i++) {
            workers[i].wrong = 0;
            MPI_Comm_dup(MPI_COMM_WORLD, &workers[i].comm);
            expect(!pthread_create(&thread[i], NULL, work, &workers[i]), "no thread");
        }
        for (int i = 0; i < THREADS; i++) {
            pthread_join(thread[i], NULL);
            MPI_Comm_free(&workers[i].comm);
            expect(!workers[i].wrong, "thread %d: %d wrong results", i, workers[i].wrong);
        }
        pthread_barrier_destroy(&start);
    }
    done(provided == MPI_THREAD_MULTIPLE ? "threads, each on a communicator of its own"
                                         : "threads # SKIP MPI has no MPI_THREAD_MULTIPLE");
}

/* A second call makes nothing. */
void again(void) {
    const quire_reduction what = { QUIRE_SUM, QUIRE_F64, 0, 0, 0, 0, { 0 } };
    double sum = 0;
    expect(!quire_mpi_allreduce(NULL, &what, 0, NULL, NULL, &sum, MPI_COMM_WORLD), "the first call");
    const int before = made;
    expect(!quire_mpi_allreduce(NULL, &what, 0, NULL, NULL, &sum, MPI_COMM_WORLD), "the second call");
    expect(made == before, "%d new types and operations", made - before);
    done("type and operation are made once");
}

/* A rank that has 5 fields where others have 64. To MPI that is an error, which need not be seen by all: here, a rank
 * with 64 receives so short a message. It must not take that for a sum. */
enum { SHORT = 5, LONG = 64 };
static enum { AS_EVER, KEEP, RECEIVE } mode;
static quire_record kept[SHORT + 1];

int MPI_Allreduce(const void *from, void *into, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    if (mode == KEEP) memcpy(kept, into, sizeof kept);
    if (mode == RECEIVE) return MPI_Reduce_local(kept, into, SHORT + 1, type, op);
    return PMPI_Allreduce(from, into, count, type, op, comm);
}

void lengths(void) {
    const quire_reduction what = { QUIRE_SUM, QUIRE_F64, 0, 0, 0, 0, { 0 } };
    const quire_layout few = quire_rows(SHORT, 1, 1), many = quire_rows(LONG, 1, 1);
    double results[LONG] = { 7 };
    mode = KEEP;
    quire_status found = quire_mpi_allreduce_fields(NULL, &what, SHORT, &few, x, NULL, NULL, results, MPI_COMM_SELF);
    expect(!found, "a few fields: status %d", found);
    mode = RECEIVE;
    results[0] = 7;
    found = quire_mpi_allreduce_fields(NULL, &what, LONG, &many, x, NULL, NULL, results, MPI_COMM_SELF);
    expect(found == QUIRE_RANKS_DIFFER && results[0] == 7, "a message that is too short: status %d", found);
    mode = AS_EVER;
    done("a message that is too short is no sum");
}

/* After MPI_Finalize: this rank alone knows. */
void left_behind(void) {
    failures += made != freed;
    cases++;
    if (made != freed) fprintf(stderr, "# rank %d: %d types and operations made, %d freed\n", rank, made, freed);
    if (!rank) printf("%sok %d - nothing is left at MPI_Finalize\n", made != freed ? "not " : "", cases);
}
