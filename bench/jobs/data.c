/* data.c - room and numbers.
 *
 * SPDX-License-Identifier: MIT
 */
#include "data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/host.h"
#include "command/terminal.h"
#include "condition.h"
#include "number.h"

#define PAGE 4096
#define SLACK 64 /* bytes to shift in */

size_t data_room(size_t n, bool whole) { return whole || n <= DATA_BLOCK ? n : DATA_BLOCK + n % DATA_BLOCK; }

bool data_open(data *d, size_t bytes, bool wants_y, bool whole) {
    *d = (data){ .whole = whole };
    const size_t vectors = wants_y ? 2 : 1, available = host_free_memory();
    const size_t room = (bytes + SLACK + PAGE - 1) / PAGE * PAGE;
    bool enough = room > bytes && room <= available / vectors;
    if (enough) {
        d->x = aligned_alloc(PAGE, room);
        d->y = wants_y ? aligned_alloc(PAGE, room) : NULL;
        enough = d->x && (d->y || !wants_y);
    }
    if (enough) return true;
    data_close(d);
    const double gigabyte = 1e9, needed = (double)vectors * (double)bytes / gigabyte;
    if (available == SIZE_MAX) return complain("too little memory: %.1f GB needed; try a smaller --n", needed);
    return complain("too little memory: %.1f GB needed, %.1f GB free; try a smaller --n", needed,
                    (double)available / gigabyte);
}

void data_close(data *d) {
    free(d->x);
    free(d->y);
    d->x = d->y = NULL;
}

/* Whether a pair needs another x than a sum does. */
static bool has_own_pairs(source from) {
    return from.condition > 0 || from.family == FAMILY_CONDITION_MILD || from.family == FAMILY_CONDITION_SEVERE;
}

static bool holds(const data *d, source from, quire_type type, size_t n, bool pair) {
    return d->n == n && d->type == type && d->source.family == from.family && d->source.file == from.file &&
           !(d->source.condition < from.condition || d->source.condition > from.condition) &&
           (d->pair == pair || !has_own_pairs(from));
}

/* n elements from element at on. */
static bool draw(const data *d, uint64_t seed, size_t at, size_t n) {
    const size_t size = type_size(d->type);
    void *x = (char *)d->x + at * size, *y = d->y ? (char *)d->y + at * size : NULL;
    const bool pair = y && (d->pair || !has_own_pairs(d->source));
    if (d->source.file) {
        memcpy(x, d->source.file->elements, n * size);
        if (y) memcpy(y, x, n * size);
    } else if (d->source.condition > 0) {
        condition_fill(d->source.condition, d->type, seed, n, x, pair ? y : NULL);
    } else if (pair) {
        family_fill_pair(d->source.family, d->type, seed, n, x, y);
    } else {
        family_fill(d->source.family, d->type, seed, n, x);
    }
    return true;
}

static void copy_block(void *x, size_t bytes, size_t copies) {
    for (size_t i = 1; i < copies; i++) memcpy((char *)x + i * bytes, x, bytes);
}

size_t data_place(const data *d, size_t i) {
    const size_t copied = d->block * d->copies;
    return d->whole ? i : i < copied ? i % d->block : data_tail(d) + (i - copied);
}

size_t data_tail(const data *d) { return d->whole ? d->block * d->copies : d->block; }

bool data_fill(data *d, source from, quire_type type, uint64_t seed, size_t n, bool pair) {
    if (holds(d, from, type, n, pair)) return true;
    progress("%s: making %zu %s", from.name, n, type_name(type));
    const size_t block = from.file || n <= DATA_BLOCK ? n : DATA_BLOCK;
    d->source = from;
    d->type = type;
    d->block = block;
    d->copies = n / block;
    d->tail = n % block;
    d->pair = pair;
    d->shifted = 0;
    d->version++;
    d->n = 0;
    if (!draw(d, seed, 0, block) || (d->tail && !draw(d, seed, data_tail(d), d->tail))) return false;
    if (d->whole) copy_block(d->x, block * type_size(type), d->copies);
    if (d->whole && d->y) copy_block(d->y, block * type_size(type), d->copies);
    d->n = n;
    return true;
}

static size_t offset_of(const data *d, int vector) { return (size_t)(d->shifted * vector) * type_size(d->type); }

const void *data_x(const data *d) { return (const char *)d->x + offset_of(d, 1); }
const void *data_y(const data *d) { return d->y ? (const char *)d->y + offset_of(d, 3) : NULL; }

void data_shift(data *d, int elements) {
    if (elements == d->shifted) return;
    const size_t bytes = d->n * type_size(d->type), old_x = offset_of(d, 1), old_y = offset_of(d, 3);
    d->shifted = elements;
    memmove((char *)d->x + offset_of(d, 1), (char *)d->x + old_x, bytes);
    if (d->y) memmove((char *)d->y + offset_of(d, 3), (char *)d->y + old_y, bytes);
}
