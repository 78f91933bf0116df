/* gpu.h - what the command does with a CUDA device: memory there, and ways to bring a file to it. gpu_stub.c is for a
 * build without CUDA, where none can be opened.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_GPU_H
#define QUIRE_CLI_GPU_H

#include <stddef.h>

#include <quire/quire.h>

struct gpu;

/* These answer EXIT_FINE or EXIT_TROUBLE. */
int gpu_open(struct gpu **gpu, int number);

/* Memory of the device, which stays until gpu_forget; and a whole array copied there. At most GPU_ARRAYS of both. name
 * is for messages. Of 0 bytes *there is NULL. */
#define GPU_ARRAYS 5
int gpu_allocate(struct gpu *gpu, const char *name, size_t bytes, void **there);
int gpu_load(struct gpu *gpu, const char *name, const void *array, size_t bytes, const void **there);

/* Room on the device for a result or an accumulator; gpu_put fills it. */
void *gpu_room(struct gpu *gpu);
int gpu_put(struct gpu *gpu, const void *from, size_t bytes);

/* Waits for all work, and brings bytes from the device. */
int gpu_fetch(struct gpu *gpu, const void *there, void *to, size_t bytes);

/* Carries arrays of equal length through the device, piece after piece: while one is added, the next is copied, and one
 * more is read. add gets each piece's place on the device (y is NULL if there is one array) and enqueues its work on
 * the context.
 */
struct gpu_flow {
    const void *array[2]; /* the second may be NULL */
    size_t n, size;       /* elements of each, and the bytes of one */
    quire_status (*add)(void *user, size_t n, const void *x, const void *y);
    void *user;
};
int gpu_carry(struct gpu *gpu, const struct gpu_flow *flow);

quire_context *gpu_context(const struct gpu *gpu);
void gpu_close(struct gpu *gpu);

/* Frees all that was allocated. */
void gpu_forget(struct gpu *gpu);

/* What there is to know about CUDA here: the driver's version (0: no driver), and the devices. */
struct gpu_facts {
    char name[256];
    int major, minor; /* the compute capability */
    size_t bytes;
};
int gpu_driver(void);
int gpu_count(void);
int gpu_describe(int number, struct gpu_facts *facts);

#endif
