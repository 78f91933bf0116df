/* gpu_stub.c - in place of gpu.c in a build without CUDA.
 *
 * SPDX-License-Identifier: MIT
 */
#include "gpu.h"

#include <stdio.h>

void gpu_describe(char *text, size_t size) { snprintf(text, size, "none"); }
