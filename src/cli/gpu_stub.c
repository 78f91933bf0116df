/* gpu_stub.c - a command without CUDA. SPDX-License-Identifier: MIT */
#include "complain.h"
#include "gpu.h"

int gpu_open(struct gpu **gpu, int number) {
    (void)gpu, (void)number;
    complain("--device cuda: this quire was built without CUDA");
    return EXIT_TROUBLE;
}

/* Nothing below is ever called with a gpu. */
int gpu_allocate(struct gpu *gpu, const char *name, size_t bytes, void **there) {
    (void)gpu, (void)name, (void)bytes, (void)there;
    return EXIT_TROUBLE;
}

int gpu_load(struct gpu *gpu, const char *name, const void *array, size_t bytes, const void **there) {
    (void)gpu, (void)name, (void)array, (void)bytes, (void)there;
    return EXIT_TROUBLE;
}

void *gpu_room(struct gpu *gpu) {
    (void)gpu;
    return NULL;
}

int gpu_put(struct gpu *gpu, const void *from, size_t bytes) {
    (void)gpu, (void)from, (void)bytes;
    return EXIT_TROUBLE;
}

int gpu_fetch(struct gpu *gpu, const void *there, void *to, size_t bytes) {
    (void)gpu, (void)there, (void)to, (void)bytes;
    return EXIT_TROUBLE;
}

int gpu_carry(struct gpu *gpu, const struct gpu_flow *flow) {
    (void)gpu, (void)flow;
    return EXIT_TROUBLE;
}

quire_context *gpu_context(const struct gpu *gpu) {
    (void)gpu;
    return NULL;
}

void gpu_close(struct gpu *gpu) { (void)gpu; }

void gpu_forget(struct gpu *gpu) { (void)gpu; }

int gpu_driver(void) { return 0; }

int gpu_count(void) { return 0; }

int gpu_describe(int number, struct gpu_facts *facts) {
    (void)number, (void)facts;
    return EXIT_TROUBLE;
}
