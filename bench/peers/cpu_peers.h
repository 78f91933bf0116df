/* cpu_peers.h - what the files of this folder offer peers.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_CPU_PEERS_H
#define QUIRE_BENCH_CPU_PEERS_H

#include "contenders/contender.h"

/* The BLAS that pkg-config found: asum, nrm2 and dot of float and double, on one thread. */
void blas_add(contenders *all);

#endif
