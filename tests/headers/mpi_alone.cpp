/* quire/mpi.h with nothing before it, as C++; twice, for its include guard. */
#include <quire/mpi.h>

/* Again. */
#include <quire/mpi.h>

quire_status header_mpi(const quire_reduction *what, size_t n, const double *x, double *result);

quire_status header_mpi(const quire_reduction *what, size_t n, const double *x, double *result) {
    return quire_mpi_allreduce(nullptr, what, n, x, nullptr, result, MPI_COMM_WORLD);
}
