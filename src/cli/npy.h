/* npy.h - the header of an .npy file.
 *
 * The format (numpy.lib.format, versions 1.0, 2.0 and 3.0): the six bytes of the magic, the two of the version, the length
 * of the text that follows (little-endian: two bytes in version 1, four in 2 and 3), the text, and the elements. The text is
 * a Python dictionary of exactly three entries, such as
 *     {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
 * then blanks and a newline.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_NPY_H
#define QUIRE_CLI_NPY_H

#include <stdbool.h>
#include <stddef.h>

#include <quire/quire.h>

#define NPY_MAGIC "\x93NUMPY"
#define NPY_MAGIC_SIZE 6
#define NPY_MAX_TEXT (1 << 20) /* the longest header text that is believed */
#define NPY_MAX_DIMENSIONS 64  /* as NumPy 2                               */

struct npy_header {
    int type;       /* a quire_type; 0: opaque bytes, which is how NumPy writes types that others taught it  */
    size_t opaque;  /* how many of them: two ('V2') for bfloat16, one ('V1') for types of 8 bits             */
    bool foreign;   /* the elements are in the other byte order                                              */
    bool fortran;   /* the first index runs fastest                                                          */
    size_t count;   /* how many elements                                                                     */
    int dimensions; /* how many lengths there are in shape                                                   */
    size_t shape[NPY_MAX_DIMENSIONS];
    char problem[96]; /* what is wrong with the header, when npy_parse answers false                         */
};

/* Reads the text, length bytes that need not end with a zero. False: it is not the header of an array of floats. */
bool npy_parse(struct npy_header *header, const char *text, size_t length);

#endif
