/* gpu.h - which GPU there is, and memory and streams of it for --many. gpu.c, or gpu_stub.c where the build has no
 * CUDA.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_ACCURACY_GPU_H
#define QUIRE_ACCURACY_GPU_H

#include <stdbool.h>
#include <stddef.h>

/* Device 0, with driver and runtime; "none" if there is none. */
void gpu_describe(char *text, size_t size);

/* The last error of these in this thread. */
const char *gpu_error(void);

/* A stream of device 0, as quire_open_cuda takes it, and memory there; false and NULL: see gpu_error. */
bool gpu_open_stream(void **stream);
void gpu_close_stream(void *stream);
void *gpu_take(size_t bytes);
void gpu_drop(void *block);

/* Copies to the device and from it, in the order of the stream. What is fetched is there when the call returns. */
bool gpu_send(void *stream, void *to, const void *from, size_t bytes);
bool gpu_fetch(void *stream, void *to, const void *from, size_t bytes);

#endif
