/* device_cases.h - vectors for kernels of the tests' own (device_sums.h): in device memory, with the bits that the CPU
 * gives for them. */
#ifndef QUIRE_TESTS_DEVICE_CASES_H
#define QUIRE_TESTS_DEVICE_CASES_H

#include <string.h>

#include "device.h"
#include "device_sums.h"
#include "open_vectors.h"
#include "support.h"

/* What a call needs on the device, and the same on the host. */
typedef struct {
    device_sums_job job;
    char *x, *y, *results, *expected;
    unsigned *flags, *other;
    uint64_t *sums;
} case_of;

static inline void must(int error) { ck_assert_msg(!error, "%s", cudaGetErrorString((cudaError_t)error)); }

static inline void copy_in(const void **to, const void *from, size_t size) {
    void *room;
    CUDA(cudaMalloc(&room, size + 1));
    CUDA(cudaMemcpy(room, from, size, cudaMemcpyHostToDevice));
    *to = room;
}

static inline void open_case(case_of *c, generator *g, quire_reduction what, size_t vectors, size_t n) {
    const size_t size = type_size(what.type), result_size = type_size(what.result_type);
    const quire_layout l = quire_rows(vectors, n, (ptrdiff_t)n);
    const int is_dot = what.operation == QUIRE_DOT;
    memset(c, 0, sizeof *c);
    c->job.what = what, c->job.vectors = vectors, c->job.n = n;
    c->x = array_new(vectors * n * size, 0), c->y = array_new(vectors * n * size, 0);
    c->results = array_new(vectors * result_size, 0), c->expected = array_new(vectors * result_size, 0);
    c->flags = array_new(vectors * sizeof *c->flags, 0), c->other = array_new(vectors * sizeof *c->other, 0);
    c->sums = array_new(vectors * sizeof *c->sums, 0);
    for (size_t v = 0; v < vectors && n; v++) {
        fill_open(g, what.type, n, c->x + v * n * size);
        if (is_dot && generator_below(g, 3) == 0)
            family_fill_pair((family)generator_below(g, FAMILY_COUNT), what.type, generator_next(g), n,
                             c->x + v * n * size, c->y + v * n * size);
        else
            fill_open(g, what.type, n, c->y + v * n * size);
    }
    check_ok(quire_reduce(NULL, &what, &l, c->x, NULL, is_dot ? c->y : NULL, c->expected));
    copy_in(&c->job.x, c->x, vectors * n * size);
    copy_in(&c->job.y, c->y, vectors * n * size);
    CUDA(cudaMalloc(&c->job.results, vectors * result_size));
    CUDA(cudaMalloc((void **)&c->job.flags, vectors * sizeof *c->flags));
    CUDA(cudaMalloc((void **)&c->job.other, vectors * sizeof *c->other));
    CUDA(cudaMalloc((void **)&c->job.sums, vectors * sizeof *c->sums));
}

/* Each kernel begins with what nobody has written. */
static inline void clear(case_of *c) {
    CUDA(cudaMemset(c->job.results, 0x77, c->job.vectors * type_size(c->job.what.result_type)));
    CUDA(cudaMemset(c->job.flags, 0, c->job.vectors * sizeof *c->flags));
    CUDA(cudaMemset(c->job.other, 0, c->job.vectors * sizeof *c->other));
    CUDA(cudaMemset(c->job.sums, 0, c->job.vectors * sizeof *c->sums));
}

static inline void collect(case_of *c) {
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy(c->results, c->job.results, c->job.vectors * type_size(c->job.what.result_type),
                    cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(c->flags, c->job.flags, c->job.vectors * sizeof *c->flags, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(c->other, c->job.other, c->job.vectors * sizeof *c->other, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(c->sums, c->job.sums, c->job.vectors * sizeof *c->sums, cudaMemcpyDeviceToHost));
}

static inline void close_case(case_of *c) {
    CUDA(cudaFree((void *)c->job.x));
    CUDA(cudaFree((void *)c->job.y));
    CUDA(cudaFree(c->job.results));
    CUDA(cudaFree(c->job.flags));
    CUDA(cudaFree(c->job.other));
    CUDA(cudaFree(c->job.sums));
    array_free(c->x), array_free(c->y), array_free(c->results), array_free(c->expected);
    array_free(c->flags), array_free(c->other), array_free(c->sums);
}

static inline void check_result(const case_of *c, size_t v, const char *who) {
    const size_t size = type_size(c->job.what.result_type);
    check_bits(c->job.what.result_type, c->results + v * size, type_load(c->job.what.result_type, c->expected, v),
               "%s, %s, by %d, n %zu, vector %zu", who, reduction_text(&c->job.what), c->job.who, c->job.n, v);
}

#endif
