/* peers.c - which other libraries there are.
 *
 * SPDX-License-Identifier: MIT
 */
#include "peers.h"

#include "../facts.h"
#include "cpu_peers.h"
#include "gpu_peers.h"

void peers_add_cpu(contenders *all) {
#ifdef QUIRE_BENCH_BLAS
    blas_add(all);
    note_peer("BLAS: %s", QUIRE_BENCH_BLAS);
#else
    (void)all;
    note_left_out("BLAS: pkg-config found none");
#endif
}

static void add_cub(contenders *all) {
#ifdef QUIRE_BENCH_CUB
    const int major = cub_version / 100000, minor = cub_version / 100 % 1000, patch = cub_version % 100;
    contenders_add_reducers(all, ROLE_BASELINE, cub_reducers, 1);
    contenders_add_reducers(all, ROLE_PEER, cub_reducers + 1, cub_count - 1);
    contenders_add_reducers(all, ROLE_PEER, cub_fixed_reducers, cub_fixed_count);
    contenders_add_reducers(all, ROLE_PEER, thrust_reducers, thrust_count);
    note_peer("CUB and Thrust %d.%d.%d", major, minor, patch);
    if (!cub_fixed_count) note_left_out("CUB gpu_to_gpu: needs CCCL 3.1, this is %d.%d", major, minor);
#else
    (void)all;
    note_left_out("CUB and Thrust: not found when this was built");
#endif
}

static void add_cublas(contenders *all) {
#ifdef QUIRE_BENCH_CUBLAS
    int version = 0;
    const char *missing = cublas_open(&version);
    if (missing) {
        note_left_out("cuBLAS: %s", missing);
        return;
    }
    contenders_add_reducers(all, ROLE_PEER, cublas_reducers, cublas_count);
    note_peer("cuBLAS %d.%d.%d", version / 10000, version / 100 % 100, version % 100);
#else
    (void)all;
    note_left_out("cuBLAS: not found when this was built");
#endif
}

void peers_add_gpu(contenders *all) {
    add_cub(all);
    add_cublas(all);
}

void peers_close(void) {
#ifdef QUIRE_BENCH_CUBLAS
    cublas_close();
#endif
}
