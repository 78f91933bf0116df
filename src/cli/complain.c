/* complain.c - how a command says what went wrong.
 *
 * SPDX-License-Identifier: MIT
 */
#include "complain.h"

#include <stdarg.h>
#include <stdio.h>

#include "progress.h"

bool complain(const char *format, ...) {
    char line[8192];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    for (char *c = line; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = '?';
    progress_end();
    fprintf(stderr, QUIRE_PROGRAM ": %s\n", line);
    return false;
}
