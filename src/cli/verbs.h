/* verbs.h - what each verb of the command does.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_VERBS_H
#define QUIRE_CLI_VERBS_H

#include "options.h"

/* These answer an exit status, having complained if it is not EXIT_FINE. */
int verb_reduce(const struct command *command, const struct options *options);
int verb_of_two(const struct command *command, const struct options *options);
int verb_cumsum(const struct command *command, const struct options *options);
int verb_describe(const struct command *command, const struct options *options);
int verb_accumulate(const struct command *command, const struct options *options);
int verb_merge(const struct command *command, const struct options *options);
int verb_round(const struct command *command, const struct options *options);
int verb_info(const struct command *command, const struct options *options);

#endif
