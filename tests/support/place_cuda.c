/* place_cuda.c - a CUDA device as a place; the variants are launches, and lesser devices. Short arrays are put where
 * the device reads them in host memory, longer ones are copied to it: suites make millions of short calls, and a call
 * should cost one launch and one wait. It needs the CUDA runtime, but no nvcc. Run with CK_FORK=no: a forked child
 * cannot use its parent's device. */
#define _POSIX_C_SOURCE 200809L
#include "place.h"

#include <cuda_runtime_api.h>
#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "missing_cuda.h"

static const struct variant {
    const char *name, *launch, *device; /* as src/cuda/host/context.cu reads QUIRE_CUDA_LAUNCH and QUIRE_CUDA_DEVICE */
} VARIANTS[] = {
    { "cuda", "0,0", "" },
    { "cuda, 1 block of 1 warp", "1,1", "" },
    { "cuda, 3 blocks of 2 warps", "3,2", "" },
    { "cuda, 7 blocks", "7,0", "" },
    { "cuda, 20 blocks of 1 warp", "20,1", "" },
    { "cuda, 1000 blocks", "1000,0", "" },
    { "cuda, as with few units for doubles", "0,0", "0,0,64" },
    { "cuda, as with 24 multiprocessors of 12.0", "0,0", "24,12,64" },
    { "cuda, as with 14 multiprocessors of 7.5", "0,0", "14,7,32" },
};

static void must(cudaError_t error, const char *what) {
    if (!error) return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    abort();
}

static const char *cuda_unavailable(void) { return missing_cuda(); }

static quire_status cuda_open(size_t variant, quire_context **context) {
    quire_status status;
    setenv("QUIRE_CUDA_LAUNCH", VARIANTS[variant].launch, 1);
    setenv("QUIRE_CUDA_DEVICE", VARIANTS[variant].device, 1);
    status = quire_open_cuda(context, 0, NULL);
    unsetenv("QUIRE_CUDA_LAUNCH");
    unsetenv("QUIRE_CUDA_DEVICE");
    return status;
}

static const char *cuda_variant_name(size_t variant) { return VARIANTS[variant].name; }

/* What a slot lends lies in memory that grows: of the host, which the device reaches at the same address, up to SHORT
 * bytes; else of the device. */
#define SHORT 8192

static struct {
    unsigned char *near, *far; /* of the host; of the device */
    size_t capacity;           /* of far */
    unsigned char *lent;
} slots[PLACE_SLOT_COUNT];

static cudaError_t make_far_room(place_slot slot, size_t capacity) {
    cudaError_t error = cudaFree(slots[slot].far);
    slots[slot].far = NULL;
    slots[slot].capacity = 0;
    if (!error) error = cudaMalloc((void **)&slots[slot].far, capacity);
    if (!error) slots[slot].capacity = capacity;
    return error;
}

static unsigned char *memory_of(place_slot slot, size_t room) {
    if (!slots[slot].near) must(cudaMallocHost((void **)&slots[slot].near, SHORT), "cudaMallocHost");
    if (room <= SHORT) return slots[slot].near;
    if (room > slots[slot].capacity) must(make_far_room(slot, 2 * room), "cudaMalloc");
    return slots[slot].far;
}

static int is_near(place_slot slot) {
    return slots[slot].lent >= slots[slot].near && slots[slot].lent < slots[slot].near + SHORT;
}

static const char *cuda_reserve(size_t bytes) {
    cudaError_t error = cudaSuccess;
    for (int slot = PLACE_X; slot <= PLACE_Y && !error; slot++)
        if (bytes + 64 > slots[slot].capacity) error = make_far_room((place_slot)slot, bytes + 64);
    if (error) cudaGetLastError(); /* or the library would find it */
    return error ? cudaGetErrorString(error) : NULL;
}

/* The runtime raises floating-point flags, which would be taken for the library's, and knows no traps. */
static void *cuda_lend(place_slot slot, void *host, size_t size) {
    fenv_t environment;
    if (!host) return slots[slot].lent = NULL;
    feholdexcept(&environment);
    slots[slot].lent = memory_of(slot, size + 64) + (uintptr_t)host % 64; /* allocations are aligned to 256 */
    if (size && is_near(slot)) memcpy(slots[slot].lent, host, size);
    if (size && !is_near(slot)) must(cudaMemcpy(slots[slot].lent, host, size, cudaMemcpyHostToDevice), "copying");
    fesetenv(&environment);
    return slots[slot].lent;
}

/* The contexts work on the default stream. */
static void cuda_collect(place_slot slot, void *host, size_t size) {
    fenv_t environment;
    feholdexcept(&environment);
    must(cudaStreamSynchronize(NULL), "waiting");
    if (host && size && is_near(slot)) memcpy(host, slots[slot].lent, size);
    if (host && size && !is_near(slot))
        must(cudaMemcpy(host, slots[slot].lent, size, cudaMemcpyDeviceToHost), "copying");
    fesetenv(&environment);
}

const place PLACE_CUDA = {
    "cuda",    cuda_unavailable, sizeof VARIANTS / sizeof *VARIANTS, cuda_open, cuda_variant_name, cuda_reserve,
    cuda_lend, cuda_collect,
};
