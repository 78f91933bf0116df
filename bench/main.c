/* main.c - quire-bench: what accuracy costs, on the public header alone.
 *
 * The way of a run: options.c reads the line; contend_*.c, gpu/ and peers/ list who is measured, a list a place; data.c
 * makes the numbers; for each size, data, type and operation, measure.c has a place time its contenders at the same job
 * and judges them by truth.c; report.c sends the rows to the table and the files. Where many vectors a call are asked
 * for, rows.c goes through these in place of that.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>

#include "command/terminal.h"
#include "contenders/baseline.h"
#include "measure/measure.h"
#include "measure/rows.h"
#include "number.h"
#include "peers/peers.h"
#include "places/place.h"
#include "report/report.h"

/* Who is measured: in each place those who work there. */
typedef struct lists {
    contenders one[2];
    int count;
} lists;

/* One operation on the data that are there. */
static bool run_operation(const options *o, const lists *all, data *d, operation which) {
    static row rows[MAX_CONTENDERS];
    truth t;
    job j = { .operation = which, .type = d->type, .result_type = result_type(o, d->type), .n = d->n };
    progress("%s: exact %s of %zu %s", d->source.name, operation_name(which), d->n, type_name(d->type));
    const quire_status status = truth_find(&t, &j, d);
    if (status) return complain("exact: %s", quire_status_string(status));
    for (int i = 0, count; i < all->count && !interrupted(); i++)
        if (!measure(&all->one[i], o, &j, &t, d, rows, &count) || !report_rows(rows, count)) return false;
    return true;
}

/* All operations on data of one kind: first those that take one vector, for the data made for a dot product may differ.
 */
static bool run_source(const options *o, const lists *all, data *d, source from, quire_type type, size_t n) {
    for (int pair = 0; pair <= 1; pair++)
        for (int i = 0; i < o->operation_count && !interrupted(); i++) {
            const operation which = (operation)o->operations[i];
            if ((which == OPERATION_DOT) != pair) continue;
            if (!data_fill(d, from, type, o->seed, n, pair)) return false;
            if (!interrupted() && !run_operation(o, all, d, which)) return false;
        }
    return true;
}

/* The families first, then the condition numbers. */
static source source_of(const options *o, int i, char name[32]) {
    if (i < o->family_count) return (source){ family_name((family)o->families[i]), (family)o->families[i], 0, NULL };
    const double condition = o->conditions[i - o->family_count];
    snprintf(name, 32, "condition-%.3g", condition);
    return (source){ name, FAMILY_COUNT, condition, NULL };
}

static bool run_families(const options *o, const lists *all, data *d) {
    char name[32];
    for (int s = 0; s < o->size_count; s++)
        for (int f = 0; f < o->family_count + o->condition_count; f++)
            for (int t = 0; t < o->type_count; t++)
                if (!run_source(o, all, d, source_of(o, f, name), (quire_type)o->types[t], o->sizes[s])) return false;
    return true;
}

static bool run_file(const options *o, const lists *all, data *d, const own *file) {
    const source from = { file->name, FAMILY_COUNT, 0, file };
    if (!o->size_count) return run_source(o, all, d, from, file->type, file->count);
    for (int s = 0; s < o->size_count; s++)
        if (!run_source(o, all, d, from, file->type, o->sizes[s])) return false;
    return true;
}

/* The most elements of the longest vector, in host memory too, and the bytes of the widest. */
static bool find_room(const options *o, const own *file, bool whole, size_t *bytes, size_t *host_bytes) {
    size_t n = o->size_count ? 0 : file->count, host = n, size = file->count ? type_size(file->type) : 0;
    for (int i = 0; i < o->size_count; i++) {
        if (o->sizes[i] > n) n = o->sizes[i];
        if (data_room(o->sizes[i], whole) > host) host = data_room(o->sizes[i], whole);
    }
    for (int i = 0; !file->count && i < o->type_count; i++)
        if (type_size((quire_type)o->types[i]) > size) size = type_size((quire_type)o->types[i]);
    if (file->count && n > file->count) return complain("--n: %s has only %zu elements", file->name, file->count);
    *bytes = n * size; /* n is at most 1e15, or counts what a file holds */
    *host_bytes = host * size;
    return true;
}

