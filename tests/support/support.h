/* support.h - what every suite needs beside number.h: arrays at chosen alignments, comparison of bits with a readable
 * message, the size of a run, and the runner that speaks TAP. */
#ifndef QUIRE_TESTS_SUPPORT_H
#define QUIRE_TESTS_SUPPORT_H

#include <check.h>
#include <stddef.h>
#include <stdint.h>

#include "number.h"

/* Defined where a sanitizer keeps its own memory beside the program's: stacks and addresses are more than ours then. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif

/* Runs a suite and answers main()'s exit status: 0 under TAP (CK_TAP_LOG_FILE_NAME is set; the log tells), else whether
 * anything failed. If the place that QUIRE_TEST_PLACE names cannot be had here, the suite is skipped, aloud. */
int run_suite(Suite *suite);

/* The same for a suite of one test case, to which add adds the tests. */
int run_cases(const char *name, void (*add)(TCase *cases));

/* The same for what asks no place. */
int run_cases_without_place(const char *name, void (*add)(TCase *cases));

/* A loop count, scaled by the environment variable QUIRE_TEST_SCALE (a decimal number; 1 if unset), at least 1. */
size_t scaled(size_t count);

/* Of very many cases, whether the next one is tried: all at a scale of 1 or more; else that part, drawn at random. */
int drawn(generator *g);

/* size bytes that begin offset bytes after a multiple of 64 and end where the allocation ends, so that a sanitizer sees
 * the first byte read too many. Fails the test if there is no memory. Free with array_free. */
void *array_new(size_t size, size_t offset);
void *array_copy(const void *from, size_t size, size_t offset);
void array_free(void *array);

/* Fails the test unless the element of the type at result has exactly these bits. The message shows both in hexadecimal
 * and as values, after the text that the format makes. */
#define check_bits(type, result, expected, ...)                                                                        \
    check_bits_at(__FILE__, __LINE__, type, type_load(type, result, 0), expected, __VA_ARGS__)
void check_bits_at(const char *file, int line, quire_type type, uint64_t found, uint64_t expected, const char *format,
                   ...) __attribute__((format(printf, 6, 7)));

/* Fails the test with a message unless the condition holds. Unlike ck_assert it costs nothing when it does hold (Check
 * writes to a file each time), so it may stand in the innermost loop, and outside of a test. */
#define check_that(condition, ...)                                                                                     \
    do                                                                                                                 \
        if (!(condition)) ck_abort_msg(__VA_ARGS__);                                                                   \
    while (0)

/* Fails the test unless status is QUIRE_OK. */
#define check_ok(expression) check_ok_at(__FILE__, __LINE__, #expression, expression)
void check_ok_at(const char *file, int line, const char *text, quire_status status);

#endif
