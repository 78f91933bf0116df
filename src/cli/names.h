/* names.h - what the command line can name: operations, methods, roundings, types, tiers.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_NAMES_H
#define QUIRE_CLI_NAMES_H

#include "element.h"

/* The methods in the order in which --method all tries them. */
#define METHODS 4
extern const quire_method every_method[METHODS];

#define TIERS 4
extern const quire_tier every_tier[TIERS];

const char *method_name(quire_method method);
const char *operation_name(quire_operation operation);
const char *rounding_name(quire_rounding rounding);
const char *type_name(quire_type type);
size_t type_size(quire_type type);

/* The number a name stands for; -1 for a name that stands for none. */
int method_named(const char *name);
int operation_named(const char *name);
int rounding_named(const char *name);
int tier_named(const char *name);

#endif
