/* npy_write.h - an array written as an .npy file.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_NPY_WRITE_H
#define QUIRE_CLI_NPY_WRITE_H

#include "npy.h"

/* count elements, of the shape. EXIT_FINE, or EXIT_TROUBLE, and then no file is left. */
int npy_write(const char *path, quire_type type, const size_t *shape, int dimensions, bool fortran, const void *array,
              size_t count);

#endif
