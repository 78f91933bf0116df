/* mpicc mpi_sum.c -o mpi_sum $(pkg-config --cflags --libs quire) -lm
 * for n in 1 2 3 5 8; do mpirun --oversubscribe -n $n ./mpi_sum; done
 *
 * A sum over ranks by quire and by MPI_SUM, on 1, 2, 3, 5 and 8 ranks. quire's bits are the same on all; MPI_SUM's are
 * not.
 */
#include <math.h>
#include <quire/mpi.h>
#include <stdio.h>

#define N 100000

static double x[N];

int main(int argc, char **argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    const long begin = (long)N * rank / ranks, end = (long)N * (rank + 1) / ranks; /* this rank's part */
    for (long i = begin; i < end; i++) x[i] = sin((double)i) * exp(i % 37);

    double exact, plain, part = 0;
    quire_reduction what = { 0 };
    what.type = QUIRE_F64;
    const quire_status status =
        quire_mpi_allreduce(NULL, &what, (size_t)(end - begin), x + begin, NULL, &exact, MPI_COMM_WORLD);
    for (long i = begin; i < end; i++) part += x[i];
    MPI_Allreduce(&part, &plain, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);

    if (!rank && status) printf("%s\n", quire_status_string(status));
    if (!rank && !status) printf("quire %a\nplain %a\n", exact, plain);
    MPI_Finalize();
    return status != QUIRE_OK;
}
