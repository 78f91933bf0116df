/* arena.c - contexts, and device memory.
 *
 * SPDX-License-Identifier: MIT
 */
#include "arena.h"

#include <stdlib.h>

#include "command/terminal.h"
#include "gpu.h"

static const struct way_to_run {
    const char *name;
    quire_tier tier;    /* of a CPU */
    const char *launch; /* of a GPU, as src/cuda/host/context.cu reads QUIRE_CUDA_LAUNCH; NULL of a CPU */
} WAYS[ARENA_WAYS] = {
    { "cpu, NULL", QUIRE_TIER_BEST, NULL },
    { "cpu, portable", QUIRE_TIER_PORTABLE, NULL },
    { "cpu, avx2", QUIRE_TIER_AVX2, NULL },
    { "cpu, avx512", QUIRE_TIER_AVX512, NULL },
    { "gpu", QUIRE_TIER_BEST, "0,0" },
    { "gpu, 3 blocks of 2 warps", QUIRE_TIER_BEST, "3,2" },
    { "gpu, 1000 blocks", QUIRE_TIER_BEST, "1000,0" },
};

const char *arena_way_name(int way) { return WAYS[way].name; }

bool arena_way_is_gpu(int way) { return WAYS[way].launch != NULL; }

/* A tier that is missing is no trouble; the NULL context is always there. */
static bool open_cpu(arena *a, int way) {
    if (!quire_tier_available(WAYS[way].tier)) return true;
    quire_status status = QUIRE_OK;
    if (way) status = quire_open_cpu(&a->context[way], 1);
    if (way && !status) status = quire_set_tier(a->context[way], WAYS[way].tier);
    if (status) return complain("%s: %s", WAYS[way].name, quire_status_string(status));
    a->open[a->count++] = way;
    return true;
}

static bool open_gpu(arena *a, int way) {
    setenv("QUIRE_CUDA_LAUNCH", WAYS[way].launch, 1);
    const quire_status status = quire_open_cuda(&a->context[way], 0, a->stream);
    unsetenv("QUIRE_CUDA_LAUNCH");
    if (status) return complain("%s: %s", WAYS[way].name, quire_status_string(status));
    a->open[a->count++] = way;
    return true;
}

static bool take_device(arena *a, const size_t room[SLOTS]) {
    for (int i = 0; i < SLOTS; i++)
        if (!(a->device[i] = gpu_take(room[i]))) return complain("memory of the GPU: %s", gpu_error());
    return true;
}

bool arena_open(arena *a, const options *o, const size_t room[SLOTS]) {
    *a = (arena){ .count = 0 };
    unsetenv("QUIRE_TIER"); /* every tier has its turn */
    for (int way = 0; way < ARENA_WAYS; way++)
        if (!WAYS[way].launch && set_has(o->places, PLACE_CPU_BIT) && !open_cpu(a, way)) return false;
    if (!set_has(o->places, PLACE_GPU_BIT)) return true;
    if (!gpu_open_stream(&a->stream)) return !o->places_named || complain("--place gpu: %s", gpu_error());
    for (int way = 0; way < ARENA_WAYS; way++)
        if (WAYS[way].launch && !open_gpu(a, way)) return false;
    return take_device(a, room);
}

void arena_close(arena *a) {
    for (int way = 0; way < ARENA_WAYS; way++) quire_close(a->context[way]);
    for (int i = 0; i < SLOTS; i++)
        if (a->device[i]) gpu_drop(a->device[i]);
    gpu_close_stream(a->stream);
}

bool arena_has_gpu(const arena *a) { return a->count > 0 && arena_way_is_gpu(a->open[a->count - 1]); }
