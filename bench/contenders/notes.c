/* notes.c - see notes.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static char peers[NOTES_SIZE], left_out[NOTES_SIZE];

static void note(char *list, const char *format, va_list arguments) {
    const size_t length = strlen(list);
    const int added = snprintf(list + length, NOTES_SIZE - length, "%s", length ? "; " : "");
    const size_t end = length + (size_t)added;
    if (end < NOTES_SIZE) vsnprintf(list + end, NOTES_SIZE - end, format, arguments);
}

void note_peer(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    note(peers, format, arguments);
    va_end(arguments);
}

void note_left_out(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    note(left_out, format, arguments);
    va_end(arguments);
}

const char *notes_of_peers(void) { return peers; }
const char *notes_of_left_out(void) { return left_out; }
