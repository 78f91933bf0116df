/* golden_file.h - what the suites of golden files share: the lines of a file, each written by the suite from the
 * oracles, and compared with. Needs QUIRE_GOLDEN_DIR, the folder of the files. */
#ifndef QUIRE_TESTS_GOLDEN_FILE_H
#define QUIRE_TESTS_GOLDEN_FILE_H

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "support.h"

#ifndef QUIRE_GOLDEN_DIR
#error "QUIRE_GOLDEN_DIR is the folder of the golden files"
#endif

#define GOLDEN_LINE 512

/* A file: its name, how many lines it has, and the text of one of them, without its end, from the oracles or from the
 * library. */
typedef struct golden_file {
    const char *name;
    size_t lines;
    void (*make)(size_t line, int of_library, char *text, size_t room);
} golden_file;

static inline FILE *golden_open(const golden_file *f, const char *mode) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.txt", QUIRE_GOLDEN_DIR, f->name);
    FILE *opened = fopen(path, mode);
    if (!opened) ck_abort_msg("%s cannot be opened", path);
    return opened;
}

static inline void golden_check(const golden_file *f, int of_library) {
    char text[GOLDEN_LINE], expected[GOLDEN_LINE];
    FILE *file = golden_open(f, "r");
    for (size_t i = 0; i < f->lines; i++) {
        f->make(i, of_library, expected, sizeof expected);
        check_that(fgets(text, sizeof text, file) != NULL, "golden/%s.txt ends before: %s", f->name, expected);
        text[strcspn(text, "\n")] = 0;
        check_that(!strcmp(text, expected), "golden/%s.txt has \"%s\", but now \"%s\"", f->name, text, expected);
    }
    check_that(!fgets(text, sizeof text, file), "golden/%s.txt has more lines", f->name);
    fclose(file);
}

static inline void golden_write(const golden_file *f) {
    char text[GOLDEN_LINE];
    FILE *file = golden_open(f, "w");
    for (size_t i = 0; i < f->lines; i++) {
        f->make(i, 0, text, sizeof text);
        fprintf(file, "%s\n", text);
    }
    fclose(file);
}

/* Adds printf's text behind that of a line. */
#define golden_add(text, room, ...) snprintf((text) + strlen(text), (room)-strlen(text), __VA_ARGS__)

#endif
