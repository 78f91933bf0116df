/* test_golden.c - golden bits: results that no release may change, in golden/, one file for each operation. A line reads
 *
 *     family type n method : bits of the result as f16 bf16 f32 f64
 *
 * and golden/inputs.txt holds a hash of each input, so that a family that changed is not taken for a library that did.
 * "test_golden --write" writes the files anew, from the oracle (exact) and the model of docs/order.md (the other methods):
 * the library has no say in what it is compared with. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "families.h"
#include "model.h"
#include "oracle_mpfr.h"
#include "place.h"
#include "support.h"

#ifndef QUIRE_GOLDEN_DIR
#error "QUIRE_GOLDEN_DIR is the folder of the golden files"
#endif

/* A few elements; and a full tile, a full one, and a short one of 3 full rows and 41 elements. */
static const size_t LENGTHS[] = { 37, 9001 };
#define LENGTH_COUNT (sizeof LENGTHS / sizeof *LENGTHS)

typedef struct input {
    family which;
    quire_type type;
    size_t n;
    void *x, *y;
} input;

/* Input number i of the product of families, types and lengths. */
static input input_new(size_t i) {
    input in = { (family)(i / LENGTH_COUNT / TYPE_COUNT), TYPES[i / LENGTH_COUNT % TYPE_COUNT], LENGTHS[i % LENGTH_COUNT],
                 NULL, NULL };
    in.x = array_new(in.n * type_size(in.type), 0);
    in.y = array_new(in.n * type_size(in.type), 0);
    return in;
}

#define INPUT_COUNT ((size_t)FAMILY_COUNT * TYPE_COUNT * LENGTH_COUNT)

static void input_fill(input *in, operation op) {
    if (op == OPERATION_DOT)
        family_fill_pair(in->which, in->type, in->n, in->n, in->x, in->y);
    else
        family_fill(in->which, in->type, in->n, in->n, in->x);
}

static void input_free(input *in) {
    array_free(in->x);
    array_free(in->y);
}

/* FNV-1a over the bits as numbers, so that it is the same on every endianness. */
static uint64_t hash(uint64_t h, const input *in, const void *x) {
    for (size_t i = 0; i < in->n; i++) {
        uint64_t bits = type_load(in->type, x, i);
        for (size_t byte = 0; byte < type_size(in->type); byte++) h = (h ^ (bits >> 8 * byte & 0xff)) * 0x100000001b3u;
    }
    return h;
}

static uint64_t true_bits(operation op, const input *in, quire_method method, quire_type result_type) {
    if (method == QUIRE_EXACT) return oracle_reduce(op, in->type, in->n, in->x, in->y, result_type);
    return model_finish(op, model_reduce(op, in->type, in->n, in->x, in->y, method), in->n, result_type);
}

static uint64_t library_bits(operation op, const input *in, quire_method method, quire_type result_type) {
    uint64_t result[1];
    check_ok(place_reduce(op, in->type, in->n, in->x, in->y, method, result_type, result));
    return type_load(result_type, result, 0);
}

/* ------------------------------------------------------------------------------------------------------------- lines */

typedef uint64_t source(operation op, const input *in, quire_method method, quire_type result_type);

static void result_line(char *text, size_t room, operation op, const input *in, quire_method method, source *bits) {
    snprintf(text, room, "%s %s %zu %s : %04llx %04llx %08llx %016llx\n", family_name(in->which), type_name(in->type), in->n,
             method_name(method), (unsigned long long)bits(op, in, method, QUIRE_F16),
             (unsigned long long)bits(op, in, method, QUIRE_BF16), (unsigned long long)bits(op, in, method, QUIRE_F32),
             (unsigned long long)bits(op, in, method, QUIRE_F64));
}

