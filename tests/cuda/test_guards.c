/* test_guards.c - no access outside what a call is given: vectors, offsets and results stand at the very end, or the
 * very start, of memory that has nothing mapped beside it, where any other access is a fault. Results are the CPU's.
 * CK_FORK=no. */
#define _POSIX_C_SOURCE 200809L
#include <cuda.h>
#include <string.h>

#include "device.h"
#include "families.h"
#include "support.h"

#define DRIVER(call) ck_assert_msg((call) == CUDA_SUCCESS, "%s", #call)

/* ------------------------------------------------------------------------------------------------- memory, guarded */

static const char *const LAUNCHES[] = { "0,0", "1,1", "7,0" };
enum { LAUNCH_COUNT = 3, ARRAYS = 5, MOST_BYTES = 1 << 20 };
enum { X, Y, RESULTS, BEGIN, END };

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
    ck_assert_uint_le(bytes, MOST_BYTES);
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

/* A type's arrays, ordinary numbers or of every exponent; each operation and method. */
START_TEST(accesses) {
    static const quire_operation OPERATIONS[] = { QUIRE_SUM, QUIRE_DOT, QUIRE_NRM2, QUIRE_VARIANCE };
    const quire_type type = TYPES[_i / 2];
    const size_t size = quire_type_size(type);
    family_fill_pair(_i % 2 ? FAMILY_EVERY_EXPONENT : FAMILY_UNIFORM, type, 3, sizeof x / size, x, y);
    for (int o = 0; o < 4; o++)
        for (int m = 0; m < METHOD_COUNT; m++) {
            const quire_reduction what = { OPERATIONS[o], type, QUIRE_F32, METHODS[m], QUIRE_TO_NEAREST, 0, { 0 } };
            if (OPERATIONS[o] == QUIRE_VARIANCE && METHODS[m] != QUIRE_EXACT) continue;
            for (int at_end = 0; at_end < 2; at_end++) {
                for (int s = 0; s < SHAPE_COUNT; s++) check_shape(&what, &SHAPES[s], at_end);
                check_segments(&what, at_end);
            }
        }
}
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
}

int main(void) { return device_is_missing() ? 0 : run_cases_without_place("guards", add_tests); }
