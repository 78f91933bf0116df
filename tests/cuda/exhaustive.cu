/* exhaustive.cu - adding to limbs, the total and its rounding, as the device compiles them, for everything there is:
 * all pairs of halves, all floats. What is expected comes from the processor's own arithmetic: the sum of two halves is
 * a double, and the hardware rounds it. */
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "cuda/warp/total.cuh"
#include "device_code.h"
#include "format/formats.h"

#define BLOCK_WARPS 4

/* Limbs that halves and floats reach: the least float is 2^-149, the greatest number of either below 2^128, and a term
 * reaches two limbs beyond its own. All others stay zero throughout. */
#define FIRST_LIMB ((-149 - 52 - LIMB_LEAST_EXPONENT) / LIMB_BITS)
#define LAST_LIMB ((128 - LIMB_LEAST_EXPONENT) / LIMB_BITS + 2)

static __device__ void start(quire_accumulator *a) {
    for (int i = FIRST_LIMB; i <= LAST_LIMB; i++) a->limb[i] = 0;
    a->count = a->other = a->nan = a->positive_infinity = a->negative_infinity = 0;
}

static __device__ void add(quire_accumulator *a, double term) {
    accumulator_note(a, term);
    if (double_is_finite(term)) limbs_add_double(a->limb, term);
    a->count++;
}

static __device__ void complain(mistakes *m, uint64_t x, uint64_t y, uint64_t found, uint64_t expected,
                                quire_type type) {
    if (atomicAdd(&m->wrong, 1ull)) return;
    m->x = x, m->y = y, m->found = found, m->expected = expected, m->type = type;
}

static __device__ void compare(mistakes *m, uint64_t x, uint64_t y, const quire_total &total, double sum) {
    const double canonical = sum != sum ? double_of_bits(0x7ff8000000000000) : sum;
    const uint64_t expected[] = { __half_as_ushort(__double2half(canonical)),
                                  bits_of_float(__double2float_rn(canonical)), bits_of_double(canonical) };
    const quire_type types[] = { QUIRE_F16, QUIRE_F32, QUIRE_F64 };
    for (int i = 0; i < 3; i++) {
        const format_description format = describe_format(types[i]);
        const uint64_t wanted = sum != sum ? format.quiet_nan : expected[i];
        const uint64_t found = total_round(total, format, QUIRE_TO_NEAREST);
        if (found != wanted) complain(m, x, y, found, wanted, types[i]);
    }
}

/* What case number i is: a pair of halves, or a float and nothing. */
struct pair_of_halves {
    static constexpr int terms = 2;
    static __device__ void decode(uint32_t i, double *term) {
        term[0] = __half2float(__ushort_as_half((unsigned short)(i >> 16)));
        term[1] = __half2float(__ushort_as_half((unsigned short)i));
    }
};

struct one_float {
    static constexpr int terms = 1;
    static __device__ void decode(uint32_t i, double *term) { term[0] = float_of_bits(i); }
};

template <class Case> static __global__ void check_by_thread(mistakes *m) {
    quire_accumulator a;
    for (int i = 0; i < QUIRE_ACCUMULATOR_LIMBS; i++) a.limb[i] = 0;
    const uint64_t all = (uint64_t)1 << 32, step = (uint64_t)gridDim.x * blockDim.x;
    unsigned long long checked = 0;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < all; i += step) {
        double term[2] = { 0, 0 };
        Case::decode((uint32_t)i, term);
        start(&a);
        for (int k = 0; k < Case::terms; k++) add(&a, term[k]);
        compare(m, i, 0, accumulator_total(&a), Case::terms == 2 ? term[0] + term[1] : term[0]);
        checked++;
    }
    atomicAdd(&m->checked, checked);
}

template <class Case> static __global__ void check_by_warp(mistakes *m) {
    __shared__ quire_accumulator sums[BLOCK_WARPS];
    const int thread = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    quire_accumulator &a = sums[warp];
    for (int i = thread; i < QUIRE_ACCUMULATOR_LIMBS; i += WARP) a.limb[i] = 0;
    __syncwarp();
    const uint64_t all = (uint64_t)1 << 32, step = (uint64_t)gridDim.x * BLOCK_WARPS;
    unsigned long long checked = 0;
    for (uint64_t i = (uint64_t)blockIdx.x * BLOCK_WARPS + warp; i < all; i += step) {
        double term[2] = { 0, 0 };
        Case::decode((uint32_t)i, term);
        if (thread == 0) {
            start(&a);
            for (int k = 0; k < Case::terms; k++) add(&a, term[k]);
        }
        __syncwarp();
        const quire_total total = accumulator_total_of(&a, warp_total(a.limb, thread));
        if (thread == 0) compare(m, i, 0, total, Case::terms == 2 ? term[0] + term[1] : term[0]);
        checked++;
        __syncwarp();
    }
    if (thread == 0) atomicAdd(&m->checked, checked);
}

template <class Case> static int check(int by_warp, mistakes *mistakes_found) {
    mistakes *m;
    int device, multiprocessors;
    cudaError_t error = cudaGetDevice(&device);
    if (!error) error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    if (!error) error = cudaMalloc((void **)&m, sizeof *m);
    if (error) return error;
    error = cudaMemset(m, 0, sizeof *m);
    if (by_warp)
        check_by_warp<Case><<<multiprocessors * 16, BLOCK_WARPS * WARP>>>(m);
    else
        check_by_thread<Case><<<multiprocessors * 2, 128>>>(m);
    if (!error) error = cudaGetLastError();
    if (!error) error = cudaMemcpy(mistakes_found, m, sizeof *m, cudaMemcpyDeviceToHost);
    cudaFree(m);
    return error;
}

int check_pairs_of_halves(int by_warp, mistakes *m) { return check<pair_of_halves>(by_warp, m); }

int check_floats(int by_warp, mistakes *m) { return check<one_float>(by_warp, m); }
