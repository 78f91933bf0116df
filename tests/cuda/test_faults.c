/* test_faults.c - what only a process of its own can go through: a kernel of the caller that traps, which ends CUDA for
 * that process; and no device at all. The suite itself never touches CUDA: it runs itself again with a scenario's name,
 * and asks only how that went. */
#define _POSIX_C_SOURCE 200809L
#include <check.h>
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <quire/quire.h>

#include "device_code.h"
#include "support.h"

#define NOBODY 77 /* exit status: there is no device */

/* -------------------------------------------------------------------------------------- scenarios, in their process */

#define WANT(condition)                                                                                                \
    do {                                                                                                               \
        if (condition) break;                                                                                          \
        fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                        \
        exit(1);                                                                                                       \
    } while (0)

static quire_context *context;
static float *device; /* 4 numbers, then room */

static void prepare(void) {
    static const float four[4] = { 1, 2, 3, 4 };
    float sum = 0;
    WANT(cudaMalloc((void **)&device, 1 << 16) == cudaSuccess);
    WANT(cudaMemcpy(device, four, sizeof four, cudaMemcpyHostToDevice) == cudaSuccess);
    WANT(quire_open_cuda(&context, 0, NULL) == QUIRE_OK);
    WANT(quire_sum(context, QUIRE_F32, 4, device, QUIRE_EXACT, QUIRE_F32, device + 4) == QUIRE_OK);
    WANT(cudaMemcpy(&sum, device + 4, 4, cudaMemcpyDeviceToHost) == cudaSuccess);
    WANT(sum == 10);
}

/* After the trap every call says so, none hangs, and the CPU still works. */
static int sticky(void) {
    quire_context *other = NULL;
    cudaStream_t stream;
    const float four[4] = { 1, 2, 3, 4 };
    float sum = 0;
    void *workspace;
    prepare();
    WANT(cudaStreamCreate(&stream) == cudaSuccess);
    const size_t bytes = quire_order_workspace(context, 1, QUIRE_I64, 2);
    WANT(cudaMalloc(&workspace, bytes) == cudaSuccess);
    WANT(launch_trap() == 0);
    WANT(cudaDeviceSynchronize() != cudaSuccess);
    for (int method = QUIRE_EXACT; method <= QUIRE_PLAIN; method++)
        WANT(quire_sum(context, QUIRE_F32, 4, device, (quire_method)method, QUIRE_F32, device + 4) ==
             QUIRE_DEVICE_FAULT);
    WANT(quire_dot(context, QUIRE_F32, 4, device, device, QUIRE_EXACT, QUIRE_F32, device + 4) == QUIRE_DEVICE_FAULT);
    WANT(quire_accumulate(context, (quire_accumulator *)(device + 16), QUIRE_F32, 4, device) == QUIRE_DEVICE_FAULT);
    WANT(quire_order_by_key(context, 1, QUIRE_I64, 2, device, device + 16, device + 32, workspace, bytes) ==
         QUIRE_DEVICE_FAULT);
    WANT(quire_set_stream(context, stream) == QUIRE_DEVICE_FAULT);
    WANT(quire_open_cuda(&other, 0, NULL) == QUIRE_DEVICE_FAULT);
    WANT(other == NULL);
    WANT(quire_sum(context, QUIRE_F32, 4, NULL, QUIRE_EXACT, QUIRE_F32, device + 4) == QUIRE_NULL_POINTER);
    WANT(quire_sum(NULL, QUIRE_F32, 4, four, QUIRE_EXACT, QUIRE_F32, &sum) == QUIRE_OK);
    WANT(sum == 10);
    quire_close(context);
    return 0;
}

/* Nobody has waited for the kernel yet: calls answer QUIRE_OK or, from some moment on, QUIRE_DEVICE_FAULT, and nothing
 * else.
 */
