/* zip.c - the directory of a zip archive.
 *
 * After PKWARE's APPNOTE.TXT (4.3.7 local header, 4.3.12 central directory, 4.3.14 to 16 its end, 4.5.3 ZIP64). The
 * file may come from anywhere: no length in it is believed before it is compared with what is there.
 *
 * SPDX-License-Identifier: MIT
 */
#include "zip.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "complain.h"

#define LOCAL_SIZE 30
#define CENTRAL_SIZE 46
#define END_SIZE 22
#define LOCATOR_SIZE 20
#define END64_SIZE 56
#define COMMENT 65535                  /* the longest that can follow the end record */
#define DIRECTORY ((uint64_t)64 << 20) /* the longest directory that is believed */

static uint64_t number_at(const unsigned char *at, int bytes) {
    uint64_t number = 0;
    while (bytes-- > 0) number = number << 8 | at[bytes];
    return number;
}

static int wrong(const char *name, const char *what) {
    complain("%s: damaged .npz archive: %s", name, what);
    return EXIT_TROUBLE;
}

/* Exactly length bytes from a place on. */
static bool read_at(int fd, uint64_t place, void *to, size_t length) {
    size_t done = 0;
    while (done < length) {
        const ssize_t got = pread(fd, (char *)to + done, length - done, (off_t)(place + done));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        done += (size_t)got;
    }
    return true;
}

struct directory {
    uint64_t place, length;
};

/* The end record of ZIP64, which a locator before the old one points to. */
static bool find_end64(int fd, uint64_t size, uint64_t end, struct directory *directory) {
    unsigned char locator[LOCATOR_SIZE], record[END64_SIZE];
    if (end < LOCATOR_SIZE || !read_at(fd, end - LOCATOR_SIZE, locator, LOCATOR_SIZE)) return false;
    if (memcmp(locator, "PK\6\7", 4)) return false;
    const uint64_t place = number_at(locator + 8, 8);
    if (place > size || size - place < END64_SIZE || !read_at(fd, place, record, END64_SIZE)) return false;
    if (memcmp(record, "PK\6\6", 4)) return false;
    directory->length = number_at(record + 40, 8);
    directory->place = number_at(record + 48, 8);
    return true;
}

static bool find_directory(int fd, uint64_t size, struct directory *directory) {
    const size_t tail = size < END_SIZE + COMMENT ? (size_t)size : END_SIZE + COMMENT;
    unsigned char *bytes = malloc(tail + 1);
    bool found = bytes && tail >= END_SIZE && read_at(fd, size - tail, bytes, tail);
    size_t at = found ? tail - END_SIZE : 0;
    while (found && memcmp(bytes + at, "PK\5\6", 4)) found = at-- > 0;
    if (found) {
        directory->length = number_at(bytes + at + 12, 4);
        directory->place = number_at(bytes + at + 16, 4);
        if (directory->place == UINT32_MAX || directory->length == UINT32_MAX)
            found = find_end64(fd, size, size - tail + at, directory);
    }
    free(bytes);
    return found && directory->length <= DIRECTORY && directory->place <= size &&
           directory->length <= size - directory->place;
}

/* The 64-bit numbers of the extra field stand for those of 32 bits that are full, in this order. */
static bool read_extra(const unsigned char *extra, size_t length, uint64_t *size, uint64_t *packed, uint64_t *place) {
    uint64_t *const wanted[] = { size, packed, place };
    while (length >= 4) {
        const size_t part = (size_t)number_at(extra + 2, 2);
        if (part > length - 4) return false;
        if (number_at(extra, 2) == 1) {
            size_t at = 0;
            for (int i = 0; i < 3; i++) {
                if (*wanted[i] != UINT32_MAX) continue;
                if (at + 8 > part) return false;
                *wanted[i] = number_at(extra + 4 + at, 8);
                at += 8;
            }
            return true;
        }
        extra += 4 + part;
        length -= 4 + part;
    }
    return true;
}

