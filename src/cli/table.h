/* table.h - the columns of a table: what text.c does with those of a text that has any.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_TABLE_H
#define QUIRE_CLI_TABLE_H

#include "text.h"

/* Finds the columns, as text_open has them, and whether the first line is a heading. EXIT_FINE or EXIT_TROUBLE. */
int table_open(struct text *text, const char *columns, int count);

/* The numbers of the next row, each in its column's place; low may be NULL. 1, 0 at the end, less than 0 after a
 * complaint. */
int table_next_numbers(struct text *text, double *value, double *low);

/* The same of the fields themselves, which are then in text->wanted. */
int table_next_fields(struct text *text);

#endif
