/* gather.c - exact sums of what comes in pieces.
 *
 * SPDX-License-Identifier: MIT
 */
#include "gather.h"

#include <math.h>

#include "complain.h"
#include "progress.h"
#include "whole.h"

#define CACHED ((size_t)1 << 15) /* elements that are looked at again while they are in a cache */
#define PARTS 512                /* of numbers in two parts, second ones that are added together */

quire_accumulator *gathering_of(struct gathering *gathering, enum terms terms) {
    return &gathering->sum[terms == TERM_VALUE ? 0 : terms == TERM_MAGNITUDE ? 1 : 2];
}

int gathering_terms(quire_operation operation) {
    return operation_has_moments(operation) ? TERM_VALUE | TERM_PRODUCT : (int)operation_terms(operation);
}

/* n elements of each input; the second parts of a wide one may be NULL. */
struct piece {
    quire_type type;
    size_t n;
    const void *x[2];
    const double *low[2];
};

/* Adds terms of second parts, x; y: factors, or first parts, which have the numbers' signs. Where x is 0, or a factor
 * is 0 or not finite, the term of the first parts says all. None is counted. */
static int add_second_parts(struct device *device, enum terms terms, size_t n, const double *x, const double *y,
                            quire_accumulator *sum) {
    double part[PARTS], factor[PARTS];
    const enum terms added = terms == TERM_PRODUCT ? TERM_PRODUCT : TERM_VALUE;
    int status = EXIT_FINE;
    for (size_t k = 0, count = 0; k < n && !status; k++) {
        part[count] = terms == TERM_MAGNITUDE && signbit(y[k]) ? -x[k] : x[k], factor[count] = y[k];
        count += x[k] != 0 && (terms != TERM_PRODUCT || (y[k] != 0 && isfinite(y[k])));
        if (count < PARTS && k + 1 < n) continue;
        status = device_accumulate(device, QUIRE_F64, added, count, part, factor, sum);
        sum->count -= (int64_t)count, count = 0;
    }
    return status;
}

/* The terms of a number in two parts are sums of two, or of four: all are added, and counted as one. */
static int add_parts(struct device *device, enum terms terms, const struct piece *piece, quire_accumulator *sum) {
    const double *x = piece->x[0], *y = terms == TERM_PRODUCT ? piece->x[1] : x;
    const double *of_x = piece->low[0], *of_y = terms == TERM_PRODUCT ? piece->low[1] : NULL;
    int status = device_accumulate(device, piece->type, terms, piece->n, piece->x[0], piece->x[1], sum);
    if (of_x && !status) status = add_second_parts(device, terms, piece->n, of_x, y, sum);
    if (of_y && !status) status = add_second_parts(device, terms, piece->n, of_y, x, sum);
    if (of_x && of_y && !status) status = add_second_parts(device, terms, piece->n, of_x, of_y, sum);
    return status;
}

/* normal is the least normal number of the type. */
static void look_at(struct facts *facts, double normal, double value) {
    if (isnan(value)) {
        facts->nan++;
        return;
    }
    if (!(value >= facts->least)) facts->least = value; /* the first replaces a NaN */
    if (!(value <= facts->greatest)) facts->greatest = value;
    facts->positive_infinity += value == INFINITY;
    facts->negative_infinity += value == -INFINITY;
    facts->zeros += value == 0;
    facts->subnormals += value != 0 && fabs(value) < normal;
}

static void look_at_piece(struct facts *facts, const struct piece *piece) {
    const double normal = ldexp(1, number_least(piece->type));
    for (size_t i = 0; i < piece->n; i++) {
        const double value = number_at(piece->type, piece->x[0], i);
        look_at(facts, normal, piece->low[0] ? value + piece->low[0][i] : value);
    }
}

/* On a GPU the piece is the whole array, and each of the terms a pass over it. */
static int add_piece(struct device *device, struct gathering *gathering, const struct piece *piece) {
    const int passes = device->gpu ? __builtin_popcount(gathering->terms) : 0;
    int status = EXIT_FINE, pass = 0;
    if (gathering->facts) look_at_piece(gathering->facts, piece);
    for (int terms = TERM_VALUE; terms <= TERM_PRODUCT; terms *= 2)
        if (gathering->terms & terms && !status) {
            if (passes) progress_pass(++pass, passes);
            status = add_parts(device, (enum terms)terms, piece, gathering_of(gathering, (enum terms)terms));
        }
    if (passes) progress_pass(0, 0);
    gathering->n += piece->n;
    return status;
}

