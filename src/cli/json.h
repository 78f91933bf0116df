/* json.h - what goes to standard output, for programs.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_JSON_H
#define QUIRE_CLI_JSON_H

#include "measure.h"

/* EXIT_FINE or EXIT_TROUBLE. */
int json_outcomes(const struct command *command, const struct options *options, const struct job *job,
                  const struct outcome *outcomes, int count);
int json_info(quire_tier default_tier);

#endif
