/* support.c - arrays, comparison and the runner, for every suite. */
#define _POSIX_C_SOURCE 200809L
#include "support.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "place.h"

static int run_runner(SRunner *runner) {
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed && !getenv("CK_TAP_LOG_FILE_NAME");
}

static Suite *suite_of(const char *name, void (*add)(TCase *cases)) {
    Suite *suite = suite_create(name);
    TCase *cases = tcase_create(name);
    tcase_set_timeout(cases, 600);
    add(cases);
    suite_add_tcase(suite, cases);
    return suite;
}

int run_suite(Suite *suite) {
    SRunner *runner = srunner_create(suite);
    const char *reason = place_unavailable();
    if (reason) {
        printf("1..0 # SKIP %s\n", reason);
        srunner_free(runner);
        return 0;
    }
    const int status = run_runner(runner);
    place_close();
    return status;
}

int run_cases(const char *name, void (*add)(TCase *cases)) { return run_suite(suite_of(name, add)); }

int run_cases_without_place(const char *name, void (*add)(TCase *cases)) {
    return run_runner(srunner_create(suite_of(name, add)));
}

size_t scaled(size_t count) {
    const char *text = getenv("QUIRE_TEST_SCALE");
    double product = (double)count * (text ? strtod(text, NULL) : 1);
    return product < 1 ? 1 : (size_t)product;
}

int drawn(generator *g) {
    const size_t part = scaled(1000);
    return part >= 1000 || generator_below(g, 1000) < part;
}

/* ----------------------------------------------------------------------------------------------------------- arrays */

/* The allocation's own address lies before the array's multiple of 64. */
void *array_new(size_t size, size_t offset) {
    void *block;
    check_that(offset < 64, "an offset of %zu", offset);
    check_that(!posix_memalign(&block, 64, 64 + offset + size), "no memory for %zu bytes", size);
    memset(block, 0xa5, 64 + offset + size);
    return (unsigned char *)block + 64 + offset;
}

void *array_copy(const void *from, size_t size, size_t offset) {
    void *array = array_new(size, offset);
    if (size) memcpy(array, from, size);
    return array;
}

void array_free(void *array) {
    if (array) /* the block begins 64 + offset bytes before: at the multiple of 64 below the array's own */
        free((unsigned char *)array - (uintptr_t)array % 64 - 64);
}

/* ------------------------------------------------------------------------------------------------------- comparison */

void check_bits_at(const char *file, int line, quire_type type, uint64_t found, uint64_t expected, const char *format,
                   ...) {
    char text[400];
    int digits = (int)(2 * type_size(type));
    va_list arguments;

    if (found == expected) return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    ck_abort_msg("%s:%d: %s: %s 0x%0*llx (%a) expected, 0x%0*llx (%a) found", file, line, text, type_name(type), digits,
                 (unsigned long long)expected, type_decode(type, expected), digits, (unsigned long long)found,
                 type_decode(type, found));
}

void check_ok_at(const char *file, int line, const char *text, quire_status status) {
    if (status != QUIRE_OK)
        ck_abort_msg("%s:%d: %s: status %d, %s", file, line, text, (int)status, quire_status_string(status));
}
