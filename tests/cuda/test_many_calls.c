/* test_many_calls.c - calls of many vectors, whose bits are the CPU's: rows, columns, strides and segments, cut into
 * parts and not, of every type, method and kind of data. Few and small enough for compute-sanitizer, whose tools run
 * this suite too where it is installed (meson.build). CK_FORK=no. */
#include <stdio.h>

#include "device.h"
#include "families.h"
#include "many.h"
#include "place.h"
#include "support.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* ------------------------------------------------------------------------------------------------------------- data */

/* Blocks of so many elements are of these families in turn; 0: all is one block. The kernels behind the first, which
 * take what that has marked, have work by all but the ordinary: terms that cancel, doubles whose partial sums overflow,
 * results that are not finite. */
static const struct data {
    const char *name;
    family families[4];
    size_t block;
} DATA[] = {
    { "ordinary", { FAMILY_NORMAL }, 0 },
    { "every exponent", { FAMILY_EVERY_EXPONENT }, 0 },
    { "overflowing", { FAMILY_HUGE, FAMILY_HUGE, FAMILY_HUGE, FAMILY_HUGE }, 48 },
    { "cancelling", { FAMILY_TELESCOPING, FAMILY_NORMAL, FAMILY_TELESCOPING, FAMILY_ZERO }, 96 },
    { "special", { FAMILY_UNIFORM, FAMILY_ONE_NAN, FAMILY_ONE_INFINITY, FAMILY_BOTH_INFINITIES }, 160 },
};
enum { DATA_COUNT = COUNT_OF(DATA) };

static void data_fill(const struct data *d, quire_type type, uint64_t seed, size_t n, void *x, void *y) {
    const size_t block = d->block ? d->block : n, size = type_size(type);
    for (size_t at = 0, i = 0; at < n; at += block, i++)
        family_fill_pair(d->families[i % 4], type, seed + i, n - at < block ? n - at : block, (char *)x + at * size,
                         (char *)y + at * size);
}

/* ------------------------------------------------------------------------------------------------------------ calls */

static const operation OPERATIONS[] = { OPERATION_SUM, OPERATION_DOT, OPERATION_NRM2, OPERATION_MEAN,
                                        OPERATION_VARIANCE };

/* Whether this call is drawn: of exact ones all, of the others half; and of them all so many as the scale says. */
static int is_drawn(generator *g, const quire_reduction *what) {
    const int is_ordered = what->method != QUIRE_EXACT, is_moment = what->operation == QUIRE_VARIANCE;
    const uint64_t coin = generator_below(g, 2), percent = generator_below(g, 100);
    return !(is_ordered && (is_moment || coin)) && percent < scaled(100);
}

static quire_reduction reduction_of(generator *g, operation op, quire_type type, quire_method method) {
    quire_reduction what = { operation_number(op), type, type, method, QUIRE_TO_NEAREST, 0, { 0 } };
    if (generator_below(g, 2)) what.result_type = TYPES[generator_below(g, TYPE_COUNT)];
    if (generator_below(g, 2)) what.rounding = ROUNDINGS[generator_below(g, ROUNDING_COUNT)];
    return what;
}

/* As the device is by itself; half of the time by any launch, and as a lesser device. */
static const char *use_a_launch(generator *g) {
    const size_t drawn = generator_below(g, 2 * place_variants());
    const char *name = place_use(drawn < place_variants() ? drawn : 0);
    return name ? name : place_use(0);
}

static void check_layout(const quire_reduction *what, const quire_layout *l, const void *x, const void *y,
                         const char *text) {
    const size_t size = type_size(what->result_type), vectors = l->outer * l->inner;
    char *expected = array_new(vectors * size, 0), *results = array_new(vectors * size, 0);
    check_ok(quire_reduce(NULL, what, l, x, NULL, y, expected));
    check_ok(place_layouts(what, l, x, NULL, y, results));
    for (size_t v = 0; v < vectors; v++)
        check_bits(what->result_type, results + v * size, type_load(what->result_type, expected, v),
                   "%s, %s, { %zu, %zu, %zu,  %td, %td, %td } vector %zu", reduction_text(what), text, l->outer, l->n,
                   l->inner, l->outer_stride, l->stride, l->inner_stride, v);
    array_free(expected);
    array_free(results);
}

static void check_operations(generator *g, const quire_layout *l, quire_type type, const void *x, const void *y,
                             const char *data) {
    for (size_t o = 0; o < COUNT_OF(OPERATIONS); o++)
        for (int m = 0; m < METHOD_COUNT; m++) {
            const quire_reduction what = reduction_of(g, OPERATIONS[o], type, METHODS[m]);
            char text[100];
            if (!is_drawn(g, &what)) continue;
            snprintf(text, sizeof text, "%s, %s", data, use_a_launch(g));
            check_layout(&what, l, x, y, text);
        }
    place_use(0);
}

