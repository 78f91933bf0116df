/* plan.c - the walk over the cells.
 *
 * SPDX-License-Identifier: MIT
 */
#include "plan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/terminal.h"

#define SHORT 5000             /* elements of a first case, at the most: a tile and a bit */
#define SHORTEST 63            /* most of many vectors are no longer */
#define LONG ((size_t)1 << 18) /* below this the library does not use threads */
#define LONG_MORE 20000
#define TILE 4096
#define MIDDLING 1000 /* of many vectors a few are of up to this length */

enum { FIRST_ROUND, LONG_ROUND, QUICK_ROUNDS };

/* ------------------------------------------------------------------------------------------------------------ cases */

const char *case_name(const test_case *c, char *text, size_t size) {
    snprintf(text, size, "%s:%s:%s:%zu:0x%" PRIx64, c->source->name, type_name(c->type), operation_name(c->operation),
             c->n, c->seed);
    return text;
}

/* Cuts the last word off a name; NULL if there is but one. */
static char *last_word(char *name) {
    char *colon = strrchr(name, ':');
    if (colon) *colon = '\0';
    return colon ? colon + 1 : NULL;
}

static bool read_number(const char *word, uint64_t greatest, uint64_t *value) {
    char *end;
    errno = 0;
    *value = word ? strtoull(word, &end, 0) : 0;
    return word && *word >= '0' && *word <= '9' && !*end && !errno && *value <= greatest;
}

static bool take_case(plan *p, char *name, const sources *s) {
    const char *seed = last_word(name), *n = last_word(name), *op = last_word(name), *type = last_word(name);
    uint64_t count, t = 0, o = 0;
    for (int i = 0; i < s->count; i++)
        if (!strcmp(s->one[i].name, name)) p->one.source = &s->one[i];
    while (type && t < TYPE_COUNT && strcmp(type, type_name(TYPES[t]))) t++;
    const uint64_t operations = p->many ? OPERATION_ALL : OPERATION_COUNT;
    while (op && o < operations && strcmp(op, operation_name((operation)o))) o++;
    if (!p->one.source || t == TYPE_COUNT || o == operations || !read_number(n, p->limit, &count) ||
        !read_number(seed, UINT64_MAX, &p->one.seed))
        return false;
    p->one.type = TYPES[t];
    p->one.operation = (operation)o;
    p->one.n = (size_t)count;
    return !p->one.source->elements || (p->one.type == p->one.source->type && count <= p->one.source->count);
}

static bool take_only(plan *p, const options *o, const sources *s) {
    char *copy = malloc(strlen(o->only) + 1);
    const bool fine = copy && take_case(p, strcpy(copy, o->only), s);
    free(copy);
    p->only = o->only;
    return fine ||
           complain("--case: '%s' is no input:type:operation:n:seed, or is of an input or a length that this call "
                    "leaves out",
                    o->only);
}

/* ------------------------------------------------------------------------------------------------------------ cells */

static void add_cells(plan *p, const options *o, const source *from, quire_type type) {
    for (int i = 0; i < OPERATION_ALL; i++)
        if (set_has(o->operations, i)) p->cells[p->count++] = (cell){ from, type, (operation)i };
}

static void shuffle(plan *p) { generator_shuffle(&p->g, p->count, sizeof *p->cells, p->cells); }

bool plan_open(plan *p, const options *o, const sources *s) {
    *p = (plan){ .limit = o->n, .many = o->many, .rounds = o->quick ? QUICK_ROUNDS : 0 };
    p->cells = calloc((size_t)s->count * TYPE_COUNT * OPERATION_ALL, sizeof *p->cells);
    if (!p->cells) return complain("too little memory");
    generator_seed(&p->g, o->seed);
    for (int i = 0; i < s->count; i++)
        if (s->one[i].elements)
            add_cells(p, o, &s->one[i], s->one[i].type);
        else
            for (int t = 0; t < TYPE_COUNT; t++)
                if (set_has(o->types, t)) add_cells(p, o, &s->one[i], TYPES[t]);
    shuffle(p);
    return !o->only || take_only(p, o, s);
}

