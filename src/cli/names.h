/* names.h - what the command line can name: operations, methods, types, tiers.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_NAMES_H
#define QUIRE_CLI_NAMES_H

#include <stddef.h>

#include <quire/quire.h>

enum operation { OPERATION_SUM, OPERATION_ASUM, OPERATION_DOT, OPERATION_NRM2, OPERATION_MEAN };

/* The methods in the order in which --method all tries them. */
#define METHODS 4
extern const quire_method every_method[METHODS];

#define TIERS 4
extern const quire_tier every_tier[TIERS];

const char *method_name(quire_method method);
const char *type_name(quire_type type);
size_t type_size(quire_type type);

/* The number a name stands for; -1 for a name that stands for none. */
int method_named(const char *name);
int type_named(const char *name);
int tier_named(const char *name);

#endif
