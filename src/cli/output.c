/* output.c - a file written whole, or not at all.
 *
 * SPDX-License-Identifier: MIT
 */
#include "output.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "complain.h"

static const char *volatile unfinished; /* what is being written beside a file */

static int trouble(const char *path) {
    complain("%s: %s", path, strerror(errno));
    return EXIT_TROUBLE;
}

static bool write_parts(FILE *file, const struct output_part *parts, int count) {
    for (int i = 0; i < count; i++)
        if (parts[i].length && fwrite(parts[i].bytes, parts[i].length, 1, file) != 1) return false;
    return !fflush(file);
}

/* To a pipe or a device, which cannot be replaced. */
static int write_in_place(const char *path, const struct output_part *parts, int count) {
    FILE *file = fopen(path, "wb");
    if (!file) return trouble(path);
    const bool fine = write_parts(file, parts, count);
    const int error = errno;
    if (!fclose(file) && fine) return EXIT_FINE;
    if (!fine) errno = error;
    return trouble(path);
}

static int write_beside(const char *path, const char *beside, int fd, const struct output_part *parts, int count) {
    FILE *file = fdopen(fd, "wb");
    unfinished = beside;
    bool fine = file && write_parts(file, parts, count);
    const mode_t mask = umask(0);
    umask(mask);
    fine = fine && !fchmod(fd, 0666 & ~mask);
    int error = errno;
    if (file ? fclose(file) : close(fd)) {
        if (fine) error = errno;
        fine = false;
    }
    if (fine && rename(beside, path)) {
        error = errno;
        fine = false;
    }
    unfinished = NULL;
    if (fine) return EXIT_FINE;
    errno = error;
    const int status = trouble(path);
    unlink(beside);
    return status;
}

void output_abandon(void) {
    if (unfinished) unlink(unfinished);
}

bool output_is(const char *output, const char *operand) {
    char archive[PATH_MAX];
    struct stat of_output, of_operand;
    const char *colon = strrchr(operand, ':');
    if (stat(output, &of_output) || !S_ISREG(of_output.st_mode)) return false;
    if (stat(operand, &of_operand)) {
        if (!colon || (size_t)(colon - operand) >= sizeof archive) return false;
        memcpy(archive, operand, (size_t)(colon - operand));
        archive[colon - operand] = 0;
        if (stat(archive, &of_operand)) return false;
    }
    return of_output.st_dev == of_operand.st_dev && of_output.st_ino == of_operand.st_ino;
}

int output_write(const char *path, const struct output_part *parts, int count) {
    char beside[PATH_MAX];
    struct stat there;
    if (!strcmp(path, "-")) return write_parts(stdout, parts, count) ? EXIT_FINE : EXIT_TROUBLE; /* main complains */
    if (!lstat(path, &there) && !S_ISREG(there.st_mode)) return write_in_place(path, parts, count);
    const int length = snprintf(beside, sizeof beside, "%s.XXXXXX", path);
    if (length < 0 || (size_t)length >= sizeof beside) {
        errno = ENAMETOOLONG;
        return trouble(path);
    }
    const int fd = mkstemp(beside);
    return fd < 0 ? trouble(path) : write_beside(path, beside, fd, parts, count);
}
