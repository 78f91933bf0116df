/* test_exhaustive.c - everything there is: all 2^32 pairs of halves and all 2^32 floats, by the library's arithmetic in
 * kernels of the test's own; and every half with some partners by quire_sum itself. CK_FORK=no. */
#define _POSIX_C_SOURCE 200809L
#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#include "device_code.h"
#include "number.h"
#include "support.h"

#define CUDA(call) ck_assert_msg((call) == cudaSuccess, "%s: %s", #call, cudaGetErrorString(cudaGetLastError()))

static void check_all(int check(int, struct mistakes *), int by_warp) {
    struct mistakes m = { 0, 0, 0, 0, 0, 0, 0 };
    const int error = check(by_warp, &m);
    ck_assert_msg(!error, "%s", cudaGetErrorString((cudaError_t)error));
    ck_assert_msg(m.checked == (unsigned long long)1 << 32, "%llu cases were checked", m.checked);
    ck_assert_msg(!m.wrong, "%llu are wrong, such as case 0x%llx: type %d, 0x%llx expected, 0x%llx found", m.wrong,
                  (unsigned long long)m.x, m.type, (unsigned long long)m.expected, (unsigned long long)m.found);
}

START_TEST(pairs_of_halves) { check_all(check_pairs_of_halves, _i); }
END_TEST

START_TEST(floats) { check_all(check_floats, _i); }
END_TEST

/* The calls do not wait, so hundreds of thousands take a second. Their results come back together. */
START_TEST(halves_by_calls) {
    enum { ALL = 1 << 16 };
    uint16_t *host = array_new(2 * ALL * sizeof *host, 0), *device;
    double *sums = array_new(ALL * sizeof *sums, 0), *results;
    quire_context *c;
    CUDA(cudaMalloc((void **)&device, 2 * ALL * sizeof *host));
    CUDA(cudaMalloc((void **)&results, ALL * sizeof *sums));
    for (uint32_t i = 0; i < ALL; i++) { /* the partner: another one each turn, all exponents and both signs */
        host[2 * i] = (uint16_t)i;
        host[2 * i + 1] = (uint16_t)((i ^ (i >> 8)) * 40503u + (uint32_t)_i * 9973u);
    }
    CUDA(cudaMemcpy(device, host, 2 * ALL * sizeof *host, cudaMemcpyHostToDevice));
    CUDA(cudaMemset(results, 0x5a, ALL * sizeof *sums));
    check_ok(quire_open_cuda(&c, 0, NULL));
    for (size_t i = 0; i < ALL; i++)
        check_ok(quire_sum(c, QUIRE_F16, 2, device + 2 * i, QUIRE_EXACT, QUIRE_F64, results + i));
    CUDA(cudaMemcpy(sums, results, ALL * sizeof *sums, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < ALL; i++) {
        const double x = type_decode(QUIRE_F16, host[2 * i]), y = type_decode(QUIRE_F16, host[2 * i + 1]);
        const uint64_t wanted = x + y != x + y ? 0x7ff8000000000000 : double_bits(x + y);
        check_bits(QUIRE_F64, &sums[i], wanted, "%a + %a", x, y);
    }
    quire_close(c);
    CUDA(cudaFree(device));
    CUDA(cudaFree(results));
    array_free(host);
    array_free(sums);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("exhaustive");
    TCase *cases = tcase_create("exhaustive");
    tcase_set_timeout(cases, 600);
    tcase_add_loop_test(cases, pairs_of_halves, 0, 2);
    tcase_add_loop_test(cases, floats, 0, 2);
    tcase_add_loop_test(cases, halves_by_calls, 0, 3);
    suite_add_tcase(suite, cases);
    setenv("QUIRE_TEST_PLACE", "cuda", 1);
    return run_suite(suite);
}
