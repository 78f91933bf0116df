/* dummy-format.c - what .ci/dummy-format has added to quire, from outside: E3M4 summed by every operation, method and
 * direction, a new operation and a new method among them. Its numbers are multiples of 2^-6 below 16, its products
 * multiples of 2^-12 below 256: integers sum them here, and floats do so without rounding, so that every method must
 * give the true result. */
#include <math.h>
#include <quire/quire.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const quire_method METHODS[] = { QUIRE_EXACT, QUIRE_KAHAN, QUIRE_PAIRWISE, QUIRE_PLAIN, QUIRE_MINE };
static const quire_operation OPERATIONS[] = { QUIRE_SUM,  QUIRE_ASUM,  QUIRE_DOT,   QUIRE_NRM2,
                                              QUIRE_MEAN, QUIRE_SUMSQ, QUIRE_MEANSQ };

#define LONG 10007 /* and 992 LONG < 2^24 */
#define SHORT 16   /* and 992^2 SHORT < 2^24 */

static void fail(const char *what, int operation, int method, int rounding, size_t n) {
    printf("dummy-format: %s is wrong: operation %d, method %d, rounding %d, n = %zu\n", what, operation, method,
           rounding, n);
    exit(1);
}

/* In units of 2^-6. */
static int units(uint8_t b) {
    const int exponent = b >> 4 & 7, fraction = b & 15,
              magnitude = exponent ? (16 + fraction) << (exponent - 1) : fraction;
    return b & 0x80 ? -magnitude : magnitude;
}

static double value(uint8_t b) { return ldexp(units(b), -6); }

/* The result before it is rounded, of finite elements. */
static double true_result(quire_operation operation, size_t n, const uint8_t *x, const uint8_t *y) {
    long long sum = 0, products = 0;
    for (size_t i = 0; i < n; i++) {
        const int a = units(x[i]), b = operation == QUIRE_DOT ? units(y[i]) : a;
        sum += operation == QUIRE_ASUM && a < 0 ? -a : a;
        products += a * b;
    }
    switch (operation) {
    case QUIRE_DOT:
    case QUIRE_SUMSQ: return ldexp((double)products, -12);
    case QUIRE_MEANSQ: return ldexp((double)products, -12) / (double)n;
    case QUIRE_NRM2: return sqrt(ldexp((double)products, -12));
    case QUIRE_MEAN: return ldexp((double)sum, -6) / (double)n;
    default: return ldexp((double)sum, -6);
    }
}

/* A magnitude, by trying all numbers there are: the bits of the greatest that is not above it, then perhaps the next.
 * away: the direction leads from zero; -1: to nearest. */
static uint8_t rounded(double magnitude, int away) {
    unsigned below = 0x6f;
    while (value((uint8_t)below) > magnitude) below--;
    const double low = value((uint8_t)below), high = below == 0x6f ? 16 : value((uint8_t)(below + 1)),
                 middle = (low + high) / 2;
    if (low == magnitude || !away) return (uint8_t)below;
    return (uint8_t)(away > 0 || magnitude > middle || (magnitude == middle && below & 1) ? below + 1 : below);
}

static void check(quire_operation operation, quire_method method, size_t n, const uint8_t *x, const uint8_t *y) {
    const quire_layout layout = quire_strided(n, 1);
    const double expected = true_result(operation, n, x, y);
    quire_reduction what = { operation, QUIRE_E3M4, QUIRE_F64, method, QUIRE_TO_NEAREST, 0, { 0 } };
    double found;
    if (quire_reduce(NULL, &what, &layout, x, NULL, y, &found) || found != expected)
        fail("the double", (int)operation, (int)method, 0, n);
    what.result_type = QUIRE_E3M4;
    for (int k = 0; k < 4 && expected != 0; k++) {
        const int directions[4] = { -1, (expected < 0), (expected > 0), 0 };
        uint8_t bits = 0xa5, right = rounded(fabs(expected), directions[k]);
        what.rounding = (quire_rounding)k;
        if (expected < 0) right |= 0x80;
        if (quire_reduce(NULL, &what, &layout, x, NULL, y, &bits) || bits != right)
            fail("the byte", (int)operation, (int)method, k, n);
    }
}

static void check_single(uint8_t b, quire_method method) {
    double found;
    uint8_t bits;
    if (quire_sum(NULL, QUIRE_E3M4, 1, &b, method, QUIRE_F64, &found) ||
        quire_sum(NULL, QUIRE_E3M4, 1, &b, method, QUIRE_E3M4, &bits))
        fail("the status", QUIRE_SUM, (int)method, 0, 1);
    if ((b & 0x7f) > 0x70 ? !isnan(found) || bits != 0x78 : bits != b) fail("one byte", QUIRE_SUM, (int)method, 0, 1);
    if ((b & 0x7f) == 0x70 && !(isinf(found) && signbit(found) == (b >= 0x80 ? signbit(-1.0) : signbit(1.0))))
        fail("an infinity", QUIRE_SUM, (int)method, 0, 1);
    if ((b & 0x7f) < 0x70 && found != value(b)) fail("one number", QUIRE_SUM, (int)method, 0, 1);
}

int main(void) {
    static uint8_t x[LONG], y[LONG];
    unsigned state = 1;
    if (quire_chain_length(QUIRE_MINE, 100000) != quire_chain_length(QUIRE_PAIRWISE, 100000))
        fail("the chain", QUIRE_SUM, QUIRE_MINE, 0, 100000);
    for (size_t m = 0; m < sizeof METHODS / sizeof *METHODS; m++) {
        for (unsigned b = 0; b < 256; b++) check_single((uint8_t)b, METHODS[m]);
        for (size_t turn = 0; turn < 400; turn++) {
            const size_t most = turn % 40 ? 1 + turn % 5 : turn % 80 ? SHORT : LONG;
            for (size_t i = 0; i < LONG; i++) {
                state = state * 1664525 + 1013904223;
                x[i] = (uint8_t)(state >> 24) % 0x70 | (state >> 16 & 0x80);
                y[i] = (uint8_t)(state >> 12) % 0x70 | (state >> 8 & 0x80);
            }
            for (size_t o = 0; o < sizeof OPERATIONS / sizeof *OPERATIONS; o++) {
                const int sums =
                    OPERATIONS[o] == QUIRE_SUM || OPERATIONS[o] == QUIRE_ASUM || OPERATIONS[o] == QUIRE_MEAN;
                check(OPERATIONS[o], METHODS[m], sums || most < SHORT ? most : SHORT, x, y);
            }
        }
    }
    puts("dummy-format: E3M4 by every operation, method and direction, a new operation and a new method among them");
    return 0;
}
