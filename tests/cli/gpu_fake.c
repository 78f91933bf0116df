/* gpu_fake.c - a device that is none, in place of src/cli/gpu_cuda.c: its memory is the host's and its context the
 * CPU's. So what the command itself does for a GPU is tested on machines that have none.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "../../src/cli/complain.h"
#include "../../src/cli/gpu.h"
#include "../../src/cli/progress.h"

#define PIECE ((size_t)1 << 10) /* elements */

struct gpu {
    quire_context *context;
    quire_accumulator room;
    void *array[GPU_ARRAYS];
    int arrays;
};

int gpu_open(struct gpu **gpu, int number) {
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    if (visible && !strcmp(visible, "-1")) {
        complain("--device cuda: no CUDA device, though there is a driver");
        return EXIT_TROUBLE;
    }
    if (number) {
        complain("--device cuda:%d: %s", number, quire_status_string(QUIRE_INVALID_DEVICE));
        return EXIT_TROUBLE;
    }
    *gpu = calloc(1, sizeof **gpu);
    return *gpu && !quire_open_cpu(&(*gpu)->context, 1) ? EXIT_FINE : EXIT_TROUBLE;
}

int gpu_allocate(struct gpu *gpu, const char *name, size_t bytes, void **there) {
    *there = NULL;
    if (gpu->arrays == GPU_ARRAYS) {
        complain("%s: the command asks for more arrays of a device than it has room for", name);
        return EXIT_TROUBLE;
    }
    if (bytes) *there = gpu->array[gpu->arrays++] = malloc(bytes);
    return !bytes || *there ? EXIT_FINE : EXIT_TROUBLE;
}

int gpu_load(struct gpu *gpu, const char *name, const void *array, size_t bytes, const void **there) {
    void *copy;
    const int failed = gpu_allocate(gpu, name, bytes, &copy);
    *there = copy;
    if (!failed && bytes) memcpy(copy, array, bytes);
    return failed;
}

void *gpu_room(struct gpu *gpu) { return &gpu->room; }

int gpu_put(struct gpu *gpu, const void *from, size_t bytes) {
    memcpy(&gpu->room, from, bytes);
    return EXIT_FINE;
}

int gpu_fetch(struct gpu *gpu, const void *there, void *to, size_t bytes) {
    (void)gpu;
    memcpy(to, there, bytes);
    return EXIT_FINE;
}

int gpu_carry(struct gpu *gpu, const struct gpu_flow *flow) {
    quire_status status = QUIRE_OK;
    (void)gpu;
    for (size_t done = 0; done < flow->n && !status; done += PIECE) {
        const size_t n = flow->n - done < PIECE ? flow->n - done : PIECE;
        const void *array[2];
        for (int i = 0; i < 2; i++) array[i] = flow->array[i] ? (const char *)flow->array[i] + done * flow->size : NULL;
        status = flow->add(flow->user, n, array[0], array[1]);
        progress_report(done + n, flow->n);
    }
    return status ? EXIT_TROUBLE : EXIT_FINE;
}

quire_context *gpu_context(const struct gpu *gpu) { return gpu->context; }

void gpu_forget(struct gpu *gpu) {
    while (gpu->arrays > 0) free(gpu->array[--gpu->arrays]);
}

void gpu_close(struct gpu *gpu) {
    quire_close(gpu->context);
    gpu_forget(gpu);
    free(gpu);
}

int gpu_driver(void) { return 13000; }

int gpu_count(void) { return 1; }

int gpu_describe(int number, struct gpu_facts *facts) {
    (void)number;
    *facts = (struct gpu_facts){ "host memory", 1, 0, (size_t)1 << 30 };
    return EXIT_FINE;
}
