/* ranks.c - of test_mpi.c: see ranks.h. SPDX-License-Identifier: MIT */
#include "ranks.h"

#include "random_doubles.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

int rank, ranks, cases, failures;
static int bad; /* of the case under way, on this rank */

const quire_operation operations[OPERATIONS] = { QUIRE_SUM,  QUIRE_ASUM,  QUIRE_DOT,      QUIRE_NRM2,
                                                 QUIRE_MEAN, QUIRE_SUMSQ, QUIRE_VARIANCE, QUIRE_STDDEV };
const quire_type types[TYPES] = { QUIRE_F64, QUIRE_F32, QUIRE_BF16, QUIRE_F16, QUIRE_E5M2, QUIRE_E4M3 };

double x[MOST], y[MOST];
char x_typed[8 * MOST], y_typed[8 * MOST];

void expect(int condition, const char *format, ...) {
    if (condition || bad++ > 3) return;
    va_list list;
    va_start(list, format);
    fprintf(stderr, "# rank %d of %d: ", rank, ranks);
    vfprintf(stderr, format, list);
    fprintf(stderr, "\n");
    va_end(list);
}

void done(const char *name) {
    MPI_Allreduce(MPI_IN_PLACE, &bad, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    failures += bad != 0;
    cases++;
    if (!rank) printf("%sok %d - %s\n", bad ? "not " : "", cases, name);
    bad = 0;
}

int has_squares(quire_operation operation) { return operation == QUIRE_VARIANCE || operation == QUIRE_STDDEV; }

/* ------------------------------------------------------------------------------------------------------------- data */

void seed(uint64_t number) { random_state = number; }

void fill(family f, size_t n) {
    const double specials[] = { NAN, INFINITY, -INFINITY, -0.0 };
    for (size_t i = 0; i < n; i++) {
        x[i] = random_double(f == WIDE ? 1000 : 20), y[i] = random_double(f == WIDE ? 1000 : 20);
        if (f == PAIRS && i % 2) x[i] = i == 1 ? 0x1p-1070 - x[0] : -x[i - 1], y[i] = y[i - 1];
        if (f == ZEROS || f == NEGATIVE_ZEROS) x[i] = f == ZEROS && i % 3 == 0 ? 0.0 : -0.0;
        if (f == SUBNORMAL) x[i] = (double)(random_bits() % 1000) * 0x1p-1074;
        if (f == HUGE_ONES) x[i] = i % 5 ? DBL_MAX : -DBL_MAX * 0.75;
        if (f == NEGATIVE) x[i] = -fabs(x[i]);
        if (f == POWERS) x[i] = -ldexp(1, 32 * (int)(random_bits() % 6) - 64 + (int)(i % 2) * 32);
        if (f == SPECIAL && random_bits() % 16 == 0) x[i] = specials[random_bits() % 4];
    }
}

/* By the library's own rounding, of one element, which other suites test. */
void convert(quire_type type, size_t n) {
    const quire_layout one = quire_columns(1, n, (ptrdiff_t)n);
    const quire_reduction what = { QUIRE_SUM, QUIRE_F64, type, 0, 0, 0, { 0 } };
    quire_status status = quire_reduce(NULL, &what, &one, x, NULL, NULL, x_typed);
    if (!status) status = quire_reduce(NULL, &what, &one, y, NULL, NULL, y_typed);
    expect(!status, "conversion: status %d", status);
}

/* ----------------------------------------------------------------------------------------------------------- checks */

void check_scalar(const quire_reduction *what, size_t n, int split, MPI_Comm comm, const char *name) {
    int r, p;
    MPI_Comm_rank(comm, &r);
    MPI_Comm_size(comm, &p);
    const size_t from = part_begin(n, r, p, split), own = part_begin(n, r + 1, p, split) - from;
    const size_t size = quire_type_size(what->type);
    const quire_layout all = quire_strided(n, 1);
    uint64_t result = 0x5555555555555555, right = result;
    const quire_status expected = quire_reduce(NULL, what, &all, x_typed, NULL, y_typed, &right);
    const quire_status status =
        quire_mpi_allreduce(NULL, what, own, x_typed + from * size, y_typed + from * size, &result, comm);
    expect(status == expected, "%s: status %d, not %d", name, status, expected);
    expect(result == right, "%s: operation %d type %d n %zu split %d: %llx, not %llx", name, what->operation,
           what->type, n, split, (unsigned long long)result, (unsigned long long)right);
}

void check_fields(const quire_reduction *what, size_t fields, size_t n, int split, int columns, int moments,
                  MPI_Comm comm) {
    int r, p;
    MPI_Comm_rank(comm, &r);
    MPI_Comm_size(comm, &p);
    const size_t from = part_begin(n, r, p, split), own = part_begin(n, r + 1, p, split) - from;
    const size_t begin = (columns ? from * fields : from) * quire_type_size(what->type);
    const quire_layout all =
        columns ? quire_columns(n, fields, (ptrdiff_t)fields) : quire_rows(fields, n, (ptrdiff_t)n);
    quire_layout part = all;
    part.n = own;
    const char *px = x_typed + begin, *py = y_typed + begin;
    double results[600], right[600];
    memset(results, 0x55, sizeof results);
    memset(right, 0x55, sizeof right);
    const quire_status expected = quire_reduce(NULL, what, &all, x_typed, NULL, y_typed, right);
    const quire_status status =
        moments ? quire_mpi_allreduce_moments(NULL, what, fields, &part, px, results, comm)
                : quire_mpi_allreduce_fields(NULL, what, fields, &part, px, NULL, py, results, comm);
    expect(status == expected, "fields: status %d, not %d", status, expected);
    expect(!memcmp(results, right, sizeof results), "%zu fields of %zu, operation %d, type %d, split %d, columns %d",
           fields, n, what->operation, what->type, split, columns);
}

/* Every rank of comm draws the arrays of all. */
void check_elements(const quire_reduction *what, size_t n, family f, int in_place, MPI_Comm comm) {
    int r, p;
    MPI_Comm_rank(comm, &r);
    MPI_Comm_size(comm, &p);
    const size_t size = quire_type_size(what->type), all_n = n * (size_t)p;
    const size_t result_size = quire_type_size(what->result_type ? what->result_type : what->type);
    const quire_layout columns = quire_columns((size_t)p, n, (ptrdiff_t)n);
    char *all = malloc(all_n * size + 8), *own = malloc(n * size + 8), *right = calloc(n + 1, result_size);
    char *results = in_place ? own : calloc(n + 1, result_size);
    for (size_t i = 0; i < all_n; i += MOST) {
        const size_t some = all_n - i < MOST ? all_n - i : MOST;
        fill(f, some);
        convert(what->type, some);
        memcpy(all + i * size, x_typed, some * size);
    }
    memcpy(own, all + n * size * (size_t)r, n * size);
    const quire_status expected = quire_reduce(NULL, what, &columns, all, NULL, NULL, right);
    const quire_status status = quire_mpi_allreduce_elements(NULL, what, n, own, results, comm);
    expect(status == expected, "elements: status %d, not %d", status, expected);
    expect(status || !memcmp(results, right, n * result_size), "elements: n %zu type %d operation %d", n, what->type,
           what->operation);
    free(all), free(own), free(right);
    if (!in_place) free(results);
}

void check_accumulators(size_t n, int split, MPI_Comm comm) {
    enum { COUNT = 3 };
    int r, p;
    MPI_Comm_rank(comm, &r);
    MPI_Comm_size(comm, &p);
    for (int count = 0; count <= COUNT; count++) {
        quire_accumulator part[COUNT], all[COUNT];
        memset(part, 0, sizeof part);
        memset(all, 0, sizeof all);
        for (int i = 0; i < count; i++) {
            const size_t from = part_begin(n, r, p, split + i), own = part_begin(n, r + 1, p, split + i) - from;
            quire_accumulate(NULL, &part[i], QUIRE_F64, own, x + n * (size_t)i + from);
            quire_accumulate(NULL, &all[i], QUIRE_F64, n, x + n * (size_t)i);
        }
        const quire_status status = quire_mpi_allreduce_accumulators(count, part, comm);
        expect(!status, "%d accumulators: status %d", count, status);
        expect(!memcmp(part, all, sizeof all), "%d accumulators: words", count);
    }
}
