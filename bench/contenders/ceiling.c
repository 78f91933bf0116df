/* ceiling.c - a pure read loop, compiled with -O3 -march=native: eight vectors a step, or'ed into eight that do not
 * wait for each other.
 *
 * SPDX-License-Identifier: MIT
 */
#include "ceiling.h"

#include <string.h>

#define STREAMS 8
#if defined(__AVX512F__)
#define WORDS 8
#elif defined(__AVX__)
#define WORDS 4
#else
#define WORDS 2
#endif

/* One register: compilers keep longer vectors in memory. */
typedef uint64_t chunk __attribute__((vector_size(WORDS * sizeof(uint64_t))));

static inline void take(chunk *into, const char *x) {
    chunk c;
    memcpy(&c, x, sizeof c);
    *into |= c;
}

static uint64_t fold(chunk seen[STREAMS], const char *rest, size_t bytes) {
    uint64_t all = 0;
    for (int k = 1; k < STREAMS; k++) seen[0] |= seen[k];
    for (int i = 0; i < WORDS; i++) all |= seen[0][i];
    for (size_t i = 0; i < bytes; i++) all |= (unsigned char)rest[i];
    return all;
}

static uint64_t read_one(const char *x, size_t bytes) {
    chunk seen[STREAMS] = { { 0 } };
    size_t at = 0;
    for (; at + sizeof seen <= bytes; at += sizeof seen)
        for (size_t k = 0; k < STREAMS; k++) take(&seen[k], x + at + k * sizeof(chunk));
    return fold(seen, x + at, bytes - at);
}

static uint64_t read_two(const char *x, const char *y, size_t bytes) {
    chunk seen[STREAMS] = { { 0 } };
    const size_t half = sizeof seen / 2;
    size_t at = 0;
    for (; at + half <= bytes; at += half)
        for (size_t k = 0; k < STREAMS / 2; k++) {
            take(&seen[k], x + at + k * sizeof(chunk));
            take(&seen[k + STREAMS / 2], y + at + k * sizeof(chunk));
        }
    return fold(seen, x + at, bytes - at) | fold(seen, y + at, bytes - at);
}

uint64_t ceiling_read(const void *x, const void *y, size_t bytes) {
    return y ? read_two(x, y, bytes) : read_one(x, bytes);
}
