/* npy_write.c - an array written as an .npy file (version 1).
 *
 * SPDX-License-Identifier: MIT
 */
#include "npy_write.h"

#include <stdio.h>
#include <string.h>

#include "complain.h"
#include "names.h"
#include "output.h"

#define ALIGNMENT 64
#define TEXT 2048 /* room for 64 lengths of 20 digits */

/* The header's text, without what pads it. */
static size_t write_text(char text[TEXT], quire_type type, const size_t *shape, int dimensions, bool fortran) {
    size_t length = (size_t)snprintf(text, TEXT, "{'descr': '%s', 'fortran_order': %s, 'shape': (", type_descr(type),
                                     fortran ? "True" : "False");
    for (int i = 0; i < dimensions; i++)
        length += (size_t)snprintf(text + length, TEXT - length, "%s%zu", i ? ", " : "", shape[i]);
    return length + (size_t)snprintf(text + length, TEXT - length, "%s), }", dimensions == 1 ? "," : "");
}

int npy_write(const char *path, quire_type type, const size_t *shape, int dimensions, bool fortran, const void *array,
              size_t count) {
    char head[NPY_MAGIC_SIZE + 4 + TEXT + ALIGNMENT] = NPY_MAGIC "\1";
    char *text = head + NPY_MAGIC_SIZE + 4;
    size_t length = write_text(text, type, shape, dimensions, fortran);
    while ((NPY_MAGIC_SIZE + 4 + length + 1) % ALIGNMENT) text[length++] = ' ';
    text[length++] = '\n';
    head[NPY_MAGIC_SIZE + 2] = (char)(length & 255);
    head[NPY_MAGIC_SIZE + 3] = (char)(length >> 8);
    const struct output_part parts[] = { { head, NPY_MAGIC_SIZE + 4 + length }, { array, count * type_size(type) } };
    return output_write(path, parts, 2);
}