/* Rows side by side and with gaps, short to cut; columns narrow to wide; strides of all kinds. The array begins at each
 * second layout one element beside a multiple of 64 bytes. */
static const quire_layout LAYOUTS[] = {
    { 90, 5, 1, 5, 1, 0 },     { 67, 33, 1, 33, 1, 0 },    { 41, 300, 1, 300, 1, 0 },    { 67, 33, 1, 40, 1, 0 },
    { 41, 300, 1, 307, 1, 0 }, { 5, 4100, 1, 4101, 1, 0 }, { 3, 40000, 1, 40000, 1, 0 }, { 2, 40001, 1, 40009, 1, 0 },
    { 1, 300, 3, 0, 3, 1 },    { 1, 51, 5, 0, 7, 1 },      { 1, 300, 64, 0, 64, 1 },     { 1, 40, 131, 0, 131, 1 },
    { 1, 2500, 20, 0, 20, 1 }, { 3, 40, 12, 480, 12, 1 },  { 1, 3001, 1, 0, 3, 0 },      { 6, 200, 1, -200, -1, 0 },
    { 3, 50, 4, 200, -4, -1 }, { 20, 33, 1, 0, 1, 0 },
};

START_TEST(layouts) {
    const quire_type type = TYPES[_i / DATA_COUNT];
    const struct data *d = &DATA[_i % DATA_COUNT];
    generator g;
    generator_seed(&g, 300 + (uint64_t)_i);
    for (size_t k = 0; k < COUNT_OF(LAYOUTS); k++) {
        size_t origin;
        const size_t n = layout_elements(&LAYOUTS[k], &origin), size = type_size(type);
        char *x = array_new(n * size, k % 2 * size), *y = array_new(n * size, k % 4 / 2 * size);
        data_fill(d, type, 7 * k, n, x, y);
        check_operations(&g, &LAYOUTS[k], type, x + origin * size, y + origin * size, d->name);
        array_free(x);
        array_free(y);
    }
}
END_TEST

/* A row of so many parts that some are joined before all are; and strided vectors that all of the device takes. */
START_TEST(very_long_vectors) {
    static const quire_layout very_long[] = { { 1, 4200000, 1, 0, 1, 0 }, { 1, (1 << 18) + 5, 1, 0, 2, 0 } };
    const quire_type type = TYPES[_i];
    for (size_t k = 0; k < 4; k++) {
        const quire_layout *l = &very_long[k % 2];
        const struct data *d = &DATA[k < 2 ? 1 : 3];
        const quire_operation op = _i % 2 == (int)(k / 2) ? QUIRE_SUM : QUIRE_NRM2;
        const quire_reduction first = { op, type, QUIRE_F32, QUIRE_EXACT, QUIRE_TO_NEAREST, 0, { 0 } },
                              second = { QUIRE_VARIANCE, type, QUIRE_F64, QUIRE_EXACT, QUIRE_TO_NEAREST, 1, { 0 } };
        size_t origin;
        const size_t n = layout_elements(l, &origin), bytes = n * type_size(type);
        void *x = array_new(bytes, 0), *y = array_new(bytes, 0);
        data_fill(d, type, k, n, x, y);
        check_layout(&first, l, x, y, d->name);
        check_layout(&second, l, x, y, d->name);
        array_free(x);
        array_free(y);
    }
}
END_TEST

/* Matrices at the end of what was allocated, whose last tile or part has few narrow rows, one element behind a chunk of
 * 16 bytes. What is read beyond them changes no result: memcheck sees it. */
START_TEST(ends_of_memory) {
    static const struct {
        quire_type type;
        size_t rows, columns;
    } of[] = { { QUIRE_E5M2, 4097, 8 }, { QUIRE_E4M3, 8193, 8 }, { QUIRE_F16, 4097, 4 }, { QUIRE_F32, 1647361, 2 } };
    const quire_type type = of[_i].type;
    const size_t rows = of[_i].rows, columns = of[_i].columns, size = type_size(type),
                 bytes = (rows * columns + 1) * size;
    const quire_layout l = quire_columns(rows, columns, (ptrdiff_t)columns);
    char *x, *on_device, *results;
    _Alignas(8) char expected[32];
    char found[32];
    quire_context *c;
    if (missing_cuda()) return; /* the suite was started by hand, on a CPU */
    check_ok(quire_open_cuda(&c, 0, NULL));
    x = array_new(bytes, 0);
    family_fill(FAMILY_NORMAL, type, 900 + (uint64_t)_i, rows * columns + 1, x);
    CUDA(cudaMalloc((void **)&on_device, bytes));
    CUDA(cudaMalloc((void **)&results, sizeof found));
    CUDA(cudaMemcpy(on_device, x, bytes, cudaMemcpyHostToDevice));
    for (size_t m = 0; m < METHOD_COUNT; m++) {
        const quire_reduction what = { QUIRE_SUM, type, type, METHODS[m], QUIRE_TO_NEAREST, 0, { 0 } };
        check_ok(quire_reduce(NULL, &what, &l, x + size, NULL, NULL, expected));
        check_ok(quire_reduce(c, &what, &l, on_device + size, NULL, NULL, results));
        CUDA(cudaMemcpy(found, results, columns * size, cudaMemcpyDeviceToHost));
        ck_assert_msg(!memcmp(found, expected, columns * size), "%s", reduction_text(&what));
    }
    quire_close(c);
    CUDA(cudaFree(on_device)), CUDA(cudaFree(results));
    array_free(x);
}
END_TEST

