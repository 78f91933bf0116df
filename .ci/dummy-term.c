/* dummy-term.c - the term that .ci/dummy-format has added to quire, from outside: an element with its sign flipped. Its
 * sum must have the bits of the sum of flipped elements, in every tier there is, whatever way it goes: of every format,
 * method and direction, of a few elements and of many, side by side and apart, of ordinary numbers and of all there
 * are, of zeros, of what is not finite. */
#include <quire/quire.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 70000 /* elements, and the space between them */

typedef enum { ORDINARY, FINITE, ALL_BITS, ZEROS, MINUS_ZEROS, PLUS_ZEROS, INFINITY_AMONG, FAMILIES } family;
typedef struct {
    quire_type type;
    int size, stored, least, spread; /* bits below the exponent; of ordinary numbers, the field's range */
} format;
static const format FORMATS[] = { { QUIRE_F16, 2, 10, 8, 8 },   { QUIRE_BF16, 2, 7, 120, 8 },
                                  { QUIRE_F32, 4, 23, 120, 8 }, { QUIRE_F64, 8, 52, 1016, 8 },
                                  { QUIRE_E5M2, 1, 2, 8, 8 },   { QUIRE_E4M3, 1, 3, 4, 8 } };
static const quire_method METHODS[] = { QUIRE_EXACT, QUIRE_KAHAN, QUIRE_PAIRWISE, QUIRE_PLAIN, QUIRE_MINE };
static const size_t LENGTHS[] = { 0, 1, 2, 7, 8, 20, 32, 100, 255, 256, 300, 1000, 4095, 5000, 20000 };

static uint64_t state = 1;
static uint64_t draw(void) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return state >> 32 | state << 32;
}

/* The bits of a number of the family. */
static uint64_t element(format f, family which) {
    const int bits = 8 * f.size;
    const uint64_t sign = (uint64_t)1 << (bits - 1), drawn = draw(), fraction = drawn & (((uint64_t)1 << f.stored) - 1);
    const uint64_t top = (sign >> f.stored) - 1, field = which == ORDINARY
                                                             ? f.least + (drawn >> 60) % f.spread
                                                             : (drawn ^ drawn >> 7) >> (63 - bits + f.stored) & top;
    switch (which) {
    case ZEROS: return drawn & sign;
    case MINUS_ZEROS: return sign;
    case PLUS_ZEROS: return 0;
    case INFINITY_AMONG:
        if (drawn % 1000 == 0) return sign | (f.type == QUIRE_E4M3 ? 0x7f : top << f.stored);
        break;
    case ALL_BITS: return (drawn & sign) | field << f.stored | fraction;
    default: break;
    }
    return (drawn & sign) | (field - (field == top)) << f.stored | fraction;
}

static quire_context *context;

static void check(format f, quire_method method, const quire_layout *layout, size_t results, const void *x,
                  const void *flipped, const char *where) {
    static uint64_t found[64], expected[64];
    for (int r = 0; r < 2; r++)
        for (int rounding = 0; rounding < 4; rounding++) {
            quire_reduction what = { QUIRE_NEGSUM, f.type, r ? QUIRE_F64 : f.type, method, (quire_rounding)rounding, 0,
                                     { 0 } };
            memset(found, 0, sizeof found), memset(expected, 0, sizeof expected);
            const quire_status status = quire_reduce(context, &what, layout, x, NULL, NULL, found);
            what.operation = QUIRE_SUM;
            if (status || quire_reduce(context, &what, layout, flipped, NULL, NULL, expected) || !results ||
                memcmp(found, expected, sizeof found)) {
                printf("dummy-term: %s, type %d, method %d, rounding %d, n = %zu: status %d, %llx, not %llx\n", where,
                       (int)f.type, (int)method, rounding, layout->n, (int)status, (unsigned long long)found[0],
                       (unsigned long long)expected[0]);
                exit(1);
            }
        }
}

static void check_format(format f, family which) {
    static uint64_t x[MOST], flipped[MOST];
    for (size_t i = 0; i < MOST; i++) {
        const uint64_t bits = element(f, which), other = bits ^ (uint64_t)1 << (8 * f.size - 1);
        memcpy((char *)x + i * (size_t)f.size, &bits, (size_t)f.size);
        memcpy((char *)flipped + i * (size_t)f.size, &other, (size_t)f.size);
    }
    for (size_t m = 0; m < sizeof METHODS / sizeof *METHODS; m++)
        for (size_t l = 0; l < sizeof LENGTHS / sizeof *LENGTHS; l++) {
            const size_t n = LENGTHS[l], rows = n < 1000 ? 40 : 3;
            const quire_layout layouts[] = { quire_strided(n, 1), quire_strided(n, 3),
                                             quire_rows(rows, n, (ptrdiff_t)n),
                                             quire_columns(n, rows, (ptrdiff_t)rows) };
            static const char *const names[] = { "a vector", "a strided one", "rows", "columns" };
            for (int k = 0; k < 4; k++) check(f, METHODS[m], &layouts[k], k < 2 ? 1 : rows, x, flipped, names[k]);
        }
}

int main(void) {
    static const char little[] = { 1, 0 };
    uint16_t one;
    memcpy(&one, little, sizeof one);
    if (one != 1) return 0; /* elements are stored by their lowest bytes here */
    if (quire_open_cpu(&context, 1)) return 1;
    int tiers = 0;
    for (int tier = QUIRE_TIER_PORTABLE; tier <= QUIRE_TIER_AVX512; tier++) {
        if (quire_set_tier(context, (quire_tier)tier)) continue;
        tiers++;
        for (size_t f = 0; f < sizeof FORMATS / sizeof *FORMATS; f++)
            for (int which = 0; which < FAMILIES; which++) check_format(FORMATS[f], (family)which);
    }
    quire_close(context);
    printf("dummy-term: a new term of every format by every method, in %d tier%s\n", tiers, tiers == 1 ? "" : "s");
    return tiers == 0;
}
