/* merge.c - README.md's lines for MPI, as they stand. Each rank takes its part of the same numbers, and prints the sum.
 */
#include <mpi.h>
#include <quire/quire.h>
#include <stdio.h>

#define ALL 100003

int main(int argc, char **argv) {
    static float all[ALL];
    for (int i = 0; i < ALL; i++) all[i] = (float)(i * 7919LL % 10007 - 5003) * (i % 3 ? 1e-12f : 1e12f);
    MPI_Init(&argc, &argv);
    MPI_Comm comm = MPI_COMM_WORLD;
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    const size_t first = (size_t)ALL * (size_t)rank / (size_t)ranks,
                 end = (size_t)ALL * (size_t)(rank + 1) / (size_t)ranks;
    const float *x = all + first;
    size_t n = end - first;
    float s;
#include "merge.inc"
    printf("%a %s\n", s, s == quire_sumf(all, ALL) ? "as in one call" : "not as in one call");
    MPI_Finalize();
    return 0;
}
