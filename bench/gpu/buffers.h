/* buffers.h - the data on the device: copies of the vectors, one after the other, that are used in turn, so that what
 * was read last is out of every cache by the time that it is read again.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_GPU_BUFFERS_H
#define QUIRE_BENCH_GPU_BUFFERS_H

#include "jobs/data.h"

/* Room for vectors of so many bytes: for two copies at least, if that much memory is free, and for four times the
 * cache. Complains and answers false if not even one fits. */
bool buffers_open(size_t bytes, bool wants_y);
void buffers_close(void);

/* Brings the data there, as many copies as there is room for (but no more than many); shifted: one, x moved up by one
 * element and y by three. Answers a CUDA error, 0 if all is well. */
int buffers_fill(const data *d, bool shifted, int many);

int buffers_copies(void);

/* Copy number i, counted round; y is NULL if there is none. */
const void *buffers_x(int i);
const void *buffers_y(int i);

#endif
