/* source.c - families, files, and room for them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/host.h"
#include "command/own.h"
#include "command/terminal.h"

#define LINE 64 /* bytes within which a vector may begin */

/* ------------------------------------------------------------------------------------------------------------- room */

/* count blocks of bytes each. */
static bool take_memory(void **blocks, int count, size_t bytes, const char *what) {
    const size_t available = host_free_memory(), room = bytes / LINE * LINE + 2 * LINE;
    bool enough = room > bytes && room <= available / (size_t)count;
    for (int i = 0; i < count && enough; i++) enough = (blocks[i] = aligned_alloc(LINE, room)) != NULL;
    return enough || complain("%s: too little memory: %.2f GB needed, %.2f GB free; try a smaller --n", what,
                              (double)count * (double)bytes / 1e9, (double)available / 1e9);
}

/* ---------------------------------------------------------------------------------------------------------- sources */

static bool read_file(source *s, const char *path, const options *o) {
    own file;
    const size_t limit = o->n;
    if (!own_open(&file, path, o->typed ? &o->element : NULL)) return false;
    *s = (source){ file.name, FAMILY_COUNT, file.type, file.count < limit ? file.count : limit, NULL };
    progress("reading %zu elements of %s", s->count, s->name);
    const size_t bytes = s->count * type_size(s->type);
    const bool fine = take_memory(&s->elements, 1, bytes, s->name);
    if (fine) memcpy(s->elements, file.elements, bytes);
    own_close(&file);
    return fine;
}

static bool add_files(sources *s, const options *o) {
    for (int i = 0; i < o->file_count; i++) {
        source *file = &s->one[s->count++];
        if (!read_file(file, o->files[i], o)) return false;
        if (file->count * type_size(file->type) > s->longest) s->longest = file->count * type_size(file->type);
    }
    return true;
}

static void add_families(sources *s, const options *o) {
    for (int i = 0; i < FAMILY_COUNT; i++)
        if (set_has(o->families, i))
            s->one[s->count++] = (source){ family_name((family)i), (family)i, QUIRE_F64, 0, NULL };
    for (int i = 0; i < TYPE_COUNT; i++)
        if (set_has(o->types, i) && o->n * type_size(TYPES[i]) > s->longest) s->longest = o->n * type_size(TYPES[i]);
}

bool sources_open(sources *s, const options *o) {
    void *vector[2] = { NULL, NULL };
    *s = (sources){ .one = calloc((size_t)(o->file_count ? o->file_count : FAMILY_COUNT), sizeof *s->one) };
    if (!s->one) return complain("too little memory");
    if (!o->file_count)
        add_families(s, o);
    else if (!add_files(s, o))
        return false;
    const bool fine = take_memory(vector, 2, s->longest, "vectors");
    s->x = vector[0];
    s->y = vector[1];
    return fine;
}

void sources_close(sources *s) {
    for (int i = 0; i < s->count; i++) free(s->one[i].elements);
    free(s->one);
    free(s->x);
    free(s->y);
}

/* --------------------------------------------------------------------------------------------------------- elements */

/* n of the file's elements in a row, from a random one on. For a dot product y is x backwards. */
static void fill_from_file(const source *file, generator *g, size_t n, const vectors *v) {
    const size_t size = type_size(file->type), first = (size_t)generator_below(g, file->count - n + 1);
    memcpy(v->x, (const char *)file->elements + first * size, n * size);
    for (size_t i = 0; v->y && i < n; i++) type_store(file->type, v->y, n - 1 - i, type_load(file->type, v->x, i));
}

vectors sources_fill(sources *s, const test_case *c) {
    const size_t size = type_size(c->type);
    vectors v;
    generator g;
    generator_seed(&g, c->seed);
    v.offset_x = (size_t)generator_below(&g, LINE / size) * size;
    v.offset_y = (size_t)generator_below(&g, LINE / size) * size;
    v.x = s->x + v.offset_x;
    v.y = c->operation == OPERATION_DOT ? s->y + v.offset_y : NULL;
    if (c->source->elements)
        fill_from_file(c->source, &g, c->n, &v);
    else if (v.y)
        family_fill_pair(c->source->family, c->type, c->seed, c->n, v.x, v.y);
    else
        family_fill(c->source->family, c->type, c->seed, c->n, v.x);
    return v;
}