void plan_close(plan *p) { free(p->cells); }

size_t plan_covered(const plan *p) { return p->round == FIRST_ROUND ? p->at : p->count; }

/* ---------------------------------------------------------------------------------------------------------- lengths */

/* Any length up to the limit: as many below 100 as from 1000 to 100,000. */
static size_t any_length(generator *g, size_t limit) {
    int bits = 0;
    while (bits < 63 && limit >> bits > 1) bits++;
    const size_t scale = (size_t)1 << generator_below(g, (uint64_t)bits + 1);
    const size_t n = scale + (size_t)generator_below(g, scale);
    return n < limit ? n : limit;
}

/* A length where something begins or ends: lanes, tiles, an even number of tiles. */
static size_t edge_length(generator *g) {
    static const size_t edges[] = { 1, 2, 8, 32, 128, 256, 512, TILE, 2 * TILE, 3 * TILE };
    return edges[generator_below(g, sizeof edges / sizeof *edges)] - 1 + (size_t)generator_below(g, 3);
}

/* More than a tile, up to the limit: as many up to twice a tile as in the last octave. */
static size_t long_length(generator *g, size_t limit) { return TILE + any_length(g, limit > TILE ? limit - TILE : 1); }

/* Of many vectors: as many of 1 as of 2 and 3, ..., of 32 to 63; now and then none, one at an edge, or more. */
static size_t short_length(generator *g, size_t limit) {
    const uint64_t turn = generator_below(g, 64);
    const size_t n = turn < 2    ? 0
                     : turn < 8  ? edge_length(g)
                     : turn < 11 ? any_length(g, limit < MIDDLING ? limit : MIDDLING)
                     : turn < 15 ? long_length(g, limit)
                                 : any_length(g, SHORTEST);
    return n < limit ? n : limit;
}

static size_t choose_length(plan *p, const source *from) {
    const size_t limit = from->elements && from->count < p->limit ? from->count : p->limit;
    size_t n;
    if (p->many) return short_length(&p->g, limit);
    if (p->round == FIRST_ROUND && from->elements)
        n = limit;
    else if (p->round == LONG_ROUND)
        n = LONG + (size_t)generator_below(&p->g, LONG_MORE);
    else if (generator_below(&p->g, 3) == 0)
        n = edge_length(&p->g);
    else
        n = any_length(&p->g, p->round == FIRST_ROUND && limit > SHORT ? SHORT : limit);
    return n < limit ? n : limit;
}

/* Whether sums of it change with the order of additions. */
static bool is_telling(const source *from) {
    return from->elements || (from->family <= FAMILY_TELESCOPING && from->family != FAMILY_ANY_BITS);
}

/* Of the second round: whether no such cell before this one has its type and operation. */
static bool is_first_of_kind(const plan *p) {
    const cell *it = &p->cells[p->at];
    for (size_t i = 0; i < p->at; i++)
        if (p->cells[i].type == it->type && p->cells[i].operation == it->operation && is_telling(p->cells[i].source))
            return false;
    return is_telling(it->source);
}

static bool is_left_out(const plan *p) {
    const source *from = p->cells[p->at].source;
    return p->round == LONG_ROUND &&
           (p->limit < LONG || (from->elements && from->count < LONG) || !is_first_of_kind(p));
}

static bool step(plan *p) {
    if (++p->at < p->count) return true;
    p->at = 0;
    p->round++;
    shuffle(p);
    return !p->rounds || p->round < p->rounds;
}

bool plan_next(plan *p, test_case *c) {
    if (p->only) {
        *c = p->one;
        return p->round++ == 0;
    }
    if (!p->count || (p->rounds && p->round >= p->rounds)) return false;
    while (is_left_out(p))
        if (!step(p)) return false;
    const cell *it = &p->cells[p->at];
    *c = (test_case){ it->source, it->type, it->operation, choose_length(p, it->source), generator_next(&p->g) };
    step(p);
    return true;
}
