/* test_repeated.c - one element that is counted 2^k times, by a stride of 0: sums of more terms than limbs take without
 * a carry. What comes out is known: powers of two round nothing but what overflows. */
#include <math.h>
#include <string.h>

#include "many.h"
#include "place.h"
#include "support.h"

enum { COLUMNS = 16 };

/* The greatest number, its negative, the least one, and an ordinary one. */
static uint64_t element(quire_type type, int which) {
    const uint64_t elements[] = { type_greatest(type), type_greatest(type) | type_sign(type), 1,
                                  type_encode(type, 0x1.91p+1) };
    return elements[which % 4];
}

/* The exact result of 2^k elements x, where k is even. */
static double result_of(quire_operation operation, double x, int k) {
    switch (operation) {
    case QUIRE_SUM: return ldexp(x, k);
    case QUIRE_ASUM: return ldexp(fabs(x), k);
    case QUIRE_NRM2: return ldexp(fabs(x), k / 2);
    case QUIRE_MEAN: return x;
    default: return 0; /* variance */
    }
}

static const quire_operation OPERATIONS[] = { QUIRE_SUM, QUIRE_ASUM, QUIRE_NRM2, QUIRE_MEAN, QUIRE_VARIANCE };
enum { OPERATIONS_HERE = sizeof OPERATIONS / sizeof *OPERATIONS };

static void check_columns(quire_type type, quire_type result_type, size_t columns, int k) {
    const quire_layout l = { 1, (size_t)1 << k, columns, 0, 0, 1 };
    char *x = array_new(COLUMNS * type_size(type), 0), *results = array_new(COLUMNS * sizeof(double), 0);
    for (int o = 0; o < OPERATIONS_HERE; o++)
        for (int first = 0; first < (columns > 1 ? 1 : 4); first++) {
            const quire_reduction what = { OPERATIONS[o], type, result_type, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } };
            for (size_t j = 0; j < columns; j++) type_store(type, x, j, element(type, first + (int)j));
            check_ok(place_layouts(&what, &l, x, NULL, NULL, results));
            for (size_t j = 0; j < columns; j++) {
                const double value = type_value(type, x, j);
                check_bits(result_type, results + j * type_size(result_type),
                           type_encode(result_type, result_of(OPERATIONS[o], value, k)), "%s of 2^%d times %a",
                           reduction_text(&what), k, value);
            }
        }
    array_free(x), array_free(results);
}

/* On a CPU, and of columns, whose threads would all ask for the same line of memory, as many as a second allows. */
START_TEST(one_element_many_times) {
    const quire_type type = TYPES[_i];
    const int is_on_cpu = !strcmp(place_name(), "cpu");
    check_columns(type, QUIRE_F64, 1, is_on_cpu ? 20 : 32);
    check_columns(type, type, 1, is_on_cpu ? 20 : 34);
    check_columns(type, QUIRE_F64, COLUMNS, 18);
    check_columns(type, type, 3, 18);
}
END_TEST

static void add_tests(TCase *cases) { tcase_add_loop_test(cases, one_element_many_times, 0, TYPE_COUNT); }

int main(void) { return run_cases("repeated", add_tests); }
