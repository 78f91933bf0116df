/* sources.c - the arrays that the operands of a command line name.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sources.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "complain.h"

/* A new source at the end; NULL after a complaint. */
static struct source *append(struct sources *sources, const char *path) {
    struct source *more = realloc(sources->source, (sources->count + 1) * sizeof *more);
    if (!more) {
        out_of_memory();
        return NULL;
    }
    sources->source = more;
    more += sources->count++;
    memset(more, 0, sizeof *more);
    more->path = path;
    snprintf(more->name, sizeof more->name, "%s", strcmp(path, "-") ? path : "standard input");
    return more;
}

/* The length of the archive's path in ARCHIVE.npz or ARCHIVE.npz:NAME; 0 if it is neither, or such a file itself
 * exists. */
static size_t archive_length(const char *operand) {
    const char *end = strcasestr(operand, ".npz");
    struct stat stat_;
    while (end && end[4] && end[4] != ':') end = strcasestr(end + 1, ".npz");
    if (!end || (end[4] && !stat(operand, &stat_))) return 0;
    return (size_t)(end + 4 - operand);
}

static int add_members(struct sources *sources, const char *path, const char *wanted, const struct zip_member *members,
                       size_t count) {
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        if (wanted && strcmp(wanted, members[i].name)) continue;
        struct source *source = append(sources, path);
        if (!source) return EXIT_TROUBLE;
        source->in_archive = found = true;
        source->member = members[i];
        snprintf(source->name, sizeof source->name, "%.240s:%s", path, members[i].name);
    }
    if (found) return EXIT_FINE;
    if (wanted)
        complain("%s: no array '%s' in the archive", path, wanted);
    else
        complain("%s: no array in the archive", path);
    return EXIT_TROUBLE;
}

/* operand[length] is the end or a colon, which becomes the end. */
static int add_archive(struct sources *sources, char *operand, size_t length) {
    struct zip_member *members;
    size_t count;
    const char *wanted = operand[length] ? operand + length + 1 : NULL;
    operand[length] = 0;
    const int fd = open(operand, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        complain("%s: %s", operand, strerror(errno));
        return EXIT_TROUBLE;
    }
    int status = zip_list(operand, fd, &members, &count);
    close(fd);
    if (!status) status = add_members(sources, operand, wanted, members, count);
    free(members);
    return status;
}

/* A table is an array for each of the columns, whose names stand one behind the other, or one of all. */
static int add_columns(struct sources *sources, const char *path, bool together) {
    const char *end = sources->columns + sources->columns_length;
    const bool several = sources->columns_count > 1 && !together;
    for (const char *column = sources->columns; column <= end; column += strlen(column) + 1) {
        struct source *source = append(sources, path);
        if (!source) return EXIT_TROUBLE;
        source->column = column;
        source->columns = together ? sources->columns_count : 1;
        if (together) break;
        const size_t length = strlen(source->name);
        if (several) snprintf(source->name + length, sizeof source->name - length, ":%s", column);
        if (several && !strcmp(path, "-")) {
            complain("standard input is read once: several columns need a file");
            return EXIT_USAGE;
        }
    }
    return EXIT_FINE;
}

/* Copies a name up to its comma or its end, without blanks around it; in double quotes it may have commas, and a quote
 * twice, as in a table. NULL if it is none; else *to is behind it. */
static const char *copy_name(const char *from, char **to) {
    char *next = *to;
    from += strspn(from, " ");
    bool open = *from == '"';
    const bool quoted = open;
    from += quoted;
    while (*from && (open || *from != ',')) {
        if (quoted && !open && *from++ != ' ') return NULL; /* something behind the last quote */
        if (quoted && !open) continue;
        if (quoted && *from == '"' && *++from != '"')
            open = false;
        else
            *next++ = *from++;
    }
    while (!quoted && next > *to && next[-1] == ' ') next--;
    if (open || next == *to) return NULL;
    *next = 0;
    *to = next;
    return from;
}

/* Cuts the columns at their commas. */
static int cut_columns(struct sources *sources, const char *columns) {
    if (!columns) return EXIT_FINE;
    char *to = sources->columns = malloc(strlen(columns) + 1);
    if (!to) return out_of_memory();
    for (const char *from = columns;; from++, to++) {
        if (!(from = copy_name(from, &to))) {
            complain("--column %s: not names or numbers with commas between", columns);
            return EXIT_USAGE;
        }
        sources->columns_count++;
        if (!*from) break;
    }
    sources->columns_length = (size_t)(to - sources->columns);
    return EXIT_FINE;
}

static int add_operand(struct sources *sources, char *operand, const struct reading *reading) {
    const size_t archive = archive_length(operand);
    if (archive && reading->column) {
        complain("%s: an archive has no columns; ARCHIVE.npz:NAME is one of its arrays", operand);
        return EXIT_USAGE;
    }
    if (archive) return add_archive(sources, operand, archive);
    if (reading->column) return add_columns(sources, operand, reading->together && sources->columns_count > 2);
    return append(sources, operand) ? EXIT_FINE : EXIT_TROUBLE;
}

int sources_find(struct sources *sources, const char *verb, char *const *operands, int count,
                 const struct reading *reading) {
    static char standard[] = "-";
    char *const none[] = { standard };
    *sources = (struct sources){ NULL, 0, NULL, 0, 0 };
    if (!count && isatty(STDIN_FILENO)) {
        complain("%s needs a file, or numbers on standard input", verb);
        return EXIT_USAGE;
    }
    if (!count) operands = none, count = 1;
    int dashes = 0, status = cut_columns(sources, reading->column);
    for (int i = 0; i < count && !status; i++) {
        dashes += !strcmp(operands[i], "-");
        status = add_operand(sources, operands[i], reading);
    }
    if (status || dashes < 2) return status;
    complain("%s: only one file can be standard input", verb);
    return EXIT_USAGE;
}

void sources_free(struct sources *sources) {
    free(sources->source);
    free(sources->columns);
}
