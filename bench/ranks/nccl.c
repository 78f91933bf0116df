/* nccl.c - what an exact sum over GPUs costs, beside ncclAllReduce of doubles or floats in the same run.
 *
 *     quire-bench-nccl [--csv FILE] [--samples N] [--gpus N]
 *
 * On 1, 2, ... GPUs of the machine, up to N or all, a thread each. Every case is timed as launched ("stream") and
 * captured ("graph"): see gpus.h. A line of the table, and of the CSV, is a case on a number of GPUs; its columns are
 *
 * - nccl: ncclAllReduce of what a program would send that does without quire: the sums of each field, or the array
 * - quire: the call of quire/nccl.h
 * - own: quire_reduce of a rank's own elements, on all GPUs at once: no communication
 * - one_gpu: quire_sum of the elements of all ranks on one GPU
 *
 * in microseconds, medians of the samples; in the CSV the least of them, too.
 *
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/terminal.h"
#include "command/words.h"
#include "gpus.h"
#include "head.h"
#include "missing_cuda.h"

/* ------------------------------------------------------------------------------------------------------------ cases */

typedef enum shape { VECTOR, FIELDS, ELEMENTS } shape;

typedef struct bench_case {
    const char *name;
    shape shape;
    quire_type type;
    size_t fields, n; /* vectors, and elements of each on a rank; of arrays that are reduced element by element, n */
} bench_case;

#define MANY 64
#define LONG_FIELD ((size_t)1 << 16)
#define LONGEST ((size_t)1 << 26)

static const bench_case cases[] = {
    { "scalar", VECTOR, QUIRE_F64, 1, 1 },
    { "vector of 2^26 floats a rank", VECTOR, QUIRE_F32, 1, LONGEST },
    { "64 fields of 1 double a rank", FIELDS, QUIRE_F64, MANY, 1 },
    { "64 fields of 2^16 doubles a rank", FIELDS, QUIRE_F64, MANY, LONG_FIELD },
    { "elements: 64 doubles", ELEMENTS, QUIRE_F64, 1, MANY },
    { "elements: 2^20 floats", ELEMENTS, QUIRE_F32, 1, (size_t)1 << 20 },
    { "elements: 2^24 floats", ELEMENTS, QUIRE_F32, 1, (size_t)1 << 24 },
    { "elements: 2^26 floats", ELEMENTS, QUIRE_F32, 1, LONGEST },
};
enum { CASES = sizeof cases / sizeof *cases };

static const void *elements_of(const gpu *g, const bench_case *c) {
    return c->type == QUIRE_F64 ? (const void *)g->doubles : g->floats;
}

static quire_reduction sum_of(const bench_case *c) {
    quire_reduction what = { 0 };
    what.type = c->type;
    return what;
}

static void call_nccl(gpu *g, const void *what) {
    const bench_case *c = what;
    const bool elements = c->shape == ELEMENTS; /* of vectors a rank's own sums would be sent, here as doubles */
    gpu_note_nccl(ncclAllReduce(elements ? elements_of(g, c) : g->doubles, g->results, elements ? c->n : c->fields,
                                elements && c->type == QUIRE_F32 ? ncclFloat32 : ncclFloat64, ncclSum, g->comm,
                                g->stream));
}

static void call_quire(gpu *g, const void *what) {
    const bench_case *c = what;
    const quire_reduction sum = sum_of(c);
    const quire_layout rows = quire_rows(c->fields, c->n, (ptrdiff_t)c->n);
    const void *x = elements_of(g, c);
    quire_status status;
    if (c->shape == VECTOR)
        status = quire_nccl_allreduce(g->context, &sum, c->n, x, NULL, g->results, g->comm, g->stream, g->workspace,
                                      g->workspace_size);
    else if (c->shape == FIELDS)
        status = quire_nccl_allreduce_fields(g->context, &sum, c->fields, &rows, x, NULL, NULL, g->results, g->comm,
                                             g->stream, g->workspace, g->workspace_size);
    else
        status = quire_nccl_allreduce_elements(g->context, &sum, c->n, x, g->results, g->comm, g->stream, g->workspace,
                                               g->workspace_size);
    gpu_note_quire(status);
}

