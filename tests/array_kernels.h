/* array_kernels.h - devices, and kernels that stand in for those of one array and like to be launched as they do. */
#ifndef QUIRE_TESTS_ARRAY_KERNELS_H
#define QUIRE_TESTS_ARRAY_KERNELS_H

#include "cuda/host/array_plan.h"

/* What of a device the plan does not know, but CUDA keeps to: bytes of shared memory of a block, of a multiprocessor,
 * and kept by CUDA of each block; threads of a multiprocessor. */
typedef struct {
    device_facts facts;
    unsigned of_block, shared, kept, threads;
} device;

/* By compute capability: 7.5, 8.0, 8.6 and 8.9, 9.0 and 10.0, 12.0. */
static const device CLASSES[] = {
    { { 0, 0, 1, 32, false, { 0, 0, 0 } }, 64 << 10, 64 << 10, 0, 1024 },
    { { 0, 0, 1, 2, false, { 0, 0, 0 } }, 163 << 10, 164 << 10, 1 << 10, 2048 },
    { { 0, 0, 1, 64, false, { 0, 0, 0 } }, 99 << 10, 100 << 10, 1 << 10, 1536 },
    { { 0, 0, 16, 2, true, { 0, 0, 0 } }, 227 << 10, 228 << 10, 1 << 10, 2048 },
    { { 0, 0, 8, 64, true, { 0, 0, 0 } }, 99 << 10, 100 << 10, 1 << 10, 1536 },
};
enum { CLASS_90 = 3 };

static device device_of(int class, unsigned multiprocessors) {
    device d = CLASSES[class];
    d.facts.multiprocessors = multiprocessors;
    d.facts.shared_memory = d.of_block - (SHARED_MEMORY - EXACT_SHARED); /* as in context.cu */
    return d;
}

/* Bytes of shared memory that every block has, as nvcc tells of the largest kernels. */
static unsigned static_of(const cuda_kernel *kernel) {
    switch (kernel->driver) {
    case DRIVER_DIRECT: return 10352;
    case DRIVER_RING: return 43152;
    case DRIVER_EXACT: return 5600;
    case DRIVER_SHORT: return SHARED_MEMORY - EXACT_SHARED;
    }
    return 0;
}

static unsigned resident_of(const device *d, const cuda_kernel *kernel) {
    const unsigned threads = plan_long_threads(&d->facts, kernel),
                   shared = kernel->shared + static_of(kernel) + d->kept;
    const size_t blocks = plan_least(plan_least(d->threads / threads, d->shared / shared), 32);
    return blocks ? (unsigned)blocks : 1;
}

static cuda_kernel lanes_of(quire_method method, unsigned elements, cuda_length length) {
    const unsigned words = method == QUIRE_KAHAN ? 2 : 1;
    cuda_kernel kernel = { .driver = DRIVER_DIRECT, .threads = DIRECT_THREADS };
    if (elements > 1 && length >= LENGTH_LONG) {
        kernel.driver = DRIVER_RING, kernel.threads = ORDER_LANES / 2 + 32;
        kernel.most_blocks = LANE_STATES / words;
        return kernel;
    }
    kernel.tile_threads = elements > 1 ? ORDER_LANES / (unsigned)plan_least(elements, 4) : ORDER_LANES;
    kernel.ring = method == QUIRE_KAHAN ? RING_SOONER : RING_BYTES;
    return kernel;
}

static cuda_kernel exact_of(exact_case c, unsigned elements) {
    const exact_policy policy = exact_policy_of(c);
    cuda_kernel kernel = { .driver = DRIVER_EXACT, .threads = (unsigned)policy.threads };
    kernel.shared = c.kind == EXACT_APPROXIMATE_ONLY ? 0 : SHARED_MEMORY - static_of(&kernel);
    kernel.load = 32 * elements;
    kernel.batch = kernel.load * (unsigned)(elements == 1 ? 8 : policy.vectors);
    kernel.approximate = c.kind <= EXACT_SPREAD ? 0 : c.kind == EXACT_APPROXIMATE_ONLY && c.size == 4 ? 24 : 64;
    kernel.adds_floats = exact_adds_floats(c);
    return kernel;
}

static cuda_kernel kernel_of(const quire_job *job, cuda_length length) {
    const cuda_access access = plan_access(job);
    const int size = describe_format(job->type).size;
    const unsigned elements = access == ACCESS_ELEMENTS ? 1 : 16 / (unsigned)size;
    if (job->method != QUIRE_EXACT) return lanes_of(job->method, elements, length);
    const bool is_product = job->term == TERM_PRODUCT, is_pair = is_product && access != ACCESS_SAME;
    exact_case c = { size, job->type == QUIRE_F16, is_product, is_pair, EXACT_LONG };
    if (length == LENGTH_LONG_NORM && is_product && !is_pair) c.kind = EXACT_APPROXIMATE_ONLY;
    if (length == LENGTH_LONG_FLOATS && exact_is_quicker_by_doubles(c) && elements > 1) c.kind = EXACT_LONG_FLOATS;
    if (length >= LENGTH_LONG || elements == 1) return exact_of(c, elements);
    c.kind = is_product && !c.is_half ? EXACT_SPREAD : EXACT_SHORT;
    cuda_kernel kernel = exact_of(c, elements);
    if (c.kind == EXACT_SPREAD) return kernel;
    const bool many = length == LENGTH_MANY_BATCHES;
    const unsigned parts = size == 8 ? 4 : 2, packs = (size == 2 || many ? 1 : 2) * SHORT_LOADS / (is_pair ? 2 : 1);
    cuda_kernel of_short = { .driver = DRIVER_SHORT, .threads = parts * kernel.threads, .shared = parts * (40 << 10) };
    of_short.most_batches = many ? SHORT_BATCHES : 1;
    of_short.load = elements, of_short.batch = elements * packs;
    of_short.once = !many;
    return of_short;
}

#endif
