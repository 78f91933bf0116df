/* pin.h - keeps the calling thread on the processor it is on.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_PIN_H
#define QUIRE_BENCH_PIN_H

#include <stdbool.h>

/* False where the system cannot; then nothing has changed. */
bool pin(void);
void unpin(void);

#endif
