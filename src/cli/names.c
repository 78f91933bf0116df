/* names.c - what the command line can name.
 *
 * SPDX-License-Identifier: MIT
 */
#include "names.h"

#include <string.h>

const quire_method every_method[METHODS] = { QUIRE_EXACT, QUIRE_KAHAN, QUIRE_PAIRWISE, QUIRE_PLAIN };
const quire_tier every_tier[TIERS] = { QUIRE_TIER_PORTABLE, QUIRE_TIER_AVX2, QUIRE_TIER_AVX512, QUIRE_TIER_AVX512VNNI };

/* Indexed by quire_method and quire_type, whose numbers are pinned; 0 is none of them. */
static const char *const method_names[] = { NULL, "exact", "kahan", "pairwise", "plain" };
static const char *const type_names[] = { NULL, "f16", "bf16", "f32", "f64", "e5m2", "e4m3" };
static const size_t type_sizes[] = { 0, 2, 2, 4, 8, 1, 1 };

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static int named(const char *const *names, int count, const char *name) {
    for (int i = 1; i < count; i++)
        if (!strcmp(names[i], name)) return i;
    return -1;
}

const char *method_name(quire_method method) { return method_names[method]; }

const char *type_name(quire_type type) { return type_names[type]; }

size_t type_size(quire_type type) { return type_sizes[type]; }

int method_named(const char *name) { return named(method_names, COUNT(method_names), name); }

int type_named(const char *name) { return named(type_names, COUNT(type_names), name); }

int tier_named(const char *name) {
    for (int tier = QUIRE_TIER_BEST; tier <= TIERS; tier++)
        if (!strcmp(quire_tier_name((quire_tier)tier), name)) return tier;
    return -1;
}
