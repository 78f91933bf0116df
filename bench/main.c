/* main.c - quire-bench: what accuracy costs, on the public header alone.
 *
 * The way of a run: options.c reads the line; contend_*.c list who is measured; data.c makes the numbers; for each size,
 * data, type and operation, measure.c has timing.c time all contenders at the same job and judges them by truth.c; report.c
 * sends the rows to the table and the files.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>

#include "measure.h"
#include "number.h"
#include "report.h"
#include "terminal.h"

/* One operation on the data that are there. */
static bool run_operation(const options *o, const contenders *all, data *d, operation which) {
    row rows[MAX_CONTENDERS];
    const job j = { which, d->type, accumulation_type(d->type), d->n, data_x(d), data_y(d) };
    return measure(all, o, &j, d, rows) && report_rows(rows, all->count);
}

/* All operations on data of one kind: first those that take one vector, for the data made for a dot product may differ. */
static bool run_source(const options *o, const contenders *all, data *d, source from, quire_type type, size_t n) {
    for (int pair = 0; pair <= 1; pair++)
        for (int i = 0; i < o->operation_count && !interrupted(); i++) {
            const operation which = (operation)o->operations[i];
            if ((which == OPERATION_DOT) != pair) continue;
            if (!data_fill(d, from, type, o->seed, n, pair)) return false;
            if (!interrupted() && !run_operation(o, all, d, which)) return false;
        }
    return true;
}

static bool run_families(const options *o, const contenders *all, data *d) {
    for (int s = 0; s < o->size_count; s++)
        for (int f = 0; f < o->family_count; f++)
            for (int t = 0; t < o->type_count; t++) {
                const source from = { family_name((family)o->families[f]), (family)o->families[f], NULL };
                if (!run_source(o, all, d, from, (quire_type)o->types[t], o->sizes[s])) return false;
            }
    return true;
}

static bool run_file(const options *o, const contenders *all, data *d, const npy *file) {
    const source from = { file->name, FAMILY_COUNT, file };
    if (!o->size_count) return run_source(o, all, d, from, file->type, file->count);
    for (int s = 0; s < o->size_count; s++)
        if (!run_source(o, all, d, from, file->type, o->sizes[s])) return false;
    return true;
}

/* The longest vector that will be needed, in bytes. */
static bool find_room(const options *o, const npy *file, size_t *bytes) {
    size_t n = o->size_count ? 0 : file->count, size = file->file ? type_size(file->type) : 0;
    for (int i = 0; i < o->size_count; i++)
        if (o->sizes[i] > n) n = o->sizes[i];
    for (int i = 0; !file->file && i < o->type_count; i++)
        if (type_size((quire_type)o->types[i]) > size) size = type_size((quire_type)o->types[i]);
    if (file->file && n > file->count) return complain("--n: %s has only %zu elements", file->name, file->count);
    *bytes = n * size; /* n is at most 1e15, or counts what a file holds */
    return true;
}

static bool wants_dot(const options *o) {
    for (int i = 0; i < o->operation_count; i++)
        if (o->operations[i] == OPERATION_DOT) return true;
    return false;
}

static bool run_all(const options *o, const facts *f, const contenders *all, const npy *file) {
    data d;
    size_t bytes = 0;
    if (!find_room(o, file, &bytes) || !data_open(&d, bytes, wants_dot(o))) return false;
    bool fine = report_begin(o, f);
    if (fine) {
        interrupt_watch();
        fine = file->file ? run_file(o, all, &d, file) : run_families(o, all, &d);
        fine &= report_end();
    }
    data_close(&d);
    return fine;
}

static int run(const options *o, facts *f) {
    contenders all = { .count = 0 };
    npy file = { .file = NULL };
    contenders_add_loops(&all);
    bool fine = contenders_add_cpu(&all, o) && (!o->file || npy_open(&file, o->file));
    if (fine) {
        facts_find(f, o);
        fine = run_all(o, f, &all, &file);
    }
    npy_close(&file);
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
    return run(&o, &f);
}
