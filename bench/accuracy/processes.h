/* processes.h - one walk over the cases in several processes, since the judge is what takes the time: the i-th of n
 * takes every n-th case, and their counts are added up.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_ACCURACY_PROCESSES_H
#define QUIRE_ACCURACY_PROCESSES_H

#include "plan.h"
#include "tally.h"

/* What a process found. */
typedef struct share {
    tally tally;
    ways ways;
    size_t at; /* how far its walk came */
    int round;
} share;

/* In each of count processes calls work(user, i, share), which answers false if it has complained; adds the shares to t
 * and w, and sets the walk to where the slowest came. started is called in this process once all others run. Must be
 * called before anything has touched a GPU. Complains and answers false if one could not be had, or failed. */
bool processes_run(int count, bool (*work)(void *user, int i, share *share), void (*started)(void *user), void *user,
                   tally *t, ways *w, plan *p);

#endif