static void call_own(gpu *g, const void *what) {
    const bench_case *c = what;
    const quire_reduction sum = sum_of(c);
    const quire_layout rows = quire_rows(c->fields, c->n, (ptrdiff_t)c->n);
    gpu_note_quire(quire_reduce(g->context, &sum, &rows, elements_of(g, c), NULL, NULL, g->results));
}

static void call_one_gpu(gpu *g, const void *what) {
    const bench_case *c = what;
    if (g->rank) return;
    gpu_note_quire(
        quire_sum(g->context, c->type, c->n * (size_t)g->ranks, g->floats, QUIRE_EXACT, c->type, g->results));
}

enum { NCCL, QUIRE, OWN, ONE_GPU, CALLS };
static const char *const call_names[CALLS] = { "nccl", "quire", "own", "one_gpu" };
static const gpu_call calls[CALLS] = { call_nccl, call_quire, call_own, call_one_gpu };

static bool takes_part(const bench_case *c, int call) {
    if (call == OWN) return c->shape != ELEMENTS;
    return call != ONE_GPU || (c->shape == VECTOR && c->type == QUIRE_F32);
}

/* ----------------------------------------------------------------------------------------------------------- output */

static FILE *csv;
static int samples = 25;

static void write_heads(int devices, int argc, char **argv) {
    struct cudaDeviceProp about;
    int nccl = 0, driver = 0, runtime = 0;
    memset(&about, 0, sizeof about);
    cudaGetDeviceProperties(&about, 0);
    ncclGetVersion(&nccl);
    cudaDriverGetVersion(&driver), cudaRuntimeGetVersion(&runtime);
    FILE *const to[2] = { stdout, csv };
    for (int i = 0; i < 2 && to[i]; i++) {
        write_head(to[i], argc, argv);
        fprintf(to[i], "# gpus: %d x %s\n# cuda: runtime %d, driver %d\n", devices, about.name, runtime, driver);
        fprintf(to[i], "# nccl: %d\n# samples: %d\n", nccl, samples);
    }
    printf("%4s %-6s %-33s %11s %11s %7s %11s %11s\n", "GPUs", "how", "microseconds, medians", "nccl", "quire", "ratio",
           "own", "one_gpu");
    if (!csv) return;
    fprintf(csv, "gpus,how,case,fields,n");
    for (int k = 0; k < CALLS; k++) fprintf(csv, ",%s_us,%s_least_us", call_names[k], call_names[k]);
    fprintf(csv, ",ratio\n");
}

static void write_case(int gpus, bool captured, const bench_case *c, const double *median, const double *least) {
    const char *how = captured ? "graph" : "stream";
    const double ratio = median[QUIRE] / median[NCCL];
    printf("%4d %-6s %-33s %11.2f %11.2f %7.2f", gpus, how, c->name, median[NCCL], median[QUIRE], ratio);
    for (int k = OWN; k < CALLS; k++) isnan(median[k]) ? printf(" %11s", "") : printf(" %11.2f", median[k]);
    printf("\n");
    fflush(stdout);
    if (!csv) return;
    fprintf(csv, "%d,%s,%s,%zu,%zu", gpus, how, c->name, c->fields, c->n);
    for (int k = 0; k < CALLS; k++)
        isnan(median[k]) ? fprintf(csv, ",,") : fprintf(csv, ",%.3f,%.3f", median[k], least[k]);
    fprintf(csv, ",%.3f\n", ratio);
    fflush(csv);
}

/* ---------------------------------------------------------------------------------------------------------- running */

