/* random_doubles.h - the same random numbers on every rank, for programs that link neither Check nor the families. */
#ifndef QUIRE_TESTS_RANDOM_DOUBLES_H
#define QUIRE_TESTS_RANDOM_DOUBLES_H

#include <math.h>
#include <stdint.h>

static uint64_t random_state = 1;

static inline uint64_t random_bits(void) { /* splitmix64 (S. Vigna, public domain) */
    uint64_t z = random_state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static inline double random_double(int exponents) { /* of any sign, of so many exponents */
    const uint64_t bits = random_bits();
    const double one = 1 + (double)(bits >> 12) * 0x1p-52;
    return ldexp(bits & 1 ? -one : one, (int)(random_bits() % (uint64_t)(2 * exponents + 1)) - exponents);
}

#endif
