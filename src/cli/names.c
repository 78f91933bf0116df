/* names.c - what the command line can name.
 *
 * SPDX-License-Identifier: MIT
 */
#include "names.h"

#include <string.h>

#include "vocabulary.h"

const quire_method every_method[METHODS] = { QUIRE_EXACT, QUIRE_KAHAN, QUIRE_PAIRWISE, QUIRE_PLAIN };
const quire_tier every_tier[TIERS] = { QUIRE_TIER_PORTABLE, QUIRE_TIER_AVX2, QUIRE_TIER_AVX512, QUIRE_TIER_AVX512VNNI };

static const char *const method_names[] = { METHOD_NAMES(NAMED) }; /* NULL where there is none */
static const char *const operation_names[] = { OPERATION_NAMES(NAMED) };
static const char *const rounding_names[] = { ROUNDING_NAMES(NAMED) };

#define COUNT(array) (sizeof(array) / sizeof *(array))

static int named(const char *const *names, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (names[i] && !strcmp(names[i], name)) return (int)i;
    return -1;
}

const char *method_name(quire_method method) { return method_names[method]; }

const char *operation_name(quire_operation operation) { return operation_names[operation]; }

const char *rounding_name(quire_rounding rounding) { return rounding_names[rounding]; }

const char *type_name(quire_type type) {
    if (type == QUIRE_INT128) return "i128";
    const struct element element = element_of(type);
    return element_name(&element);
}

size_t type_size(quire_type type) { return quire_type_size(type); }

int method_named(const char *name) { return named(method_names, COUNT(method_names), name); }

int operation_named(const char *name) { return named(operation_names, COUNT(operation_names), name); }

int rounding_named(const char *name) { return named(rounding_names, COUNT(rounding_names), name); }

int tier_named(const char *name) {
    for (int tier = QUIRE_TIER_BEST; tier <= TIERS; tier++)
        if (!strcmp(quire_tier_name((quire_tier)tier), name)) return tier;
    return -1;
}
