/* fill.h - copying memory with several threads.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CLI_FILL_H
#define QUIRE_CLI_FILL_H

#include <stddef.h>

/* memcpy by as many threads as are of use. One thread reads a mapped file at a fraction of the speed of a GPU's bus. */
void fill(void *to, const void *from, size_t bytes);

#endif
