/* judge_rows.h - whether the results of many vectors come out right.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_JUDGE_ROWS_H
#define QUIRE_BENCH_JUDGE_ROWS_H

#include "jobs/data.h"
#include "report/row.h"

/* Judges rows by their results: of a sample of the vectors they are compared with the single calls on these vectors,
 * which are made on the CPU. A method's are to have the same bits, whatever the launch; of everyone the error is the
 * greatest, in ulps of the greatest exact result. Complains and answers false if a result cannot be had. */
bool rows_judge(const job *j, const data *d, row *rows, int count);

#endif
