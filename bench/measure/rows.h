/* rows.h - many vectors a call: rows and columns of a matrix, and segments.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_ROWS_H
#define QUIRE_BENCH_ROWS_H

#include "jobs/data.h"
#include "places/place.h"
#include "report/row.h"

/* The bytes of a vector of the widest type that holds all the vectors of a place, and how many of them are in host
 * memory: all of them, if whole. Complains and answers false if they are too many for offsets. */
bool rows_room(const options *o, const place *where, bool whole, size_t *bytes, size_t *host_bytes);

/* Measures the contenders of a place at everything that is asked for, and reports it. Complains and answers false if
 * something fails. */
bool rows_run(const contenders *all, const options *o, data *d);

void rows_close(void);

#endif
