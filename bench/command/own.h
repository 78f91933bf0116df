/* own.h - the user's own numbers, from any file that the command quire reads, by its readers.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_OWN_H
#define QUIRE_BENCH_OWN_H

#include "../../src/cli/element.h"

typedef struct own {
    const char *name; /* without its folders */
    quire_type type;
    size_t count; /* at least 1 */
    const void *elements;
    void *memory;  /* that holds them */
    size_t mapped; /* how long it is, if it is the file itself; else 0 */
} own;

/* The word of --type, as the command takes it. Complains and answers false if it names no type. */
bool own_type(struct element *element, const char *word);

/* Opens what quire sum PATH sums; path must outlive the numbers. element is that of --type, or NULL. On trouble
 * complains and answers false. */
bool own_open(own *numbers, const char *path, const struct element *element);
void own_close(own *numbers);

#endif
