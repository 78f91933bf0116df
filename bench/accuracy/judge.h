/* judge.h - one case: every method and result type, every way to run.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_ACCURACY_JUDGE_H
#define QUIRE_ACCURACY_JUDGE_H

#include "tally.h"

/* What every judgement needs. */
typedef struct judge {
    reference truth;
    ways *ways;
    tally *tally;
    set methods;
} judge;

void judge_case(judge *j, const test_case *c, const vectors *v);

#endif
