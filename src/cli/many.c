/* many.c - one result for each vector along an axis, each row, each segment, or each pair of the vectors of a matrix;
 * by.c has those by key.
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "npy_write.h"
#include "reduce.h"
#include "whole.h"

static int wrong(const char *what) {
    complain("%s", what);
    return EXIT_TROUBLE;
}

/* ------------------------------------------------------------------------------------------------------------- axis */

/* The lengths before the axis are outer and those behind it inner; in Fortran's order the other way round. */
int cut_axis(struct cut *cut, const struct options *options, const struct input *input) {
    const struct npy_header *header = &input->header;
    const int dimensions = header->dimensions;
    const long axis = options->axis < 0 ? options->axis + dimensions : options->axis;
    if (input->stored != STORED_NPY) return wrong("--axis is for .npy files; --rows cuts others");
    if (axis < 0 || axis >= dimensions) {
        complain("--axis %ld: %s has %d dimension%s", options->axis, input->name, dimensions,
                 dimensions == 1 ? "" : "s");
        return EXIT_USAGE;
    }
    size_t before = 1, behind = 1;
    const size_t n = header->shape[axis];
    for (int i = 0; i < dimensions; i++) {
        if (i == axis) continue;
        cut->shape[cut->dimensions++] = header->shape[i];
        size_t *side = i < axis ? &before : &behind;
        if (header->shape[i] && *side > (size_t)PTRDIFF_MAX / 8 / header->shape[i])
            return wrong("--axis: the result is too large");
        *side *= header->shape[i];
    }
    cut->fortran = npy_truly_fortran(header);
    const size_t outer = cut->fortran ? behind : before, inner = cut->fortran ? before : behind;
    if (n && inner > (size_t)PTRDIFF_MAX / n) return wrong("--axis: the array is too large");
    cut->vectors.layout = (quire_layout){ outer, n, inner, (ptrdiff_t)(n * inner), (ptrdiff_t)inner, 1 };
    if (inner && outer > (size_t)PTRDIFF_MAX / 8 / inner) return wrong("--axis: the result is too large");
    cut->vectors.count = outer * inner;
    return EXIT_FINE;
}

static int cut_rows(struct cut *cut, const struct options *options, const struct input *input, size_t n) {
    if (npy_truly_fortran(&input->header)) return wrong("--rows is for arrays in C order; --axis knows Fortran's");
    if (n % options->rows) {
        complain("--rows %zu: %s has %zu elements, which are no rows of equal length", options->rows, input->name, n);
        return EXIT_TROUBLE;
    }
    cut->vectors.count = cut->shape[0] = options->rows;
    cut->dimensions = 1;
    cut->vectors.layout = quire_rows(options->rows, n / options->rows, (ptrdiff_t)(n / options->rows));
    return EXIT_FINE;
}

/* The columns of a table, whose rows follow each other. */
static int cut_columns(struct cut *cut, const struct source *source, size_t n) {
    const size_t columns = (size_t)source->columns;
    const char *next = source->column;
    cut->name = malloc(columns * sizeof *cut->name);
    if (!cut->name) return out_of_memory();
    for (size_t i = 0; i < columns; i++, next += strlen(next) + 1) cut->name[i] = next;
    cut->vectors.layout = (quire_layout){ 1, n / columns, columns, 0, (ptrdiff_t)columns, 1 };
    cut->vectors.count = columns;
    cut->dimensions = 1;
    return EXIT_FINE;
}

/* All pairs of the rows, or of the columns, of a matrix: a row of results for each of them. */
static int cut_pairs(struct cut *cut) {
    const size_t vectors = cut->vectors.count;
    if (cut->dimensions > 1) return wrong("all pairs are of the rows or the columns of a matrix: give two arrays");
    if (vectors && vectors > (size_t)PTRDIFF_MAX / 8 / vectors) return wrong("the matrix of all pairs is too large");
    cut->vectors.pairs = true;
    cut->vectors.count = vectors * vectors;
    cut->shape[0] = cut->shape[1] = vectors;
    cut->dimensions = 2;
    cut->fortran = false;
    return EXIT_FINE;
}

/* --------------------------------------------------------------------------------------------------------- segments */

