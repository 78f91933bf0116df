/* gpu_cuda.c - what the command does with a CUDA device, by the CUDA runtime.
 *
 * Files go to the device in pieces. Each of a few slots has a piece of pinned host memory and one of the device's.
 * Threads read the file into a slot's host memory while one stream copies the slot before to the device, and another
 * stream adds up the one before that. Events keep a slot from being filled before it is copied, copied before it is
 * added, and copied over before then.
 *
 * SPDX-License-Identifier: MIT
 */
#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "complain.h"
#include "fill.h"
#include "gpu.h"
#include "progress.h"

#define SLOTS 3
#define PIECE ((size_t)32 << 20) /* bytes of a slot, for the piece of one array or for those of two */

struct slot {
    char *staging, *memory; /* pinned; of the device. Allocated at the first use */
    cudaEvent_t copied, used;
};

struct gpu {
    quire_context *context;
    cudaStream_t copying, working;
    struct slot slot[SLOTS];
    void *array[GPU_ARRAYS];
    int arrays;
    quire_accumulator *room;
};

static int fine(cudaError_t error) {
    if (!error) return EXIT_FINE;
    complain("--device cuda: %s", cudaGetErrorString(error));
    return EXIT_TROUBLE;
}

/* ------------------------------------------------------------------------------------------------- opening, closing */

static int open_streams(struct gpu *gpu) {
    cudaError_t error = cudaStreamCreateWithFlags(&gpu->copying, cudaStreamNonBlocking);
    if (!error) error = cudaStreamCreateWithFlags(&gpu->working, cudaStreamNonBlocking);
    if (!error) error = cudaMalloc((void **)&gpu->room, sizeof *gpu->room);
    for (int i = 0; i < SLOTS && !error; i++) {
        error = cudaEventCreateWithFlags(&gpu->slot[i].copied, cudaEventDisableTiming);
        if (!error) error = cudaEventCreateWithFlags(&gpu->slot[i].used, cudaEventDisableTiming);
    }
    return fine(error);
}

/* NULL, or why there is no device: the one of QUIRE_NO_DEVICE's reasons that holds. An old driver is named by CUDA
 * itself.
 */
static const char *missing_devices(void) {
    int devices = 0;
    const cudaError_t error = cudaGetDeviceCount(&devices);
    if (!quire_has_cuda()) return "the library was built without CUDA";
    if (!error && devices) return NULL;
    if (!gpu_driver()) return "no CUDA driver";
    return error && error != cudaErrorNoDevice ? cudaGetErrorString(error) : "no CUDA device, though there is a driver";
}

int gpu_open(struct gpu **opened, int number) {
    quire_status status = QUIRE_OK;
    struct gpu *gpu = calloc(1, sizeof *gpu);
    if (!gpu) return out_of_memory();
    const char *missing = missing_devices();
    if (missing) {
        complain("--device cuda: %s", missing);
        free(gpu);
        return EXIT_TROUBLE;
    }
    if (cudaSetDevice(number)) status = QUIRE_INVALID_DEVICE;
    int failed = status ? EXIT_FINE : open_streams(gpu);
    if (!status && !failed) status = quire_open_cuda(&gpu->context, number, gpu->working);
    if (status) {
        complain("--device cuda:%d: %s", number, quire_status_string(status));
        failed = EXIT_TROUBLE;
    }
    if (failed)
        gpu_close(gpu);
    else
        *opened = gpu;
    return failed;
}

void gpu_forget(struct gpu *gpu) {
    while (gpu->arrays > 0) cudaFree(gpu->array[--gpu->arrays]);
}

void gpu_close(struct gpu *gpu) {
    quire_close(gpu->context);
    for (int i = 0; i < SLOTS; i++) {
        cudaFreeHost(gpu->slot[i].staging);
        cudaFree(gpu->slot[i].memory);
        if (gpu->slot[i].copied) cudaEventDestroy(gpu->slot[i].copied);
        if (gpu->slot[i].used) cudaEventDestroy(gpu->slot[i].used);
    }
    gpu_forget(gpu);
    cudaFree(gpu->room);
    if (gpu->copying) cudaStreamDestroy(gpu->copying);
    if (gpu->working) cudaStreamDestroy(gpu->working);
    free(gpu);
}

quire_context *gpu_context(const struct gpu *gpu) { return gpu->context; }

/* ---------------------------------------------------------------------------------------------------------- results */

void *gpu_room(struct gpu *gpu) { return gpu->room; }

int gpu_put(struct gpu *gpu, const void *from, size_t bytes) {
    return fine(cudaMemcpyAsync(gpu->room, from, bytes, cudaMemcpyHostToDevice, gpu->working));
}

int gpu_fetch(struct gpu *gpu, const void *there, void *to, size_t bytes) {
    cudaError_t error = cudaMemcpyAsync(to, there, bytes, cudaMemcpyDeviceToHost, gpu->working);
    return fine(error ? error : cudaStreamSynchronize(gpu->working));
}

/* ----------------------------------------------------------------------------------------------------------- pieces */

/* One way through the slots. Pieces go to the arrays at whole, if there are, or to the slots' memory and are added up.
 */
struct journey {
    const struct gpu_flow *flow;
    char *whole;
    int arrays;
    size_t piece; /* elements of each array */
};

