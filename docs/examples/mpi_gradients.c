/* mpicc mpi_gradients.c -o mpi_gradients $(pkg-config --cflags --libs quire) -lm
 * for k in 1 2 4 8; do mpirun --oversubscribe -n $k ./mpi_gradients; done
 *
 * Data-parallel training: a batch of 64 samples is split over K = 1, 2, 4, 8 ranks, and a linear model learns by
 * gradient descent. The gradient of a batch is the mean of its samples' gradients. quire takes that mean exactly, over
 * the samples of all ranks, so the weights have the same bits for any K; the mean of rounded means (as MPI_SUM gives
 * it) has not. */
#include <math.h>
#include <quire/mpi.h>
#include <stdio.h>

#define SAMPLES 64
#define WEIGHTS 300
#define STEPS 20

static int rank, ranks;
static float inputs[SAMPLES][WEIGHTS], targets[SAMPLES];
static float gradients[SAMPLES][WEIGHTS]; /* one row a sample, of this rank's */

static int sample_gradients(const float *weights) { /* how many samples this rank has */
    const int first = SAMPLES * rank / ranks, mine = SAMPLES * (rank + 1) / ranks - first;
    for (int s = 0; s < mine; s++) {
        const float *x = inputs[first + s];
        float error = -targets[first + s];
        for (int i = 0; i < WEIGHTS; i++) error += weights[i] * x[i];
        for (int i = 0; i < WEIGHTS; i++) gradients[s][i] = error * x[i];
    }
    return mine;
}

static void quire_mean_gradient(const float *weights, float *mean) {
    const quire_layout columns = quire_columns((size_t)sample_gradients(weights), WEIGHTS, WEIGHTS);
    quire_reduction what = { 0 };
    what.type = QUIRE_F32, what.operation = QUIRE_MEAN;
    const quire_status status =
        quire_mpi_allreduce_fields(NULL, &what, WEIGHTS, &columns, gradients, NULL, NULL, mean, MPI_COMM_WORLD);
    if (status && !rank) fprintf(stderr, "%s\n", quire_status_string(status));
}

static void plain_mean_gradient(const float *weights, float *mean) {
    const int mine = sample_gradients(weights);
    for (int i = 0; i < WEIGHTS; i++) {
        mean[i] = 0;
        for (int s = 0; s < mine; s++) mean[i] += gradients[s][i];
    }
    MPI_Allreduce(MPI_IN_PLACE, mean, WEIGHTS, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < WEIGHTS; i++) mean[i] /= SAMPLES;
}

static void train(const char *name, void (*mean_gradient)(const float *, float *)) {
    float weights[WEIGHTS] = { 0 }, mean[WEIGHTS] = { 0 };
    unsigned long long hash = 14695981039346656037u; /* FNV-1a */
    for (int step = 0; step < STEPS; step++) {
        mean_gradient(weights, mean);
        for (int i = 0; i < WEIGHTS; i++) weights[i] -= 0.003f * mean[i];
    }
    for (size_t i = 0; i < sizeof weights; i++) hash = (hash ^ ((unsigned char *)weights)[i]) * 1099511628211u;
    if (!rank) printf("%s: weights %016llx\n", name, hash);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int s = 0; s < SAMPLES; s++) {
        for (int i = 0; i < WEIGHTS; i++) inputs[s][i] = (float)sin(s * 1.7 + i * i * 0.3) * (float)(1 + i % 3);
        targets[s] = (float)cos(s);
    }
    train("quire", quire_mean_gradient);
    train("plain", plain_mean_gradient);
    MPI_Finalize();
    return 0;
}
