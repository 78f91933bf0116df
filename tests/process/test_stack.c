/* test_stack.c - a call on a CPU needs no more of the stack than quire.h says. Each runs in a thread whose stack is
 * filled before; how far down that has changed is what the call has used. On the CPU alone. */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "families.h"
#include "many.h"
#include "place.h"
#include "support.h"

#define PROMISED ((size_t)384 << 10) /* as quire.h has it */
#define STACK ((size_t)1 << 20)
#define FILLED 0x5a

/* Sanitizers, and a compiler that does not optimize, keep more there. */
static const char *why_not(void) {
#if defined(SANITIZED)
    return "a sanitizer needs more stack";
#elif !defined(__OPTIMIZE__)
    return "not optimized";
#else
    return NULL;
#endif
}

/* One of each way through src/cpu: short, of a piece and longer; contiguous and strided; rows; panels of columns in
 * place and gathered, and few columns; segments are rows. Then the same by key, most rows in one of two groups. */
static const quire_layout LAYOUTS[] = {
    { 1, 300, 1, 0, 1, 0 },     { 1, 150000, 1, 0, 1, 0 },  { 1, 300, 1, 0, 3, 0 },      { 1, 2000, 1, 0, 3, 0 },
    { 1, 150000, 1, 0, 2, 0 },  { 20, 300, 1, 301, 1, 0 },  { 1, 50, 1000, 0, 1000, 1 }, { 1, 300, 40, 0, 41, 1 },
    { 1, 5000, 33, 0, 33, 1 },  { 1, 20000, 16, 0, 16, 1 }, { 1, 300, 5, 0, 5, 1 },      { 1, 40000, 5, 0, 5, 1 },
    { 20, 20, 20, 400, 20, 1 },
};
enum { LAYOUT_COUNT = sizeof LAYOUTS / sizeof *LAYOUTS, ELEMENTS = 350000, MOST_RESULTS = 2000 };

typedef struct work {
    const quire_reduction *what; /* NULL: nothing is called */
    const quire_layout *layout;
    const void *x, *y;
    const int64_t *keys; /* NULL: not by key */
    void *workspace;
    size_t workspace_size;
    quire_status status;
    uint64_t results[MOST_RESULTS];
} work;

static void *call(void *argument) {
    work *w = argument;
    if (w->what && w->keys)
        w->status = quire_reduce_by_key(place_context(), w->what, 2, QUIRE_I64, w->keys, w->layout, w->x, NULL, w->y,
                                        w->results, NULL, w->workspace, w->workspace_size);
    else if (w->what)
        w->status = quire_reduce(place_context(), w->what, w->layout, w->x, NULL, w->y, w->results);
    return NULL;
}

/* How many bytes of a thread's stack the work changes. */
static size_t stack_of(unsigned char *stack, work *w) {
    pthread_t thread;
    pthread_attr_t attributes;
    size_t untouched = 0;
    memset(stack, FILLED, STACK);
    check_that(!pthread_attr_init(&attributes) && !pthread_attr_setstack(&attributes, stack, STACK), "no attributes");
    check_that(!pthread_create(&thread, &attributes, call, w) && !pthread_join(thread, NULL), "no thread");
    pthread_attr_destroy(&attributes);
    check_ok(w->status);
    while (untouched < STACK && stack[untouched] == FILLED) untouched++;
    return STACK - untouched;
}

/* By key, of what has been done without. */
static size_t stack_by_key(unsigned char *stack, work *w, const int64_t *keys) {
    w->keys = keys;
    w->workspace_size = quire_by_key_workspace(place_context(), w->what, 2, QUIRE_I64, w->layout);
    check_that(w->workspace_size && !posix_memalign(&w->workspace, 256, w->workspace_size), "no workspace");
    const size_t used = stack_of(stack, w);
    free(w->workspace);
    w->keys = NULL;
    return used;
}

START_TEST(calls_keep_to_their_stack) {
    static const operation operations[] = { OPERATION_SUM,      OPERATION_DOT,     OPERATION_NRM2,
                                            OPERATION_VARIANCE, OPERATION_AVERAGE, OPERATION_CORRELATION };
    static const quire_method methods[] = { QUIRE_EXACT, QUIRE_KAHAN };
    static const family families[] = { FAMILY_EVERY_EXPONENT, FAMILY_ANY_BITS };
    static work w;
    static int64_t keys[ELEMENTS];
    generator g;
    const quire_type type = TYPES[_i / 2];
    const size_t bytes = ELEMENTS * type_size(type);
    void *x = array_new(bytes, 0), *y = array_new(bytes, 0);
    unsigned char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    check_that(stack != MAP_FAILED, "no memory");
    family_fill_pair(families[_i % 2], type, 1, ELEMENTS, x, y);
    w = (work){ .x = x, .y = y };
    generator_seed(&g, 870 + (uint64_t)_i);
    for (size_t i = 0; i < ELEMENTS; i++) keys[i] = i % 10 == 0;
    const size_t of_thread = stack_of(stack, &w);
    for (size_t v = 0; v < place_variants(); v++) {
        const char *variant = place_use(v);
        for (size_t k = 0; variant && k < LAYOUT_COUNT * 12; k++) {
            const quire_reduction what = {
                operation_number(operations[k / 2 % 6]), type, type, methods[k % 2], QUIRE_TO_NEAREST, 0, { 0 }
            };
            if (operation_is_exact(what.operation) && what.method != QUIRE_EXACT) continue;
            if ((k / 2 + k / 12 + (size_t)_i) % 2 || !drawn(&g)) continue; /* each with one of the two families */
            w.what = &what, w.layout = &LAYOUTS[k / 12];
            const size_t used = stack_of(stack, &w) - of_thread;
            const size_t by_key = stack_by_key(stack, &w, keys) - of_thread;
            check_that(used <= PROMISED, "%s, %s, layout %zu: %zu bytes of stack", variant, reduction_text(&what),
                       k / 12, used);
            check_that(by_key <= PROMISED, "%s, %s, layout %zu, by key: %zu bytes of stack", variant,
                       reduction_text(&what), k / 12, by_key);
        }
    }
    place_use(0);
    munmap(stack, STACK);
    array_free(x);
    array_free(y);
}
END_TEST

static void add_tests(TCase *cases) { tcase_add_loop_test(cases, calls_keep_to_their_stack, 0, 2 * TYPE_COUNT); }

int main(void) {
    const char *reason = why_not();
    if (!reason) return run_cases("stack", add_tests);
    printf("1..0 # SKIP %s\n", reason);
    return 0;
}
