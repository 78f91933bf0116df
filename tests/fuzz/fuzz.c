/* fuzz.c - what the targets share.
 *
 * SPDX-License-Identifier: MIT
 */
#include "fuzz.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../src/cli/complain.h"

#define MOST ((size_t)1 << 22) /* elements that are read: a small file can decompress to much */

int complaints;
const char program_name[] = "fuzz";

bool complain(const char *format, ...) {
    (void)format;
    complaints++;
    return false;
}

void remark(const char *format, ...) { (void)format; }

int fuzz_file(const uint8_t *data, size_t size, struct source *source) {
    static char path[64];
    const int fd = memfd_create("fuzz", MFD_CLOEXEC);
    REQUIRE(fd >= 0);
    for (size_t done = 0; done < size;) {
        const ssize_t put = write(fd, data + done, size - done);
        REQUIRE(put > 0);
        done += (size_t)put;
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    memset(source, 0, sizeof *source);
    source->path = path;
    snprintf(source->name, sizeof source->name, "fuzz");
    return fd;
}

/* How a reading ended, and a hash of what was read. */
struct end {
    bool opened, failed;
    size_t count;
    uint64_t hash;
};

static void hash(struct end *end, const void *bytes, size_t length) {
    const unsigned char *at = bytes;
    while (length-- > 0) end->hash = (end->hash ^ *at++) * 0x100000001b3u;
}

/* Elements and second parts are hashed apart from each other's pieces: one after the other. */
static void read_pieces(struct end *end, struct input *input, size_t piece) {
    double *x = malloc(piece * sizeof *x), *low = malloc(piece * sizeof *low);
    REQUIRE(x && low);
    const size_t size = input->element.integer ? sizeof(double) : input->element.size;
    for (ssize_t got = 1; got > 0 && end->count < MOST; end->count += (size_t)got) {
        got = input_read(input, piece, x, low);
        REQUIRE(got <= (ssize_t)piece);
        end->failed = got < 0;
        if (got < 0) break;
        for (ssize_t i = 0; i < got; i++) {
            hash(end, (char *)x + (size_t)i * size, size);
            if (input->wide) hash(end, &low[i], sizeof *low);
        }
    }
    if (!end->failed && input->counted && end->count < MOST) REQUIRE(end->count == input->n);
    free(x);
    free(low);
}

static struct end read_all(const struct source *source, const struct reading *reading, size_t piece) {
    struct end end = { false, false, 0, 0 };
    struct input input;
    complaints = 0;
    end.opened = !input_open(&input, source, reading);
    if (end.opened) {
        read_pieces(&end, &input, piece);
        if (input.mappable && !end.failed) {
            void *map;
            size_t length;
            const void *elements = input_map(&input, &map, &length);
            REQUIRE(elements || !input.n);
            if (map) munmap(map, length);
        }
        input_close(&input);
    }
    REQUIRE(complaints == (end.opened && !end.failed ? 0 : 1));
    return end;
}

void fuzz_read(const struct source *source, const struct reading *reading) {
    const struct end a = read_all(source, reading, 1000), b = read_all(source, reading, 7);
    REQUIRE(a.opened == b.opened);
    if (a.count >= MOST || b.count >= MOST || a.failed || b.failed) {
        REQUIRE(a.failed == b.failed || a.count >= MOST || b.count >= MOST);
        return;
    }
    REQUIRE(a.count == b.count && a.hash == b.hash);
}
