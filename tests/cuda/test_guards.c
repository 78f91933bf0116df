/* test_guards.c - no access outside what a call is given: vectors, offsets, keys, orders, results and workspaces stand
 * at the very end, or the very start, of memory that has nothing mapped beside it, where any other access is a fault.
 * Results are the CPU's. CK_FORK=no. */
#define _POSIX_C_SOURCE 200809L
#include <cuda.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "families.h"
#include "support.h"

#define DRIVER(call) ck_assert_msg((call) == CUDA_SUCCESS, "%s", #call)

/* ------------------------------------------------------------------------------------------------- memory, guarded */

static const char *const LAUNCHES[] = { "0,0", "1,1", "7,0" };
enum { LAUNCH_COUNT = 3, MOST_BYTES = 1 << 20 };
enum { X, Y, RESULTS, BEGIN, END, KEYS, COUNTS, WORKSPACE, ARRAYS };

static struct {
    CUresult (*granularity)(size_t *, const CUmemAllocationProp *, CUmemAllocationGranularity_flags);
    CUresult (*reserve)(CUdeviceptr *, size_t, size_t, CUdeviceptr, unsigned long long);
    CUresult (*create)(CUmemGenericAllocationHandle *, size_t, const CUmemAllocationProp *, unsigned long long);
    CUresult (*map)(CUdeviceptr, size_t, size_t, CUmemGenericAllocationHandle, unsigned long long);
    CUresult (*access)(CUdeviceptr, size_t, const CUmemAccessDesc *, size_t);
    CUresult (*unmap)(CUdeviceptr, size_t);
    CUresult (*release)(CUmemGenericAllocationHandle);
    CUresult (*free)(CUdeviceptr, size_t);
} driver;

static struct guarded {
    CUdeviceptr reserved;
    CUmemGenericAllocationHandle handle;
    char *first, *end;
} memory[ARRAYS];
static size_t granule;
static quire_context *on[LAUNCH_COUNT];
static char x[MOST_BYTES], y[MOST_BYTES], expected[MOST_BYTES], found[MOST_BYTES];

static void *driver_function(const char *name) {
    void *function = NULL;
#if CUDART_VERSION >= 12050
    CUDA(cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, NULL));
#else
    CUDA(cudaGetDriverEntryPoint(name, &function, cudaEnableDefault, NULL));
#endif
    ck_assert_ptr_nonnull(function);
    return function;
}

