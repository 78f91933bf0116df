/* input.h - a file of numbers, in memory without being read into memory.
 *
 * The file is mapped, and the library walks the whole mapping in one call. What cannot be mapped as it is (a pipe, numbers
 * in the other byte order, numbers that start at an odd place in the file) is first copied, piece by piece, into an unlinked
 * temporary file in TMPDIR, and that one is mapped. So no memory is taken that grows with the file.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_INPUT_H
#define QUIRE_CLI_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "npy.h"

struct input {
    const char *name; /* for messages                                             */
    quire_type type;
    size_t n;
    const void *elements;     /* NULL if there are none                            */
    struct npy_header header; /* of a raw file: one dimension, C order             */
    void *map;
    size_t map_length;
};

/* Opens a file, or standard input ("-"). raw_type is a quire_type, or 0 if none was given: a file that does not begin with
 * the magic of .npy is raw and needs it; an .npy file must agree with it. EXIT_FINE or EXIT_TROUBLE. */
int input_open(struct input *input, const char *name, int raw_type);

/* Whether the elements of two inputs pair up: same type, same number, same order. EXIT_FINE or EXIT_TROUBLE. */
int input_match(const struct input *x, const struct input *y);

void input_close(struct input *input);

#endif
