/* head.h - the first lines of what the benchmarks over ranks write.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_RANKS_HEAD_H
#define QUIRE_BENCH_RANKS_HEAD_H

#include <stdio.h>

/* Version, commit, compiler, processor, date and command, a comment line each. */
void write_head(FILE *to, int argc, char **argv);

#endif
