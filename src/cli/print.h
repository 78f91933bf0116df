/* print.h - what goes to standard output.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_PRINT_H
#define QUIRE_CLI_PRINT_H

#include "measure.h"

/* One outcome as a number alone, METHODS of them as a table; either as JSON, if the options say so. */
int print_outcomes(const struct command *command, const struct options *options, const struct job *job,
                   const struct outcome *outcomes, int count);

int print_info(bool json);

#endif
