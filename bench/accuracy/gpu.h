/* gpu.h - which GPU there is. gpu.c, or gpu_stub.c where the build has no CUDA.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_ACCURACY_GPU_H
#define QUIRE_ACCURACY_GPU_H

#include <stddef.h>

/* Device 0, with driver and runtime; "none" if there is none. */
void gpu_describe(char *text, size_t size);

#endif
