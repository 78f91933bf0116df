/* complain.c - how a command says what went wrong.
 *
 * SPDX-License-Identifier: MIT
 */
#include "complain.h"

#include <stdarg.h>
#include <stdio.h>

#include "progress.h"

#ifndef QUIRE_PROGRAM
#define QUIRE_PROGRAM "quire"
#endif
const char program_name[] = QUIRE_PROGRAM;

static void print_line(const char *format, va_list arguments) {
    char line[8192];
    vsnprintf(line, sizeof line, format, arguments);
    for (char *c = line; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = '?';
    progress_end();
    fprintf(stderr, "%s: %s\n", program_name, line);
}

bool complain(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_line(format, arguments);
    va_end(arguments);
    return false;
}

void remark(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_line(format, arguments);
    va_end(arguments);
}
