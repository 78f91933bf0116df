/* test_nccl.c - nccl.h on the GPUs there are: results equal those of quire_reduce on all elements, on the CPU, bit for
 * bit, on every rank.
 *
 *     build/tests/nccl/test_nccl
 *
 * The ranks are in this process, each with a device of its own: one, and as many as there are devices, of one thread
 * (jobs in groups) and of a thread each (plain calls). More ranks than devices are also played: their buffers lie on
 * device 0, go through the same kernels, and the host adds or copies what NCCL would. Prints TAP; needs no Check and no
 * MPFR.
 *
 * SPDX-License-Identifier: MIT
 */
#include "ranks.h"

#include <math.h>

/* ------------------------------------------------------------------------------------------------------ one vector */

/* x and y as a vector of which each rank has a part. */
static void prepare_part(rank_state *r, quire_nccl_job *job, const quire_reduction *what, size_t n, int split) {
    const size_t size = quire_type_size(what->type), from = part_begin(n, r->rank, r->ranks, split);
    const size_t own = part_begin(n, r->rank + 1, r->ranks, split) - from;
    const uint64_t untouched = UNTOUCHED;
    put(r, r->x, (const char *)x + from * size, own * size);
    put(r, r->y, (const char *)y + from * size, own * size);
    put(r, r->results, &untouched, sizeof untouched);
    expect_status(quire_nccl_prepare(job, r->context, what, own, own ? r->x : NULL, own ? r->y : NULL, r->results,
                                     r->comm, r->stream, r->workspace, quire_nccl_workspace(what, 1)),
                  QUIRE_OK, "prepare");
}

static void check_scalar(rank_state *all, int ranks, quire_reduction what, size_t n, int split, const char *name) {
    quire_nccl_job jobs[MOST_RANKS] = { 0 };
    const uint64_t right = expected_of(&what, n);
    for (int r = 0; r < ranks; r++) prepare_part(&all[r], &jobs[r], &what, n, split);
    run_jobs(jobs, ranks);
    for (int r = 0; r < ranks; r++) expect_scalar(&all[r], &what, n, split, right, name);
}

/* Ranks that are played: each adds its part up in the workspace, the host adds the words of all in a turned order, and
 * the last one rounds. */
static void play_scalar(rank_state *r, int ranks, quire_reduction what, size_t n, int split) {
    enum { MOST_WORDS = 2 * QUIRE_ACCUMULATOR_WORDS }; /* for a variance */
    int64_t sum[MOST_WORDS] = { 0 }, words[MOST_WORDS];
    const size_t used = quire_nccl_workspace(&what, 1);
    const uint64_t right = expected_of(&what, n);
    quire_nccl_job job;
    for (int k = 0; k < ranks; k++) {
        rank_state played = *r;
        played.rank = (k + split) % ranks, played.ranks = ranks;
        prepare_part(&played, &job, &what, n, split);
        expect_status(quire_nccl_local_sums(&job), QUIRE_OK, "local sums");
        get(r, words, r->workspace, used);
        for (size_t i = 0; i < used / sizeof *words; i++) sum[i] = (int64_t)((uint64_t)sum[i] + (uint64_t)words[i]);
    }
    put(r, r->workspace, sum, used);
    expect_status(quire_nccl_round_sums(&job), QUIRE_OK, "rounding");
    expect_scalar(r, &what, n, split, right, "played");
}