/* More offsets from the pieces of a file. */
static int add_offsets(struct cut *cut, const struct pieces *pieces, size_t got, size_t n, const char *name) {
    int64_t *more = realloc(cut->vectors.offsets, (cut->vectors.count + got) * sizeof *more);
    if (!more) return out_of_memory();
    cut->vectors.offsets = more;
    for (size_t i = 0; i < got; i++) {
        const double low = pieces->low[0] ? pieces->low[0][i] : 0;
        const double value = number_at(pieces->input[0]->type, pieces->x[0], i) + low;
        if (!(value >= 0 && value <= (double)n && value == floor(value))) {
            complain("%s: offset number %zu is no whole number from 0 to %zu, the number of elements", name,
                     cut->vectors.count + i, n);
            return EXIT_TROUBLE;
        }
        more[cut->vectors.count + i] = (int64_t)value;
    }
    cut->vectors.count += got;
    return EXIT_FINE;
}

static int read_offsets(struct cut *cut, struct input *input, size_t n) {
    struct pieces pieces;
    int status = pieces_open(&pieces, input, NULL, LEAVE_NOTHING);
    ssize_t got = 0;
    while (!status && (got = pieces_next(&pieces)) > 0) status = add_offsets(cut, &pieces, (size_t)got, n, input->name);
    pieces_close(&pieces);
    if (got < 0) return EXIT_TROUBLE;
    if (!status && !cut->vectors.count) {
        complain("%s: no offsets; K segments have K + 1", input->name);
        return EXIT_TROUBLE;
    }
    return status;
}

static int cut_segments(struct cut *cut, const struct options *options, const struct input *whole, size_t n) {
    char path[4096];
    char *const operand[] = { path };
    struct sources sources;
    struct input input;
    const struct reading reading = { .ways = { .missing = MISSING_ERROR, .quiet = true } };
    if (npy_truly_fortran(&whole->header)) return wrong("--segments is for arrays in C order; --axis knows Fortran's");
    if (strlen(options->segments) >= sizeof path) return wrong("--segments: the name is too long");
    strcpy(path, options->segments);
    int status = sources_find(&sources, "--segments", operand, 1, &reading);
    if (!status && sources.count != 1) status = wrong("--segments takes one array of offsets");
    if (!status) status = input_open(&input, sources.source, &reading);
    if (!status) {
        status = read_offsets(cut, &input, n);
        input_close(&input);
    }
    sources_free(&sources);
    if (status) return status;
    cut->vectors.count--;
    cut->shape[0] = cut->vectors.count;
    cut->dimensions = 1;
    return EXIT_FINE;
}

/* ---------------------------------------------------------------------------------------------------------- results */

/* Where each result stands in the array, which is in Fortran's order, if they are counted in C's. NULL: out of memory.
 */
static size_t *cut_places(const struct cut *cut) {
    size_t index[NPY_MAX_DIMENSIONS] = { 0 }, *place = malloc((cut->vectors.count + 1) * sizeof *place);
    for (size_t i = 0; place && i < cut->vectors.count; i++) {
        size_t at = 0;
        for (int d = cut->dimensions; d-- > 0;) at = at * cut->shape[d] + index[d];
        place[i] = at;
        for (int d = cut->dimensions; d-- > 0 && ++index[d] == cut->shape[d];) index[d] = 0;
    }
    return place;
}

int print_cut(const struct options *options, const struct cut *cut, struct results results) {
    size_t *place = cut->fortran ? cut_places(cut) : NULL;
    if (cut->fortran && !place) return out_of_memory();
    results.count = cut->vectors.count, results.place = place;
    results.shape = cut->shape, results.dimensions = cut->dimensions;
    results.n = cut->vectors.layout.n;
    const int status = print_results(options, &results);
    free(place);
    return status;
}

int write_cut(const struct options *options, const struct cut *cut, quire_type type, void *array) {
    if (type == QUIRE_INT128) {
        if (!whole_narrow(array, cut->vectors.count)) return wrong("-o: a sum is beyond int64; --result f64 rounds it");
        type = QUIRE_INT64;
    }
    return npy_write(options->output, type, cut->shape, cut->dimensions, cut->fortran, array, cut->vectors.count);
}

