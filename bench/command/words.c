/* words.c - names, numbers, options.
 *
 * SPDX-License-Identifier: MIT
 */
#include "words.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/cli/arguments.h"
#include "families.h"
#include "number.h"
#include "operation.h"
#include "terminal.h"

const char *name_type(int i, int *number) {
    if (i >= TYPE_COUNT) return NULL;
    *number = (int)TYPES[i];
    return type_name(TYPES[i]);
}

const char *name_method(int i, int *number) {
    if (i >= METHOD_COUNT) return NULL;
    *number = (int)METHODS[i];
    return method_name(METHODS[i]);
}

const char *name_operation(int i, int *number) {
    *number = i;
    return i < OPERATION_ALL ? operation_name((operation)i) : NULL;
}

const char *name_family(int i, int *number) {
    *number = i;
    return i < FAMILY_COUNT ? family_name((family)i) : NULL;
}

const char *name_place(int i, int *number) {
    static const char *const names[] = { "cpu", "gpu", "all" };
    *number = i + 1;
    return i < 3 ? names[i] : NULL;
}

/* All the names, into text. */
static const char *all_names(naming *names, char *text, size_t size) {
    int number;
    size_t length = 0;
    text[0] = '\0';
    for (int i = 0; names(i, &number) && length < size; i++)
        length += (size_t)snprintf(text + length, size - length, "%s%s", i ? ", " : "", names(i, &number));
    return text;
}

int find_name(const char *option, const char *word, naming *names, int *number) {
    char text[512];
    const char *name;
    for (int i = 0; (name = names(i, number)); i++)
        if (!strcmp(word, name)) return i;
    complain("--%s: '%s' is none of %s", option, word, all_names(names, text, sizeof text));
    return -1;
}

char *next_word(char **list) {
    char *word = *list, *comma = word ? strchr(word, ',') : NULL;
    *list = comma ? comma + 1 : NULL;
    if (comma) *comma = '\0';
    return word;
}

bool read_real(const char *option, const char *word, double least, double greatest, double *value) {
    char *end;
    *value = strtod(word, &end);
    if (end != word && !*end && *value >= least && *value <= greatest) return true;
    return complain("--%s: '%s' is no number from %g to %g", option, word, least, greatest);
}

bool read_whole(const char *option, const char *word, double least, double greatest, double *value) {
    if (!read_real(option, word, least, greatest, value)) return false;
    return *value == floor(*value) || complain("--%s: '%s' is not a whole number", option, word);
}

bool read_seed(const char *word, uint64_t *seed) {
    char *end;
    errno = 0;
    *seed = strtoull(word, &end, 0);
    return (end != word && !*end && !errno && !strchr(word, '-')) || complain("--seed: '%s' is no seed", word);
}

bool read_options(int argc, char **argv, const struct option *table, bool (*take)(void *user, int which, char *word),
                  void *user) {
    char problem[ARGUMENTS_PROBLEM];
    if (arguments_walk(argc, argv, "", table, take, user, problem)) return true;
    return *problem ? complain("%s", problem) : false;
}
