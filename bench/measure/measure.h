/* measure.h - the contenders of a place at one job.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_MEASURE_H
#define QUIRE_BENCH_MEASURE_H

#include "jobs/data.h"
#include "jobs/truth.h"
#include "report/row.h"

/* Times and judges all contenders that take the job, which is to be on the data; t is NULL for many vectors. Rows are
 * of the fastest ceiling and of whoever took it. A peer or rung that fails is complained about and left out; complains
 * and answers false if one of ours does. */
bool measure(const contenders *all, const options *o, job *j, const truth *t, data *d, row *rows, int *count);

#endif
