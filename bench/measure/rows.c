/* rows.c - many vectors a call: which there are.
 *
 * The elements are those of one vector of as many bytes as are asked for, which is cut into rows, columns or segments
 * anew for each length.
 *
 * SPDX-License-Identifier: MIT
 */
#include "rows.h"

#include <stdlib.h>

#include "command/terminal.h"
#include "jobs/segments.h"
#include "measure.h"
#include "number.h"
#include "report/report.h"

#define BYTES_ON_GPU 1073741824.0
#define BYTES_ON_CPU 67108864.0
#define QUICK_BYTES 4194304.0
#define MANY_LENGTHS 16

static const size_t lengths[MANY_LENGTHS] = { 8,   10,  16,   32,   33,   64,   100,   128,
                                              256, 512, 1000, 1024, 4096, 5000, 50257, 1048576 };
static const size_t means[] = { 8, 64, 1024, 65536 };
static const size_t quick_lengths[] = { 16, 1000 };

/* -------------------------------------------------------------------------------------------------------- the sizes */

/* The lengths that are asked for, or else those of the layout. */
static const size_t *lengths_of(const options *o, layout which, int *count) {
    *count = o->size_count;
    if (o->size_count) return o->sizes;
    *count = o->quick ? (int)(sizeof quick_lengths / sizeof *quick_lengths) : MANY_LENGTHS;
    if (o->quick) return quick_lengths;
    if (which >= LAYOUT_SEGMENTS) *count = (int)(sizeof means / sizeof *means);
    return which >= LAYOUT_SEGMENTS ? means : lengths;
}

/* Elements in all: the bytes that are asked for, or one vector of the greatest length. */
static size_t elements_of(const options *o, const place *where, size_t size) {
    const double usual = o->quick ? QUICK_BYTES : where == &place_gpu ? BYTES_ON_GPU : BYTES_ON_CPU;
    const double bytes = o->bytes > 0 ? o->bytes : usual;
    size_t elements = (size_t)bytes / size;
    for (int i = 0; i < o->layout_count; i++) {
        int count;
        const size_t *list = lengths_of(o, (layout)o->layouts[i], &count);
        for (int k = 0; k < count; k++)
            if (list[k] > elements) elements = list[k];
    }
    return elements;
}

static bool cuts_segments(const options *o) {
    for (int i = 0; i < o->layout_count; i++)
        if (o->layouts[i] >= LAYOUT_SEGMENTS) return true;
    return false;
}

bool rows_room(const options *o, const place *where, bool whole, size_t *bytes, size_t *host_bytes) {
    *bytes = *host_bytes = 0;
    for (int i = 0; i < o->type_count; i++) {
        const size_t size = type_size((quire_type)o->types[i]), elements = elements_of(o, where, size);
        const size_t room = data_room(elements, whole) * size;
        if (elements > INT32_MAX && cuts_segments(o))
            return complain("--segments: offsets have 31 bits, and these are %zu elements", elements);
        if (elements * size > *bytes) *bytes = elements * size;
        if (room > *host_bytes) *host_bytes = room;
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------------ the offsets */

static int32_t *offsets;
static size_t offsets_room;

static bool cut_segments(const options *o, job *j) {
    const size_t room = segments_room(j->n, j->length);
    if (room > offsets_room) {
        free(offsets);
        offsets = malloc(room * sizeof *offsets);
        offsets_room = offsets ? room : 0;
        if (!offsets) return complain("too little memory for %zu offsets", room);
    }
    j->vectors = segments_cut(j->layout, j->n, j->length, o->seed, offsets);
    j->offsets = j->host_offsets = offsets;
    return true;
}

/* The vectors of a length of a layout. */
static bool lay_out(const options *o, job *j, const data *d) {
    j->n = d->n;
    if (j->layout >= LAYOUT_SEGMENTS) return cut_segments(o, j);
    j->vectors = d->n / j->length;
    j->n = j->vectors * j->length;
    return true;
}

/* ---------------------------------------------------------------------------------------------------------- the run */

static bool run_length(const contenders *all, const options *o, data *d, operation which, layout layout,
                       size_t length) {
    static row rows[MAX_CONTENDERS];
    job j = {
        .operation = which, .type = d->type, .result_type = result_type(o, d->type), .layout = layout, .length = length
    };
    int count;
    if (interrupted()) return true;
    return lay_out(o, &j, d) && all->place->hold(&j) && measure(all, o, &j, NULL, d, rows, &count) &&
           report_rows(rows, count);
}

static bool run_operation(const contenders *all, const options *o, data *d, operation which) {
    for (int i = 0; i < o->layout_count; i++) {
        int count;
        const layout layout = (enum layout)o->layouts[i];
        const size_t *list = lengths_of(o, layout, &count);
        for (int k = 0; k < count; k++)
            if (!run_length(all, o, d, which, layout, list[k])) return false;
    }
    return true;
}

static bool run_type(const contenders *all, const options *o, data *d, family from, quire_type type) {
    const source source = { family_name(from), from, 0, NULL };
    const size_t n = elements_of(o, all->place, type_size(type));
    for (int pair = 0; pair <= 1; pair++) /* the data of a dot product may differ */
        for (int i = 0; i < o->operation_count && !interrupted(); i++) {
            const operation which = (operation)o->operations[i];
            if ((which == OPERATION_DOT) != pair) continue;
            if (!data_fill(d, source, type, o->seed, n, pair) || !run_operation(all, o, d, which)) return false;
        }
    return true;
}

bool rows_run(const contenders *all, const options *o, data *d) {
    for (int f = 0; f < o->family_count; f++)
        for (int t = 0; t < o->type_count; t++)
            if (!run_type(all, o, d, (family)o->families[f], (quire_type)o->types[t])) return false;
    return true;
}

void rows_close(void) {
    free(offsets);
    offsets = NULL;
    offsets_room = 0;
}
