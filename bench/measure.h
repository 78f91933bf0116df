/* measure.h - all contenders at one job.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_MEASURE_H
#define QUIRE_BENCH_MEASURE_H

#include "data.h"
#include "row.h"

/* Times and judges all contenders; rows[i] is of contender i. The job's vectors are the data's. Complains and answers false
 * if a contender fails. */
bool measure(const contenders *all, const options *o, const job *j, data *d, row *rows);

#endif
