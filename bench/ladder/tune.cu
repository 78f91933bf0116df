/* tune.cu - the search behind 12_tuned.cu: every block size, loads in flight and blocks a multiprocessor, for the three
 * ways and some sizes; a CSV of all, and the best of each on standard error.
 *
 *     tune [LOG2N...]        24 28 30 if none is given
 *
 * SPDX-License-Identifier: MIT
 */
#include "arena.h"
#include "stopwatch.h"
#include "vector.cuh"

#include <cstdio>
#include <cstdlib>

static arena data;
static void *workspace;
static float *result;
static cudaStream_t stream;

static void must(int error, const char *what) {
    if (!error) return;
    fprintf(stderr, "tune: %s: %s\n", what, cudaGetErrorString((cudaError_t)error));
    exit(1);
}

struct trial {
    size_t n;
    unsigned blocks;
};

template <int BLOCK, int LOADS, typename E, typename A> static int queue(const void *own, int i, cudaStream_t where) {
    const trial *t = (const trial *)own;
    const E *x = (const E *)arena_piece(&data, t->n * sizeof(E), i);
    vector_loads<BLOCK, LOADS><<<t->blocks, BLOCK, 0, where>>>(t->n, x, (A *)workspace);
    last_launch<<<1, LAST_THREADS, 0, where>>>((int)t->blocks, (const A *)workspace, result);
    return cudaGetLastError();
}

struct found {
    double seconds;
    int threads, loads, blocks;
};

template <int BLOCK, int LOADS, typename E, typename A> static void try_blocks(const char *way, size_t n, found *best) {
    for (int each = 1; each * BLOCK <= 32768; each *= 2) {
        const trial t = { n, some_blocks(n, (size_t)BLOCK * LOADS * VECTOR<E>, each) };
        const int calls = n * sizeof(E) < (size_t)1 << 28 ? 24 : 3;
        reading r;
        must(stopwatch(&r, stream, calls, 5, queue<BLOCK, LOADS, E, A>, &t), way);
        printf("%s,%zu,%d,%d,%d,%.6g,%.1f\n", way, n, BLOCK, LOADS, each, r.median, n * sizeof(E) / r.median * 1e-9);
        if (r.median < best->seconds) *best = { r.median, BLOCK, LOADS, each };
    }
}

template <int BLOCK, typename E, typename A> static void try_loads(const char *way, size_t n, found *best) {
    try_blocks<BLOCK, 1, E, A>(way, n, best);
    try_blocks<BLOCK, 2, E, A>(way, n, best);
    try_blocks<BLOCK, 4, E, A>(way, n, best);
    try_blocks<BLOCK, 8, E, A>(way, n, best);
}

template <typename E, typename A> static void search(const char *way, size_t n) {
    found best = { 1e9, 0, 0, 0 };
    try_loads<128, E, A>(way, n, &best);
    try_loads<256, E, A>(way, n, &best);
    try_loads<512, E, A>(way, n, &best);
    try_loads<1024, E, A>(way, n, &best);
    fflush(stdout);
    fprintf(stderr, "%-12s n %zu: %d threads, %d loads, %d blocks: %.2f us, %.0f GB/s\n", way, n, best.threads,
            best.loads, best.blocks, best.seconds * 1e6, n * sizeof(E) / best.seconds * 1e-9);
}

int main(int argc, char **argv) {
    static const int usual[] = { 24, 28, 30 };
    data.bytes = (size_t)1 << 33;
    must(cudaStreamCreate(&stream), "a stream");
    must(cudaMalloc((void **)&data.memory, data.bytes), "data");
    must(cudaMalloc(&workspace, MOST_PARTIALS * sizeof(float)), "workspace");
    must(cudaMalloc((void **)&result, 256), "a result");
    puts("way,n,threads,loads,blocks,seconds,gb_per_s");
    for (int pass = 0; pass < 2; pass++) {
        must(arena_fill(&data, pass ? QUIRE_F16 : QUIRE_F32, ARENA_SIGNED), "filling");
        for (int i = 0; i < (argc > 1 ? argc - 1 : 3); i++) {
            const int e = argc > 1 ? atoi(argv[i + 1]) : usual[i];
            if (e < 4 || e > 31) return fprintf(stderr, "tune: log2 n is 4 to 31, not %s\n", argv[i + 1]), 2;
            const size_t n = (size_t)1 << e;
            if (!pass)
                search<float, float>("f32", n);
            else
                search<__half, float>("f16", n), search<__half, __half>("f16 in half", n);
        }
    }
    return 0;
}
