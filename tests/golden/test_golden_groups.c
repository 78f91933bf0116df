/* test_golden_groups.c - golden bits of sums by key, of rows found through an index, and of running sums, in golden/:
 * results that no release may change. A line of keys.txt and gathered.txt reads
 *
 *     family type operation method : bits of the result of each group, in the format of the elements
 *
 * and one of scan.txt
 *
 *     family type operation kind rounding : a hash of all running sums as f16 bf16 f32 f64 e5m2 e4m3
 *
 * The inputs are family_fill_pair's of as many elements as there are rows, with that number for a seed; test_golden.c
 * watches over the families. "test_golden_groups --write" writes the files anew, from the oracles and the model: the
 * library has no say in what it is compared with. */
#include <stdint.h>

#include "families.h"
#include "golden_file.h"
#include "many.h"
#include "model.h"
#include "oracle_moments.h"
#include "oracle_mpfr.h"
#include "place.h"

enum { ROWS = 500, GROUPS = 3, LENGTH = 300, INPUTS = FAMILY_COUNT * TYPE_COUNT };

/* What is computed of each input. */
static const struct {
    operation op;
    quire_method method;
} CALLS[] = {
    { OPERATION_SUM, QUIRE_EXACT },    { OPERATION_SUM, QUIRE_KAHAN },     { OPERATION_SUM, QUIRE_PAIRWISE },
    { OPERATION_SUM, QUIRE_PLAIN },    { OPERATION_DOT, QUIRE_EXACT },     { OPERATION_MEAN, QUIRE_EXACT },
    { OPERATION_STDDEV, QUIRE_EXACT }, { OPERATION_AVERAGE, QUIRE_EXACT },
};
enum { CALLS_COUNT = sizeof CALLS / sizeof *CALLS };

typedef struct input {
    family which;
    quire_type type;
    size_t n;
    void *x, *y;
} input;

static input input_new(size_t i, size_t n) {
    input in = { (family)(i / TYPE_COUNT), TYPES[i % TYPE_COUNT], n, NULL, NULL };
    in.x = array_new(n * type_size(in.type), 0);
    in.y = array_new(n * type_size(in.type), 0);
    family_fill_pair(in.which, in.type, n, n, in.x, in.y);
    return in;
}

static void input_free(input *in) {
    array_free(in->x);
    array_free(in->y);
}

static quire_reduction reduction_of(operation op, quire_type type, quire_method method) {
    return (quire_reduction){ operation_number(op), type, type, method, QUIRE_TO_NEAREST, 1, { 0 } };
}

/* ----------------------------------------------------------------------------------------------------- rows of groups
 */

/* Most rows are of the first group, some of the second, others of none; the third has no rows. */
static void make_keys(int64_t *keys) {
    generator g;
    generator_seed(&g, ROWS);
    for (size_t k = 0; k < ROWS; k++) {
        const uint64_t draw = generator_below(&g, 8);
        keys[k] = draw < 5 ? 0 : draw == 5 ? 1 : draw == 6 ? -1 : GROUPS;
    }
}

/* Positions of an index: any row, some of them absent. */
static void make_order(int64_t *order, uint64_t seed) {
    generator g;
    generator_seed(&g, seed);
    for (size_t k = 0; k < ROWS; k++) order[k] = (int64_t)generator_below(&g, ROWS + 40) - 20;
}

/* Segments overlap. */
static const int64_t BEGIN[GROUPS] = { 0, 20, 450 }, END[GROUPS] = { 37, 500, 450 };

static int is_row(int64_t row) { return row >= 0 && row < ROWS; }

/* The elements of a group, side by side; which is 0 by key, 1 through indices. */
typedef struct group_rows {
    size_t count;
    void *x, *y;
} group_rows;

static void take(group_rows *rows, const input *in, int64_t x_row, int64_t y_row) {
    copy_element(in->type, rows->x, rows->count, in->x, x_row);
    copy_element(in->type, rows->y, rows->count, in->y, y_row);
    rows->count++;
}

static group_rows rows_of(const input *in, int group, int is_gathered, int reads_two) {
    const size_t bytes = ROWS * type_size(in->type);
    group_rows rows = { 0, array_new(bytes, 0), array_new(bytes, 0) };
    int64_t keys[ROWS], x_order[ROWS], y_order[ROWS];
    make_keys(keys);
    make_order(x_order, 1), make_order(y_order, 2);
    for (int64_t k = 0; k < ROWS && !is_gathered; k++)
        if (keys[k] == group) take(&rows, in, k, k);
    for (int64_t k = BEGIN[group]; k < END[group] && is_gathered; k++)
        if (is_row(x_order[k]) && (!reads_two || is_row(y_order[k])))
            take(&rows, in, x_order[k], reads_two ? y_order[k] : x_order[k]);
    return rows;
}

static uint64_t true_bits(operation op, quire_type type, quire_method method, const group_rows *rows) {
    if (op >= OPERATION_COUNT) {
        const quire_reduction what = reduction_of(op, type, method);
        oracle_moments o;
        oracle_moments_open(&o, type, rows->count, rows->x, rows->y);
        const uint64_t bits = oracle_moment(&o, &what);
        oracle_moments_close(&o);
        return bits;
    }
    if (method == QUIRE_EXACT) return oracle_reduce(op, type, rows->count, rows->x, rows->y, type);
    return model_finish(op, model_reduce(op, type, rows->count, rows->x, rows->y, method), rows->count, type);
}

