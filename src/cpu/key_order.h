/* key_order.h - rows in the order of their groups, or elements of theirs.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_KEY_ORDER_H
#define QUIRE_CPU_KEY_ORDER_H

#include "cpu/context.h"
#include "workspace.h"

/* What is brought into that order: of each row an element of so many bytes, `row` bytes behind that of the row before;
 * or if x is NULL the number of the row, an integer of 4 or 8. */
typedef struct {
    const char *x;
    ptrdiff_t row;
    size_t size;
} keyed_elements;

/* Bytes of workspace for these groups, or fewer; 0: more than memory holds. */
QUIRE_PRIVATE size_t key_order_workspace(const cpu_context *context, const quire_keys *keys, keyed_elements elements);

/* See quire_order_by_key; index: of the offsets; to: where elements go. */
QUIRE_PRIVATE void key_order(const cpu_context *context, const quire_keys *keys, keyed_elements elements,
                             quire_index index, void *to, void *offsets, void *workspace);

#endif
