/* fuzz_npy.c - a file as the command reads it: .npy, raw, text or gzip. The first byte names the type given.
 *
 * SPDX-License-Identifier: MIT
 */
#include <unistd.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const types[] = { "bf16", "e4m3", "f32", ">f8", "i8", ">u2", "<i8", "u64" };
    struct source source;
    struct reading reading = { .typed = false };
    if (!size) return 0;
    reading.typed = data[0] & 8 && element_named(types[data[0] & 7], &reading.element);
    const int fd = fuzz_file(data + 1, size - 1, &source);
    fuzz_read(&source, &reading);
    close(fd);
    return 0;
}
