/* mpicc mpi_cg.c -o mpi_cg $(pkg-config --cflags --libs quire) -lm
 * for n in 1 2 3 5 8; do mpirun --oversubscribe -n $n ./mpi_cg; done
 *
 * Conjugate gradients for a Poisson equation in one dimension, whose rows are distributed over the ranks. With dot
 * products by quire the residuals of every iteration have the same bits on any number of ranks, and so has the number
 * of iterations. A matrix-vector product and an update of a vector add the same numbers in the same order on any number
 * of ranks: only the dot products are at stake. The history is printed as one number, a hash of the residuals' bits;
 * then that of MPI_SUM. */
#include <math.h>
#include <quire/mpi.h>
#include <stdio.h>

#define N 1000
#define MOST 3000

static int rank, ranks, mine;

static double quire_product(const double *x, const double *y) {
    double result = NAN;
    quire_reduction what = { 0 };
    what.type = QUIRE_F64, what.operation = QUIRE_DOT;
    const quire_status status = quire_mpi_allreduce(NULL, &what, (size_t)mine, x, y, &result, MPI_COMM_WORLD);
    if (status && !rank) fprintf(stderr, "%s\n", quire_status_string(status));
    return result;
}

static double plain_product(const double *x, const double *y) {
    double sum = 0;
    for (int i = 0; i < mine; i++) sum += x[i] * y[i];
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

/* q = A p, p with a place for a neighbour's element on each side. A has a diagonal that varies: 2 + i / N. */
static void multiply(double *p, double *q) {
    const int left = rank ? rank - 1 : MPI_PROC_NULL, right = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
    MPI_Sendrecv(&p[1], 1, MPI_DOUBLE, left, 0, &p[mine + 1], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(&p[mine], 1, MPI_DOUBLE, right, 1, &p[0], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const int begin = (int)((long)N * rank / ranks);
    for (int i = 1; i <= mine; i++) q[i] = (2 + (double)(begin + i - 1) / (N * N)) * p[i] - p[i - 1] - p[i + 1];
}

static void solve(const char *name, double (*product)(const double *, const double *)) {
    static double u[N + 2], r[N + 2], p[N + 2], q[N + 2];
    const int begin = (int)((long)N * rank / ranks);
    unsigned long long hash = 14695981039346656037u; /* FNV-1a */
    memset(p, 0, sizeof p);
    for (int i = 1; i <= mine; i++) u[i] = 0, r[i] = p[i] = sin(0.1 * (begin + i)) + 1e-3 * (begin + i);
    double rr = product(r + 1, r + 1);
    const double first = rr;
    int steps = 0;
    while (steps < MOST && rr > 1e-20 * first) {
        multiply(p, q);
        const double alpha = rr / product(p + 1, q + 1), before = rr;
        for (int i = 1; i <= mine; i++) u[i] += alpha * p[i], r[i] -= alpha * q[i];
        rr = product(r + 1, r + 1);
        for (int i = 1; i <= mine; i++) p[i] = r[i] + rr / before * p[i];
        unsigned char bytes[sizeof rr];
        memcpy(bytes, &rr, sizeof rr);
        for (size_t i = 0; i < sizeof rr; i++) hash = (hash ^ bytes[i]) * 1099511628211u;
        steps++;
    }
    if (!rank) printf("%s: %d iterations, residuals %016llx, last %a\n", name, steps, hash, sqrt(rr));
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    mine = (int)((long)N * (rank + 1) / ranks - (long)N * rank / ranks);
    solve("quire", quire_product);
    solve("plain", plain_product);
    MPI_Finalize();
    return 0;
}
