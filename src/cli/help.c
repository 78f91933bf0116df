/* help.c - help on standard output.
 *
 * SPDX-License-Identifier: MIT
 */
#include "help.h"

#include <stdio.h>
#include <string.h>

#define READERS (REDUCTION | DOT | MOMENT | DESCRIBE | ACCUMULATE | CUMSUM)
#define INDENT 27 /* before what an option does */

/* The text from a column on, broken at blanks; every line but the first is indented to that column. */
static void print_wrapped(const char *text, int indent) {
    const int width = HELP_WIDTH - indent;
    while ((int)strlen(text) > width) {
        int length = width;
        while (length > 0 && text[length] != ' ') length--;
        if (!length) length = width;
        printf("%.*s\n%*s", length, text, indent, "");
        text += length + (text[length] == ' ');
    }
    puts(text);
}

void help_entry(const char *option, const char *text) {
    if ((int)strlen(option) > INDENT - 3)
        printf("  %s\n%*s", option, INDENT, "");
    else
        printf("  %-*s", INDENT - 2, option);
    print_wrapped(text, INDENT);
}

void help_usage(const struct command *command) {
    printf("usage: quire %s [option ...]%s%s\n%s\n", command->name, *command->operands ? " " : "", command->operands,
           command->summary);
    if (command->family & READERS) {
        putchar('\n');
        print_wrapped("FILE is an .npy file, an .npz archive (all its arrays, or ARCHIVE.npz:NAME), a text of numbers, "
                      "a table with --column, or raw numbers with --type; all but archives may be compressed by gzip "
                      "(.gz). Without FILE, or for -, standard input is read.",
                      0);
    }
    putchar('\n');
}

void help_all(const struct command *commands) {
    puts("usage: quire VERB [option ...] [FILE ...]\n"
         "Correctly rounded, reproducible sums of floating-point numbers.\n");
    for (const struct command *command = commands; command->name; command++)
        printf("  %-13s%s\n", command->name, command->summary);
    puts("  help         of a verb, with its options and examples: quire help sum\n\n"
         "FILE is an .npy file, an .npz archive, a text of numbers, a table (--column), or\n"
         "raw numbers (--type). Without FILE standard input is read: seq 9 | quire sum");
}