/* --------------------------------------------------------------------------------------------------------- segments */

/* One behind the other as CSR has them; or anywhere, overlapping, some ending before they begin. One is so long that it
 * is cut. */
enum { SEGMENTS = 70, LONG = 33001 };
typedef struct segments {
    int64_t begin[SEGMENTS], end[SEGMENTS];
    int32_t begin_32[SEGMENTS], end_32[SEGMENTS];
    size_t elements;
} segments;

static segments segments_of(int anywhere) {
    static const int64_t lengths[] = { 0, 1, 5, 33, 300, 16, 0, 70, 2, 1500, 128, 3, 0, 40, 8 };
    segments s = { { 0 }, { 0 }, { 0 }, { 0 }, 0 };
    for (size_t i = 0; i < SEGMENTS; i++) {
        const int64_t n = i == 12 ? LONG : lengths[i % COUNT_OF(lengths)];
        s.begin[i] = (int64_t)s.elements;
        s.elements += (size_t)n;
        s.end[i] = (int64_t)s.elements;
    }
    for (size_t i = 0; i < SEGMENTS; i++) {
        const int64_t n = s.end[i] - s.begin[i];
        if (anywhere) s.begin[i] = (int64_t)(i * 7919 % (s.elements - (size_t)n));
        if (anywhere) s.end[i] = s.begin[i] + (n ? n : -3);
        s.begin_32[i] = (int32_t)s.begin[i], s.end_32[i] = (int32_t)s.end[i];
    }
    return s;
}

static void check_segments(const quire_reduction *what, const segments *s, quire_index index, const char *x,
                           const char *y, const char *text) {
    const size_t size = type_size(what->type), result_size = type_size(what->result_type);
    const int is_narrow = index == QUIRE_I32;
    char *results = array_new(SEGMENTS * result_size, 0);
    check_ok(place_segments(what, SEGMENTS, index, is_narrow ? (const void *)s->begin_32 : s->begin,
                            is_narrow ? (const void *)s->end_32 : s->end, s->elements, x, y, results));
    for (size_t i = 0; i < SEGMENTS; i++) {
        const size_t n = s->end[i] > s->begin[i] ? (size_t)(s->end[i] - s->begin[i]) : 0,
                     at = (size_t)s->begin[i] * size;
        const quire_layout one = quire_strided(n, 1);
        uint64_t expected[1];
        check_ok(quire_reduce(NULL, what, &one, x + at, NULL, y + at, expected));
        check_bits(what->result_type, results + i * result_size, type_load(what->result_type, expected, 0),
                   "%s, %s, segment %zu of %zu elements", reduction_text(what), text, i, n);
    }
    array_free(results);
}

START_TEST(segments_of_every_kind) {
    const quire_type type = TYPES[_i / DATA_COUNT];
    const struct data *d = &DATA[_i % DATA_COUNT];
    generator g;
    generator_seed(&g, 600 + (uint64_t)_i);
    for (int anywhere = 0; anywhere < 2; anywhere++) {
        const segments s = segments_of(anywhere);
        const size_t bytes = s.elements * type_size(type);
        char *x = array_new(bytes, (size_t)anywhere * type_size(type)), *y = array_new(bytes, 0);
        data_fill(d, type, (uint64_t)_i, s.elements, x, y);
        for (size_t k = 0; k < COUNT_OF(OPERATIONS) * METHOD_COUNT; k++) {
            const quire_reduction what =
                reduction_of(&g, OPERATIONS[k / METHOD_COUNT], type, METHODS[k % METHOD_COUNT]);
            char text[100];
            if (!is_drawn(&g, &what)) continue;
            snprintf(text, sizeof text, "%s, %s", d->name, use_a_launch(&g));
            check_segments(&what, &s, k % 3 ? QUIRE_I64 : QUIRE_I32, x, y, text);
        }
        place_use(0);
        array_free(x);
        array_free(y);
    }
}
END_TEST

static void add_tests(TCase *cases) {
    tcase_add_loop_test(cases, layouts, 0, TYPE_COUNT * DATA_COUNT);
    tcase_add_loop_test(cases, very_long_vectors, 0, TYPE_COUNT);
    tcase_add_loop_test(cases, ends_of_memory, 0, 4);
    tcase_add_loop_test(cases, segments_of_every_kind, 0, TYPE_COUNT * DATA_COUNT);
}

int main(void) { return run_cases("many calls", add_tests); }
