/* npy.h - the header of an .npy file.
 *
 * The format (numpy.lib.format, versions 1.0, 2.0 and 3.0): the six bytes of the magic, the two of the version, the
 * length of the text that follows (little-endian: two bytes in version 1, four in 2 and 3), the text, and the elements.
 * The text is a Python dictionary of exactly three entries, such as
 *     {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
 * then blanks and a newline.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_NPY_H
#define QUIRE_CLI_NPY_H

#include <stdbool.h>
#include <stddef.h>

#include "element.h"

#define NPY_MAGIC "\x93NUMPY"
#define NPY_MAGIC_SIZE 6
#define NPY_MAX_TEXT (1 << 20) /* the longest header text that is believed */
#define NPY_MAX_DIMENSIONS 64  /* as NumPy 2 */

struct npy_header {
    struct element element;
    bool fortran;   /* the first index runs fastest */
    size_t count;   /* how many elements */
    int dimensions; /* how many lengths there are in shape */
    size_t shape[NPY_MAX_DIMENSIONS];
    char problem[160]; /* what is wrong with the header, when npy_read or npy_parse answers false */
};

/* Reads up to length bytes of a file: how many; -1 for a failure that was told of already. */
typedef ptrdiff_t npy_source(void *user, void *to, size_t length);

/* Reads all that stands before the elements, the magic included. False: problem tells why, or is empty where the source
 * failed. */
bool npy_read_header(struct npy_header *header, npy_source *source, void *user);

/* Reads the text, length bytes that need not end with a zero. False: it is not the header of an array of floats or
 * integers. */
bool npy_parse(struct npy_header *header, const char *text, size_t length);

/* Whether the order of the elements in the file is that of Fortran and differs from that of C. */
bool npy_truly_fortran(const struct npy_header *header);

/* Whether two shapes are the same, but for dimensions of length 1. */
bool npy_same_shape(const struct npy_header *x, const struct npy_header *y);

#endif
