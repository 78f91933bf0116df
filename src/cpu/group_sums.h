/* group_sums.h - exact sums of groups without a sort: each row is added to the state of its group as it comes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_GROUP_SUMS_H
#define QUIRE_CPU_GROUP_SUMS_H

#include "cpu/group_state.h"

/* Whether that is a way to a job's sums, and one that takes no longer than a sort. */
QUIRE_PRIVATE int has_group_sums(const quire_job *job, const quire_keys *keys);

/* Bytes of states for so many columns, and at least one group; 0: more than memory holds. */
QUIRE_PRIVATE size_t group_sums_states(const cpu_context *context, const quire_keys *keys, size_t columns);

/* Adds up, by all threads of a context that reports nothing, and stores the results that the states tell: that of group
 * g and column c goes to results[g * apart + c]. numbers[g] becomes -1, or, if a result of group g is left open, how
 * many such groups there are before it. counts: how many rows each group has, or NULL. Answers how many groups are left
 * open. */
QUIRE_PRIVATE size_t group_sums(const cpu_context *context, const group_columns *columns, void *states, char *results,
                                size_t apart, int64_t *numbers, int64_t *counts);

#endif
