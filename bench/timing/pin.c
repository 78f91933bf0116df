/* pin.c - sched_setaffinity, where there is one.
 *
 * SPDX-License-Identifier: MIT
 */
#ifdef __linux__

#include <sched.h>

#include "pin.h"

static cpu_set_t before;

bool pin(void) {
    cpu_set_t one;
    const int processor = sched_getcpu();
    if (processor < 0 || sched_getaffinity(0, sizeof before, &before)) return false;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    return !sched_setaffinity(0, sizeof one, &one);
}

void unpin(void) { sched_setaffinity(0, sizeof before, &before); }

#else

#include "pin.h"

bool pin(void) { return false; }
void unpin(void) {}

#endif
