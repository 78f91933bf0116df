/* key_order.h - rows in the order of their groups.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_KEY_ORDER_H
#define QUIRE_CPU_KEY_ORDER_H

#include "cpu/context.h"
#include "workspace.h"

/* Bytes of workspace for these groups, or fewer; 0: more than memory holds. */
QUIRE_PRIVATE size_t key_order_workspace(const cpu_context *context, const quire_keys *keys);

/* See quire_order_by_key; index: of the order and the offsets. */
QUIRE_PRIVATE void key_order(const cpu_context *context, const quire_keys *keys, quire_index index, void *order,
                             void *offsets, void *workspace);

#endif
