/* test_mpi.c - mpi.h over any number of ranks: results equal those of quire_reduce on all elements, bit for bit, on
 * every rank.
 *
 *     mpirun -n 3 build/tests/mpi/test_mpi
 *
 * Every rank knows all the data, takes its own part, and compares. Rank 0 prints TAP; a case fails if it does on any
 * rank.
 */
#include "ranks.h"

#include <math.h>
#include <stdio.h>

static void scalars(void) {
    static const size_t sizes[] = { 0, 1, 2, 7, 100, MOST };
    for (int f = 0; f < FAMILIES; f++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            fill((family)f, sizes[s]);
            for (size_t t = 0; t < TYPES; t++) { /* doubles always, the others in turn */
                if (t && t != 1 + (s + (size_t)f) % (TYPES - 1)) continue;
                convert(types[t], sizes[s]);
                for (size_t o = 0; o < OPERATIONS; o++)
                    for (int k = 0; k < 2; k++) {
                        quire_reduction what = { operations[o], types[t], 0, 0, 0, 0, { 0 } };
                        if (k) what.result_type = QUIRE_F32, what.rounding = QUIRE_DOWNWARD, what.correction = 1;
                        check_scalar(&what, sizes[s], (int)((s + o) % SPLITS), MPI_COMM_WORLD, "scalar");
                    }
            }
        }
    done("one vector: operations, types, families, uneven and empty parts");
}

static void specials(void) {
    const double values[] = { NAN, INFINITY, -INFINITY, -0.0 };
    for (int k = 0; k < 64; k++) {
        fill(ORDINARY, 50);
        if (k & 16) fill(NEGATIVE_ZEROS, 50);
        x[(7 * k) % 50] = values[k & 3], x[(13 * k + 5) % 50] = values[k >> 2 & 3];
        if (k & 32) y[(7 * k) % 50] = 0.0;
        convert(QUIRE_F64, 50);
        for (size_t o = 0; o < OPERATIONS; o++) {
            const quire_reduction what = { operations[o], QUIRE_F64, 0, 0, 0, 0, { 0 } };
            check_scalar(&what, 50, k % SPLITS, MPI_COMM_WORLD, "special");
        }
    }
    done("NaN, infinities and zeros on a rank");
}

/* Each call on one communicator, on data of that communicator's own. */
static void all_calls(uint64_t number, family f, int split, MPI_Comm comm) {
    const quire_reduction sum = { QUIRE_SUM, QUIRE_F64, 0, 0, 0, 0, { 0 } };
    const quire_reduction variance = { QUIRE_VARIANCE, QUIRE_F64, 0, 0, 0, 0, { 0 } };
    seed(number);
    fill(f, 999);
    convert(QUIRE_F64, 999);
    check_scalar(&sum, 999, split, comm, "a communicator");
    check_fields(&sum, 7, 100, split, 0, 0, comm);
    check_fields(&variance, 100, 7, split, 1, 1, comm);
    check_accumulators(300, split, comm);
    check_elements(&sum, 50, f, split % 2, comm);
}

static void communicators(void) {
    MPI_Comm backwards, turned, half, copy;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &backwards);
    MPI_Comm_split(MPI_COMM_WORLD, 0, (rank * 7 + 3) % (ranks + 1), &turned);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    for (int i = 0; i < 10; i++) { /* the two halves work at once, on data of their own, and between calls of all */
        all_calls(55 + (uint64_t)i, ORDINARY, i % SPLITS, i % 2 ? backwards : turned);
        all_calls(77 + (uint64_t)(rank % 2), rank % 2 ? WIDE : SPECIAL, i % SPLITS, half);
        all_calls(99, ORDINARY, i % SPLITS, copy);
    }
    MPI_Comm_free(&backwards);
    MPI_Comm_free(&turned);
    MPI_Comm_free(&half);
    MPI_Comm_free(&copy);
    done("permuted ranks, two communicators at once");
}

static void many(void) {
    static const size_t shapes[][2] = { { 0, 5 },   { 1, 100 }, { 64, 40 }, { 3, 1000 },
                                        { 300, 7 }, { 256, 3 }, { 300, 1 }, { 5, 0 } };
    for (int f = 0; f < FAMILIES; f++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            for (size_t t = 0; t < TYPES; t++) {
                const size_t fields = shapes[s][0], n = shapes[s][1];
                if (t && t != 1 + (s + (size_t)f) % (TYPES - 1)) continue;
                fill((family)f, MOST);
                if (f == ORDINARY) x[17] = 0x1p900, x[1000] = 0x1p-900; /* some fields are wide, most are not */
                convert(types[t], MOST);
                for (size_t o = (s + (size_t)f) % 2; o < OPERATIONS; o += 2) { /* half of them in turn */
                    const quire_reduction what = { operations[o], types[t], 0, 0, 0, 0, { 0 } };
                    const int split = (f + (int)o) % SPLITS;
                    if (!has_squares(what.operation))
                        check_fields(&what, fields, n, split, (int)(o + s) % 2, 0, MPI_COMM_WORLD);
                    if (what.operation != QUIRE_DOT)
                        check_fields(&what, fields, n, split, (int)s % 2, 1, MPI_COMM_WORLD);
                }
            }
    done("many vectors: rows and columns, types, more than a message takes, wide ones among them, NaN and infinities");
}

static void accumulators(void) {
    fill(WIDE, 900);
    for (int split = 0; split < SPLITS; split++) check_accumulators(300, split, MPI_COMM_WORLD);
    fill(SPECIAL, 900);
    check_accumulators(300, 0, MPI_COMM_WORLD);
    done("accumulators");
}

static void elements(void) {
    const size_t sizes[] = { 0, 1, 2, 15, 16, 17, 1000, QUIRE_MPI_ELEMENTS + 3 };
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t t = 0; t < TYPES; t++)
            for (size_t o = 0; o < OPERATIONS; o++) {
                if (operations[o] == QUIRE_DOT || (sizes[s] > 1000 && (t + o > 0 || ranks > 3))) continue;
                quire_reduction what = { operations[o], types[t], 0, 0, 0, 0, { 0 } };
                check_elements(&what, sizes[s], ORDINARY, 0, MPI_COMM_WORLD);
                check_elements(&what, sizes[s], WIDE, 1, MPI_COMM_WORLD);
                what.result_type = QUIRE_F32, what.rounding = QUIRE_UPWARD;
                check_elements(&what, sizes[s], SPECIAL, 0, MPI_COMM_WORLD);
            }
    done("element by element: types, NaN and infinities");
}

int main(int argc, char **argv) {
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    threads(provided); /* before any other call */
    again();
    seed(1);
    scalars();
    specials();
    communicators();
    many();
    accumulators();
    elements();
    bad_arguments();
    lengths();
    MPI_Finalize();
    left_behind();
    if (!rank) printf("1..%d\n", cases);
    return failures != 0 && !getenv("CK_TAP_LOG_FILE_NAME");
}
