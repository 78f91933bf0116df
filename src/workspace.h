/* workspace.h - what stands in a caller's workspace: arrays one behind the other, each at a multiple of 256 bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_WORKSPACE_H
#define QUIRE_WORKSPACE_H

#include <stddef.h>
#include <stdint.h>

#include "arithmetic.h"

#define WORKSPACE_ALIGNMENT ((size_t)256)

/* Makes room for count things of so many bytes behind the *bytes that are taken so far; answers whether memory may have
 * so many. */
QUIRE_INLINE int workspace_add(size_t *bytes, size_t count, size_t size) {
    const size_t most = (size_t)PTRDIFF_MAX - WORKSPACE_ALIGNMENT;
    if (size && count > most / size) return 0;
    const size_t more = (count * size + WORKSPACE_ALIGNMENT - 1) / WORKSPACE_ALIGNMENT * WORKSPACE_ALIGNMENT;
    if (more > (size_t)PTRDIFF_MAX - *bytes) return 0;
    *bytes += more;
    return 1;
}

#endif
