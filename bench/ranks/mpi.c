/* mpi.c - what a sum over ranks costs, beside MPI_Allreduce of doubles in the same run.
 *
 *     mpirun --bind-to core -n 16 quire-bench-mpi [REPEATS]
 *
 * Prints one line of CSV a measurement: the median and the least of REPEATS timings (200), each of the slowest rank, in
 * microseconds a call. A rank that shares its core measures the scheduler: for those, --oversubscribe in place of
 * --bind-to core.
 *
 * SPDX-License-Identifier: MIT
 */
#include <quire/mpi.h>

#include <stdio.h>

#include "head.h"
#include "samples.h"

#define FIELDS 64
#define LOCAL 1000
#define ELEMENTS ((size_t)1 << 20)

static double *x, *results;
static quire_reduction what;

static void plain_1(void) { MPI_Allreduce(x, results, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }
static void plain_64(void) { MPI_Allreduce(x, results, FIELDS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }

static void plain_elements(void) { MPI_Allreduce(x, results, (int)ELEMENTS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }

static void scalar(void) { quire_mpi_allreduce(NULL, &what, 1, x, NULL, results, MPI_COMM_WORLD); }

static void whole(void) { /* all words, MPI_SUM */
    quire_accumulator a = QUIRE_ACCUMULATOR_ZERO;
    quire_accumulate(NULL, &a, QUIRE_F64, 1, x);
    MPI_Allreduce(MPI_IN_PLACE, &a, QUIRE_ACCUMULATOR_WORDS, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    quire_finish(&what, &a, NULL, results);
}

static void fields(void) {
    const quire_layout layout = quire_rows(FIELDS, 1, 1);
    quire_mpi_allreduce_fields(NULL, &what, FIELDS, &layout, x, NULL, NULL, results, MPI_COMM_WORLD);
}

static void whole_64(void) {
    static quire_accumulator a[FIELDS];
    memset(a, 0, sizeof a);
    for (int i = 0; i < FIELDS; i++) quire_accumulate(NULL, &a[i], QUIRE_F64, 1, x + i);
    MPI_Allreduce(MPI_IN_PLACE, a, FIELDS * QUIRE_ACCUMULATOR_WORDS, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < FIELDS; i++) quire_finish(&what, &a[i], NULL, results + i);
}

static void elements(void) { quire_mpi_allreduce_elements(NULL, &what, ELEMENTS, x, results, MPI_COMM_WORLD); }

static void measure(const char *name, void (*call)(void), int inner, int repeats) {
    int rank, ranks;
    double *seconds = malloc((size_t)repeats * sizeof *seconds);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    call();
    for (int i = 0; i < repeats; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double start = MPI_Wtime();
        for (int k = 0; k < inner; k++) call();
        seconds[i] = (MPI_Wtime() - start) / inner;
        MPI_Allreduce(MPI_IN_PLACE, &seconds[i], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    samples_sort(seconds, repeats);
    if (!rank) printf("%d,%s,%.2f,%.2f\n", ranks, name, seconds[repeats / 2] * 1e6, seconds[0] * 1e6);
    fflush(stdout);
    free(seconds);
}

int main(int argc, char **argv) {
    int rank;
    const int repeats = argc > 1 && atoi(argv[1]) > 0 ? atoi(argv[1]) : 200, few = repeats / 10 + 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    x = malloc(ELEMENTS * sizeof *x), results = malloc(ELEMENTS * sizeof *results);
    if (!x || !results) MPI_Abort(MPI_COMM_WORLD, 1);
    for (size_t i = 0; i < ELEMENTS; i++) x[i] = 1.0 / (double)(i + 3 + (size_t)rank);
    what.type = QUIRE_F64;
    if (!rank) {
        char library[MPI_MAX_LIBRARY_VERSION_STRING];
        int length = 0;
        MPI_Get_library_version(library, &length);
        write_head(stdout, argc, argv);
        printf("# mpi: %.*s\n", (int)strcspn(library, "\n"), library);
        printf("ranks,call,median_us,least_us\n");
    }
    measure("MPI_Allreduce 1 double", plain_1, 20, repeats);
    measure("quire scalar", scalar, 20, repeats);
    measure("140 words scalar", whole, 20, repeats);
    measure("MPI_Allreduce 64 doubles", plain_64, 20, repeats);
    measure("quire 64 fields", fields, 20, repeats);
    measure("140 words 64 fields", whole_64, 20, repeats);
    measure("MPI_Allreduce 2^20 doubles", plain_elements, 1, few);
    measure("quire 2^20 elements", elements, 1, few);
    free(x);
    free(results);
    MPI_Finalize();
    return 0;
}