/* Parts of a mapped array: all of it, which reports itself, or, where each is looked at several times, what a cache
 * holds. */
static int add_whole(struct device *device, struct gathering *gathering, const struct whole *whole, quire_type type,
                     bool two) {
    const bool once = !gathering->facts && !(gathering->terms & (gathering->terms - 1));
    const bool in_pieces = !once && !device->gpu;
    const char *const first = whole_elements(whole, 0), *const second = two ? whole_elements(whole, 1) : first;
    const size_t size = type_size(type), part = in_pieces ? CACHED : whole->n;
    int status = EXIT_FINE;
    (in_pieces ? progress_begin_pieces : progress_begin)("summing", size * (two ? 2 : 1));
    for (size_t done = 0; done < whole->n && !status; done += part) {
        const size_t n = whole->n - done < part ? whole->n - done : part;
        const struct piece piece = { type, n, { first + done * size, second + done * size }, { NULL, NULL } };
        status = add_piece(device, gathering, &piece);
        if (in_pieces) progress_report(done + n, whole->n);
    }
    progress_end();
    return status;
}

static int gather_whole(struct device *device, struct gathering *gathering, struct pieces *pieces) {
    struct whole whole;
    pieces->digits = pieces->doubles = true;
    int status = pieces_whole(pieces, &whole);
    const quire_type type = whole_type(&whole, pieces->input[0]->type);
    if (!status) status = add_whole(device, gathering, &whole, type, pieces->inputs == 2);
    whole_close(&whole);
    return status;
}

/* The second parts of an input, if there are any. */
static const double *low_of(const struct pieces *pieces, int i) {
    return pieces->input[i]->parted ? pieces->low[i] : NULL;
}

static int gather_pieces(struct device *device, struct gathering *gathering, struct pieces *pieces) {
    const bool two = pieces->inputs == 2;
    int status = EXIT_FINE;
    ssize_t n = 0;
    progress_begin_pieces("summing", type_size(pieces->input[0]->type) * (size_t)pieces->inputs);
    while (!status && (n = pieces_next(pieces)) > 0)
        status = add_piece(device, gathering,
                           &(struct piece){ pieces->input[0]->type,
                                            (size_t)n,
                                            { pieces->x[0], pieces->x[two] },
                                            { low_of(pieces, 0), low_of(pieces, two) } });
    progress_end();
    gathering->skipped += pieces->skipped;
    return n < 0 ? EXIT_TROUBLE : status;
}

int gather(struct device *device, struct gathering *gathering, struct pieces *pieces) {
    const quire_type type = (quire_type)pieces->input[0]->element.type; /* of integers double, however they are read */
    gathering->type = !gathering->type || gathering->type == type ? type : QUIRE_F64;
    const bool whole = pieces_are_mappable(pieces) || device->gpu;
    const int status = (whole ? gather_whole : gather_pieces)(device, gathering, pieces);
    for (int i = 0; i < pieces->inputs; i++) gathering->fractions |= !input_are_integers(pieces->input[i]);
    return status;
}

int gather_elements(struct device *device, struct gathering *gathering, quire_type type, size_t n, const void *x) {
    gathering->type = type;
    return add_piece(device, gathering, &(struct piece){ type, n, { x, x }, { NULL, NULL } });
}

int gathering_finish(struct gathering *gathering, const quire_reduction *what, union number *result) {
    const bool moments = operation_has_moments(what->operation);
    const quire_status status = quire_finish(what, gathering_of(gathering, operation_terms(what->operation)),
                                             moments ? gathering_of(gathering, TERM_PRODUCT) : NULL, result);
    return status ? device_trouble(operation_name(what->operation), status) : EXIT_FINE;
}

void gathering_digits(struct gathering *gathering, quire_operation operation, char text[NUMBER_TEXT]) {
    const bool kept =
        operation == QUIRE_SUM || operation == QUIRE_ASUM || operation == QUIRE_DOT || operation == QUIRE_SUMSQ;
    *text = 0;
    if (gathering->fractions || !kept) return;
    const quire_accumulator *sum = gathering_of(gathering, operation_terms(operation));
    double rounded;
    if (!quire_round(sum, QUIRE_F64, &rounded) && fabs(rounded) >= 0x1p53) whole_sum(sum, text);
}