static cudaError_t prepare_slot(struct slot *slot, const struct journey *journey) {
    const size_t bytes = journey->arrays * journey->piece * journey->flow->size;
    cudaError_t error = cudaSuccess;
    if (!slot->staging) error = cudaMallocHost((void **)&slot->staging, bytes < PIECE ? bytes : PIECE);
    if (!error && !slot->memory && !journey->whole)
        error = cudaMalloc((void **)&slot->memory, bytes < PIECE ? bytes : PIECE);
    return error;
}

/* Reads n elements from first on, and enqueues their copy. */
static cudaError_t copy_piece(const struct gpu *gpu, const struct slot *slot, const struct journey *journey,
                              size_t first, size_t n) {
    const size_t size = journey->flow->size;
    for (int a = 0; a < journey->arrays; a++) {
        const size_t offset = a * journey->piece * size;
        char *to = journey->whole ? journey->whole + first * size : slot->memory + offset;
        fill(slot->staging + offset, (const char *)journey->flow->array[a] + first * size, n * size);
        const cudaError_t error =
            cudaMemcpyAsync(to, slot->staging + offset, n * size, cudaMemcpyHostToDevice, gpu->copying);
        if (error) return error;
    }
    return cudaEventRecord(slot->copied, gpu->copying);
}

static int add_piece(const struct gpu *gpu, const struct slot *slot, const struct journey *journey, size_t n) {
    const struct gpu_flow *flow = journey->flow;
    cudaError_t error = cudaStreamWaitEvent(gpu->working, slot->copied, 0);
    if (error) return fine(error);
    const void *y = journey->arrays > 1 ? slot->memory + journey->piece * flow->size : NULL;
    const quire_status status = flow->add(flow->user, n, slot->memory, y);
    if (status) {
        complain("--device cuda: %s", quire_status_string(status));
        return EXIT_TROUBLE;
    }
    return fine(cudaEventRecord(slot->used, gpu->working));
}

static int travel(struct gpu *gpu, const struct journey *journey) {
    const size_t n = journey->flow->n;
    int status = EXIT_FINE;
    size_t done = 0;
    for (size_t turn = 0; done < n && !status; turn++) {
        struct slot *slot = &gpu->slot[turn % SLOTS];
        const size_t count = n - done < journey->piece ? n - done : journey->piece;
        cudaError_t error = prepare_slot(slot, journey);
        if (!error && turn >= SLOTS) error = cudaEventSynchronize(slot->copied);
        if (!error && turn >= SLOTS && !journey->whole) error = cudaStreamWaitEvent(gpu->copying, slot->used, 0);
        if (!error) error = copy_piece(gpu, slot, journey, done, count);
        status = fine(error);
        if (!status && !journey->whole) status = add_piece(gpu, slot, journey, count);
        done += count;
        progress_report(done, n);
    }
    const cudaError_t copied = cudaStreamSynchronize(gpu->copying), added = cudaStreamSynchronize(gpu->working);
    return status ? status : fine(copied ? copied : added);
}

static struct journey plan(const struct gpu_flow *flow, char *whole) {
    struct journey journey = { flow, whole, flow->array[1] ? 2 : 1, 0 };
    journey.piece = PIECE / flow->size / (size_t)journey.arrays;
    if (journey.piece > flow->n) journey.piece = flow->n;
    return journey;
}

int gpu_carry(struct gpu *gpu, const struct gpu_flow *flow) {
    const struct journey journey = plan(flow, NULL);
    return travel(gpu, &journey);
}

int gpu_allocate(struct gpu *gpu, const char *name, size_t bytes, void **there) {
    *there = NULL;
    if (!bytes) return EXIT_FINE;
    void **memory = &gpu->array[gpu->arrays];
    const cudaError_t error = cudaMalloc(memory, bytes);
    if (error == cudaErrorMemoryAllocation) {
        size_t left = 0, all;
        cudaMemGetInfo(&left, &all);
        complain(
            "%s: %zu bytes do not fit in the memory of the device (%zu are free); only exact sums of whole files need "
            "no such room",
            name, bytes, left);
        return EXIT_TROUBLE;
    }
    if (error) return fine(error);
    gpu->arrays++;
    *there = *memory;
    return EXIT_FINE;
}

int gpu_load(struct gpu *gpu, const char *name, const void *array, size_t bytes, const void **there) {
    void *whole;
    const int failed = gpu_allocate(gpu, name, bytes, &whole);
    *there = whole;
    if (failed || !bytes) return failed;
    const struct gpu_flow flow = { { array, NULL }, bytes, 1, NULL, NULL };
    const struct journey journey = plan(&flow, whole);
    progress_begin("copying", flow.size);
    const int status = travel(gpu, &journey);
    progress_end();
    return status;
}

/* ------------------------------------------------------------------------------------------------------------ facts */

int gpu_driver(void) {
    int version = 0;
    return cudaDriverGetVersion(&version) ? 0 : version;
}

int gpu_count(void) {
    int count = 0;
    return cudaGetDeviceCount(&count) ? 0 : count;
}

int gpu_describe(int number, struct gpu_facts *facts) {
    struct cudaDeviceProp properties;
    const int status = fine(cudaGetDeviceProperties(&properties, number));
    if (status) return status;
    snprintf(facts->name, sizeof facts->name, "%s", properties.name);
    facts->major = properties.major, facts->minor = properties.minor;
    facts->bytes = properties.totalGlobalMem;
    return EXIT_FINE;
}
