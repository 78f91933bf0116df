/* fuzz_text.c - a table or a text of numbers. The first byte chooses the column and the delimiter.
 *
 * SPDX-License-Identifier: MIT
 */
#include <unistd.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const columns[] = { NULL, "1", "2", "3", "a", "b", "price", "x y" };
    static const int delimiters[] = { 0, ',', ';', '\t', ' ', '|', 'x', '1' };
    struct source source;
    if (!size) return 0;
    const struct reading reading = { .delimiter = delimiters[data[0] >> 3 & 7] };
    const int fd = fuzz_file(data + 1, size - 1, &source);
    source.column = columns[data[0] & 7];
    fuzz_read(&source, &reading);
    close(fd);
    return 0;
}
