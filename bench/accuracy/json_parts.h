/* json_parts.h - what the reports in JSON share: json.c, json_many.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_ACCURACY_JSON_PARTS_H
#define QUIRE_ACCURACY_JSON_PARTS_H

#include <jansson.h>
#include <stdbool.h>

#include "head.h"

/* The first members: what the run was made with. */
void json_facts(json_t *root, const head *h, uint64_t seed, double seconds);

/* Writes the object to the file that json_open opened, and frees it. Complains and answers false if that fails. */
bool json_finish(json_t *root);

#endif