static int unnoticed(void) {
    quire_status status = QUIRE_OK;
    prepare();
    WANT(launch_trap() == 0);
    for (int turn = 0; turn < 1000; turn++) {
        const quire_status before = status;
        status = quire_sum(context, QUIRE_F32, 4, device, QUIRE_EXACT, QUIRE_F32, device + 4);
        WANT(status == QUIRE_DEVICE_FAULT || (status == QUIRE_OK && before == QUIRE_OK));
    }
    WANT(cudaDeviceSynchronize() != cudaSuccess);
    WANT(quire_sum(context, QUIRE_F32, 4, device, QUIRE_EXACT, QUIRE_F32, device + 4) == QUIRE_DEVICE_FAULT);
    quire_close(context);
    return 0;
}

/* An error that does not stick, of the caller's: not ours to report, nor to take away; and none of ours is left behind.
 */
static int passing(void) {
    float sum = 0;
    void *none;
    prepare();
    WANT(cudaMalloc(&none, (size_t)1 << 60) == cudaErrorMemoryAllocation);
    WANT(quire_sum(context, QUIRE_F32, 4, device, QUIRE_KAHAN, QUIRE_F32, device + 4) == QUIRE_OK);
    WANT(cudaGetLastError() == cudaErrorMemoryAllocation);
    WANT(quire_sum(context, QUIRE_F32, 4, &sum, QUIRE_EXACT, QUIRE_F32, device + 4) == QUIRE_NOT_DEVICE_MEMORY);
    WANT(cudaGetLastError() == cudaSuccess);
    WANT(cudaMemcpy(&sum, device + 4, 4, cudaMemcpyDeviceToHost) == cudaSuccess);
    WANT(sum == 10);
    quire_close(context);
    return 0;
}

/* With CUDA_VISIBLE_DEVICES empty. */
static int no_device(void) {
    WANT(quire_open_cuda(&context, 0, NULL) == QUIRE_NO_DEVICE);
    WANT(quire_open_cuda(&context, -1, NULL) == QUIRE_NO_DEVICE);
    WANT(context == NULL);
    WANT(quire_has_cuda() == 1);
    return 0;
}

static const struct scenario {
    const char *name;
    int (*run)(void);
    int hide; /* the devices */
} SCENARIOS[] = {
    { "sticky", sticky, 0 },
    { "unnoticed", unnoticed, 0 },
    { "passing", passing, 0 },
    { "no device", no_device, 1 },
};
#define SCENARIO_COUNT ((int)(sizeof SCENARIOS / sizeof *SCENARIOS))

static int run_scenario(const char *name) {
    int devices = 0;
    for (int i = 0; i < SCENARIO_COUNT; i++)
        if (!strcmp(name, SCENARIOS[i].name)) {
            if (!SCENARIOS[i].hide && (cudaGetDeviceCount(&devices) || !devices)) return NOBODY;
            return SCENARIOS[i].run();
        }
    return !strcmp(name, "none") && (cudaGetDeviceCount(&devices) || !devices) ? NOBODY : 0;
}

/* -------------------------------------------------------------------------------------------------------- the suite */

static const char *self;

/* The exit status, or minus the signal, of this program with a scenario. */
static int run_self(const char *scenario, int hide) {
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        if (hide) setenv("CUDA_VISIBLE_DEVICES", "", 1);
        execl(self, self, scenario, (char *)NULL);
        _exit(127);
    }
    check_that(child > 0 && waitpid(child, &status, 0) == child, "no process for %s", scenario);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

START_TEST(scenario) {
    const int status = run_self(SCENARIOS[_i].name, SCENARIOS[_i].hide);
    ck_assert_msg(status == 0, "%s: status %d; standard error has the line", SCENARIOS[_i].name, status);
}
END_TEST

static void add_tests(TCase *cases) { tcase_add_loop_test(cases, scenario, 0, SCENARIO_COUNT); }

int main(int argc, char **argv) {
    self = argv[0];
    if (argc > 1) return run_scenario(argv[1]);
    if (run_self("none", 0) == NOBODY) {
        printf("1..0 # SKIP no CUDA device\n");
        return 0;
    }
    return run_cases_without_place("faults", add_tests);
}
