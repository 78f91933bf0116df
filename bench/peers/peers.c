/* peers.c - which other libraries there are.
 *
 * SPDX-License-Identifier: MIT
 */
#include "peers.h"

#include "contenders/notes.h"
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

#ifdef QUIRE_BENCH_CUB
static void add_cub_single(contenders *all, int major, int minor) {
    contenders_add_reducers(all, ROLE_BASELINE, cub_reducers, 1);
    contenders_add_reducers(all, ROLE_PEER, cub_reducers + 1, cub_count - 1);
    contenders_add_reducers(all, ROLE_PEER, cub_fixed_reducers, cub_fixed_count);
    contenders_add_reducers(all, ROLE_PEER, thrust_reducers, thrust_count);
    if (!cub_fixed_count) note_left_out("CUB gpu_to_gpu: needs CCCL 3.1, this is %d.%d", major, minor);
}

static void add_cub_many(contenders *all, int major, int minor) {
    contenders_add_reducers(all, ROLE_BASELINE, cub_rows_reducers, 1);
    contenders_add_reducers(all, ROLE_PEER, cub_rows_reducers + 1, cub_rows_count - 1);
    contenders_add_reducers(all, ROLE_PEER, thrust_rows_reducers, thrust_rows_count);
    if (!cub_rows_has_fixed) note_left_out("CUB fixed-size segments: this is %d.%d, which has none", major, minor);
}
#endif

static void add_cub(contenders *all, bool many) {
#ifdef QUIRE_BENCH_CUB
    const int major = cub_version / 100000, minor = cub_version / 100 % 1000, patch = cub_version % 100;
    (many ? add_cub_many : add_cub_single)(all, major, minor);
    note_peer("CUB and Thrust %d.%d.%d", major, minor, patch);
#else
    (void)all, (void)many;
    note_left_out("CUB and Thrust: not found when this was built");
#endif
}

static void add_cublas(contenders *all, bool many) {
#ifdef QUIRE_BENCH_CUBLAS
    int version = 0;
    const char *missing = cublas_open(&version);
    if (missing) {
        note_left_out("cuBLAS: %s", missing);
        return;
    }
    if (many)
        contenders_add_reducers(all, ROLE_PEER, cublas_rows_reducers, cublas_rows_count);
    else
        contenders_add_reducers(all, ROLE_PEER, cublas_reducers, cublas_count);
    note_peer("cuBLAS %d.%d.%d", version / 10000, version / 100 % 100, version % 100);
#else
    (void)all, (void)many;
    note_left_out("cuBLAS: not found when this was built");
#endif
}

void peers_add_gpu(contenders *all, bool many) {
    add_cub(all, many);
    add_cublas(all, many);
}

void peers_close(void) {
#ifdef QUIRE_BENCH_CUB
    thrust_rows_close();
#endif
#ifdef QUIRE_BENCH_CUBLAS
    cublas_rows_close();
    cublas_close();
#endif
}
