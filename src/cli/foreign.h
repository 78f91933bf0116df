/* foreign.h - files of other programs, known by their first bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_FOREIGN_H
#define QUIRE_CLI_FOREIGN_H

#include "bytes.h"

/* Whether the next bytes begin a file of a kind that quire does not read; then it has complained, with a command that
 * makes something of it that quire does. path is the file's, or "-". */
bool foreign_refused(struct bytes *bytes, const char *path);

#endif
