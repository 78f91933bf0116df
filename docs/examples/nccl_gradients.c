/* export CPATH=/usr/local/cuda/include LIBRARY_PATH=/usr/local/cuda/lib64
 * cc nccl_gradients.c -o nccl_gradients $(pkg-config --cflags --libs quire) -lnccl -lcudart -lm
 * ./nccl_gradients
 *
 * Data-parallel training: a batch of 64 samples is split over K = 1, 2, 4, ... GPUs, and a linear model learns by
 * gradient descent. The gradient of a batch is the mean of its samples' gradients. quire takes that mean exactly, over
 * the samples of all GPUs, so the weights have the same bits for any K. One thread drives all GPUs: it takes the steps
 * of their jobs in groups. (The samples' gradients are made on the host here, for a program without kernels of its
 * own.) */
#include <math.h>
#include <quire/nccl.h>
#include <stdio.h>
#include <stdlib.h>

#define SAMPLES 64
#define WEIGHTS 32
#define STEPS 20
#define GPUS 8

typedef struct gpu {
    quire_context *context;
    cudaStream_t stream;
    ncclComm_t comm;
    float *gradients, *mean; /* device memory: a row a weight, of this GPU's samples; a number a weight */
    void *workspace;
    quire_nccl_job job;
} gpu;

static float inputs[SAMPLES][WEIGHTS], targets[SAMPLES];

static void must(int error, const char *what) { /* of CUDA, NCCL and quire: 0 is good */
    if (error) fprintf(stderr, "%s: error %d\n", what, error), exit(1);
}

static void sample_gradients(const float *weights, int first, int mine, float *rows) {
    for (int s = 0; s < mine; s++) {
        const float *x = inputs[first + s];
        float error = -targets[first + s];
        for (int i = 0; i < WEIGHTS; i++) error += weights[i] * x[i];
        for (int i = 0; i < WEIGHTS; i++) rows[i * mine + s] = error * x[i];
    }
}

static void mean_gradient(gpu *all, int gpus, const float *weights, float *mean) {
    const int mine = SAMPLES / gpus;
    const quire_layout rows = quire_rows(WEIGHTS, (size_t)mine, mine);
    quire_reduction what = { 0 };
    what.type = QUIRE_F32, what.operation = QUIRE_MEAN;
    for (int g = 0; g < gpus; g++) {
        static float gradients[SAMPLES * WEIGHTS];
        sample_gradients(weights, g * mine, mine, gradients);
        must(cudaMemcpy(all[g].gradients, gradients, (size_t)mine * WEIGHTS * 4, cudaMemcpyDefault), "copying");
        must(quire_nccl_prepare_fields(&all[g].job, all[g].context, &what, WEIGHTS, &rows, all[g].gradients, NULL, NULL,
                                       all[g].mean, all[g].comm, all[g].stream, all[g].workspace,
                                       quire_nccl_workspace(&what, WEIGHTS)),
             "quire");
    }
    for (int step = 0; step < QUIRE_NCCL_STEPS; step++) {
        must(ncclGroupStart(), "NCCL");
        for (int g = 0; g < gpus; g++) must(quire_nccl_step(&all[g].job, step), "quire");
        must(ncclGroupEnd(), "NCCL");
    }
    for (int g = 0; g < gpus; g++) must(cudaStreamSynchronize(all[g].stream), "CUDA");
    must(cudaMemcpy(mean, all[0].mean, WEIGHTS * 4, cudaMemcpyDefault), "copying");
}

static void train(int gpus) {
    gpu all[GPUS] = { 0 };
    ncclComm_t comms[GPUS] = { 0 };
    float weights[WEIGHTS] = { 0 }, mean[WEIGHTS];
    unsigned long long hash = 14695981039346656037u; /* FNV-1a */
    must(ncclCommInitAll(comms, gpus, NULL), "NCCL");
    for (int g = 0; g < gpus; g++) {
        all[g].comm = comms[g];
        must(cudaSetDevice(g), "CUDA");
        must(cudaStreamCreate(&all[g].stream), "CUDA");
        must(cudaMalloc((void **)&all[g].gradients, sizeof inputs), "CUDA");
        must(cudaMalloc((void **)&all[g].mean, sizeof mean), "CUDA");
        must(cudaMalloc(&all[g].workspace, WEIGHTS * sizeof(quire_accumulator)), "CUDA");
        must(quire_open_cuda(&all[g].context, g, all[g].stream), "quire");
    }
    for (int step = 0; step < STEPS; step++) {
        mean_gradient(all, gpus, weights, mean);
        for (int i = 0; i < WEIGHTS; i++) weights[i] -= 0.003f * mean[i];
    }
    for (size_t i = 0; i < sizeof weights; i++) hash = (hash ^ ((unsigned char *)weights)[i]) * 1099511628211u;
    printf("%d GPUs: weights %016llx\n", gpus, hash);
    for (int g = 0; g < gpus; g++) {
        quire_close(all[g].context);
        ncclCommDestroy(comms[g]);
    }
}

int main(void) {
    int gpus = 0;
    if (cudaGetDeviceCount(&gpus) || !gpus) return puts("SKIP: no CUDA device"), 0;
    for (int i = 0; i < SAMPLES; i++) {
        for (int k = 0; k < WEIGHTS; k++) inputs[i][k] = (float)sin(i * 1.7 + k * k * 0.3) * (float)(1 + k % 3);
        targets[i] = (float)cos(i);
    }
    for (int k = 1; k <= gpus && k <= GPUS; k *= 2) train(k);
    return 0;
}
