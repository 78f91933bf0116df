/* peers.h - other libraries, as contenders. Each is one file, and optional when the bench is built; cuBLAS also when it
 * runs.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_PEERS_H
#define QUIRE_BENCH_PEERS_H

#include "contenders/contender.h"

/* Add those that are there, and note them; note also what is missing, and why (notes.h). */
void peers_add_cpu(contenders *all);
void peers_add_gpu(contenders *all, bool many); /* many: those that take many vectors a call */
void peers_close(void);

#endif
