/* mpi_calls.c - mpi.h for Fortran, whose communicators are integers. SPDX-License-Identifier: MIT */
#include <quire/mpi.h>

int quire_fortran_world(void);
int quire_fortran_allreduce(const quire_reduction *what, size_t n, const void *x, const void *y, void *result,
                            int comm);
int quire_fortran_fields(const quire_reduction *what, size_t fields, size_t n, ptrdiff_t ld, const void *x,
                         void *results, int comm);
int quire_fortran_elements(const quire_reduction *what, size_t n, const void *x, void *results, int comm);
int quire_fortran_accumulators(int count, quire_accumulator *accumulators, int comm);

int quire_fortran_world(void) { return (int)MPI_Comm_c2f(MPI_COMM_WORLD); }

int quire_fortran_allreduce(const quire_reduction *what, size_t n, const void *x, const void *y, void *result,
                            int comm) {
    return (int)quire_mpi_allreduce(NULL, what, n, x, y, result, MPI_Comm_f2c(comm));
}

/* The columns of a Fortran matrix: n elements of each, ld apart. */
int quire_fortran_fields(const quire_reduction *what, size_t fields, size_t n, ptrdiff_t ld, const void *x,
                         void *results, int comm) {
    const quire_layout columns = quire_rows(fields, n, ld);
    return (int)quire_mpi_allreduce_fields(NULL, what, fields, &columns, x, NULL, NULL, results, MPI_Comm_f2c(comm));
}

int quire_fortran_elements(const quire_reduction *what, size_t n, const void *x, void *results, int comm) {
    return (int)quire_mpi_allreduce_elements(NULL, what, n, x, results, MPI_Comm_f2c(comm));
}

int quire_fortran_accumulators(int count, quire_accumulator *accumulators, int comm) {
    return (int)quire_mpi_allreduce_accumulators(count, accumulators, MPI_Comm_f2c(comm));
}
