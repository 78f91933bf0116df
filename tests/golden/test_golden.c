/* test_golden.c - golden bits: results that no release may change, in golden/. A line reads
 *
 *     family type n method : bits of the result as f16 bf16 f32 f64
 *
 * in the file of an operation, which is of the larger types alone. What has an 8-bit type in it is in a file beside it,
 * sum-fp8.txt: 8-bit inputs with results of every type, others with those as e5m2 e4m3; what is younger than those
 * types (sumsq) has one file of everything. inputs.txt and inputs-fp8.txt hold a hash of each input, so that a family
 * that changed is not taken for a library that did. "test_golden --write" writes the files anew, from the oracle
 * (exact) and the model of docs/order.md (the other methods): the library has no say in what it is compared with. */
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

/* Input number i of the product of families, so many types from the first-th on, and lengths. */
static input input_new(size_t i, size_t first, size_t types) {
    input in = { (family)(i / LENGTH_COUNT / types), TYPES[first + i / LENGTH_COUNT % types], LENGTHS[i % LENGTH_COUNT],
                 NULL, NULL };
    in.x = array_new(in.n * type_size(in.type), 0);
    in.y = array_new(in.n * type_size(in.type), 0);
    return in;
}

/* A file: the types of its inputs, and of its results where inputs are larger than 8 bits (those have all). */
typedef struct golden_file {
    char name[24];
    size_t first, types, first_result, results;
} golden_file;

static golden_file file_of(operation op, int fp8) {
    golden_file f = { "", 0, fp8 ? TYPE_COUNT : LARGE_TYPE_COUNT, fp8 ? LARGE_TYPE_COUNT : 0, TYPE_COUNT };
    snprintf(f.name, sizeof f.name, "%s%s", operation_name(op), fp8 && op != OPERATION_SUMSQ ? "-fp8" : "");
    if (op == OPERATION_SUMSQ) f.first_result = 0;
    if (!fp8) f.results = LARGE_TYPE_COUNT;
    return f;
}

static size_t input_count(size_t types) { return (size_t)FAMILY_COUNT * types * LENGTH_COUNT; }

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

/* Where the bits of a line come from: results of TYPES[first .. last). */
typedef void source(operation op, const input *in, quire_method method, size_t first, size_t last, uint64_t *bits);

static void true_bits(operation op, const input *in, quire_method method, size_t first, size_t last, uint64_t *bits) {
    model_total total = { 0, 0 };
    oracle o;
    oracle_open(&o);
    if (method == QUIRE_EXACT)
        oracle_add(&o, op, in->type, in->n, in->x, in->y);
    else
        total = model_reduce(op, in->type, in->n, in->x, in->y, method);
    for (size_t r = first; r < last; r++)
        bits[r] = method == QUIRE_EXACT ? oracle_bits(&o, op, TYPES[r]) : model_finish(op, total, in->n, TYPES[r]);
    oracle_close(&o);
}

static void library_bits(operation op, const input *in, quire_method method, size_t first, size_t last,
                         uint64_t *bits) {
    for (size_t r = first; r < last; r++) {
        uint64_t result[1];
        check_ok(place_reduce(op, in->type, in->n, in->x, in->y, method, TYPES[r], result));
        bits[r] = type_load(TYPES[r], result, 0);
    }
}

/* ------------------------------------------------------------------------------------------------------------ lines */

static void result_line(char *text, size_t room, const golden_file *f, operation op, const input *in,
                        quire_method method, source *of) {
    const size_t first = type_size(in->type) == 1 ? 0 : f->first_result;
    uint64_t bits[TYPE_COUNT];
    int length =
        snprintf(text, room, "%s %s %zu %s :", family_name(in->which), type_name(in->type), in->n, method_name(method));
    of(op, in, method, first, f->results, bits);
    for (size_t r = first; r < f->results; r++)
        length += snprintf(text + length, room - (size_t)length, " %0*llx", (int)(2 * type_size(TYPES[r])),
                           (unsigned long long)bits[r]);
    snprintf(text + length, room - (size_t)length, "\n");
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
static void check_file(operation op, int fp8, source *of) {
    char text[256];
    const golden_file f = file_of(op, fp8);
    FILE *file = open_golden(f.name, "r");
    for (size_t i = 0; i < input_count(f.types); i++) {
        input in = input_new(i, f.first, f.types);
        input_fill(&in, op);
        for (int m = 0; m < METHOD_COUNT; m++) {
            result_line(text, sizeof text, &f, op, &in, METHODS[m], of);
            check_line(file, f.name, text);
        }
        input_free(&in);
    }
    check_that(!fgets(text, sizeof text, file), "golden/%s.txt has more lines", f.name);
    fclose(file);
}

/* ------------------------------------------------------------------------------------------------------------ tests */

/* Calls work on each line of the hashes of the inputs: of the larger types, or of the others. */
static void inputs_file(int fp8, const char *mode, void (*work)(FILE *file, const char *name, char *text)) {
    const char *name = fp8 ? "inputs-fp8" : "inputs";
    const size_t first = fp8 ? LARGE_TYPE_COUNT : 0, types = fp8 ? TYPE_COUNT - LARGE_TYPE_COUNT : LARGE_TYPE_COUNT;
    FILE *file = open_golden(name, mode);
    for (size_t i = 0; i < input_count(types); i++) {
        char text[256];
        input in = input_new(i, first, types);
        input_line(text, sizeof text, &in);
        work(file, name, text);
        input_free(&in);
    }
    fclose(file);
}

START_TEST(inputs) { inputs_file(_i, "r", check_line); }
END_TEST

/* The files in turn: those of the larger types, then those with an 8-bit type; sumsq has one of the latter kind alone.
 */
#define FILE_COUNT (CALL_COUNT + OPERATION_COUNT)

static operation operation_of(int file) { return (operation)(file < CALL_COUNT ? file : file - CALL_COUNT); }

START_TEST(oracle_and_model) { check_file(operation_of(_i), _i >= CALL_COUNT, true_bits); }
END_TEST

START_TEST(library) {
    for (size_t v = 0; v < place_variants(); v++)
        if (place_use(v)) check_file(operation_of(_i), _i >= CALL_COUNT, library_bits);
}
END_TEST

static void write_line(FILE *file, const char *name, char *text) {
    (void)name;
    fputs(text, file);
}

static void write_file(operation op, int fp8) {
    char text[256];
    const golden_file f = file_of(op, fp8);
    FILE *file = open_golden(f.name, "w");
    for (size_t i = 0; i < input_count(f.types); i++) {
        input in = input_new(i, f.first, f.types);
        input_fill(&in, op);
        for (int m = 0; m < METHOD_COUNT; m++) {
            result_line(text, sizeof text, &f, op, &in, METHODS[m], true_bits);
            fputs(text, file);
        }
        input_free(&in);
    }
    fclose(file);
}

static void write_all(void) {
    for (int fp8 = 0; fp8 < 2; fp8++) inputs_file(fp8, "w", write_line);
    for (int i = 0; i < FILE_COUNT; i++) write_file(operation_of(i), i >= CALL_COUNT);
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
    tcase_add_loop_test(all, inputs, 0, 2);
    tcase_add_loop_test(all, oracle_and_model, 0, FILE_COUNT);
    tcase_add_loop_test(all, library, 0, FILE_COUNT);
    suite_add_tcase(suite, all);
    return run_suite(suite);
}
