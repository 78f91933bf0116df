/* test_golden_integers.c - golden bits of integers, in golden/integers.txt: results that no release may change. A line
 * reads
 *
 *     type operation n family : bits of the result as i128 f16 bf16 f32 f64 e5m2 e4m3
 *
 * where "-" stands for an integer that the operation has not; moments are with a correction of 1. "test_golden_integers
 * --write" writes the file anew, from GMP and MPFR: the library has no say in what it is compared with. */
#include <stdint.h>

#include "golden_file.h"
#include "integer_oracle.h"
#include "number.h"
#include "place.h"

static const char *const NAMES[] = { "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64" };
static const char *const OPERATION_NAMES[] = { "sum",    "asum",  "dot",     "nrm2",       "mean",       "variance",
                                               "stddev", "sumsq", "average", "covariance", "correlation" };
static const char *const FAMILY_NAMES[] = { "random", "greatest", "few" };
static const size_t LENGTHS[] = { 37, 9001 };
enum { LENGTH_COUNT = 2, FAMILIES = 3, LINES = INTEGER_TYPES * INTEGER_OPERATION_COUNT * LENGTH_COUNT * FAMILIES };

/* Bits of the type at random; the greatest, but for a least at the end; from -3 to 3, or 6. */
static void fill(int family, quire_type type, uint64_t seed, size_t n, void *x) {
    generator g;
    generator_seed(&g, seed);
    for (size_t i = 0; i < n; i++) {
        const uint64_t bits = generator_next(&g), few = bits % 7 - (integer_is_signed(type) ? 3 : 0);
        const uint64_t great = i + 1 < n ? integer_greatest(type) : integer_least(type);
        integer_put(type, x, i, family == 0 ? bits : family == 1 ? great : few);
    }
}

/* Words of 128 bits, the high one first. */
static void high_first(const uint64_t *result, unsigned long long words[2]) {
    const uint16_t one = 1;
    const int high = *(const unsigned char *)&one ? 1 : 0;
    words[0] = result[high], words[1] = result[1 - high];
}

static void true_integer(const integer_oracle *o, unsigned long long words[2]) {
    mpz_t rest, modulus;
    mpz_inits(rest, modulus, NULL);
    mpz_set_ui(modulus, 1);
    mpz_mul_2exp(modulus, modulus, 128);
    mpz_mod(rest, o->sum, modulus);
    for (int i = 1; i >= 0; i--) {
        words[i] = 0;
        for (int half = 0; half < 2; half++) {
            words[i] |= (unsigned long long)(mpz_get_ui(rest) & 0xffffffff) << 32 * half;
            mpz_fdiv_q_2exp(rest, rest, 32);
        }
    }
    mpz_clears(rest, modulus, NULL);
}

static void library_result(const quire_reduction *what, size_t n, const void *x, const void *y, uint64_t *result) {
    result[0] = 0;
    check_ok(place_reduction(what, n, x, y, result));
}

static int has_integer(quire_operation op, quire_type type) {
    return op == QUIRE_SUM || op == QUIRE_ASUM || (integer_is_product(op) && integer_size(type) < 8);
}

static void make(size_t line, int of_library, char *text, size_t room) {
    const int family = (int)(line % FAMILIES), l = (int)(line / FAMILIES % LENGTH_COUNT);
    const size_t rest = line / FAMILIES / LENGTH_COUNT, n = LENGTHS[l];
    const int k = (int)(rest % INTEGER_OPERATION_COUNT), t = (int)(rest / INTEGER_OPERATION_COUNT);
    const quire_type type = INTEGERS[t];
    quire_reduction what = { INTEGER_OPERATIONS[k], type, QUIRE_INT128, QUIRE_EXACT, QUIRE_TO_NEAREST, 1, { 0 } };
    const size_t size = integer_size(type);
    char *x = array_new(n * size, 0), *y = array_new(n * size, 0);
    unsigned long long words[2];
    uint64_t result[2];
    integer_oracle o;
    fill(family, type, n, n, x), fill(family == 1 ? 2 : family, type, n + 1, n, y);
    integer_oracle_open(&o);
    for (size_t i = 0; i < n && !of_library; i++)
        integer_oracle_add(&o, what.operation, type, x + i * size, y + i * size);
    snprintf(text, room, "%s %s %zu %s :", NAMES[t], OPERATION_NAMES[k], n, FAMILY_NAMES[family]);
    if (!has_integer(what.operation, type)) {
        golden_add(text, room, " -");
    } else {
        if (of_library)
            library_result(&what, n, x, y, result), high_first(result, words);
        else
            true_integer(&o, words);
        golden_add(text, room, " %016llx%016llx", words[0], words[1]);
    }
    for (int r = 0; r < TYPE_COUNT; r++) {
        what.result_type = TYPES[r];
        if (of_library) library_result(&what, n, x, y, result);
        const uint64_t bits = of_library ? type_load(TYPES[r], result, 0) : integer_oracle_bits(&o, &what);
        golden_add(text, room, " %0*llx", (int)(2 * type_size(TYPES[r])), (unsigned long long)bits);
    }
    integer_oracle_close(&o);
    array_free(x);
    array_free(y);
}

static const golden_file INTEGERS_FILE = { "integers", LINES, make };

START_TEST(from_the_oracle) { golden_check(&INTEGERS_FILE, 0); }
END_TEST

START_TEST(from_the_library) {
    for (size_t v = 0; v < place_variants(); v++)
        if (place_use(v)) golden_check(&INTEGERS_FILE, 1);
    place_use(0);
}
END_TEST

static void add(TCase *cases) {
    tcase_add_test(cases, from_the_oracle);
    tcase_add_test(cases, from_the_library);
}

int main(int count, char **argument) {
    if (count != 2 || strcmp(argument[1], "--write")) return run_cases("golden_integers", add);
    golden_write(&INTEGERS_FILE);
    return 0;
}
