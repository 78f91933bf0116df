/* bad_arguments.c - of test_mpi.c: one rank at a time is wrong in one way at a time, and all get that status.
 *
 * SPDX-License-Identifier: MIT
 */
#include "ranks.h"

static const quire_reduction sum = { QUIRE_SUM, QUIRE_F64, 0, 0, 0, 0, { 0 } };

/* The arguments that all calls have, of one rank. */
static void each_call(int who) {
    for (int way = 0; way < 10; way++) {
        quire_reduction what = sum;
        const quire_layout layout = quire_rows(5, 10, 10);
        const int me = rank == who;
        const void *px = x;
        uint64_t results[5], before[5];
        void *out = results;
        quire_status right = QUIRE_NULL_POINTER;
        memset(results, 0x55, sizeof results);
        memcpy(before, results, sizeof before);
        if (way == 1) right = QUIRE_INVALID_TYPE, what.type = (quire_type)(me ? 99 : QUIRE_F64);
        if (way == 2) right = QUIRE_INVALID_OPERATION, what.operation = (quire_operation)(me ? 99 : QUIRE_SUM);
        if (way == 3) right = QUIRE_INVALID_RESULT_TYPE, what.result_type = (quire_type)(me ? 99 : QUIRE_F64);
        if (way == 4) right = QUIRE_INVALID_METHOD, what.method = me ? QUIRE_PLAIN : QUIRE_EXACT;
        if (way == 5) right = QUIRE_INVALID_ROUNDING, what.rounding = (quire_rounding)(me ? 9 : 0);
        if (way == 6) px = me ? NULL : px;
        if (way == 7) right = QUIRE_MISALIGNED, px = me ? (const char *)x + 1 : px;
        if (way == 8) out = me ? NULL : out;
        if (way == 9) right = QUIRE_MISALIGNED, out = me ? (char *)results + 4 : out;
        const quire_reduction *w = way == 0 && me ? NULL : &what;
        quire_status found = quire_mpi_allreduce(NULL, w, 10, px, NULL, out, MPI_COMM_WORLD);
        expect(found == right, "scalar, way %d: status %d, not %d", way, found, right);
        found = quire_mpi_allreduce_fields(NULL, w, 5, &layout, px, NULL, NULL, out, MPI_COMM_WORLD);
        expect(found == right, "fields, way %d: status %d, not %d", way, found, right);
        found = quire_mpi_allreduce_moments(NULL, w, 5, &layout, px, out, MPI_COMM_WORLD);
        expect(found == right, "moments, way %d: status %d, not %d", way, found, right);
        found = quire_mpi_allreduce_elements(NULL, w, 5, px, out, MPI_COMM_WORLD);
        expect(found == right, "elements, way %d: status %d, not %d", way, found, right);
        expect(!memcmp(results, before, sizeof results), "way %d: results are touched", way);
        check_scalar(&sum, 100, 2, MPI_COMM_WORLD, "after an error");
    }
}

/* Layouts that are none, or reach further than memory does, on one rank. */
static void layouts(int who) {
    for (int way = 0; way < 8; way++) {
        quire_layout layout = quire_rows(5, 10, 10), y_layout = layout;
        const int me = rank == who;
        uint64_t results[5], before[5];
        quire_reduction what = sum;
        memset(results, 0x55, sizeof results);
        memcpy(before, results, sizeof before);
        if (way >= 6) what.operation = QUIRE_DOT;
        if (way == 0 && me) layout.outer = 4;
        if (way == 1 && me) layout.outer_stride = PTRDIFF_MAX / 16;
        if (way == 2 && me) layout.outer_stride = PTRDIFF_MAX;
        if (way == 3 && me) layout.stride = PTRDIFF_MIN;
        if (way == 4 && me) layout.outer = 1, layout.inner = 5, layout.inner_stride = PTRDIFF_MAX / 4;
        if (way == 5 && me) layout.stride = PTRDIFF_MAX / 8, layout.n = 17; /* 16 steps: wraps to -16 bytes */
        if (way == 6 && me) y_layout.n = 9;
        if (way == 7 && me) y_layout.outer_stride = PTRDIFF_MAX / 16;
        const quire_layout *yl = way >= 6 ? &y_layout : NULL;
        quire_status found = quire_mpi_allreduce_fields(NULL, &what, 5, &layout, x, yl, y, results, MPI_COMM_WORLD);
        expect(found == QUIRE_INVALID_LAYOUT, "fields, layout %d: status %d", way, found);
        if (way < 6) found = quire_mpi_allreduce_moments(NULL, &sum, 5, &layout, x, results, MPI_COMM_WORLD);
        expect(found == QUIRE_INVALID_LAYOUT, "moments, layout %d: status %d", way, found);
        if (!way)
            found =
                quire_mpi_allreduce_fields(NULL, &sum, 5, me ? NULL : &layout, x, NULL, NULL, results, MPI_COMM_WORLD);
        expect(way || found == QUIRE_NULL_POINTER, "no layout: status %d", found);
        found = quire_mpi_allreduce(NULL, &sum, me ? SIZE_MAX / 8 : 10, x, NULL, results, MPI_COMM_WORLD);
        expect(found == QUIRE_SIZE_OVERFLOW, "too many elements: status %d", found);
        what.operation = me ? QUIRE_DOT : QUIRE_SUM; /* where there is no y */
        layout = quire_rows(5, 10, 10);
        found = quire_mpi_allreduce_moments(NULL, &what, 5, &layout, x, results, MPI_COMM_WORLD);
        expect(found == QUIRE_INVALID_OPERATION, "moments of a dot product: status %d", found);
        found = quire_mpi_allreduce_elements(NULL, &what, 5, x, results, MPI_COMM_WORLD);
        expect(found == QUIRE_INVALID_OPERATION, "elements of a dot product: status %d", found);
        expect(!memcmp(results, before, sizeof results), "layout %d: results are touched", way);
        check_scalar(&sum, 100, 2, MPI_COMM_WORLD, "after a bad layout");
    }
}

