/* any_element.cuh - elements of a format that is known when a kernel runs, as doubles: for kernels that wait for memory
 * anyway, which are compiled once for all formats.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CUDA_THREAD_ANY_ELEMENT_CUH
#define QUIRE_CUDA_THREAD_ANY_ELEMENT_CUH

#include "cuda/thread/elements.cuh"

/* Number i of an index. */
static __device__ __forceinline__ int64_t index_at(const void *index, bool is_64_bit, size_t i) {
    return is_64_bit ? ((const int64_t *)index)[i] : (int64_t)((const int32_t *)index)[i];
}

/* Element "at" of an array, as it stands in memory, in the low bits. */
static __device__ __forceinline__ uint64_t bits_at(const void *array, unsigned log_size, ptrdiff_t at) {
    switch (log_size) {
    case 0: return ((const uint8_t *)array)[at];
    case 1: return ((const uint16_t *)array)[at];
    case 2: return ((const uint32_t *)array)[at];
    default: return ((const uint64_t *)array)[at];
    }
}

static __device__ __forceinline__ double number_of_bits(quire_type type, uint64_t bits) {
    double number = 0;
#define NUMBER(name, NAME, type_number, real, unused)                                                                  \
    case type_number: {                                                                                                \
        name##_element element;                                                                                        \
        memcpy(&element, &bits, sizeof element);                                                                       \
        number = decode(name##_format(), element);                                                                     \
        break;                                                                                                         \
    }
    switch ((int)type) { QUIRE_FORMATS(NUMBER, ) }
#undef NUMBER
    return number;
}

#endif
