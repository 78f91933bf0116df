/* test_few.c - sums of a few elements, which have ways of their own: every length up to where those end and a little
 * beyond, every family, operation, method and result type, against the oracle and the model; and what such a way might
 * take for more, or for less, than it holds: elements far apart, sums that cancel, zeros of either sign. */
#include <stdio.h>
#include <string.h>

#include "families.h"
#include "model.h"
#include "oracle_mpfr.h"
#include "place.h"
#include "support.h"

#define MOST 34 /* src/cpu/block/functions.h: few are up to 32 */

/* All methods and result types, on every variant of the place. */
static void check_all(operation op, quire_type type, size_t n, const void *x, const void *y, const char *what) {
    uint64_t expected[METHOD_COUNT][TYPE_COUNT];
    oracle o;
    oracle_open(&o);
    oracle_add(&o, op, type, n, x, y);
    for (size_t m = 0; m < METHOD_COUNT; m++) {
        const int exact = METHODS[m] == QUIRE_EXACT;
        const model_total total = exact ? (model_total){ 0, 0 } : model_reduce(op, type, n, x, y, METHODS[m]);
        for (size_t r = 0; r < TYPE_COUNT; r++)
            expected[m][r] = exact ? oracle_bits(&o, op, TYPES[r]) : model_finish(op, total, n, TYPES[r]);
    }
    oracle_close(&o);
    for (size_t v = 0; v < place_variants(); v++) {
        const char *variant = place_use(v);
        for (size_t k = 0; variant && k < METHOD_COUNT * TYPE_COUNT; k++) {
            const size_t m = k / TYPE_COUNT, r = k % TYPE_COUNT;
            uint64_t result = 0x5a5a5a5a5a5a5a5a;
            check_ok(place_reduce(op, type, n, x, y, METHODS[m], TYPES[r], &result));
            check_bits(TYPES[r], &result, expected[m][r], "%s %s of %zu %s, %s, %s", method_name(METHODS[m]),
                       operation_name(op), n, type_name(type), what, variant);
        }
    }
    place_use(0);
}

/* test number i is type i / FAMILY_COUNT, family i % FAMILY_COUNT */
START_TEST(every_length) {
    const quire_type type = TYPES[_i / FAMILY_COUNT];
    const family which = (family)(_i % FAMILY_COUNT);
    generator g;
    generator_seed(&g, 600 + (uint64_t)_i);
    for (size_t n = 1; n <= MOST; n++)
        for (size_t seed = 0; seed < 3; seed++) {
            if (!drawn(&g)) continue;
            void *x = array_new(n * type_size(type), 0), *y = array_new(n * type_size(type), 0);
            for (operation op = OPERATION_SUM; op < OPERATION_COUNT; op++) {
                if (op == OPERATION_DOT)
                    family_fill_pair(which, type, seed, n, x, y);
                else
                    family_fill(which, type, seed, n, x);
                check_all(op, type, n, x, y, family_name(which));
            }
            array_free(x);
            array_free(y);
        }
}
END_TEST

/* All bits set at one end, and one odd bit as far below as the format has it, or at every distance. Then the large ones
 * cancel, so that nothing hides the odd bit. */
START_TEST(far_apart) {
    const quire_type type = TYPES[_i];
    const number_format *f = type_format(type);
    const int highest[] = { f->bias, 0, f->least + f->precision + 40 };
    const double ones = 2 - power_of_two(1 - f->precision);
    char text[80];
    generator g;
    generator_seed(&g, 700 + (uint64_t)_i);
    for (size_t h = 0; h < 3; h++)
        for (int d = 0; d <= 160 && highest[h] <= f->bias && highest[h] - d >= f->least; d++)
            for (size_t n = 2; n <= 32; n = n * 2 + (size_t)(d % 2)) {
                if (!drawn(&g)) continue;
                void *x = array_new(n * f->size, 0), *y = array_new(n * f->size, 0);
                snprintf(text, sizeof text, "2^%d and %d below", highest[h], d);
                for (size_t i = 0; i < n; i++) type_set(type, y, i, i % 3 ? -1.0 : 0.5);
                for (size_t i = 0; i < n; i++) type_set(type, x, i, ones * power_of_two(highest[h] - (int)(i & 1)));
                type_set(type, x, (size_t)d % n, power_of_two(highest[h] - d));
                for (operation op = OPERATION_SUM; op < OPERATION_COUNT; op++) check_all(op, type, n, x, y, text);
                for (size_t i = 0; i < n; i++) type_set(type, x, i, i % 2 ? -ones : ones);
                for (size_t i = 0; i < n; i++)
                    type_set(type, x, i, type_value(type, x, i) * power_of_two(highest[h] - 1));
                type_set(type, x, n - 1, -power_of_two(highest[h] - d));
                for (operation op = OPERATION_SUM; op < OPERATION_COUNT; op++) check_all(op, type, n, x, y, text);
                array_free(x);
                array_free(y);
            }
}
END_TEST

