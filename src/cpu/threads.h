/* threads.h - the threads of a context: pieces of a job go to whichever is free; accumulators that they share.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_CPU_THREADS_H
#define QUIRE_CPU_THREADS_H

#include "backend.h"

typedef struct thread_pool thread_pool;

/* One piece of a job; first_thread: whether the thread that called pool_run does it. It runs in the environment of
 * whoever opened the pool, so it sees to its own. */
typedef void (*thread_work)(void *job, size_t piece, int first_thread);

/* As many as there are processors that this process may run on, or fewer if OMP_NUM_THREADS says so. */
QUIRE_PRIVATE int threads_available(void);

/* Starts threads beside the caller's, or as many as can be started. NULL: there are none. */
QUIRE_PRIVATE thread_pool *pool_open(int threads);

/* How many there are for a call, with the caller's: 1 for NULL, and in a forked child, which has none of the pool's. */
QUIRE_PRIVATE int pool_threads(const thread_pool *pool);

/* Does all pieces, each by whichever of the threads is free; by one, in their order. threads: pool_threads at most. */
QUIRE_PRIVATE void pool_run(thread_pool *pool, int threads, size_t pieces, thread_work work, void *job);

/* Ends the threads; NULL is allowed. */
QUIRE_PRIVATE void pool_close(thread_pool *pool);

/* Adds the words of an accumulator to those of one that other threads may be adding to. Words just add up, in any
 * order: of carried accumulators, fewer than LIMB_MERGES. */
QUIRE_PRIVATE void threads_add(quire_accumulator *into, const quire_accumulator *from);

#endif
