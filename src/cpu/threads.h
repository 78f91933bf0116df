/* threads.h - the pieces of a job given to threads. threads.c alone knows of OpenMP.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_THREADS_H
#define QUIRE_CPU_THREADS_H

#include "backend.h"

/* One piece of a job; first_thread: whether the thread that called threads_run does it. It runs in the environment of
 * whoever made the thread, so it sees to its own. */
typedef void (*thread_work)(void *job, size_t piece, int first_thread);

/* As many threads as OpenMP would use, but no more than this process has processors for. */
QUIRE_PRIVATE int threads_available(void);

/* Does all pieces, each by whichever of the threads is free. */
QUIRE_PRIVATE void threads_run(int threads, size_t pieces, thread_work work, void *job);

/* Adds the words of an accumulator to those of one that other threads may be adding to. Words just add up, in any
 * order. */
QUIRE_PRIVATE void threads_add(quire_accumulator *into, const quire_accumulator *from);

#endif
