/* test_mpi.c - mpi.h over any number of ranks: results equal those of quire_reduce on all elements, bit for bit, on
 * every rank.
 *
 *     mpirun -n 3 build/tests/mpi/test_mpi
 *
 * Every rank knows all the data, takes its own part, and compares. Rank 0 prints TAP; a case fails if it does on any
 * rank.
 */
#include <quire/mpi.h>

#include "random_doubles.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#define MOST 3000

static int rank, ranks, cases, failures;
static int bad; /* of the case under way, on this rank */

static void expect(int condition, const char *format, ...) {
    if (condition || bad++ > 3) return;
    va_list list;
    va_start(list, format);
    fprintf(stderr, "# rank %d of %d: ", rank, ranks);
    vfprintf(stderr, format, list);
    fprintf(stderr, "\n");
    va_end(list);
}

static void done(const char *name) {
    MPI_Allreduce(MPI_IN_PLACE, &bad, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    failures += bad != 0;
    cases++;
    if (!rank) printf("%sok %d - %s\n", bad ? "not " : "", cases, name);
    bad = 0;
}

/* Where rank r's part of n elements begins, in one of four ways: evenly; all on the last rank; in parts of chance, some
 * empty; every second rank empty. */
enum { SPLITS = 4 };
static size_t part_begin(size_t n, int r, int p, int split) {
    if (r <= 0) return 0;
    if (r >= p) return n;
    if (split == 0) return n * (size_t)r / (size_t)p;
    if (split == 1) return r == p ? n : 0;
    if (split == 3) return n * (size_t)((r + 1) / 2) / (size_t)((p + 1) / 2);
    uint64_t mix = 12345 + n;
    size_t cut[64], sorted = 0;
    for (int i = 0; i + 1 < p; i++) {
        mix = mix * 6364136223846793005u + 1442695040888963407u;
        cut[i] = (size_t)(mix >> 33) % (n + 1);
    }
    for (int i = 0; i + 1 < p; i++) { /* the r-th smallest cut */
        size_t below = 0, same = 0;
        for (int k = 0; k + 1 < p; k++) below += cut[k] < cut[i], same += cut[k] == cut[i];
        if (below < (size_t)r && (size_t)r <= below + same) sorted = cut[i];
    }
    return sorted;
}

static double x[MOST], y[MOST];
static float xf[MOST], yf[MOST];

typedef enum { ORDINARY, WIDE, PAIRS, ZEROS, NEGATIVE_ZEROS, SUBNORMAL, HUGE_ONES, NEGATIVE, POWERS, FAMILIES } family;

static void fill(family f, size_t n) {
    for (size_t i = 0; i < n; i++) {
        x[i] = random_double(f == WIDE ? 1000 : 20), y[i] = random_double(f == WIDE ? 1000 : 20);
        if (f == PAIRS && i % 2) x[i] = i == 1 ? 0x1p-1070 - x[0] : -x[i - 1], y[i] = y[i - 1];
        if (f == ZEROS || f == NEGATIVE_ZEROS) x[i] = f == ZEROS && i % 3 == 0 ? 0.0 : -0.0;
        if (f == SUBNORMAL) x[i] = (double)(random_bits() % 1000) * 0x1p-1074;
        if (f == HUGE_ONES) x[i] = i % 5 ? DBL_MAX : -DBL_MAX * 0.75;
        if (f == NEGATIVE) x[i] = -fabs(x[i]);
        if (f == POWERS) x[i] = -ldexp(1, 32 * (int)(random_bits() % 6) - 64 + (int)(i % 2) * 32);
        xf[i] = (float)(f == WIDE ? ldexp(x[i], -900) : x[i]), yf[i] = (float)y[i];
    }
}

static const quire_operation operations[] = { QUIRE_SUM,  QUIRE_ASUM,  QUIRE_DOT,      QUIRE_NRM2,
                                              QUIRE_MEAN, QUIRE_SUMSQ, QUIRE_VARIANCE, QUIRE_STDDEV };

/* One vector of all ranks of comm, and the same bits from quire_reduce. */
static void check_scalar(quire_reduction what, size_t n, int split, MPI_Comm comm, const char *name) {
    int r, p;
    MPI_Comm_rank(comm, &r);
    MPI_Comm_size(comm, &p);
    const size_t from = part_begin(n, r, p, split), own = part_begin(n, r + 1, p, split) - from;
    const int f32 = what.type == QUIRE_F32;
    const quire_layout all = quire_strided(n, 1);
    uint64_t result = 0x5555555555555555, right = result;
    const quire_status expected =
        quire_reduce(NULL, &what, &all, f32 ? (void *)xf : x, NULL, f32 ? (void *)yf : y, &right);
    const quire_status status = quire_mpi_allreduce(NULL, &what, own, f32 ? (void *)(xf + from) : x + from,
                                                    f32 ? (void *)(yf + from) : y + from, &result, comm);
    expect(status == expected, "%s: status %d, not %d", name, status, expected);
    expect(result == right, "%s: operation %d type %d n %zu split %d: %llx, not %llx", name, what.operation, what.type,
           n, split, (unsigned long long)result, (unsigned long long)right);
}

static void scalars(void) {
    static const size_t sizes[] = { 0, 1, 2, 7, 100, MOST };
    for (int f = 0; f < FAMILIES; f++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            fill((family)f, sizes[s]);
            for (size_t o = 0; o < sizeof operations / sizeof *operations; o++)
                for (int k = 0; k < 4; k++) {
                    quire_reduction what = { operations[o], k & 1 ? QUIRE_F32 : QUIRE_F64, 0, 0, 0, 0, { 0 } };
                    if (k & 2) what.result_type = QUIRE_F32, what.rounding = QUIRE_DOWNWARD, what.correction = 1;
                    check_scalar(what, sizes[s], (int)((s + o) % SPLITS), MPI_COMM_WORLD, "scalar");
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
        for (size_t o = 0; o < sizeof operations / sizeof *operations; o++) {
            quire_reduction what = { operations[o], QUIRE_F64, 0, 0, 0, 0, { 0 } };
            check_scalar(what, 50, k % SPLITS, MPI_COMM_WORLD, "special");
        }
    }
    done("NaN, infinities and zeros on a rank");
}

static void communicators(void) {
    quire_reduction sum = { QUIRE_SUM, QUIRE_F64, 0, 0, 0, 0, { 0 } };
    MPI_Comm backwards, turned, half, copy;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &backwards);
    MPI_Comm_split(MPI_COMM_WORLD, 0, (rank * 7 + 3) % (ranks + 1), &turned);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    fill(ORDINARY, 999);
    check_scalar(sum, 999, 2, backwards, "backwards");
    check_scalar(sum, 999, 2, turned, "turned");
    for (int i = 0; i < 10; i++) { /* the two halves work at once, on data of their own, and between calls of all */
        random_state = 77 + (uint64_t)(rank % 2);
        fill(rank % 2 ? WIDE : ORDINARY, 500);
        check_scalar(sum, 500, i % SPLITS, half, "half");
        random_state = 99;
        fill(ORDINARY, 500);
        check_scalar(sum, 500, i % SPLITS, copy, "copy");
    }
    MPI_Comm_free(&backwards);
    MPI_Comm_free(&turned);
    MPI_Comm_free(&half);
    MPI_Comm_free(&copy);
    done("permuted ranks, two communicators at once");
}

/* fields vectors, as rows or as columns of a matrix, of which each rank has some columns or rows. */
static void check_fields(quire_reduction what, size_t fields, size_t n, int split, int columns, int moments) {
    const size_t from = part_begin(n, rank, ranks, split), own = part_begin(n, rank + 1, ranks, split) - from;
    const quire_layout all =
        columns ? quire_columns(n, fields, (ptrdiff_t)fields) : quire_rows(fields, n, (ptrdiff_t)n);
    quire_layout part = all;
    part.n = own;
    const double *px = x + (columns ? from * fields : from), *py = y + (columns ? from * fields : from);
    double results[600], right[600];
    memset(results, 0x55, sizeof results);
    memset(right, 0x55, sizeof right);
    const quire_status expected = quire_reduce(NULL, &what, &all, x, NULL, y, right);
    const quire_status status =
        moments ? quire_mpi_allreduce_moments(NULL, &what, fields, &part, px, results, MPI_COMM_WORLD)
                : quire_mpi_allreduce_fields(NULL, &what, fields, &part, px, NULL, py, results, MPI_COMM_WORLD);
    expect(status == expected, "fields: status %d, not %d", status, expected);
    expect(!memcmp(results, right, sizeof results), "%zu fields of %zu, operation %d, split %d, columns %d", fields, n,
           what.operation, split, columns);
}

static void many(void) {
    static const size_t shapes[][2] = { { 0, 5 },   { 1, 100 }, { 64, 40 }, { 3, 1000 },
                                        { 300, 7 }, { 256, 3 }, { 300, 1 }, { 5, 0 } };
    for (int f = 0; f < FAMILIES; f++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            fill((family)f, MOST);
            if (f == ORDINARY) x[17] = 0x1p900, x[1000] = 0x1p-900; /* some fields are wide, most are not */
            for (size_t o = 0; o < sizeof operations / sizeof *operations; o++) {
                quire_reduction what = { operations[o], QUIRE_F64, 0, 0, 0, 0, { 0 } };
                const int moment = what.operation == QUIRE_VARIANCE || what.operation == QUIRE_STDDEV;
                if (!moment) check_fields(what, shapes[s][0], shapes[s][1], (f + (int)o) % SPLITS, (int)(o + s) % 2, 0);
                if (what.operation != QUIRE_DOT)
                    check_fields(what, shapes[s][0], shapes[s][1], (f + (int)o) % SPLITS, (int)s % 2, 1);
            }
        }
    done("many vectors: rows and columns, more than a message takes, wide ones among them");
}

static void accumulators(void) {
    quire_accumulator part[3], all[3];
    memset(part, 0, sizeof part);
    memset(all, 0, sizeof all);
    fill(WIDE, 900);
    for (int i = 0; i < 3; i++) {
        const size_t from = part_begin(300, rank, ranks, i), own = part_begin(300, rank + 1, ranks, i) - from;
        quire_accumulate(NULL, &part[i], QUIRE_F64, own, x + 300 * i + from);
        quire_accumulate(NULL, &all[i], QUIRE_F64, 300, x + 300 * i);
    }
    expect(!quire_mpi_allreduce_accumulators(3, part, MPI_COMM_WORLD), "accumulators: status");
    expect(!memcmp(part, all, sizeof all), "accumulators: words");
    expect(quire_mpi_allreduce_accumulators(3, rank ? part : NULL, MPI_COMM_WORLD) == QUIRE_NULL_POINTER, "NULL");
    expect(!memcmp(part, all, sizeof all), "accumulators: touched");
    done("accumulators");
}

/* Arrays of n elements, one a rank; every rank knows all of them. */
static void check_elements(quire_reduction what, size_t n, int in_place) {
    double *all = malloc(n * (size_t)ranks * 8 + 8), *own = malloc(n * 8 + 8), *right = malloc(n * 8 + 8);
    const quire_layout columns = quire_columns((size_t)ranks, n, (ptrdiff_t)n);
    const size_t size = quire_type_size(what.type);
    for (size_t i = 0; i < n * (size_t)ranks; i++) {
        const double v = random_double(i % 7 ? 10 : 1000);
        if (what.type == QUIRE_F64)
            all[i] = v;
        else if (what.type == QUIRE_F32)
            ((float *)(void *)all)[i] = (float)ldexp(v, 0);
        else
            ((uint16_t *)(void *)all)[i] = (uint16_t)random_bits();
    }
    memcpy(own, (char *)all + n * size * (size_t)rank, n * size);
    double *results = in_place ? own : malloc(n * 8 + 8);
    memset(right, 0, n * 8 + 8);
    if (!in_place) memset(results, 0, n * 8 + 8);
    const quire_status expected = quire_reduce(NULL, &what, &columns, all, NULL, NULL, right);
    const quire_status status = quire_mpi_allreduce_elements(NULL, &what, n, own, results, MPI_COMM_WORLD);
    expect(status == expected, "elements: status %d, not %d", status, expected);
    const size_t bytes = n * quire_type_size(what.result_type ? what.result_type : what.type);
    expect(status || !memcmp(results, right, bytes), "elements: n %zu type %d operation %d", n, what.type,
           what.operation);
    free(all), free(own), free(right);
    if (!in_place) free(results);
}

static void elements(void) {
    const size_t sizes[] = { 0, 1, 2, 15, 16, 17, 1000, QUIRE_MPI_ELEMENTS + 3 };
    const quire_type types[] = { QUIRE_F64, QUIRE_F32, QUIRE_BF16, QUIRE_F16 };
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t t = 0; t < sizeof types / sizeof *types; t++)
            for (size_t o = 0; o < sizeof operations / sizeof *operations; o++) {
                if (operations[o] == QUIRE_DOT || (sizes[s] > 1000 && (t + o > 0 || ranks > 3))) continue;
                quire_reduction what = { operations[o], types[t], 0, 0, 0, 0, { 0 } };
                check_elements(what, sizes[s], 0);
                check_elements(what, sizes[s], 1);
                what.result_type = QUIRE_F32, what.rounding = QUIRE_UPWARD;
                check_elements(what, sizes[s], 0);
            }
    done("element by element");
}

