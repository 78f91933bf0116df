/* key_order.h - rows in the order of their groups.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_KEY_ORDER_H
#define QUIRE_CPU_KEY_ORDER_H

#include "cpu/context.h"

/* Bytes of workspace for this, a multiple of WORKSPACE_ALIGNMENT; 0: more than memory holds. */
#define WORKSPACE_ALIGNMENT ((size_t)256)
QUIRE_PRIVATE size_t key_order_workspace(const cpu_context *context, const quire_keys *keys);

/* See quire_order_by_key; index: of the order and the offsets. */
QUIRE_PRIVATE void key_order(const cpu_context *context, const quire_keys *keys, quire_index index, void *order,
                             void *offsets, void *workspace);

/* Makes room for count things of so many bytes in a workspace that has *bytes so far; answers whether that fits. */
QUIRE_INLINE int workspace_add(size_t *bytes, size_t count, size_t size) {
    size_t more;
    if (__builtin_mul_overflow(count, size, &more)) return 0;
    if (__builtin_add_overflow(more, WORKSPACE_ALIGNMENT - 1, &more)) return 0;
    return !__builtin_add_overflow(*bytes, more / WORKSPACE_ALIGNMENT * WORKSPACE_ALIGNMENT, bytes);
}

#endif