/* One hash for the vector of the sums, one for both of the dot. */
static void input_line(char *text, size_t room, input *in) {
    uint64_t start = 0xcbf29ce484222325u, alone, both;
    input_fill(in, OPERATION_SUM);
    alone = hash(start, in, in->x);
    input_fill(in, OPERATION_DOT);
    both = hash(hash(start, in, in->x), in, in->y);
    snprintf(text, room, "%s %s %zu : %016llx %016llx\n", family_name(in->which), type_name(in->type), in->n,
             (unsigned long long)alone, (unsigned long long)both);
}

static FILE *open_golden(const char *name, const char *mode) {
    char path[1024];
    FILE *file;
    snprintf(path, sizeof path, "%s/%s.txt", QUIRE_GOLDEN_DIR, name);
    file = fopen(path, mode);
    if (!file) ck_abort_msg("%s cannot be opened", path);
    return file;
}

/* The lines come and go without their ends, so that a message is one line of TAP. */
static void check_line(FILE *file, const char *name, char *expected) {
    char text[256];
    expected[strcspn(expected, "\n")] = 0;
    check_that(fgets(text, sizeof text, file) != NULL, "golden/%s.txt ends before: %s", name, expected);
    text[strcspn(text, "\n")] = 0;
    check_that(!strcmp(text, expected), "golden/%s.txt has \"%s\", but now \"%s\"", name, text, expected);
}

/* Each line of an operation's file, from a source. */
static void check_file(operation op, source *bits) {
    char text[256];
    FILE *file = open_golden(operation_name(op), "r");
    for (size_t i = 0; i < INPUT_COUNT; i++) {
        input in = input_new(i);
        input_fill(&in, op);
        for (int m = 0; m < METHOD_COUNT; m++) {
            result_line(text, sizeof text, op, &in, METHODS[m], bits);
            check_line(file, operation_name(op), text);
        }
        input_free(&in);
    }
    check_that(!fgets(text, sizeof text, file), "golden/%s.txt has more lines", operation_name(op));
    fclose(file);
}

/* ------------------------------------------------------------------------------------------------------------- tests */

START_TEST(inputs) {
    char text[256];
    FILE *file = open_golden("inputs", "r");
    for (size_t i = 0; i < INPUT_COUNT; i++) {
        input in = input_new(i);
        input_line(text, sizeof text, &in);
        check_line(file, "inputs", text);
        input_free(&in);
    }
    fclose(file);
}
END_TEST

START_TEST(oracle_and_model) { check_file((operation)_i, true_bits); }
END_TEST

START_TEST(library) {
    for (size_t v = 0; v < place_variants(); v++)
        if (place_use(v)) check_file((operation)_i, library_bits);
}
END_TEST

static void write_all(void) {
    char text[256];
    FILE *file[OPERATION_COUNT], *inputs_file = open_golden("inputs", "w");
    for (operation op = OPERATION_SUM; op < OPERATION_COUNT; op++) file[op] = open_golden(operation_name(op), "w");
    for (size_t i = 0; i < INPUT_COUNT; i++) {
        input in = input_new(i);
        input_line(text, sizeof text, &in);
        fputs(text, inputs_file);
        for (operation op = OPERATION_SUM; op < OPERATION_COUNT; op++) {
            input_fill(&in, op);
            for (int m = 0; m < METHOD_COUNT; m++) {
                result_line(text, sizeof text, op, &in, METHODS[m], true_bits);
                fputs(text, file[op]);
            }
        }
        input_free(&in);
    }
    fclose(inputs_file);
    for (operation op = OPERATION_SUM; op < OPERATION_COUNT; op++) fclose(file[op]);
}

int main(int count, char **argument) {
    Suite *suite;
    TCase *all;
    if (count == 2 && !strcmp(argument[1], "--write")) {
        write_all();
        return 0;
    }
    suite = suite_create("golden");
    all = tcase_create("all");
    tcase_set_timeout(all, 300);
    tcase_add_test(all, inputs);
    tcase_add_loop_test(all, oracle_and_model, 0, OPERATION_COUNT);
    tcase_add_loop_test(all, library, 0, OPERATION_COUNT);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
