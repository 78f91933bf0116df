/* facts.h - what a run was made with and on: the first lines of every output.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_FACTS_H
#define QUIRE_BENCH_FACTS_H

#include "contenders/notes.h"
#include "jobs/options.h"

typedef struct fact {
    const char *name;
    char value[NOTES_SIZE];
} fact;

#define FACTS 10

typedef struct facts {
    fact one[FACTS]; /* version, commit, compiler, cpu, tier, gpu, peers, left out, date, command */
} facts;

/* The command line has to be taken before the options are read, which cuts it up. */
void facts_take_command(facts *f, int argc, char **argv);

/* The rest, once the contenders are listed. */
void facts_find(facts *f, const options *o);

#endif