static void scalars(rank_state *all, int ranks, int played) {
    static const size_t sizes[] = { 0, 1, 2, 7, 100, MOST };
    for (int f = 0; f < FAMILIES; f++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (int t = 0; t < TYPES; t++) {
                fill((family)f, types[t], sizes[s]);
                for (int o = 0; o < OPERATIONS; o++) {
                    quire_reduction what = { operations[o], types[t], 0, 0, 0, 0, { 0 } };
                    if (o % 2) what.result_type = QUIRE_F32, what.rounding = QUIRE_DOWNWARD;
                    if (played)
                        play_scalar(all, played, what, sizes[s], (int)(s + (size_t)o) % SPLITS);
                    else
                        check_scalar(all, ranks, what, sizes[s], (int)(s + (size_t)o) % SPLITS, "scalar");
                }
            }
}

/* NaN, infinities and zeros, of which a rank may be the only one to have any. */
static void specials(rank_state *all, int ranks, int played) {
    const double values[] = { NAN, INFINITY, -INFINITY, -0.0 };
    for (int k = 0; k < 64; k++) {
        double *const dx = x, *const dy = y;
        fill(k & 16 ? NEGATIVE_ZEROS : ORDINARY, QUIRE_F64, 50);
        dx[(7 * k) % 50] = values[k & 3], dx[(13 * k + 5) % 50] = values[k >> 2 & 3];
        if (k & 32) dy[(7 * k) % 50] = 0.0;
        for (int o = 0; o < OPERATIONS; o++) {
            const quire_reduction what = { operations[o], QUIRE_F64, 0, 0, k & 1 ? QUIRE_DOWNWARD : 0, 0, { 0 } };
            if (played)
                play_scalar(all, played, what, 50, k % SPLITS);
            else
                check_scalar(all, ranks, what, 50, k % SPLITS, "special");
        }
    }
}

/* Long enough for every kernel. */
static void long_vectors(rank_state *all, int ranks, int played) {
    for (int t = 0; t < TYPES; t++)
        for (int wide = 0; wide < 2; wide++) {
            const size_t n = LONGEST - (size_t)(t * 7 + wide);
            fill(wide ? WIDE : ORDINARY, types[t], n);
            for (int o = 0; o < OPERATIONS; o++) {
                const quire_reduction what = { operations[o], types[t], 0, 0, 0, 0, { 0 } };
                if (played)
                    play_scalar(all, played, what, n, o % SPLITS);
                else
                    check_scalar(all, ranks, what, n, o % SPLITS, "long");
            }
        }
}

/* ----------------------------------------------------------------------------------------------------- many vectors */

/* fields rows of n elements, of which each rank has some columns. */
static void check_fields(rank_state *all, int ranks, quire_reduction what, size_t fields, size_t n, int split) {
    const size_t size = quire_type_size(what.type), result_size = quire_type_size(what.type);
    const quire_layout rows = quire_rows(fields, n, (ptrdiff_t)n);
    char right[512 * 8], found[512 * 8];
    quire_nccl_job jobs[MOST_RANKS] = { 0 };
    memset(right, 0x55, sizeof right);
    expect_status(quire_reduce(NULL, &what, &rows, x, NULL, y, right), QUIRE_OK, "the CPU");
    for (int r = 0; r < ranks; r++) {
        const size_t from = part_begin(n, r, ranks, split), own = part_begin(n, r + 1, ranks, split) - from;
        const quire_layout part = quire_rows(fields, own, (ptrdiff_t)n);
        put(&all[r], all[r].x, x, fields * n * size);
        put(&all[r], all[r].y, y, fields * n * size);
        put(&all[r], all[r].results, zeros, fields * 8);
        expect_status(quire_nccl_prepare_fields(&jobs[r], all[r].context, &what, fields, &part,
                                                (char *)all[r].x + from * size, NULL, (char *)all[r].y + from * size,
                                                all[r].results, all[r].comm, all[r].stream, all[r].workspace,
                                                quire_nccl_workspace(&what, fields)),
                      QUIRE_OK, "prepare fields");
    }
    run_jobs(jobs, ranks);
    for (int r = 0; r < ranks; r++) {
        memset(found, 0x55, sizeof found);
        get(&all[r], found, all[r].results, fields * result_size);
        expect(!memcmp(found, right, sizeof found), "%zu fields of %zu, operation %d, type %d, split %d", fields, n,
               (int)what.operation, (int)what.type, split);
    }
}

static void many(rank_state *all, int ranks) {
    static const size_t shapes[][2] = { { 0, 5 },   { 1, 100 }, { 64, 40 },   { 3, 1000 },
                                        { 300, 7 }, { 5, 0 },   { 4, 200000 } };
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int t = 0; t < TYPES; t++) {
            fill(s % 2 ? WIDE : ORDINARY, types[t], shapes[s][0] * shapes[s][1]);
            for (int o = 0; o < OPERATIONS; o++) {
                const quire_reduction what = { operations[o], types[t], 0, 0, 0, 0, { 0 } };
                check_fields(all, ranks, what, shapes[s][0], shapes[s][1], (o + (int)s) % SPLITS);
            }
        }
}

/* ----------------------------------------------------------------------------------------------- element by element */

static void prepare_array(rank_state *r, quire_nccl_job *job, const quire_reduction *what, size_t n, int rank,
                          void *results) {
    const size_t bytes = n * quire_type_size(what->type);
    if (results != r->x) put(r, results, zeros, n * 8);
    put(r, r->x, (const char *)x + (size_t)rank * bytes, bytes);
    expect_status(quire_nccl_prepare_elements(job, r->context, what, n, r->x, results, r->comm, r->stream, r->workspace,
                                              quire_nccl_elements_workspace(what, n, r->ranks)),
                  QUIRE_OK, "prepare elements");
}

