/* clock.h - the time, for stopwatches.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_CLOCK_H
#define QUIRE_CLI_CLOCK_H

#include <time.h>

/* Seconds since some moment, never going back. */
static inline double clock_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
