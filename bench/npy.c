/* npy.c - the user's own numbers: the header by the command's reader, the elements of an array by fread.
 *
 * SPDX-License-Identifier: MIT
 */
#include "npy.h"

#include <errno.h>
#include <string.h>

#include "../src/cli/npy.h"
#include "number.h"
#include "terminal.h"

static ptrdiff_t read_bytes(void *user, void *to, size_t length) {
    FILE *file = user;
    const size_t got = fread(to, 1, length, file);
    return ferror(file) ? -1 : (ptrdiff_t)got;
}

/* NumPy has no bfloat16: two opaque bytes and unsigned integers of 16 bits are taken for it. */
static bool take_type(npy *from, const struct element *element) {
    const bool two_bytes = !element->type || (element->integer && !element->is_signed);
    if (two_bytes && element->size == 2)
        from->type = QUIRE_BF16;
    else if (element->type && !element->integer)
        from->type = (quire_type)element->type;
    else
        return complain("%s: not an array of f1, f2, f4, f8 or bfloat16", from->name);
    return !element->foreign || complain("%s: not in the byte order of this machine", from->name);
}

static bool read_header(npy *from) {
    struct npy_header header;
    if (!npy_read_header(&header, read_bytes, from->file))
        return complain("%s: %s", from->name, *header.problem ? header.problem : "cannot be read");
    from->start = ftell(from->file);
    from->count = header.count;
    return take_type(from, &header.element);
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
    const char *slash = strrchr(path, '/');
    from->name = slash ? slash + 1 : path;
    from->file = fopen(path, "rb");
    if (!from->file) return complain("%s: %s", path, strerror(errno));
    if (read_header(from) && check_length(from)) return true;
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