/* What must be the same on all ranks is not on one. On one rank alone nothing differs. */
static void differences(int who) {
    const quire_status right = ranks > 1 ? QUIRE_RANKS_DIFFER : QUIRE_OK;
    const quire_layout rows = quire_rows(5, 10, 10);
    for (int way = 0; way < 5; way++) {
        quire_reduction what = { QUIRE_VARIANCE, QUIRE_F64, QUIRE_F64, 0, 0, 1, { 0 } };
        const int me = rank == who;
        uint64_t results[600], before[600];
        memset(results, 0x55, sizeof results);
        memcpy(before, results, sizeof before);
        if (way == 0 && me) what.operation = QUIRE_STDDEV;
        if (way == 1 && me) what.type = QUIRE_F32;
        if (way == 2 && me) what.result_type = QUIRE_F32;
        if (way == 3 && me) what.rounding = QUIRE_UPWARD;
        if (way == 4 && me) what.correction = 0;
        quire_status found = quire_mpi_allreduce(NULL, &what, 10, x, NULL, results, MPI_COMM_WORLD);
        expect(found == right, "scalar, difference %d: status %d", way, found);
        found = quire_mpi_allreduce_moments(NULL, &what, 5, &rows, x, results, MPI_COMM_WORLD);
        expect(found == right, "moments, difference %d: status %d", way, found);
        found = quire_mpi_allreduce_elements(NULL, &what, 5, x, results, MPI_COMM_WORLD);
        expect(found == right, "elements, difference %d: status %d", way, found);
        found = quire_mpi_allreduce_elements(NULL, &sum, me ? 4 : 5, x, results, MPI_COMM_WORLD);
        expect(found == right, "elements, another n: status %d", found);
        /* fields beyond a message */
        const quire_layout long_rows = quire_rows(me ? 257 : 600, 1, 1);
        found =
            quire_mpi_allreduce_fields(NULL, &sum, long_rows.outer, &long_rows, x, NULL, NULL, results, MPI_COMM_WORLD);
        expect(found == right, "fields, another number of them: status %d", found);
        expect(ranks == 1 || !memcmp(results, before, sizeof results), "difference %d: results are touched", way);
        check_scalar(&sum, 100, 2, MPI_COMM_WORLD, "after a difference");
    }
}

static void bad_accumulators(int who) {
    static const int counts[] = { 0, 1, 2, 4, -1 };
    quire_accumulator part[5], before[5];
    const int me = rank == who;
    memset(part, 0, sizeof part);
    for (int i = 0; i < 5; i++) quire_accumulate(NULL, &part[i], QUIRE_F64, 100, x + 100 * i);
    memcpy(before, part, sizeof part);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const quire_status found = quire_mpi_allreduce_accumulators(me ? counts[i] : 3, part, MPI_COMM_WORLD);
        const quire_status right = counts[i] < 0 ? QUIRE_INVALID_LAYOUT : ranks > 1 ? QUIRE_RANKS_DIFFER : QUIRE_OK;
        expect(found == right, "%d accumulators, not 3: status %d", counts[i], found);
    }
    quire_status found = quire_mpi_allreduce_accumulators(3, me ? NULL : part, MPI_COMM_WORLD);
    expect(found == QUIRE_NULL_POINTER, "no accumulators: status %d", found);
    found = quire_mpi_allreduce_accumulators(3, (quire_accumulator *)((char *)part + (me ? 4 : 0)), MPI_COMM_WORLD);
    expect(found == QUIRE_MISALIGNED, "accumulators anywhere: status %d", found);
    expect(!memcmp(part, before, sizeof part), "accumulators are touched");
    check_accumulators(300, 2, MPI_COMM_WORLD);
}

void bad_arguments(void) {
    fill(ORDINARY, MOST);
    convert(QUIRE_F64, MOST);
    for (int who = 0; who<ranks; who += ranks> 4 ? 3 : 1) {
        each_call(who);
        layouts(who);
        differences(who);
        bad_accumulators(who);
    }
    done("bad arguments on one rank, and other ones than its neighbours': a status on all");
}
