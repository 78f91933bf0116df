/* test_progress.c - no block waits for another: a grid ends even where its blocks have room only one after the other.
 * Kernels of the caller take all of the device but the room of one block, and go when the sum is there. CK_FORK=no.
 */
#define _POSIX_C_SOURCE 200809L
#include <check.h>
#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <time.h>

#include <quire/quire.h>

#include "device.h"
#include "device_code.h"
#include "support.h"

#define PATIENCE 5 /* seconds: a sum that waits for ever is taken for one that takes so long */
#define MOST_THREADS 1024u

enum { N = 3000017, HOGS = 4 };

/* threads: of the block that there is room for, which are those of the kernel, in whole rounds of the four schedulers
 * of a multiprocessor. */
static const struct kernel {
    const char *launch;
    quire_method method;
    unsigned threads;
} KERNELS[] = {
    { "0,0", QUIRE_EXACT, 256 },
    { "0,0", QUIRE_KAHAN, 256 },
    { "0,0", QUIRE_PAIRWISE, 256 },
};
enum { KERNEL_COUNT = sizeof KERNELS / sizeof *KERNELS };

static struct {
    cudaStream_t stream[HOGS];
    unsigned *there, *go, count,
        blocks; /* hogs that have started; whether they are to go; of kernels; of their blocks */
} hogs;

/* Waits until is_so() or so many seconds have passed; answers whether it is so. */
static int wait_until(int (*is_so)(void *), void *what) {
    const struct timespec pause = { 0, 1000000 };
    for (int i = 0; i < PATIENCE * 1000; i++) {
        if (is_so(what)) return 1;
        nanosleep(&pause, NULL);
    }
    return 0;
}

static int all_hogs_are_there(void *unused) {
    (void)unused;
    return *(volatile unsigned *)hogs.there == hogs.blocks;
}

static int stream_is_done(void *stream) { return cudaStreamQuery((cudaStream_t)stream) == cudaSuccess; }

static void add_hog(unsigned blocks, unsigned threads, unsigned shared) {
    hogs.blocks += blocks;
    CUDA(launch_hog(blocks, threads, shared, hogs.there, hogs.go, hogs.stream[hogs.count++]));
    ck_assert_msg(wait_until(all_hogs_are_there, NULL), "%u blocks of %u threads do not start", blocks, threads);
}

static unsigned attribute(enum cudaDeviceAttr which) {
    int value = 0;
    CUDA(cudaDeviceGetAttribute(&value, which, 0));
    return (unsigned)value;
}

/* Takes all shared memory of all multiprocessors but one, and of that all threads but so many. */
static void fill_device(unsigned threads) {
    unsigned left = attribute(cudaDevAttrMaxThreadsPerMultiProcessor) - threads;
    for (int i = 0; i < HOGS; i++) CUDA(cudaStreamCreateWithFlags(&hogs.stream[i], cudaStreamNonBlocking));
    CUDA(cudaMallocHost((void **)&hogs.there, sizeof *hogs.there));
    CUDA(cudaMallocHost((void **)&hogs.go, sizeof *hogs.go));
    *hogs.there = *hogs.go = hogs.count = hogs.blocks = 0;
    add_hog(attribute(cudaDevAttrMultiProcessorCount) - 1, MOST_THREADS,
            attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
    while (left) {
        const unsigned some = left < MOST_THREADS ? left : MOST_THREADS;
        add_hog(1, some, 0);
        left -= some;
    }
}

static void free_device(void) {
    *(volatile unsigned *)hogs.go = 1;
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < HOGS; i++) CUDA(cudaStreamDestroy(hogs.stream[i]));
    CUDA(cudaFreeHost(hogs.there));
    CUDA(cudaFreeHost(hogs.go));
}

START_TEST(one_block_at_a_time) {
    const struct kernel *k = &KERNELS[_i];
    float *x = malloc(N * sizeof *x), *device, *result, expected;
    quire_context *c;
    cudaStream_t stream;
    for (int i = 0; i < N; i++) x[i] = (float)(i % 1013) - 500.25f;
    check_ok(quire_sum(NULL, QUIRE_F32, N, x, k->method, QUIRE_F32, &expected));
    CUDA(cudaMalloc((void **)&device, N * sizeof *x));
    CUDA(cudaMallocHost((void **)&result, sizeof *result));
    CUDA(cudaMemcpy(device, x, N * sizeof *x, cudaMemcpyHostToDevice));
    CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    c = open_launched(k->launch, stream);
    check_ok(quire_sum(c, QUIRE_F32, N, device, k->method, QUIRE_F32, result)); /* as usual, first */
    CUDA(cudaStreamSynchronize(stream));
    ck_assert(*result == expected);
    *result = 0;

    fill_device(k->threads);
    check_ok(quire_sum(c, QUIRE_F32, N, device, k->method, QUIRE_F32, result));
    const int done = wait_until(stream_is_done, stream);
    free_device();
    ck_assert_msg(done, "kernel %d waits for blocks that have no room", _i);
    ck_assert(*result == expected);
    quire_close(c);
    CUDA(cudaStreamDestroy(stream));
    CUDA(cudaFree(device));
    CUDA(cudaFreeHost(result));
    free(x);
}
END_TEST

static void add_tests(TCase *cases) { tcase_add_loop_test(cases, one_block_at_a_time, 0, KERNEL_COUNT); }

int main(void) { return device_is_missing() ? 0 : run_cases_without_place("progress", add_tests); }