/* Reads one entry, and answers its length; 0 if it is wrong. skip: it is no array. */
static size_t read_entry(const unsigned char *at, size_t left, struct zip_member *member, bool *skip,
                         const char **problem) {
    *problem = "its directory";
    if (left < CENTRAL_SIZE || memcmp(at, "PK\1\2", 4)) return 0;
    const size_t name = (size_t)number_at(at + 28, 2), extra = (size_t)number_at(at + 30, 2);
    const size_t length = CENTRAL_SIZE + name + extra + (size_t)number_at(at + 32, 2);
    if (length > left) return 0;
    uint64_t size = number_at(at + 24, 4);
    *member = (struct zip_member){ .place = number_at(at + 42, 4), .packed = number_at(at + 20, 4) };
    if (!read_extra(at + CENTRAL_SIZE + name, extra, &size, &member->packed, &member->place)) return 0;
    const char *text = (const char *)at + CENTRAL_SIZE;
    *skip = name < 4 || memcmp(text + name - 4, ".npy", 4);
    if (*skip) return length;
    const uint64_t method = number_at(at + 10, 2);
    if (number_at(at + 8, 2) & 1)
        *problem = "a member is encrypted";
    else if (method != 0 && method != 8)
        *problem = "a member is compressed in a way other than zlib's";
    else if (name - 4 >= ZIP_NAME || memchr(text, 0, name))
        *problem = "a member's name";
    else {
        memcpy(member->name, text, name - 4);
        member->deflated = method == 8;
        member->checksum = (uint32_t)number_at(at + 16, 4);
        return length;
    }
    return 0;
}

static int read_entries(const char *name, const unsigned char *at, size_t left, struct zip_member *members,
                        size_t *count) {
    const char *problem;
    for (*count = 0; left > 0;) {
        bool skip;
        struct zip_member member;
        const size_t length = read_entry(at, left, &member, &skip, &problem);
        if (!length) return wrong(name, problem);
        if (!skip && *count == ZIP_MEMBERS) return wrong(name, "too many members");
        if (!skip) members[(*count)++] = member;
        at += length;
        left -= length;
    }
    return EXIT_FINE;
}

int zip_list(const char *name, int fd, struct zip_member **members, size_t *count) {
    struct stat stat;
    struct directory directory;
    *members = NULL;
    if (fstat(fd, &stat) || !S_ISREG(stat.st_mode)) {
        complain("%s: an .npz archive is read from a file, not from a pipe", name);
        return EXIT_TROUBLE;
    }
    if (!find_directory(fd, (uint64_t)stat.st_size, &directory)) return wrong(name, "its end");
    const size_t length = (size_t)directory.length;
    unsigned char *bytes = malloc(length + 1);
    *members =
        calloc(length / CENTRAL_SIZE + 1 < ZIP_MEMBERS ? length / CENTRAL_SIZE + 1 : ZIP_MEMBERS, sizeof **members);
    int status = EXIT_TROUBLE;
    if (!bytes || !*members)
        complain("%s: out of memory", name);
    else if (!read_at(fd, directory.place, bytes, length))
        wrong(name, "its directory");
    else
        status = read_entries(name, bytes, length, *members, count);
    free(bytes);
    if (status) free(*members), *members = NULL;
    return status;
}

int zip_seek(const char *name, int fd, const struct zip_member *member) {
    unsigned char header[LOCAL_SIZE];
    if (member->place > INT64_MAX / 2 || !read_at(fd, member->place, header, LOCAL_SIZE) || memcmp(header, "PK\3\4", 4))
        return wrong(name, "a member's header");
    const uint64_t start = member->place + LOCAL_SIZE + number_at(header + 26, 2) + number_at(header + 28, 2);
    if (lseek(fd, (off_t)start, SEEK_SET) < 0) return wrong(name, "a member's header");
    return EXIT_FINE;
}