static void map(struct guarded *m, const CUmemAllocationProp *what) {
    const CUmemAccessDesc access = { what->location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
    DRIVER(driver.reserve(&m->reserved, 3 * granule, 0, 0, 0));
    DRIVER(driver.create(&m->handle, granule, what, 0));
    DRIVER(driver.map(m->reserved + granule, granule, 0, m->handle, 0));
    DRIVER(driver.access(m->reserved + granule, granule, &access, 1));
    m->first = (char *)(uintptr_t)(m->reserved + granule), m->end = m->first + granule;
}

static void open_all(void) {
    CUmemAllocationProp what;
    memset(&what, 0, sizeof what);
    what.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    what.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    CUDA(cudaFree(NULL)); /* the device's context is there */
    *(void **)&driver.granularity = driver_function("cuMemGetAllocationGranularity");
    *(void **)&driver.reserve = driver_function("cuMemAddressReserve");
    *(void **)&driver.create = driver_function("cuMemCreate");
    *(void **)&driver.map = driver_function("cuMemMap");
    *(void **)&driver.access = driver_function("cuMemSetAccess");
    *(void **)&driver.unmap = driver_function("cuMemUnmap");
    *(void **)&driver.release = driver_function("cuMemRelease");
    *(void **)&driver.free = driver_function("cuMemAddressFree");
    DRIVER(driver.granularity(&granule, &what, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    ck_assert_uint_ge(granule, MOST_BYTES);
    for (int i = 0; i < ARRAYS; i++) map(&memory[i], &what);
    for (int i = 0; i < LAUNCH_COUNT; i++) on[i] = open_launched(LAUNCHES[i], NULL);
}

static void close_all(void) {
    for (int i = 0; i < LAUNCH_COUNT; i++) quire_close(on[i]);
    for (int i = 0; i < ARRAYS; i++) {
        DRIVER(driver.unmap(memory[i].reserved + granule, granule));
        DRIVER(driver.release(memory[i].handle));
        DRIVER(driver.free(memory[i].reserved, 3 * granule));
    }
}

/* So many bytes at one end of an array's memory, those of from if it is not NULL, else 0xa5. */
static char *place(int array, const void *from, size_t bytes, int at_end) {
    char *at = at_end ? memory[array].end - bytes : memory[array].first;
    ck_assert_uint_le(bytes, granule);
    if (from) {
        CUDA(cudaMemcpy(at, from, bytes, cudaMemcpyHostToDevice));
    } else {
        CUDA(cudaMemset(at, 0xa5, bytes));
    }
    return at;
}

/* -------------------------------------------------------------------------------------------------------- the tests */

static void compare(const quire_reduction *what, const char *results, size_t bytes, int launch, const char *shape,
                    int at_end) {
    CUDA(cudaMemcpy(found, results, bytes, cudaMemcpyDeviceToHost));
    ck_assert_msg(!memcmp(found, expected, bytes), "operation %d, method %d of %s, %s, at the %s, launch %s",
                  (int)what->operation, (int)what->method, type_name(what->type), shape, at_end ? "end" : "start",
                  LAUNCHES[launch]);
}

static const struct shape {
    const char *name;
    quire_layout layout;
} SHAPES[] = {
    { "one element", { 1, 1, 1, 0, 1, 0 } },
    { "7 elements", { 1, 7, 1, 0, 1, 0 } },
    { "1001 elements", { 1, 1001, 1, 0, 1, 0 } },
    { "70001 elements", { 1, 70001, 1, 0, 1, 0 } },
    { "every third of 3001", { 1, 1001, 1, 0, 3, 0 } },
    { "backwards", { 1, 1001, 1, 0, -1, 0 } },
    { "rows of 3", { 1001, 3, 1, 3, 1, 0 } },
    { "rows of 37, backwards", { 301, 37, 1, -37, 1, 0 } },
    { "rows of 1000", { 65, 1000, 1, 1000, 1, 0 } },
    { "rows of 33333", { 3, 33333, 1, 33333, 1, 0 } },
    { "rows with a gap", { 99, 97, 1, 131, 1, 0 } },
    { "one row again and again", { 50, 501, 1, 0, 1, 0 } },
    { "33 columns", { 1, 301, 33, 0, 33, 1 } },
    { "3 columns of 20011", { 1, 20011, 3, 0, 3, 1 } },
    { "a middle axis", { 5, 129, 11, 129 * 11, 11, 1 } },
};
enum { SHAPE_COUNT = sizeof SHAPES / sizeof *SHAPES };

/* How far a layout goes behind the element that it begins with, and before it. */
static void reach(const quire_layout *l, size_t *behind, size_t *before) {
    const size_t count[] = { l->outer, l->n, l->inner };
    const ptrdiff_t stride[] = { l->outer_stride, l->stride, l->inner_stride };
    *behind = *before = 0;
    for (int i = 0; i < 3; i++)
        *(stride[i] < 0 ? before : behind) += (count[i] - 1) * (size_t)(stride[i] < 0 ? -stride[i] : stride[i]);
}

static void check_shape(const quire_reduction *what, const struct shape *s, int at_end) {
    const int has_y = what->operation == QUIRE_DOT;
    const size_t size = quire_type_size(what->type), vectors = s->layout.outer * s->layout.inner;
    size_t behind, before;
    reach(&s->layout, &behind, &before);
    const size_t bytes = (behind + before + 1) * size, result_bytes = vectors * quire_type_size(what->result_type);
    const char *of_x = place(X, x, bytes, at_end) + before * size,
               *of_y = has_y ? place(Y, y, bytes, at_end) + before * size : NULL;
    check_ok(quire_reduce(NULL, what, &s->layout, x + before * size, NULL, has_y ? y + before * size : NULL, expected));
    for (int i = 0; i < LAUNCH_COUNT; i++) {
        char *results = place(RESULTS, NULL, result_bytes, at_end);
        check_ok(quire_reduce(on[i], what, &s->layout, of_x, NULL, of_y, results));
        compare(what, results, result_bytes, i, s->name, at_end);
    }
}

/* Segments whose lengths are drawn: most are short, one in fifty is long. */
static void check_segments(const quire_reduction *what, int at_end) {
    enum { SEGMENTS = 400, MOST = 3000 };
    static int32_t offset[SEGMENTS + 1];
    const int has_y = what->operation == QUIRE_DOT;
    const size_t size = quire_type_size(what->type), result_bytes = SEGMENTS * quire_type_size(what->result_type);
    generator g;
    generator_seed(&g, 7);
    for (int i = 0; i < SEGMENTS; i++)
        offset[i + 1] = offset[i] + (int32_t)generator_below(&g, generator_below(&g, 50) ? 40 : MOST);
    const size_t bytes = (size_t)offset[SEGMENTS] * size, index_bytes = SEGMENTS * sizeof *offset;
    const char *of_x = place(X, x, bytes, at_end), *of_y = has_y ? place(Y, y, bytes, at_end) : NULL;
    const char *begin = place(BEGIN, offset, index_bytes, at_end), *end = place(END, offset + 1, index_bytes, at_end);
    check_ok(quire_reduce_segments(NULL, what, SEGMENTS, QUIRE_I32, offset, offset + 1, x, has_y ? y : NULL, expected));
    for (int i = 0; i < LAUNCH_COUNT; i++) {
        char *results = place(RESULTS, NULL, result_bytes, at_end);
        check_ok(quire_reduce_segments(on[i], what, SEGMENTS, QUIRE_I32, begin, end, of_x, of_y, results));
        compare(what, results, result_bytes, i, "segments", at_end);
    }
}

/* --------------------------------------------------------------------------------------------- keys, running sums */

enum { ROWS = 2500, GROUPS = 300 };

/* Rows by key: of one column, of three, and of whole chunks of 16 bytes. Some keys are of no group. */
static const ptrdiff_t WIDTHS[] = { 1, 3, 16 };
enum { WIDTH_COUNT = sizeof WIDTHS / sizeof *WIDTHS };

static void draw_keys(int32_t keys[ROWS]) {
    generator g;
    generator_seed(&g, 8);
    for (int i = 0; i < ROWS; i++) /* the first group has half of the rows */
        keys[i] = generator_below(&g, 2) ? 0 : (int32_t)generator_between(&g, -5, GROUPS + 5);
}

static void check_counts(const char *counts, const int64_t *wanted) {
    CUDA(cudaMemcpy(found, counts, GROUPS * sizeof *wanted, cudaMemcpyDeviceToHost));
    ck_assert(!memcmp(found, wanted, GROUPS * sizeof *wanted));
}

/* The workspace is as small as it may be. */
static void check_keys(const quire_reduction *what, ptrdiff_t width, int at_end) {
    static int32_t keys[ROWS];
    static int64_t wanted[GROUPS];
    const int has_y = what->operation == QUIRE_DOT;
    const quire_layout rows = quire_columns(ROWS, (size_t)width, width);
    const size_t bytes = ROWS * (size_t)width * quire_type_size(what->type);
    const size_t result_bytes = GROUPS * (size_t)width * quire_type_size(what->result_type);
    const size_t near = quire_by_key_workspace(NULL, what, GROUPS, QUIRE_I32, &rows);
    void *room;
    draw_keys(keys);
    ck_assert(near && !posix_memalign(&room, 256, near));
    check_ok(quire_reduce_by_key(NULL, what, GROUPS, QUIRE_I32, keys, &rows, x, NULL, has_y ? y : NULL, expected,
                                 wanted, room, near));
    free(room);
    const char *of_x = place(X, x, bytes, at_end), *of_y = has_y ? place(Y, y, bytes, at_end) : NULL;
    const char *of_keys = place(KEYS, keys, sizeof keys, at_end);
    for (int i = 0; i < LAUNCH_COUNT; i++) {
        const size_t size = quire_by_key_workspace(on[i], what, GROUPS, QUIRE_I32, &rows);
        ck_assert(size && size % 256 == 0);
        char *results = place(RESULTS, NULL, result_bytes, at_end), *workspace = place(WORKSPACE, NULL, size, at_end);
        char *counts = place(COUNTS, NULL, sizeof wanted, at_end);
        check_ok(quire_reduce_by_key(on[i], what, GROUPS, QUIRE_I32, of_keys, &rows, of_x, NULL, of_y, results,
                                     (int64_t *)counts, workspace, size));
        compare(what, results, result_bytes, i, width == 1 ? "one column by key" : "columns by key", at_end);
        check_counts(counts, wanted);
    }
}

/* The same in two steps: the order, and segments of rows through it, of which those of no group are the last. */
static void check_gathered(const quire_reduction *what, ptrdiff_t width, int at_end) {
    static int32_t keys[ROWS], order[ROWS], offsets[GROUPS + 1];
    const int has_y = what->operation == QUIRE_DOT;
    const quire_layout rows = quire_columns(ROWS, (size_t)width, width);
    const size_t bytes = ROWS * (size_t)width * quire_type_size(what->type);
    const size_t result_bytes = GROUPS * (size_t)width * quire_type_size(what->result_type);
    const size_t near = quire_order_workspace(NULL, GROUPS, QUIRE_I32, ROWS);
    void *room;
    draw_keys(keys);
    ck_assert(near && !posix_memalign(&room, 256, near));
    check_ok(quire_order_by_key(NULL, GROUPS, QUIRE_I32, ROWS, keys, order, offsets, room, near));
    free(room);
    check_ok(quire_reduce_gathered(NULL, what, GROUPS, QUIRE_I32, offsets, offsets + 1, order, &rows, x, order, &rows,
                                   has_y ? y : NULL, expected));
    const char *of_x = place(X, x, bytes, at_end), *of_y = has_y ? place(Y, y, bytes, at_end) : NULL;
    const char *of_keys = place(KEYS, keys, sizeof keys, at_end);
    for (int i = 0; i < LAUNCH_COUNT; i++) {
        const size_t size = quire_order_workspace(on[i], GROUPS, QUIRE_I32, ROWS);
        ck_assert(size && size % 256 == 0);
        char *results = place(RESULTS, NULL, result_bytes, at_end), *workspace = place(WORKSPACE, NULL, size, at_end);
        char *of_order = place(BEGIN, NULL, sizeof order, at_end), *to = place(END, NULL, sizeof offsets, at_end);
        check_ok(quire_order_by_key(on[i], GROUPS, QUIRE_I32, ROWS, of_keys, of_order, to, workspace, size));
        CUDA(cudaMemcpy(found, of_order, sizeof order, cudaMemcpyDeviceToHost));
        ck_assert(!memcmp(found, order, sizeof order));
        check_ok(quire_reduce_gathered(on[i], what, GROUPS, QUIRE_I32, to, to + sizeof *offsets, of_order, &rows, of_x,
                                       of_order, &rows, of_y, results));
        compare(what, results, result_bytes, i, "gathered rows", at_end);
    }
}

static void check_scan(const quire_reduction *what, const struct shape *s, int at_end) {
    const size_t size = quire_type_size(what->type), result_size = quire_type_size(what->result_type);
    const quire_layout *l = &s->layout;
    size_t behind, before;
    reach(l, &behind, &before);
    const size_t elements = behind + before + 1, result_bytes = elements * result_size;
    if (l->outer_stride == 0 && l->outer > 1) return; /* its results would stand in one place */
    memset(expected, 0xa5, result_bytes);
    check_ok(quire_scan(NULL, what, QUIRE_INCLUSIVE, l, x + before * size, l, expected + before * result_size));
    const char *of_x = place(X, x, elements * size, at_end) + before * size;
    for (int i = 0; i < LAUNCH_COUNT; i++) {
        char *results = place(RESULTS, NULL, result_bytes, at_end);
        check_ok(quire_scan(on[i], what, QUIRE_INCLUSIVE, l, of_x, l, results + before * result_size));
        compare(what, results, result_bytes, i, s->name, at_end);
    }
}

static void check_keys_and_scans(const quire_reduction *what) {
    for (int w = 0; w < 2 * WIDTH_COUNT; w++) {
        check_keys(what, WIDTHS[w / 2], w % 2);
        check_gathered(what, WIDTHS[w / 2], w % 2);
    }
    if (what->operation != QUIRE_SUM || what->method != QUIRE_EXACT) return;
    for (int s = 0; s < 2 * SHAPE_COUNT; s++) check_scan(what, &SHAPES[s / 2], s % 2);
}

static void check_vectors(const quire_reduction *what) {
    for (int at_end = 0; at_end < 2; at_end++) {
        for (int s = 0; s < SHAPE_COUNT; s++) check_shape(what, &SHAPES[s], at_end);
        check_segments(what, at_end);
    }
}

/* A type's arrays, ordinary numbers or of every exponent; each operation and method. */
static void check_all(int i, void (*check)(const quire_reduction *what)) {
    static const quire_operation OPERATIONS[] = { QUIRE_SUM, QUIRE_DOT, QUIRE_NRM2, QUIRE_VARIANCE };
    const quire_type type = TYPES[i / 2];
    const size_t size = quire_type_size(type);
    family_fill_pair(i % 2 ? FAMILY_EVERY_EXPONENT : FAMILY_UNIFORM, type, 3, sizeof x / size, x, y);
    for (int o = 0; o < 4; o++)
        for (int m = 0; m < METHOD_COUNT; m++) {
            const quire_reduction what = { OPERATIONS[o], type, QUIRE_F32, METHODS[m], QUIRE_TO_NEAREST, 0, { 0 } };
            if (OPERATIONS[o] == QUIRE_VARIANCE && METHODS[m] != QUIRE_EXACT) continue;
            check(&what);
        }
}

START_TEST(accesses) { check_all(_i, check_vectors); }
END_TEST

START_TEST(accesses_by_key_and_of_scans) { check_all(_i, check_keys_and_scans); }
END_TEST

/* The guards are there: a copy beyond them fails, and leaves nothing broken. */
START_TEST(guards) {
    char byte = 0;
    ck_assert_int_ne(cudaMemcpy(&byte, memory[X].end, 1, cudaMemcpyDeviceToHost), cudaSuccess);
    ck_assert_int_ne(cudaMemcpy(&byte, memory[X].first - 1, 1, cudaMemcpyDeviceToHost), cudaSuccess);
    (void)cudaGetLastError();
    CUDA(cudaMemcpy(&byte, memory[X].end - 1, 1, cudaMemcpyDeviceToHost));
}
END_TEST

static void add_tests(TCase *cases) {
    tcase_add_unchecked_fixture(cases, open_all, close_all);
    tcase_add_test(cases, guards);
    tcase_add_loop_test(cases, accesses, 0, 2 * TYPE_COUNT);
    tcase_add_loop_test(cases, accesses_by_key_and_of_scans, 0, 2 * TYPE_COUNT);
}

int main(void) { return device_is_missing() ? 0 : run_cases_without_place("guards", add_tests); }
