/* words.h - the words of a command line: names from a list, numbers, and the walk over the options. What does not fit
 * is complained of in one line.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_WORDS_H
#define QUIRE_BENCH_WORDS_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The i-th thing that an option can name: its name and its number; NULL after the last. */
typedef const char *naming(int i, int *number);

const char *name_type(int i, int *number);
const char *name_method(int i, int *number);
const char *name_operation(int i, int *number);
const char *name_family(int i, int *number);
const char *name_place(int i, int *number); /* cpu 1, gpu 2, all 3: a bit each */

/* Which of the names the word is, and its number; below 0 if none. */
int find_name(const char *option, const char *word, naming *names, int *number);

/* Cuts the next word off a list; NULL after the last. */
char *next_word(char **list);

bool read_real(const char *option, const char *word, double least, double greatest, double *value);
bool read_whole(const char *option, const char *word, double least, double greatest, double *value);
bool read_seed(const char *word, uint64_t *seed);

/* Calls take for every option of the table, until it answers false; optind is then at what is no option. */
bool read_options(int argc, char **argv, const struct option *table, bool (*take)(void *user, int which, char *word),
                  void *user);

#endif
