/* fuzz_npz.c - an archive: its directory, and every array that it names.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>
#include <unistd.h>

#include "fuzz.h"

#define MOST_MEMBERS 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct source source;
    struct zip_member *members;
    size_t count = 0;
    const struct reading reading = { .typed = false };
    const int fd = fuzz_file(data, size, &source);
    complaints = 0;
    const int status = zip_list("fuzz", fd, &members, &count);
    REQUIRE(complaints == (status ? 1 : 0));
    for (size_t i = 0; !status && i < count && i < MOST_MEMBERS; i++) {
        REQUIRE(strlen(members[i].name) < ZIP_NAME);
        source.in_archive = true;
        source.member = members[i];
        fuzz_read(&source, &reading);
    }
    free(members);
    close(fd);
    return 0;
}
