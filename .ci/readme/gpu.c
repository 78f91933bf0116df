/* gpu.c - README.md's lines for a GPU, as they stand. Without a device they say so, which is all that is seen there. */
#include <cuda_runtime_api.h>
#include <quire/quire.h>
#include <stdio.h>

int main(void) {
    static uint16_t halves[1000];
    const size_t n = sizeof halves / sizeof *halves;
    for (size_t i = 0; i < n; i++) halves[i] = (uint16_t)(i * 53 % 0x7c00 | (i & 1) << 15);
    int devices = 0;
    cudaStream_t stream = NULL;
    void *x = NULL;
    float *s = NULL, expected[2];
    if (!cudaGetDeviceCount(&devices) && devices) {
        if (cudaMalloc(&x, sizeof halves) || cudaMalloc((void **)&s, 2 * sizeof *s)) return 1;
        if (cudaMemcpy(x, halves, sizeof halves, cudaMemcpyHostToDevice)) return 1;
    }
#include "gpu.inc"
    if (status) return devices ? 1 : status != QUIRE_NO_DEVICE;
    if (quire_sum(NULL, QUIRE_F16, n, halves, QUIRE_EXACT, QUIRE_F32, expected)) return 1;
    if (quire_nrm2(NULL, QUIRE_F16, n, halves, QUIRE_EXACT, QUIRE_F32, expected + 1)) return 1;
    printf("%a %a\n", host[0], host[1]);
    return host[0] != expected[0] || host[1] != expected[1];
}
