/* pieces.c - one input, or two whose elements pair up.
 *
 * SPDX-License-Identifier: MIT
 */
#include "pieces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "complain.h"
#include "decimal.h"
#include "names.h"
#include "number.h"
#include "progress.h"
#include "spool.h"
#include "whole.h"

#define PIECE ((size_t)1 << 17) /* elements; a row has fewer, as its columns stand on a command line */

int pieces_open(struct pieces *pieces, struct input *x, struct input *y, enum skip skip) {
    *pieces = (struct pieces){ .input = { x, y }, .inputs = y ? 2 : 1, .skip = skip, .verb = "dot" };
    return EXIT_FINE;
}

static int make_room(struct pieces *pieces) {
    for (int i = 0; i < pieces->inputs; i++) {
        const bool wide = pieces->input[i]->wide;
        if (!pieces->x[i]) pieces->x[i] = malloc(PIECE * sizeof(double));
        if (wide && !pieces->low[i]) pieces->low[i] = malloc(PIECE * sizeof(double));
        if (pieces->x[i] && (pieces->low[i] || !wide)) continue;
        return out_of_memory();
    }
    return EXIT_FINE;
}

void pieces_close(struct pieces *pieces) {
    for (int i = 0; i < pieces->inputs; i++) {
        free(pieces->x[i]);
        free(pieces->low[i]);
    }
}

/* -------------------------------------------------------------------------------------------------- what is left out
 */

/* A row: of a text that is no matrix, and of all other files, one element. */
static void move_row(struct pieces *pieces, int i, size_t to, size_t from) {
    const size_t row = pieces->input[i]->row, size = type_size(pieces->input[i]->type);
    memmove((char *)pieces->x[i] + to * size, (char *)pieces->x[i] + from * size, row * size);
    if (pieces->low[i]) memmove(pieces->low[i] + to, pieces->low[i] + from, row * sizeof(double));
}

static bool is_left_out(const struct pieces *pieces, size_t from) {
    for (int i = 0; i < pieces->inputs; i++)
        for (size_t k = from; k < from + pieces->input[i]->row; k++) {
            const double value = number_at(pieces->input[i]->type, pieces->x[i], k);
            if (pieces->skip == LEAVE_NAN ? isnan(value) : decimal_is_missing(value)) return true;
        }
    return false;
}

/* Closes the gaps that the pairs, or the rows, leave. */
static size_t leave_out(struct pieces *pieces, size_t n) {
    const size_t row = pieces->input[0]->row;
    size_t kept = 0;
    for (size_t k = 0; k < n; k += row) {
        if (is_left_out(pieces, k)) continue;
        for (int i = 0; i < pieces->inputs && kept < k; i++) move_row(pieces, i, kept, k);
        kept += row;
    }
    pieces->skipped += n - kept;
    return kept;
}

/* --------------------------------------------------------------------------------------------------- piece by piece */

/* One input has ended after some elements of the piece, the other goes on: complains with both lengths. */
static ssize_t unequal(struct pieces *pieces, size_t x, size_t y) {
    uintmax_t length[2] = { pieces->taken + x, pieces->taken + y };
    for (int i = 0; i < 2; i++)
        for (ssize_t got = 1; got > 0; length[i] += (uintmax_t)got) {
            got = input_read(pieces->input[i], PIECE, pieces->x[i], pieces->low[i]);
            if (got < 0) return -1;
        }
    complain("%s needs equal lengths: %s has %ju elements, %s has %ju", pieces->verb, pieces->input[0]->name, length[0],
             pieces->input[1]->name, length[1]);
    return -1;
}

static void report(const struct pieces *pieces) {
    const struct input *input = pieces->input[0];
    progress_report((size_t)pieces->taken, input->counted ? input->n : 0);
}

ssize_t pieces_next(struct pieces *pieces) {
    const size_t row = pieces->input[0]->row;
    size_t kept = 0;
    if (make_room(pieces)) return -1;
    while (!kept) {
        ssize_t got[2] = { 0, 0 };
        for (int i = 0; i < pieces->inputs; i++) {
            got[i] = input_read(pieces->input[i], PIECE / row * row, pieces->x[i], pieces->low[i]);
            if (got[i] < 0) return -1;
        }
        if (pieces->inputs == 2 && got[0] != got[1]) return unequal(pieces, (size_t)got[0], (size_t)got[1]);
        if (!got[0]) return 0;
        pieces->taken += (uintmax_t)got[0];
        report(pieces);
        kept = pieces->skip ? leave_out(pieces, (size_t)got[0]) : (size_t)got[0];
    }
    return (ssize_t)kept;
}

/* -------------------------------------------------------------------------------------------------------- the whole */

bool pieces_are_mappable(const struct pieces *pieces) {
    return pieces->skip != LEAVE_NAN && pieces->input[0]->mappable &&
           (pieces->inputs == 1 || pieces->input[1]->mappable);
}

/* Where the whole is written: the numbers of each input and, of a text, these as integers, as long as all that came
 * fit one of the two types. */
