/* head.h - what a run was made with and on: the first lines of every report.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_ACCURACY_HEAD_H
#define QUIRE_ACCURACY_HEAD_H

#include "options.h"

typedef struct fact {
    const char *name;
    char value[256];
} fact;

#define FACTS 8

typedef struct head {
    fact one[FACTS]; /* version, commit, compiler, judge, cpu, gpu, date, command */
} head;

/* All but the GPU: to find that is to begin using it. */
void head_find(head *h, int argc, char **argv);
void head_find_gpu(head *h);

#endif
