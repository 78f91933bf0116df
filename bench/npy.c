/* npy.c - just enough of NEP 1, the .npy format, for one array of numbers.
 *
 * SPDX-License-Identifier: MIT
 */
#include "npy.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "terminal.h"

#define MAGIC "\x93NUMPY"
#define MAX_TEXT 4095

static const struct {
    const char *word;
    quire_type type;
} descriptions[] = {
    { "<f2", QUIRE_F16 }, { "<f4", QUIRE_F32 }, { "<f8", QUIRE_F64 }, { "V2", QUIRE_BF16 }, { "<u2", QUIRE_BF16 }, { "<f1", QUIRE_E5M2 },
};

/* What follows 'key': in the text of the header, past blanks; NULL if there is no such key. */
static const char *value_of(const char *text, const char *key) {
    const char *at = strstr(text, key);
    return at ? at + strlen(key) + strspn(at + strlen(key), " ") : NULL;
}

static bool parse_type(npy *from, const char *text) {
    const char *at = value_of(text, "'descr':");
    for (size_t i = 0; at && i < sizeof descriptions / sizeof *descriptions; i++) {
        const char *word = descriptions[i].word;
        const char *start = at + 1 + (word[0] == 'V' && strchr("<|", at[1]) ? 1 : 0);
        if (!strncmp(start, word, strlen(word)) && start[strlen(word)] == '\'') {
            from->type = descriptions[i].type;
            return true;
        }
    }
    return complain("%s: not an array of f2, f4, f8 or bfloat16 in little-endian order", from->name);
}

/* The product of the dimensions. */
static bool parse_count(npy *from, const char *text) {
    const char *at = value_of(text, "'shape':");
    if (!at || *at != '(') return complain("%s: no shape in the .npy header", from->name);
    from->count = 1;
    for (at++; *at != ')';) {
        char *end;
        const unsigned long long length = strtoull(at, &end, 10);
        if (end == at || (length && from->count > SIZE_MAX / 8 / length))
            return complain("%s: wrong shape in the .npy header", from->name);
        from->count *= (size_t)length;
        at = end + strspn(end, ", ");
    }
    return true;
}

static bool read_text(npy *from, char text[MAX_TEXT + 1]) {
    unsigned char head[12] = { 0 };
    size_t length = 0;
    const bool magic = fread(head, 1, 8, from->file) == 8 && !memcmp(head, MAGIC, 6);
    const size_t width = head[6] == 1 ? 2 : 4;
    if (!magic || fread(head + 8, 1, width, from->file) != width) return complain("%s: not an .npy file", from->name);
    for (size_t i = 0; i < width; i++) length |= (size_t)head[8 + i] << 8 * i;
    if (length > MAX_TEXT || fread(text, 1, length, from->file) != length)
        return complain("%s: wrong .npy header", from->name);
    text[length] = '\0';
    from->start = ftell(from->file);
    return true;
}

/* That the elements promised are there. */
static bool check_length(const npy *from) {
    const long size = fseek(from->file, 0, SEEK_END) ? -1 : ftell(from->file);
    if (size < 0) return complain("%s: %s", from->name, strerror(errno));
    if ((size_t)(size - from->start) / type_size(from->type) < from->count)
        return complain("%s: truncated: %zu elements promised", from->name, from->count);
    return from->count > 0 || complain("%s: no elements", from->name);
}

bool npy_open(npy *from, const char *path) {
    char text[MAX_TEXT + 1];
    const char *slash = strrchr(path, '/');
    from->name = slash ? slash + 1 : path;
    from->file = fopen(path, "rb");
    if (!from->file) return complain("%s: %s", path, strerror(errno));
    if (read_text(from, text) && parse_type(from, text) && parse_count(from, text) && check_length(from)) return true;
    npy_close(from);
    return false;
}

bool npy_read(const npy *from, size_t n, void *x) {
    if (!fseek(from->file, from->start, SEEK_SET) && fread(x, type_size(from->type), n, from->file) == n) return true;
    return complain("%s: cannot be read", from->name);
}

void npy_close(npy *from) {
    if (from->file) fclose(from->file);
    from->file = NULL;
}