struct spools {
    struct spool of[2], integers[2];
    int fits;
    bool parted; /* of a text an integer was no double */
};

static int spool_integers(struct pieces *pieces, struct spools *spools, int i, size_t n) {
    const double *x = pieces->x[i], *low = pieces->low[i];
    uint64_t *words = pieces->low[i] ? (uint64_t *)pieces->x[i] : NULL;
    for (size_t k = 0; words && k < n && spools->fits; k++) {
        uint64_t word;
        spools->fits &= whole_fits(x[k], low[k], &word);
        memcpy(&words[k], &word, sizeof word);
    }
    return words && spools->fits ? spool_write(&spools->integers[i], words, n * sizeof *words) : EXIT_FINE;
}

/* The numbers themselves first: their integers take their place in memory. */
static int spool_input(struct pieces *pieces, struct spools *spools, int i, size_t n) {
    const size_t size = type_size(pieces->input[i]->type);
    int status = EXIT_FINE;
    if (pieces->low[i] && pieces->input[i]->element.integer)
        status = input_narrow(pieces->input[i], n, pieces->x[i], pieces->low[i]);
    else
        spools->parted = spools->parted || (pieces->low[i] && pieces->input[i]->parted);
    if (!status) status = spool_write(&spools->of[i], pieces->x[i], n * size);
    return !status && spools->fits ? spool_integers(pieces, spools, i, n) : status;
}

static int spool_pieces(struct pieces *pieces, struct spools *spools) {
    ssize_t n;
    while ((n = pieces_next(pieces)) > 0)
        for (int i = 0; i < pieces->inputs; i++) {
            const int status = spool_input(pieces, spools, i, (size_t)n);
            if (status) return status;
        }
    return n < 0 ? EXIT_TROUBLE : EXIT_FINE;
}

/* Maps what a spool has, and counts its mapping among the whole's. */
static int take_spool(struct whole *whole, int number, const struct spool *spool, const void **there) {
    const int status = spool_map(spool, &whole->map[number]);
    whole->map_length[number] = spool->length;
    *there = whole->map[number];
    return status;
}

static int take_spools(const struct pieces *pieces, const struct spools *spools, struct whole *whole) {
    int status = EXIT_FINE;
    bool whole_numbers = spools->fits;
    for (int i = 0; i < pieces->inputs && !status; i++) {
        status = take_spool(whole, i, &spools->of[i], &whole->x[i]);
        whole_numbers = whole_numbers && input_are_integers(pieces->input[i]);
    }
    whole->n = spools->of[0].length / type_size(pieces->input[0]->type);
    if (!status && !whole_numbers && pieces->doubles && spools->parted) return input_beyond_doubles(pieces->input[0]);
    if (status || !whole_numbers) return status;
    for (int i = 0; i < pieces->inputs && !status; i++)
        status = take_spool(whole, 2 + i, &spools->integers[i], &whole->integer[i]);
    whole->integers = spools->fits & WHOLE_SIGNED ? QUIRE_INT64 : QUIRE_UINT64;
    return status;
}

static int make_whole(struct pieces *pieces, struct whole *whole) {
    struct spools spools = { { { -1, 0 }, { -1, 0 } }, { { -1, 0 }, { -1, 0 } }, 0, false };
    int status = EXIT_FINE;
    bool texts = pieces->digits;
    for (int i = 0; i < pieces->inputs; i++) texts = texts && pieces->input[i]->stored == STORED_TEXT;
    if (texts) spools.fits = WHOLE_SIGNED | WHOLE_UNSIGNED;
    for (int i = 0; i < pieces->inputs && !status; i++) {
        status = spool_open(&spools.of[i]);
        if (!status && texts) status = spool_open(&spools.integers[i]);
    }
    progress_begin("reading", type_size(pieces->input[0]->type));
    if (!status) status = spool_pieces(pieces, &spools);
    progress_end();
    if (!status) status = take_spools(pieces, &spools, whole);
    for (int i = 0; i < pieces->inputs; i++) spool_close(&spools.of[i]), spool_close(&spools.integers[i]);
    return status;
}

int pieces_whole(struct pieces *pieces, struct whole *whole) {
    memset(whole, 0, sizeof *whole);
    if (!pieces_are_mappable(pieces)) return make_whole(pieces, whole);
    whole->n = pieces->input[0]->n;
    for (int i = 0; i < pieces->inputs; i++) {
        whole->x[i] = input_map(pieces->input[i], &whole->map[i], &whole->map_length[i]);
        if (whole->n && !whole->x[i]) return EXIT_TROUBLE;
    }
    return EXIT_FINE;
}

const void *whole_elements(const struct whole *whole, int i) {
    return whole->integers ? whole->integer[i] : whole->x[i];
}

quire_type whole_type(const struct whole *whole, quire_type of_input) {
    return whole->integers ? whole->integers : of_input;
}

void whole_close(struct whole *whole) {
    for (int i = 0; i < 4; i++)
        if (whole->map[i]) munmap(whole->map[i], whole->map_length[i]);
}
