/* arguments.c - the walk over the options of a command line.
 *
 * SPDX-License-Identifier: MIT
 */
#include "arguments.h"

#include <stdio.h>
#include <string.h>

#define LONGEST 32 /* letters of a name that is compared */

static int least(int a, int b) { return a < b ? a : b; }

/* How many letters must be left out, put in, replaced, or exchanged with their neighbour to make b of a. */
static int distance(const char *a, const char *b) {
    const int rows = (int)strlen(a), columns = (int)strlen(b);
    int cost[LONGEST + 1][LONGEST + 1];
    if (rows > LONGEST || columns > LONGEST) return LONGEST;
    for (int i = 0; i <= rows; i++)
        for (int j = 0; j <= columns; j++) {
            if (!i || !j) {
                cost[i][j] = i + j;
                continue;
            }
            int best = cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            best = least(best, least(cost[i - 1][j], cost[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                best = least(best, cost[i - 2][j - 2] + 1);
            cost[i][j] = best;
        }
    return cost[rows][columns];
}

const char *arguments_nearest(const char *word, const char *(*next)(const void *names, int i), const void *names) {
    const char *nearest = NULL;
    int best = (int)strlen(word) > 4 ? 3 : 2; /* one more than what is near enough */
    for (int i = 0; next(names, i); i++) {
        const int far = distance(word, next(names, i));
        if (far < best) nearest = next(names, i), best = far;
    }
    return nearest;
}

static const char *next_option(const void *names, int i) { return ((const struct option *)names)[i].name; }

static const char *long_name(const struct option *table, int value) {
    for (; table->name; table++)
        if (table->val == value) return table->name;
    return "";
}

/* The name of a long option, without dashes and value. */
static void bare_name(const char *argument, char name[LONGEST + 2]) {
    snprintf(name, LONGEST + 2, "%.*s", (int)strcspn(argument + 2, "="), argument + 2);
}

/* What getopt_long did not like. argument is the one it stopped behind. */
static void describe(const struct option *table, int answer, const char *argument, char problem[ARGUMENTS_PROBLEM]) {
    const bool is_long = !strncmp(argument, "--", 2);
    char name[LONGEST + 2];
    if (answer == ':' && is_long)
        snprintf(problem, ARGUMENTS_PROBLEM, "--%s needs a value", long_name(table, optopt));
    else if (answer == ':')
        snprintf(problem, ARGUMENTS_PROBLEM, "-%c needs a value", optopt);
    else if (is_long && optopt)
        snprintf(problem, ARGUMENTS_PROBLEM, "--%s takes no value", long_name(table, optopt));
    else if (!is_long)
        snprintf(problem, ARGUMENTS_PROBLEM, "unknown option -%c; --help lists them", optopt);
    else {
        bare_name(argument, name);
        const char *nearest = arguments_nearest(name, next_option, table);
        if (nearest)
            snprintf(problem, ARGUMENTS_PROBLEM, "unknown option %.100s; did you mean --%s?", argument, nearest);
        else
            snprintf(problem, ARGUMENTS_PROBLEM, "unknown option %.100s; --help lists them", argument);
    }
}

bool arguments_walk(int argc, char **argv, const char *letters, const struct option *table,
                    bool (*take)(void *user, int which, char *word), void *user, char problem[ARGUMENTS_PROBLEM]) {
    int which;
    char colon_letters[64];
    snprintf(colon_letters, sizeof colon_letters, ":%s", letters);
    *problem = 0;
    opterr = 0; /* getopt would not say who complains */
    while ((which = getopt_long(argc, argv, colon_letters, table, NULL)) != -1) {
        if (which == '?' || which == ':') {
            describe(table, which, argv[optind - 1], problem);
            return false;
        }
        if (!take(user, which, optarg)) return false;
    }
    return true;
}