static const char *take_case(gpu *all, int gpus, const bench_case *c, bool captured) {
    static double seconds[MOST_SAMPLES];
    double median[CALLS], least[CALLS];
    for (int k = 0; k < CALLS; k++) {
        median[k] = least[k] = NAN;
        if (!takes_part(c, k)) continue;
        const char *trouble = gpus_time(all, gpus, calls[k], c, captured, samples, seconds);
        if (trouble) return trouble;
        median[k] = 1e6 * seconds[samples / 2], least[k] = 1e6 * seconds[0];
    }
    write_case(gpus, captured, c, median, least);
    return NULL;
}

static size_t workspace_for(int gpus) {
    quire_reduction what = { 0 };
    what.type = QUIRE_F32;
    const size_t elements = quire_nccl_elements_workspace(&what, LONGEST, gpus);
    const size_t fields = quire_nccl_workspace(&what, MANY);
    return elements > fields ? elements : fields;
}

static bool take_all(int gpus) {
    static gpu all[MOST_GPUS];
    const gpu_room room = { MANY * LONG_FIELD, LONGEST, LONGEST * sizeof(float), workspace_for(gpus) };
    const char *trouble = gpus_open(all, gpus, &room);
    if (trouble) return complain("no ranks on the GPUs: %s", trouble);
    for (int i = 0; i < CASES; i++)
        for (int captured = 0; captured < 2; captured++) {
            trouble = take_case(all, gpus, &cases[i], captured);
            if (trouble) return complain("%s: %s", cases[i].name, trouble); /* and the ranks are left as they are */
        }
    gpus_close(all, gpus);
    return true;
}

/* --------------------------------------------------------------------------------------------------------- the line */

enum { CSV, SAMPLES, GPUS, HELP };

static const struct option table[] = {
    { "csv", required_argument, NULL, CSV },
    { "samples", required_argument, NULL, SAMPLES },
    { "gpus", required_argument, NULL, GPUS },
    { "help", no_argument, NULL, HELP },
    { NULL, 0, NULL, 0 },
};

typedef struct asked {
    const char *csv; /* NULL: not asked for */
    int gpus;
    bool help;
} asked;

static bool read_count(const char *option, const char *word, int least, int most, int *count) {
    double value;
    if (!read_whole(option, word, least, most, &value)) return false;
    *count = (int)value;
    return true;
}

static bool take_option(void *user, int which, char *word) {
    asked *a = user;
    switch (which) {
    case CSV: a->csv = word; return true;
    case SAMPLES: return read_count("samples", word, 3, MOST_SAMPLES, &samples);
    case GPUS: return read_count("gpus", word, 1, MOST_GPUS, &a->gpus);
    default: a->help = true; return true;
    }
}

int main(int argc, char **argv) {
    asked a = { NULL, MOST_GPUS, false };
    int devices = 0;
    bool fine = true;
    if (!read_options(argc, argv, table, take_option, &a)) return EXIT_USAGE;
    if (a.help) return puts("Usage: quire-bench-nccl [--csv FILE] [--samples N] [--gpus N]"), EXIT_FINE;
    if (optind < argc) return complain("'%s' is no option; --help lists them", argv[optind]), EXIT_USAGE;
    const char *missing = quire_has_cuda() ? missing_cuda() : "a library without CUDA";
    if (missing) return complain("%s", missing), EXIT_TROUBLE;
    if (a.csv && !(csv = fopen(a.csv, "w"))) return complain("%s: %s", a.csv, strerror(errno)), EXIT_TROUBLE;
    cudaGetDeviceCount(&devices);
    if (devices > a.gpus) devices = a.gpus;
    write_heads(devices, argc, argv);
    for (int gpus = 1; gpus <= devices && fine; gpus++) fine = take_all(gpus);
    if (csv && fclose(csv) && fine) fine = complain("%s: cannot be written", a.csv);
    return fine ? EXIT_FINE : EXIT_TROUBLE;
}
