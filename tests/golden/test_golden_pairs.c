/* test_golden_pairs.c - golden bits of averages, covariances and correlations, in golden/: results that no release may
 * change. A line reads
 *
 *     family type n : bits of the result as f16 bf16 f32 f64 e5m2 e4m3
 *
 * of the inputs of dot products in test_golden.c, which watches over them; covariances are with a correction of 1.
 * "test_golden_pairs --write" writes the files anew, from the oracle: the library has no say in what it is compared
 * with. */
#include <stdio.h>
#include <string.h>

#include "families.h"
#include "many.h"
#include "oracle_moments.h"
#include "place.h"
#include "support.h"

#ifndef QUIRE_GOLDEN_DIR
#error "QUIRE_GOLDEN_DIR is the folder of the golden files"
#endif

static const quire_operation PAIRS[] = { QUIRE_AVERAGE, QUIRE_COVARIANCE, QUIRE_CORRELATION };
static const char *const NAMES[] = { "average", "covariance", "correlation" };
static const size_t LENGTHS[] = { 37, 9001 };
enum { FILES = 3, LENGTH_COUNT = 2, INPUTS = FAMILY_COUNT * TYPE_COUNT * LENGTH_COUNT };

/* Where the bits of a line come from: results of all types. */
typedef void source(const quire_reduction *what, size_t n, const void *x, const void *y, uint64_t *bits);

static void true_bits(const quire_reduction *what, size_t n, const void *x, const void *y, uint64_t *bits) {
    oracle_moments o;
    oracle_moments_open(&o, what->type, n, x, y);
    for (int r = 0; r < TYPE_COUNT; r++) {
        quire_reduction to = *what;
        to.result_type = TYPES[r];
        bits[r] = oracle_moment(&o, &to);
    }
    oracle_moments_close(&o);
}

static void library_bits(const quire_reduction *what, size_t n, const void *x, const void *y, uint64_t *bits) {
    for (int r = 0; r < TYPE_COUNT; r++) {
        quire_reduction to = *what;
        uint64_t result = 0;
        to.result_type = TYPES[r];
        check_ok(place_reduction(&to, n, x, y, &result));
        bits[r] = type_load(to.result_type, &result, 0);
    }
}

/* Line number i of an operation's file. */
static void make_line(int file, size_t i, source *of, char *text, size_t room) {
    const family which = (family)(i / LENGTH_COUNT / TYPE_COUNT);
    const quire_type type = TYPES[i / LENGTH_COUNT % TYPE_COUNT];
    const size_t n = LENGTHS[i % LENGTH_COUNT], bytes = n * type_size(type);
    const quire_reduction what = { PAIRS[file], type, type, QUIRE_EXACT, QUIRE_TO_NEAREST, 1, { 0 } };
    void *x = array_new(bytes, 0), *y = array_new(bytes, 0);
    uint64_t bits[TYPE_COUNT];
    family_fill_pair(which, type, n, n, x, y);
    of(&what, n, x, y, bits);
    int length = snprintf(text, room, "%s %s %zu :", family_name(which), type_name(type), n);
    for (int r = 0; r < TYPE_COUNT; r++)
        length += snprintf(text + length, room - (size_t)length, " %0*llx", (int)(2 * type_size(TYPES[r])),
                           (unsigned long long)bits[r]);
    array_free(x);
    array_free(y);
}

static FILE *open_golden(int file, const char *mode) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.txt", QUIRE_GOLDEN_DIR, NAMES[file]);
    FILE *opened = fopen(path, mode);
    if (!opened) ck_abort_msg("%s cannot be opened", path);
    return opened;
}

static void check_file(int file, source *of) {
    char text[256], expected[256];
    FILE *golden = open_golden(file, "r");
    for (size_t i = 0; i < INPUTS; i++) {
        make_line(file, i, of, expected, sizeof expected);
        check_that(fgets(text, sizeof text, golden) != NULL, "golden/%s.txt ends before: %s", NAMES[file], expected);
        text[strcspn(text, "\n")] = 0;
        check_that(!strcmp(text, expected), "golden/%s.txt has \"%s\", but now \"%s\"", NAMES[file], text, expected);
    }
    check_that(!fgets(text, sizeof text, golden), "golden/%s.txt has more lines", NAMES[file]);
    fclose(golden);
}

START_TEST(from_the_oracle) { check_file(_i, true_bits); }
END_TEST

START_TEST(from_the_library) {
    for (size_t v = 0; v < place_variants(); v++)
        if (place_use(v)) check_file(_i, library_bits);
    place_use(0);
}
END_TEST

static int write_all(void) {
    char text[256];
    for (int file = 0; file < FILES; file++) {
        FILE *golden = open_golden(file, "w");
        for (size_t i = 0; i < INPUTS; i++) {
            make_line(file, i, true_bits, text, sizeof text);
            fprintf(golden, "%s\n", text);
        }
        fclose(golden);
    }
    return 0;
}

static void add(TCase *cases) {
    tcase_add_loop_test(cases, from_the_oracle, 0, FILES);
    tcase_add_loop_test(cases, from_the_library, 0, FILES);
}

int main(int count, char **argument) {
    if (count == 2 && !strcmp(argument[1], "--write")) return write_all();
    return run_cases("golden_pairs", add);
}
