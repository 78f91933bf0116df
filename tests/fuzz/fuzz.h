/* fuzz.h - what the targets share: a file in memory, and complaints that go nowhere.
 *
 * A target is one function, LLVMFuzzerTestOneInput, which libFuzzer calls with bytes; it must neither crash nor leak,
 * and REQUIREs what holds for any bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_TESTS_FUZZ_H
#define QUIRE_TESTS_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../src/cli/input.h"

#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition)) fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), abort();                     \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* How many complaints there were; a failure has one, and what goes well has none. */
extern int complaints;

/* A file without a name that holds these bytes; source then names it. Answers its descriptor. */
int fuzz_file(const uint8_t *data, size_t size, struct source *source);

/* Opens and reads the source to its end, in pieces of one size and of another, and requires both to be the same. */
void fuzz_read(const struct source *source, const struct reading *reading);

#endif