/* Sums that are zero: of zeros of one sign, of both, of numbers and their negatives. */
START_TEST(zeros) {
    const quire_type type = TYPES[_i];
    generator g;
    generator_seed(&g, 800 + (uint64_t)_i);
    for (size_t n = 1; n <= MOST; n++)
        for (size_t odd = 0; odd <= n; odd++) {
            if (!drawn(&g)) continue;
            void *x = array_new(n * type_size(type), 0), *y = array_new(n * type_size(type), 0);
            for (size_t i = 0; i < n; i++) type_set(type, x, i, -0.0);
            for (size_t i = 0; i < n; i++) type_set(type, y, i, 1.0);
            if (odd < n) type_set(type, x, odd, 0.0);
            for (operation op = OPERATION_SUM; op < OPERATION_COUNT; op++) check_all(op, type, n, x, y, "zeros");
            type_set(type, x, odd % n, 1.5);
            type_set(type, x, (odd + n / 2) % n, -1.5);
            for (operation op = OPERATION_SUM; op < OPERATION_COUNT; op++) check_all(op, type, n, x, y, "cancelling");
            array_free(x);
            array_free(y);
        }
}
END_TEST

/* A tie of every result type, between an even and an odd number or the other way, and one bit beside it at any
 * distance: to be rounded twice would be to miss it. Products of doubles have three doubles to be rounded. */
START_TEST(near_ties) {
    const quire_type type = TYPES[_i];
    const size_t n = 5;
    void *x = array_new(7 * type_size(type), 0), *y = array_new(7 * type_size(type), 0);
    for (size_t i = 0; i < 7; i++) type_set(type, y, i, -1);
    for (size_t r = 0; r < TYPE_COUNT; r++) {
        const int p = type_format(TYPES[r])->precision;
        for (int t = p + 1; t <= 160 && -t >= type_format(type)->least; t++)
            for (int k = 0; k < 4; k++) {
                const double parts[] = { 1, k / 2 * power_of_two(1 - p), power_of_two(-p),
                                         k % 2 ? power_of_two(-t) : -power_of_two(-t), 0 };
                for (size_t i = 0; i < n; i++) type_set(type, x, i, parts[i]);
                check_all(OPERATION_SUM, type, n, x, x, "near a tie");
                check_all(OPERATION_DOT, type, n, x, y, "near a tie");
                /* The same as kahan's words the wrong way round: the tie as a compensation, and the bit as a sum. */
                const double far = power_of_two(type_format(type)->bias < 100 ? 14 : 90),
                             tie = parts[0] + parts[1] + parts[2];
                const double words[] = { far, parts[3], -far, 0, tie, 0, 0 };
                for (size_t i = 0; i < 7; i++) type_set(type, x, i, words[i]);
                check_all(OPERATION_SUM, type, 7, x, x, "a tie as a compensation");
            }
    }
    array_free(x);
    array_free(y);
}
END_TEST

/* Two products whose last bits, 2^(e - 105), make one that is a double, if not lost one by one; all else cancels. */
START_TEST(errors_of_small_products) {
    const double full = 2 - 0x1p-52, square = full * full;
    for (int e = -1074 + 105 - 8; e < -1074 + 105 + 8; e++) {
        const double a = full * power_of_two(e / 2), b = full * power_of_two(e - 1 - e / 2);
        const double product = square * power_of_two(e - 1), x[4] = { a, a, -product, -product }, y[4] = { b, b, 1, 1 };
        check_all(OPERATION_DOT, QUIRE_F64, 4, x, y, "the last bits of small products");
        check_all(OPERATION_DOT, QUIRE_F64, 3, x + 1, y + 1, "the last bits of a small product");
    }
}
END_TEST

static void add_tests(TCase *cases) {
    tcase_add_test(cases, errors_of_small_products);
    tcase_add_loop_test(cases, every_length, 0, TYPE_COUNT * FAMILY_COUNT);
    tcase_add_loop_test(cases, far_apart, 0, TYPE_COUNT);
    tcase_add_loop_test(cases, zeros, 0, TYPE_COUNT);
    tcase_add_loop_test(cases, near_ties, 0, TYPE_COUNT);
}

int main(void) { return run_cases("few", add_tests); }
