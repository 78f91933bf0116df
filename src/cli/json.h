/* json.h - what goes to standard output, for programs.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_JSON_H
#define QUIRE_CLI_JSON_H

#include "print.h"

/* Reports are printed by json_end, as an array, of one too. EXIT_FINE or EXIT_TROUBLE. */
void json_begin(void);
void json_report(const struct options *options, const struct report *report);
void json_facts(const struct options *options, const struct report *report, const struct facts *facts,
                const union number values[2]);
void json_results(const struct options *options, const struct results *results);
int json_end(void);

int json_info(quire_tier default_tier);

#endif
