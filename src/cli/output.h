/* output.h - a file written whole, or not at all.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_OUTPUT_H
#define QUIRE_CLI_OUTPUT_H

#include <stddef.h>

struct output_part {
    const void *bytes;
    size_t length;
};

/* Writes the parts to a file beside path, which then takes its name: a file that was there stays until the new one is
 * complete. What is no regular file ("-" is standard output) is written to as it is. EXIT_FINE or EXIT_TROUBLE. */
int output_write(const char *path, const struct output_part *parts, int count);

#endif
