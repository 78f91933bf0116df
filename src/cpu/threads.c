/* threads.c - the pieces of a job given to threads.
 *
 * OpenMP's runtime computes in floating point where it starts, at the first call into it, whatever that call is. It
 * would trap, or raise flags, in the caller's environment. So each function that calls it is called in ours, and is
 * never inlined: a compiler may put calls of its own (LLVM's for the number of the thread) anywhere in a function that
 * has a parallel region, before its first line too.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cpu/drivers.h"

#ifdef _OPENMP

#include <omp.h>

#include "cpu/environment.h"

#define APART __attribute__((noinline))

static APART int ask_openmp(void) {
    const int threads = omp_get_max_threads(), processors = omp_get_num_procs();
    return threads < processors ? threads : processors;
}

static APART void run_in_parallel(int threads, size_t pieces, thread_work work, void *job) {
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (size_t i = 0; i < pieces; i++) work(job, i, omp_get_thread_num() == 0);
}

int threads_available(void) {
    const cpu_environment callers = environment_enter();
    const int threads = ask_openmp();
    environment_leave(callers);
    return threads;
}

void threads_run(int threads, size_t pieces, thread_work work, void *job) {
    const cpu_environment callers = environment_enter();
    run_in_parallel(threads, pieces, work, job);
    environment_leave(callers);
}

#else

int threads_available(void) { return 1; }

void threads_run(int threads, size_t pieces, thread_work work, void *job) {
    (void)threads;
    for (size_t i = 0; i < pieces; i++) work(job, i, 1);
}

#endif

void threads_add(quire_accumulator *into, const quire_accumulator *from) {
    int64_t *to = into->limb;
    const int64_t *words = from->limb;
    for (int i = 0; i < QUIRE_ACCUMULATOR_WORDS; i++) {
#pragma omp atomic
        to[i] += words[i];
    }
}

int quire_has_openmp(void) {
#ifdef _OPENMP
    return 1;
#else
    return 0;
#endif
}
