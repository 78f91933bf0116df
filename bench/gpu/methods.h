/* methods.h - quire's own methods on the device, as reducers.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_GPU_METHODS_H
#define QUIRE_BENCH_GPU_METHODS_H

#include "contenders/reducer.h"

/* Opens a context for them on the stream, and one for other launches. Answers what is wrong, or NULL. */
const char *methods_open(void *stream);
void methods_close(void);

/* In the library's own launches, or in others. */
const reducer *methods_reducer(quire_method method, bool other_launch);

#endif
