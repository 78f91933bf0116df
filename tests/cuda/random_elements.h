/* random_elements.h - random elements for the suites of the device: of exponents near to each other, or of any. */
#ifndef QUIRE_TESTS_RANDOM_ELEMENTS_H
#define QUIRE_TESTS_RANDOM_ELEMENTS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <quire/quire.h>

static uint64_t random_state = 1;

static inline uint64_t next_random(void) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (random_state >> 32) ^ (random_state << 32 >> 7);
}

/* Random finite bits of a type of 16 bits or more: exponents within spread of the middle, or any if it is 0. */
static inline void fill(quire_type type, size_t n, void *x, int spread) {
    static const int sizes[] = { 0, 16, 16, 32, 64 }, fractions[] = { 0, 10, 7, 23, 52 };
    const int bits = sizes[type], fraction = fractions[type], all = (1 << (bits - 1 - fraction)) - 1;
    for (size_t i = 0; i < n; i++) {
        const uint64_t r = next_random(), s = next_random();
        const uint64_t exponent = spread ? (uint64_t)(all / 2 - (int)(r % (unsigned)spread)) : r % (unsigned)all;
        const uint64_t element =
            (r >> 40 & 1) << (bits - 1) | exponent << fraction | (s & (((uint64_t)1 << fraction) - 1));
        memcpy((char *)x + i * (size_t)(bits / 8), &element, (size_t)(bits / 8));
    }
}

#endif
