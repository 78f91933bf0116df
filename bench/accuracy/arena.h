/* arena.h - what a worker of --many runs on: contexts of its own, and memory of the device for what a batch lends.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_ACCURACY_ARENA_H
#define QUIRE_ACCURACY_ARENA_H

#include <quire/quire.h>
#include <stdbool.h>
#include <stddef.h>

#include "options.h"

/* The ways to run: instruction sets of the CPU, launch shapes of the GPU. */
#define ARENA_WAYS 7

const char *arena_way_name(int way);
bool arena_way_is_gpu(int way);

typedef enum slot { SLOT_X, SLOT_Y, SLOT_RESULTS, SLOT_BEGIN, SLOT_END, SLOTS } slot;

typedef struct arena {
    quire_context *context[ARENA_WAYS];
    int open[ARENA_WAYS], count; /* the ways that are there */
    void *stream;
    unsigned char *device[SLOTS]; /* NULL without a GPU */
} arena;

/* Opens what is there of the places asked for; room: the bytes of each slot. Complains and answers false if a place
 * that was named cannot be had. Not for several threads at a time. */
bool arena_open(arena *a, const options *o, const size_t room[SLOTS]);
void arena_close(arena *a);

/* Whether one of its ways is on the GPU. */
bool arena_has_gpu(const arena *a);

#endif