/* The same of many vectors, by place: bytes are those of the GPU. */
static bool find_room_of_many(const options *o, const lists *all, bool whole, size_t *bytes, size_t *host_bytes) {
    *bytes = *host_bytes = 0;
    for (int i = 0; i < all->count; i++) {
        size_t most, host;
        if (!rows_room(o, all->one[i].place, whole, &most, &host)) return false;
        if (all->one[i].place == &place_gpu) *bytes = most;
        if (host > *host_bytes) *host_bytes = host;
    }
    return true;
}

static bool run_many(const options *o, const lists *all, data *d) {
    bool fine = true;
    for (int i = 0; i < all->count && fine; i++) fine = rows_run(&all->one[i], o, d);
    rows_close();
    return fine;
}

static bool wants_dot(const options *o) {
    for (int i = 0; i < o->operation_count; i++)
        if (o->operations[i] == OPERATION_DOT) return true;
    return false;
}

static bool has(const lists *all, const place *where) {
    for (int i = 0; i < all->count; i++)
        if (all->one[i].place == where) return true;
    return false;
}

static bool run_all(const options *o, const facts *f, const lists *all, const own *file) {
    data d;
    size_t bytes = 0, host_bytes = 0;
    const bool whole = has(all, &place_cpu) || file->count;
    if (!(o->layout_count ? find_room_of_many(o, all, whole, &bytes, &host_bytes)
                          : find_room(o, file, whole, &bytes, &host_bytes)))
        return false;
    if (has(all, &place_gpu) && !gpu_reserve(bytes, wants_dot(o))) return false;
    if (!data_open(&d, host_bytes, wants_dot(o), whole)) return false;
    bool fine = report_begin(o, f);
    if (fine) {
        interrupt_watch();
        fine = o->layout_count ? run_many(o, all, &d)
               : file->count   ? run_file(o, all, &d, file)
                               : run_families(o, all, &d);
        fine &= report_end();
    }
    data_close(&d);
    return fine;
}

static bool list_contenders(const options *o, lists *all) {
    all->count = 0;
    if (o->places & ON_CPU) {
        contenders *cpu = &all->one[all->count++];
        cpu->place = &place_cpu;
        cpu->count = 0;
        contenders_add_loops(cpu);
        if (o->peers && !o->layout_count) peers_add_cpu(cpu);
        if (!contenders_add_cpu(cpu, o)) return false;
    }
    if (!(o->places & ON_GPU)) return true;
    contenders *gpu = &all->one[all->count];
    gpu->place = &place_gpu;
    gpu->count = 0;
    const char *missing = gpu_open(gpu, o);
    if (!missing) all->count++;
    if (missing && !all->count) return complain("--place gpu: %s", missing);
    if (missing && o->ladder) return complain("--ladder: %s", missing);
    if (missing) note_left_out("GPU rows: %s", missing);
    return true;
}

/* Whether the loops that are compiled for the processor of the machine that built this run here. */
static bool loops_run_here(void) {
    bool fine = true;
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_cpu_init();
    if (baseline_needs & NEEDS_AVX2) fine = fine && __builtin_cpu_supports("avx2");
    if (baseline_needs & NEEDS_AVX512) fine = fine && __builtin_cpu_supports("avx512f");
    if (baseline_needs & NEEDS_FMA) fine = fine && __builtin_cpu_supports("fma");
#endif
    return fine ||
           complain("this quire-bench was compiled for another processor; build it here, or with -Dbench_march");
}

static int run(const options *o, facts *f) {
    static lists all;
    own file = { .count = 0 };
    bool fine = (!o->file || own_open(&file, o->file, o->typed ? &o->element : NULL)) && list_contenders(o, &all);
    truth_open();
    if (fine) {
        facts_find(f, o);
        fine = run_all(o, f, &all, &file);
    }
    own_close(&file);
    truth_close();
    gpu_close();
    contenders_close_cpu();
    return !fine ? EXIT_TROUBLE : interrupted() ? EXIT_INTERRUPTED : EXIT_FINE;
}

int main(int argc, char **argv) {
    options o;
    facts f;
    facts_take_command(&f, argc, argv);
    const int status = options_read(&o, argc, argv);
    if (status) return status;
    if (o.help) return options_help(), EXIT_FINE;
    if (o.version) return printf("quire-bench %s\n", quire_version()), EXIT_FINE;
    if (!loops_run_here()) return EXIT_TROUBLE;
    return run(&o, &f);
}
