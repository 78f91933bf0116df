/* run.h - runs a suite of Check in C++, as tests/support/support.c does in C. */
#ifndef QUIRE_TESTS_CPP_RUN_H
#define QUIRE_TESTS_CPP_RUN_H

#include <check.h>
#include <cstdlib>

/* What main answers: with TAP, failures are in the log. */
static inline int run(Suite *suite) {
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return std::getenv("CK_TAP_LOG_FILE_NAME") ? EXIT_SUCCESS : failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