static void call_library(const quire_reduction *what, const input *in, int is_gathered, void *results) {
    const quire_layout layout = quire_strided(ROWS, 1);
    int64_t keys[ROWS], x_order[ROWS], y_order[ROWS], counts[GROUPS];
    make_keys(keys);
    make_order(x_order, 1), make_order(y_order, 2);
    const place_rows rows = { GROUPS, ROWS, QUIRE_I64, BEGIN, END, x_order, y_order };
    if (is_gathered)
        check_ok(place_gathered(what, &rows, &layout, in->x, &layout, in->y, results));
    else
        check_ok(place_by_key(what, GROUPS, QUIRE_I64, keys, &layout, in->x, &layout, in->y, results, counts));
}

static void make_groups(size_t line, int of_library, int is_gathered, char *text, size_t room) {
    const operation op = CALLS[line % CALLS_COUNT].op;
    const quire_method method = CALLS[line % CALLS_COUNT].method;
    input in = input_new(line / CALLS_COUNT, ROWS);
    const quire_reduction what = reduction_of(op, in.type, method);
    uint64_t results[GROUPS];
    snprintf(text, room, "%s %s %s %s :", family_name(in.which), type_name(in.type), operation_name(op),
             method_name(method));
    if (of_library) call_library(&what, &in, is_gathered, results);
    for (int g = 0; g < GROUPS; g++) {
        group_rows rows = rows_of(&in, g, is_gathered, operation_reads_two(what.operation));
        const uint64_t bits =
            of_library ? type_load(in.type, results, (size_t)g) : true_bits(op, in.type, method, &rows);
        golden_add(text, room, " %0*llx", (int)(2 * type_size(in.type)), (unsigned long long)bits);
        array_free(rows.x);
        array_free(rows.y);
    }
    input_free(&in);
}

static void make_keyed(size_t line, int of_library, char *text, size_t room) {
    make_groups(line, of_library, 0, text, room);
}

static void make_gathered(size_t line, int of_library, char *text, size_t room) {
    make_groups(line, of_library, 1, text, room);
}

/* ------------------------------------------------------------------------------------------------------ running sums
 */

/* FNV-1a over the bits as numbers, so that it is the same on every endianness. */
static uint64_t hash_in(uint64_t h, quire_type type, uint64_t bits) {
    for (size_t byte = 0; byte < type_size(type); byte++) h = (h ^ (bits >> 8 * byte & 0xff)) * 0x100000001b3u;
    return h;
}

#define HASH_START 0xcbf29ce484222325u

/* The sums of the first 1, 2, ... elements, or of the first 0, 1, ... */
static uint64_t true_hash(operation op, const input *in, quire_scan_kind kind, const quire_reduction *what) {
    const char *x = in->x;
    uint64_t h = HASH_START;
    oracle o;
    oracle_open(&o);
    for (size_t k = 0; k < in->n; k++) {
        const void *element = x + k * type_size(in->type);
        if (kind == QUIRE_INCLUSIVE) oracle_add(&o, op, in->type, 1, element, NULL);
        h = hash_in(h, what->result_type, oracle_directed(&o, op, what->result_type, what->rounding));
        if (kind == QUIRE_EXCLUSIVE) oracle_add(&o, op, in->type, 1, element, NULL);
    }
    oracle_close(&o);
    return h;
}

static uint64_t library_hash(const input *in, quire_scan_kind kind, const quire_reduction *what) {
    const quire_layout layout = quire_strided(in->n, 1);
    uint64_t results[LENGTH], h = HASH_START;
    check_ok(place_scan(what, kind, &layout, in->x, &layout, results));
    for (size_t k = 0; k < in->n; k++) h = hash_in(h, what->result_type, type_load(what->result_type, results, k));
    return h;
}

static void make_scan(size_t line, int of_library, char *text, size_t room) {
    const int second = line % 2;
    const operation op = second ? OPERATION_ASUM : OPERATION_SUM;
    const quire_scan_kind kind = second ? QUIRE_EXCLUSIVE : QUIRE_INCLUSIVE;
    const quire_rounding rounding = second ? QUIRE_DOWNWARD : QUIRE_TO_NEAREST;
    input in = input_new(line / 2, LENGTH);
    snprintf(text, room, "%s %s %s %s %s :", family_name(in.which), type_name(in.type), operation_name(op),
             second ? "exclusive" : "inclusive", second ? "downward" : "nearest");
    for (int r = 0; r < TYPE_COUNT; r++) {
        const quire_reduction what = { operation_number(op), in.type, TYPES[r], QUIRE_EXACT, rounding, 0, { 0 } };
        const uint64_t h = of_library ? library_hash(&in, kind, &what) : true_hash(op, &in, kind, &what);
        golden_add(text, room, " %016llx", (unsigned long long)h);
    }
    input_free(&in);
}

/* ------------------------------------------------------------------------------------------------------------- tests
 */

static const golden_file FILES[] = {
    { "keys", INPUTS *CALLS_COUNT, make_keyed },
    { "gathered", INPUTS *CALLS_COUNT, make_gathered },
    { "scan", INPUTS * 2, make_scan },
};
enum { FILE_COUNT = sizeof FILES / sizeof *FILES };

START_TEST(from_the_oracle) { golden_check(&FILES[_i], 0); }
END_TEST

START_TEST(from_the_library) {
    for (size_t v = 0; v < place_variants(); v++)
        if (place_use(v)) golden_check(&FILES[_i], 1);
    place_use(0);
}
END_TEST

static void add(TCase *cases) {
    tcase_add_loop_test(cases, from_the_oracle, 0, FILE_COUNT);
    tcase_add_loop_test(cases, from_the_library, 0, FILE_COUNT);
}

int main(int count, char **argument) {
    if (count != 2 || strcmp(argument[1], "--write")) return run_cases("golden_groups", add);
    for (int i = 0; i < FILE_COUNT; i++) golden_write(&FILES[i]);
    return 0;
}