static void check_elements(rank_state *all, int ranks, quire_reduction what, size_t n, int in_place) {
    quire_nccl_job jobs[MOST_RANKS] = { 0 };
    for (int r = 0; r < ranks; r++) {
        void *const own = all[r].results;
        if (in_place) all[r].results = all[r].x;
        prepare_array(&all[r], &jobs[r], &what, n, r, all[r].results);
        all[r].results = own;
    }
    run_jobs(jobs, ranks);
    for (int r = 0; r < ranks; r++) {
        rank_state seen = all[r];
        if (in_place) seen.results = seen.x;
        expect_columns(&seen, &what, n, ranks, in_place ? "elements in place" : "elements");
    }
}

/* Played ranks share one array of results, where each writes its part, as if gathered. */
static void play_elements(rank_state *r, int ranks, quire_reduction what, size_t n) {
    const size_t size = quire_type_size(what.type), part = n / (size_t)ranks * size, tail = n % (size_t)ranks * size;
    quire_nccl_job job;
    prepare_array(r, &job, &what, n, 0, r->results);
    for (int k = ranks - 1; k >= 0; k--) {
        job.rank = k, job.ranks = ranks;
        for (int from = 0; from < ranks && n; from++) {
            const char *array = (const char *)x + (size_t)from * n * size;
            put(r, (char *)r->workspace + (size_t)from * part, array + (size_t)k * part, part);
            put(r, quire_nccl_tails(&job) + (size_t)from * tail, array + (size_t)ranks * part, tail);
        }
        if (n) expect_status(quire_nccl_local_columns(&job), QUIRE_OK, "local columns");
    }
    expect_columns(r, &what, n, ranks, "played elements");
}

static void elements(rank_state *all, int ranks, int played) {
    static const size_t sizes[] = { 0, 1, 2, 15, 16, 17, 1000, 100003 };
    const int copies = played ? played : ranks;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int t = 0; t < TYPES; t++) {
            fill(t % 2 ? ORDINARY : WIDE, types[t], sizes[s] * (size_t)copies);
            for (int o = 0; o < OPERATIONS; o++) {
                quire_reduction what = { operations[o], types[t], 0, 0, 0, 0, { 0 } };
                if (operations[o] == QUIRE_DOT) continue;
                if (o % 2) what.result_type = QUIRE_F64, what.rounding = QUIRE_UPWARD;
                if (played) {
                    play_elements(all, played, what, sizes[s]);
                    continue;
                }
                check_elements(all, ranks, what, sizes[s], 0);
                if (o % 2 == 0) check_elements(all, ranks, what, sizes[s], 1);
            }
        }
}

/* ------------------------------------------------------------------------------------------------------------- main */

static void with_ranks(int ranks) {
    rank_state all[MOST_RANKS];
    open_ranks(all, ranks);
    scalars(all, ranks, 0);
    done("one vector, %d ranks", ranks);
    specials(all, ranks, 0);
    done("NaN, infinities and zeros on a rank, %d ranks", ranks);
    long_vectors(all, ranks, 0);
    done("long vectors, %d ranks", ranks);
    many(all, ranks);
    done("many vectors, %d ranks", ranks);
    elements(all, ranks, 0);
    done("element by element, %d ranks", ranks);
    plain_calls(all, ranks, 0);
    done("plain calls, a thread a rank, %d ranks", ranks);
    plain_calls(all, ranks, 1);
    done("plain calls captured into graphs, a thread a rank, %d ranks", ranks);
    if (ranks == 1) {
        static const int played[] = { 1, 2, 3, 5, 8 };
        replay(all);
        done("a graph replays with new elements");
        bad_arguments(all);
        done("bad arguments");
        for (size_t i = 0; i < sizeof played / sizeof *played; i++) {
            scalars(all, 1, played[i]);
            specials(all, 1, played[i]);
            long_vectors(all, 1, played[i]);
            done("vectors of %d ranks, played on a device", played[i]);
            elements(all, 1, played[i]);
            done("elements of %d ranks, played on a device", played[i]);
        }
    }
    close_ranks(all, ranks);
}

int main(void) {
    const int devices = open_test();
    if (!devices) return 0;
    for (int ranks = 1; ranks <= devices; ranks *= 2) with_ranks(ranks);
    return close_test();
}
