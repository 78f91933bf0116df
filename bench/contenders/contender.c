/* contender.c - the list.
 *
 * SPDX-License-Identifier: MIT
 */
#include "contender.h"

#include <stdlib.h>

const char *role_name(role which) {
    static const char *const names[] = { "ceiling", "baseline", "method", "peer", "rung", "sum" };
    return names[which];
}

contender *contenders_add(contenders *all, role role, const char *name) {
    if (all->count == MAX_CONTENDERS) abort(); /* the list is too short for what is compiled in */
    contender *c = &all->one[all->count++];
    *c = (contender){ .role = role, .name = name, .place = all->place };
    return c;
}