static int deliver(const struct options *options, const struct cut *cut, const struct pieces *pieces, size_t elements,
                   quire_type type, void *array, const void *digits) {
    const struct input *input = pieces->input[0];
    if (options->output) return write_cut(options, cut, type, array);
    const struct results results = { .file = { input->name, pieces->inputs == 2 ? pieces->input[1]->name : NULL },
                                     .elements = elements,
                                     .type = element_name(&input->element),
                                     .result_type = type,
                                     .array = array,
                                     .digits = digits,
                                     .a_line = cut->vectors.pairs ? cut->shape[1] : 1,
                                     .skipped = pieces->skipped,
                                     .name = cut->name,
                                     .offsets = cut->vectors.offsets };
    return print_cut(options, cut, results);
}

static int reduce_cut(struct device *device, const struct options *options, const struct cut *cut,
                      const struct pieces *pieces, const struct whole *whole) {
    const struct input *input = pieces->input[0];
    quire_reduction what = reduction_of_whole(options, input->type, whole);
    const quire_type type = what.result_type;
    const size_t bytes = whole->n * type_size(what.type);
    const void *x, *y = NULL;
    void *array = malloc((cut->vectors.count + 1) * type_size(type)), *digits = NULL;
    if (!array) return out_of_memory();
    int status = device_load(device, input->name, whole_elements(whole, 0), bytes, &x);
    if (!status && whole->x[1])
        status = device_load(device, pieces->input[1]->name, whole_elements(whole, 1), bytes, &y);
    if (cut->vectors.pairs) y = x;
    if (!status) status = device_reduce_vectors(device, &what, &cut->vectors, x, y, array);
    if (!status && needs_digits(options, &what, whole, array, cut->vectors.count)) {
        what.result_type = QUIRE_INT128;
        digits = malloc(cut->vectors.count * type_size(QUIRE_INT128));
        status = digits ? device_reduce_vectors(device, &what, &cut->vectors, x, y, digits) : out_of_memory();
    }
    if (!status) status = deliver(options, cut, pieces, whole->n, type, array, digits);
    free(array);
    free(digits);
    return status;
}

static int cut_and_reduce(struct device *device, const struct options *options, const struct source *source,
                          struct input *input, struct pieces *pieces) {
    struct whole whole;
    struct cut cut = { .dimensions = 0 };
    int status = pieces_whole(pieces, &whole);
    if (!status && options->by_axis) status = cut_axis(&cut, options, input);
    if (!status && options->rows) status = cut_rows(&cut, options, input, whole.n);
    if (!status && options->segments) status = cut_segments(&cut, options, input, whole.n);
    if (!status && source->columns > 1) status = cut_columns(&cut, source, whole.n);
    if (!status && pieces->inputs == 1 && options->command->family & OF_TWO) status = cut_pairs(&cut);
    if (!status && options->by)
        status = reduce_by_key(device, options, pieces, &whole, source);
    else if (!status)
        status = reduce_cut(device, options, &cut, pieces, &whole);
    free(cut.vectors.offsets);
    free(cut.name);
    whole_close(&whole);
    return status;
}

int reduce_many(struct device *device, const struct options *options, const struct source *source, int count) {
    struct input input[2];
    struct pieces pieces;
    int opened = 0, status = EXIT_FINE;
    const char *verb = options->command->name;
    struct reading reading = options->reading;
    const bool has_pairs =
        options->command->family & OF_ALL_PAIRS && (options->by_axis || options->rows || source->columns > 1);
    if (options->command->family & OF_TWO && count != 2 && !has_pairs) return reduce_lone(options, source);
    reading.integers = options->method == QUIRE_EXACT;
    while (opened < count && !status) {
        status = input_open(&input[opened], &source[opened], &reading);
        opened += !status;
    }
    if (!status && count == 2) status = input_match(verb, &input[0], &input[1]);
    if (!status && count == 2 && options->by_axis && !npy_same_shape(&input[0].header, &input[1].header)) {
        complain("%s needs equal shapes for --axis", verb);
        status = EXIT_TROUBLE;
    }
    if (!status) {
        status = pieces_open(&pieces, &input[0], count == 2 ? &input[1] : NULL, options_skip(options));
        pieces.verb = verb;
        pieces.digits = reading.integers;
        pieces.doubles = options->command->family & OF_PAIRS;
        if (!status) status = cut_and_reduce(device, options, source, &input[0], &pieces);
        pieces_close(&pieces);
    }
    while (opened > 0) input_close(&input[--opened]);
    return status;
}
