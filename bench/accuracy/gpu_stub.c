/* gpu_stub.c - in place of gpu.c in a build without CUDA.
 *
 * SPDX-License-Identifier: MIT
 */
#include "gpu.h"

#include <stdio.h>

void gpu_describe(char *text, size_t size) { snprintf(text, size, "none"); }

const char *gpu_error(void) { return "this quire-accuracy was built without CUDA"; }

bool gpu_open_stream(void **stream) {
    *stream = NULL;
    return false;
}

void gpu_close_stream(void *stream) { (void)stream; }

void *gpu_take(size_t bytes) {
    (void)bytes;
    return NULL;
}

void gpu_drop(void *block) { (void)block; }

bool gpu_send(void *stream, void *to, const void *from, size_t bytes) {
    (void)stream, (void)to, (void)from, (void)bytes;
    return false;
}

bool gpu_fetch(void *stream, void *to, const void *from, size_t bytes) {
    (void)stream, (void)to, (void)from, (void)bytes;
    return false;
}
