/* place_cuda.c - a CUDA device as a place: arrays are copied to it and back; the variants are launches. It needs the CUDA
 * runtime, but no nvcc. Run with CK_FORK=no: a forked child cannot use its parent's device. */
#define _POSIX_C_SOURCE 200809L
#include "place.h"

#include <cuda_runtime_api.h>
#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>

static const struct variant {
    const char *name, *launch; /* launch: "blocks,warps" as src/cuda/context.cu reads it */
} VARIANTS[] = {
    { "cuda", "0,0" },           { "cuda, 1 block of 1 warp", "1,1" }, { "cuda, 3 blocks of 2 warps", "3,2" },
    { "cuda, 7 blocks", "7,0" }, { "cuda, 1000 blocks", "1000,0" },
};

static void must(cudaError_t error, const char *what) {
    if (!error) return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    abort();
}

static const char *cuda_unavailable(void) {
    static char text[120];
    int devices = 0;
    cudaError_t error = cudaGetDeviceCount(&devices);
    if (!error && devices) return NULL;
    snprintf(text, sizeof text, "no CUDA device (%s)", error ? cudaGetErrorString(error) : "none is there");
    return text;
}

static quire_status cuda_open(size_t variant, quire_context **context) {
    quire_status status;
    setenv("QUIRE_CUDA_LAUNCH", VARIANTS[variant].launch, 1);
    status = quire_open_cuda(context, 0, NULL);
    unsetenv("QUIRE_CUDA_LAUNCH");
    return status;
}

static const char *cuda_variant_name(size_t variant) { return VARIANTS[variant].name; }

/* Memory of the device for each slot, which grows. */
static struct {
    unsigned char *memory;
    size_t capacity;
    void *lent;
} slots[PLACE_SLOT_COUNT];

/* The runtime raises floating-point flags, which would be taken for the library's. */
static void copy(void *to, const void *from, size_t size, enum cudaMemcpyKind kind) {
    fenv_t environment;
    feholdexcept(&environment);
    must(cudaMemcpy(to, from, size, kind), "copying");
    fesetenv(&environment);
}

static cudaError_t make_room(place_slot slot, size_t capacity) {
    cudaError_t error = cudaFree(slots[slot].memory);
    slots[slot].memory = NULL;
    slots[slot].capacity = 0;
    if (!error) error = cudaMalloc((void **)&slots[slot].memory, capacity);
    if (!error) slots[slot].capacity = capacity;
    return error;
}

static const char *cuda_reserve(size_t bytes) {
    cudaError_t error = cudaSuccess;
    for (int slot = PLACE_X; slot <= PLACE_Y && !error; slot++)
        if (bytes + 64 > slots[slot].capacity) error = make_room((place_slot)slot, bytes + 64);
    if (error) cudaGetLastError(); /* or the library would find it */
    return error ? cudaGetErrorString(error) : NULL;
}

static void *cuda_lend(place_slot slot, void *host, size_t size) {
    if (!host) return slots[slot].lent = NULL;
    if (size + 64 > slots[slot].capacity) must(make_room(slot, 2 * size + 4096), "cudaMalloc");
    slots[slot].lent = slots[slot].memory + (uintptr_t)host % 64; /* cudaMalloc aligns to 256 */
    if (size) copy(slots[slot].lent, host, size, cudaMemcpyHostToDevice);
    return slots[slot].lent;
}

/* The contexts work on the default stream, for which this copy waits. */
static void cuda_collect(place_slot slot, void *host, size_t size) {
    if (host && size) copy(host, slots[slot].lent, size, cudaMemcpyDeviceToHost);
}

const place PLACE_CUDA = {
    "cuda",    cuda_unavailable, sizeof VARIANTS / sizeof *VARIANTS, cuda_open, cuda_variant_name, cuda_reserve,
    cuda_lend, cuda_collect,
};
