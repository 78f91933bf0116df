/* fuzz_text.c - a table or a text of numbers, and the columns that a command line names.
 *
 * The first byte chooses a column and the delimiter. If it has bit 6, the first line behind it is what stands behind
 * --column, names in quotes included, and the rest is the file. With bit 7 fractions stand behind a comma.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>
#include <unistd.h>

#include "../../src/cli/sources.h"
#include "fuzz.h"

#define NAMED 0x40
#define COMMA 0x80
#define LONGEST ((size_t)4096) /* of what stands behind --column */

/* The arrays of a file's columns. False after one complaint. */
static bool find(struct sources *sources, const char *path, const struct reading *reading) {
    char operand[64];
    char *const operands[] = { strcpy(operand, path) };
    complaints = 0;
    const int status = sources_find(sources, "sum", operands, 1, reading);
    REQUIRE(complaints == (status ? 1 : 0));
    for (size_t i = 0; i < sources->count; i++) sources->source[i].path = path;
    return !status;
}

/* The names again, each in quotes, with commas between. */
static size_t quote(const struct sources *sources, char *to) {
    char *at = to;
    for (size_t i = 0; i < sources->count; i++) {
        if (i) *at++ = ',';
        *at++ = '"';
        for (const char *name = sources->source[i].column; *name; *at++ = *name++)
            if (*name == '"') *at++ = '"';
        *at++ = '"';
    }
    *at = 0;
    return (size_t)(at - to);
}

/* Whether a column of that name can be asked for: numbers count columns, and fields of a table are short. */
static bool is_name(const char *name) {
    char *end;
    strtol(name, &end, 10);
    return *end && strlen(name) < TEXT_FIELD;
}

/* How many of the columns have this name. */
static int count_name(const struct sources *names, const char *name) {
    int count = 0;
    for (size_t i = 0; i < names->count; i++) count += !strcmp(names->source[i].column, name);
    return count;
}

/* A table whose heading has these names, and 1, 2, 3, ... below them: each is found, unless it is there twice. */
static void find_again(const struct sources *names, const char *quoted, size_t length) {
    static char table[8 * LONGEST];
    for (size_t i = 0; i < names->count; i++)
        if (strlen(names->source[i].column) >= TEXT_FIELD) return;
    memcpy(table, quoted, length);
    for (size_t i = 0; i < names->count; i++)
        length += (size_t)snprintf(table + length, sizeof table - length, "%c%zu", i ? ',' : '\n', i + 1);
    REQUIRE(length < sizeof table - 1);
    struct source file;
    struct sources sources;
    const struct reading reading = { .column = quoted, .ways.delimiter = ',' };
    const int fd = fuzz_file((const uint8_t *)table, length, &file);
    REQUIRE(find(&sources, file.path, &reading) && sources.count == names->count);
    for (size_t i = 0; i < names->count && i < 16; i++) {
        const char *name = names->source[i].column;
        REQUIRE(!strcmp(sources.source[i].column, name));
        if (!is_name(name)) continue;
        struct input input;
        double x[2];
        if (count_name(names, name) > 1) {
            complaints = 0;
            REQUIRE(input_open(&input, &sources.source[i], &reading) && complaints == 1);
            continue;
        }
        REQUIRE(!input_open(&input, &sources.source[i], &reading));
        REQUIRE(input_read(&input, 2, x, NULL) == 1 && x[0] == (double)(i + 1));
        input_close(&input);
    }
    sources_free(&sources);
    close(fd);
}

static void named(const uint8_t *data, size_t size, struct reading *reading) {
    static char columns[LONGEST + 1], quoted[4 * LONGEST];
    struct sources sources;
    struct source file;
    const uint8_t *end = memchr(data, '\n', size);
    const size_t line = end ? (size_t)(end - data) : size, length = line < LONGEST ? line : LONGEST;
    memcpy(columns, data, length);
    columns[length] = 0;
    reading->column = columns;
    const size_t rest = end ? line + 1 : line;
    const int fd = fuzz_file(data + rest, size - rest, &file);
    if (find(&sources, file.path, reading)) {
        for (size_t i = 0; i < sources.count && i < 4; i++) fuzz_read(&sources.source[i], reading);
        find_again(&sources, quoted, quote(&sources, quoted));
    }
    sources_free(&sources);
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const columns[] = { NULL, "1", "2", "3", "a", "b", "price", "x y" };
    static const int delimiters[] = { 0, ',', ';', '\t', ' ', '|', 'x', '1' };
    struct source source;
    if (!size) return 0;
    struct reading reading = { .ways = { .delimiter = delimiters[data[0] >> 3 & 7],
                                         .point = data[0] & COMMA ? ',' : 0 } };
    if (data[0] & NAMED) {
        named(data + 1, size - 1, &reading);
        return 0;
    }
    const int fd = fuzz_file(data + 1, size - 1, &source);
    source.column = columns[data[0] & 7], source.columns = 1;
    fuzz_read(&source, &reading);
    close(fd);
    return 0;
}
