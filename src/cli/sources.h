/* sources.h - the arrays that the operands of a command line name.
 *
 * An operand is a file, or "-"; or an .npz archive, which stands for its arrays; or ARCHIVE.npz:NAME, one of them. None
 * at all is standard input, if that is no terminal. --column may name several columns, separated by commas: an array
 * each, or one matrix of all of them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_SOURCES_H
#define QUIRE_CLI_SOURCES_H

#include "input.h"

struct sources {
    struct source *source;
    size_t count;
    char *columns; /* their names, each with a zero behind */
    size_t columns_length;
    int columns_count;
};

/* EXIT_FINE, EXIT_TROUBLE, or EXIT_USAGE where there is nothing to read. verb is for messages. */
int sources_find(struct sources *sources, const char *verb, char *const *operands, int count,
                 const struct reading *reading);
void sources_free(struct sources *sources);

#endif