/* One rank at a time is wrong in one way at a time: all get that status, nothing is written, and the next call works.
 */
static void bad_arguments(void) {
    fill(ORDINARY, 100);
    for (int who = 0; who<ranks; who += ranks> 4 ? 3 : 1)
        for (int way = 0; way < 10; way++) {
            quire_reduction good = { QUIRE_SUM, QUIRE_F64, 0, 0, 0, 0, { 0 } }, what = good;
            quire_layout layout = quire_rows(5, 10, 10);
            const int me = rank == who;
            const void *px = x;
            uint64_t results[5], before[5];
            void *out = results;
            quire_status right = QUIRE_OK;
            memset(results, 0x55, sizeof results);
            memcpy(before, results, sizeof before);
            if (way == 1) right = QUIRE_INVALID_TYPE, what.type = (quire_type)(me ? 99 : QUIRE_F64);
            if (way == 2) right = QUIRE_INVALID_OPERATION, what.operation = (quire_operation)(me ? 99 : QUIRE_SUM);
            if (way == 3) right = QUIRE_INVALID_RESULT_TYPE, what.result_type = (quire_type)(me ? 99 : QUIRE_F64);
            if (way == 4) right = QUIRE_INVALID_METHOD, what.method = me ? QUIRE_PLAIN : QUIRE_EXACT;
            if (way == 5) right = QUIRE_INVALID_ROUNDING, what.rounding = (quire_rounding)(me ? 9 : 0);
            if (way == 6) right = QUIRE_NULL_POINTER, px = me ? NULL : px;
            if (way == 7) right = QUIRE_MISALIGNED, px = me ? (const char *)x + 1 : px;
            if (way == 8) right = QUIRE_NULL_POINTER, out = me ? NULL : out;
            if (way == 9) right = QUIRE_MISALIGNED, out = me ? (char *)results + 4 : out;
            if (way == 0) right = QUIRE_NULL_POINTER;
            const quire_reduction *w = way == 0 && me ? NULL : &what;
            quire_status found = quire_mpi_allreduce(NULL, w, 10, px, NULL, out, MPI_COMM_WORLD);
            expect(found == right, "scalar, way %d: status %d, not %d", way, found, right);
            found = quire_mpi_allreduce_fields(NULL, w, 5, &layout, px, NULL, NULL, out, MPI_COMM_WORLD);
            expect(found == right, "fields, way %d: status %d, not %d", way, found, right);
            found = quire_mpi_allreduce_moments(NULL, w, 5, &layout, px, out, MPI_COMM_WORLD);
            expect(found == right, "moments, way %d: status %d, not %d", way, found, right);
            found = quire_mpi_allreduce_elements(NULL, w, 5, px, out, MPI_COMM_WORLD);
            expect(found == right, "elements, way %d: status %d, not %d", way, found, right);
            found = quire_mpi_allreduce_elements(NULL, &good, me ? 4 : 5, x, results, MPI_COMM_WORLD);
            expect(found == (ranks > 1 ? QUIRE_INVALID_LAYOUT : QUIRE_OK), "elements: another n: %d", found);
            if (ranks == 1) memcpy(results, before, sizeof results);
            if (me) layout.outer = 4;
            found = quire_mpi_allreduce_fields(NULL, &good, 5, &layout, x, NULL, NULL, results, MPI_COMM_WORLD);
            expect(found == QUIRE_INVALID_LAYOUT, "fields: another layout: %d", found);
            found =
                quire_mpi_allreduce_fields(NULL, &good, 5, me ? NULL : &layout, x, NULL, NULL, results, MPI_COMM_WORLD);
            expect(found == QUIRE_NULL_POINTER || (ranks > 1 && found == QUIRE_INVALID_LAYOUT), "fields: no layout: %d",
                   found);
            expect(!memcmp(results, before, sizeof results), "way %d: results are touched", way);
            check_scalar(good, 100, 2, MPI_COMM_WORLD, "after an error");
        }
    done("bad arguments on one rank: a status on all");
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    random_state = 1;
    scalars();
    specials();
    communicators();
    many();
    accumulators();
    elements();
    bad_arguments();
    if (!rank) printf("1..%d\n", cases);
    MPI_Finalize();
    return failures != 0 && !getenv("CK_TAP_LOG_FILE_NAME");
}
