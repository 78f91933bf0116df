/* facts.h - what a run was made with and on: the first lines of every output.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_FACTS_H
#define QUIRE_BENCH_FACTS_H

#include "options.h"

typedef struct fact {
    const char *name;
    char value[1024];
} fact;

#define FACTS 10

typedef struct facts {
    fact one[FACTS]; /* version, commit, compiler, cpu, tier, gpu, peers, left out, date, command */
} facts;

/* The command line has to be taken before the options are read, which cuts it up. */
void facts_take_command(facts *f, int argc, char **argv);

/* The rest, once the contenders are listed. */
void facts_find(facts *f, const options *o);

/* Notes a peer that takes part, or what does not and why. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void note_peer(const char *format, ...);
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void note_left_out(const char *format, ...);

#endif
