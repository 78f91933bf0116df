/* output.h - a file written whole, or not at all.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_OUTPUT_H
#define QUIRE_CLI_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

struct output_part {
    const void *bytes;
    size_t length;
};

/* Writes the parts to a file beside path, which then takes its name: a file that was there stays until the new one is
 * complete. What is no regular file ("-" is standard output) is written to as it is. EXIT_FINE or EXIT_TROUBLE. */
int output_write(const char *path, const struct output_part *parts, int count);

/* Whether an output is the same file as an operand: FILE, or ARCHIVE.npz:NAME. */
bool output_is(const char *output, const char *operand);

/* For a handler of signals: removes what is being written beside a file. */
void output_abandon(void);

#endif
