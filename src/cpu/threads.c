/* threads.c - the pieces of a job given to threads: a pool for each context, started when the context is opened.
 *
 * The threads sleep between calls. A call offers seats, and whoever wakes takes one; the caller takes pieces as they
 * do. So a pool of any size, of no thread too, does all pieces, and a call waits for no thread that has not begun.
 *
 * A forked child has the memory of the pool and none of its threads, and its lock may be held by one of them for ever.
 * So a pool counts for nothing in a process that is not its own (pool_threads), and its lock is left alone there.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_getaffinity, where there is one */
#endif

#include "cpu/threads.h"

static void run_alone(size_t pieces, thread_work work, void *job) {
    for (size_t i = 0; i < pieces; i++) work(job, i, 1);
}

#ifdef QUIRE_THREADS

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

/* Of a thread: more than the 384 KiB that quire.h promises to a call. glibc takes a program's thread-local variables
 * out of it, and refuses a stack that has no room for them: then it is made larger. */
#define STACK_BYTES ((size_t)1 << 20)
#define STACK_MOST ((size_t)1 << 30)

typedef struct {
    thread_work work;
    void *job;
    size_t pieces;
    atomic_size_t next; /* the first piece that nobody has taken */
} shared_work;

struct thread_pool {
    unsigned forks; /* of the process that opened it */
    int started;    /* threads */
    pthread_mutex_t lock;
    pthread_cond_t call, left; /* there are seats, or it is the end; the last thread has left its seat */
    /* Under the lock: */
    shared_work *shared;
    int seats, seated; /* how many threads may still join, and how many have */
    int ends;
    pthread_t thread[];
};

/* ------------------------------------------------------------------------------------------------------------ forks */

/* How many forks lie between this process and the first one that opened a pool. */
static atomic_uint forks;

static void count_fork(void) { atomic_fetch_add_explicit(&forks, 1, memory_order_relaxed); }

static unsigned forks_now(void) { return atomic_load_explicit(&forks, memory_order_relaxed); }

static int forks_are_counted;

static void watch_forks(void) { forks_are_counted = !pthread_atfork(NULL, NULL, count_fork); }

/* ---------------------------------------------------------------------------------------------------------- threads */

static void do_pieces(shared_work *s, int first_thread) {
    size_t piece;
    while ((piece = atomic_fetch_add_explicit(&s->next, 1, memory_order_relaxed)) < s->pieces)
        s->work(s->job, piece, first_thread);
}

static void *serve(void *argument) {
    thread_pool *pool = argument;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (!pool->seats && !pool->ends) pthread_cond_wait(&pool->call, &pool->lock);
        if (pool->ends) break;
        shared_work *shared = pool->shared;
        pool->seats--, pool->seated++;
        pthread_mutex_unlock(&pool->lock);
        do_pieces(shared, 0);
        pthread_mutex_lock(&pool->lock);
        if (!--pool->seated) pthread_cond_signal(&pool->left);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static int start_thread(thread_pool *pool) {
    pthread_attr_t attributes;
    int error;
    if (pthread_attr_init(&attributes)) return 0;
    size_t stack = STACK_BYTES;
    do {
        error = pthread_attr_setstacksize(&attributes, stack);
        if (!error) error = pthread_create(&pool->thread[pool->started], &attributes, serve, pool);
    } while (error == EINVAL && (stack *= 2) <= STACK_MOST);
    pthread_attr_destroy(&attributes);
    pool->started += !error;
    return !error;
}

/* Signals are for the program's own threads; but faults are the faulting thread's. */
static void start_threads(thread_pool *pool, int count) {
    static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP };
    sigset_t blocked, callers;
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigdelset(&blocked, faults[i]);
    if (pthread_sigmask(SIG_BLOCK, &blocked, &callers)) return;
    while (pool->started < count && start_thread(pool)) continue;
    pthread_sigmask(SIG_SETMASK, &callers, NULL);
}

static void pool_free(thread_pool *pool) {
    pthread_cond_destroy(&pool->left);
    pthread_cond_destroy(&pool->call);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

thread_pool *pool_open(int threads) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (threads <= 1 || pthread_once(&once, watch_forks) || !forks_are_counted) return NULL;
    thread_pool *pool = calloc(1, sizeof *pool + (size_t)(threads - 1) * sizeof *pool->thread);
    if (!pool) return NULL;
    pool->forks = forks_now();
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->call, NULL);
    pthread_cond_init(&pool->left, NULL);
    start_threads(pool, threads - 1);
    if (pool->started) return pool;
    pool_free(pool);
    return NULL;
}

int pool_threads(const thread_pool *pool) { return pool && pool->forks == forks_now() ? pool->started + 1 : 1; }

/* Of another process there is nothing to end, and waiting for its threads would not end. */
void pool_close(thread_pool *pool) {
    if (pool_threads(pool) == 1) {
        free(pool);
        return;
    }
    pthread_mutex_lock(&pool->lock);
    pool->ends = 1;
    pthread_cond_broadcast(&pool->call);
    pthread_mutex_unlock(&pool->lock);
    for (int i = 0; i < pool->started; i++) pthread_join(pool->thread[i], NULL);
    pool_free(pool);
}

/* ------------------------------------------------------------------------------------------------------------- jobs */

static void offer_seats(thread_pool *pool, shared_work *shared, int seats) {
    pthread_mutex_lock(&pool->lock);
    pool->shared = shared;
    pool->seats = seats;
    pthread_mutex_unlock(&pool->lock);
    for (int i = 0; i < seats; i++) pthread_cond_signal(&pool->call);
}

/* Until no thread works for this call. A thread that is cancelled here would leave them without what they work on. */
static void clear_seats(thread_pool *pool) {
    int state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    pthread_mutex_lock(&pool->lock);
    pool->seats = 0;
    while (pool->seated) pthread_cond_wait(&pool->left, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
    pthread_setcancelstate(state, &state);
}

void pool_run(thread_pool *pool, int threads, size_t pieces, thread_work work, void *job) {
    shared_work shared = { work, job, pieces, 0 };
    if (threads == 1) {
        run_alone(pieces, work, job);
        return;
    }
    offer_seats(pool, &shared, threads - 1);
    do_pieces(&shared, 1);
    clear_seats(pool);
}

/* ------------------------------------------------------------------------------------------------------- how many */

static int processors(void) {
#ifdef CPU_COUNT_S
    cpu_set_t set[8]; /* of 1024 each: the most that Linux has */
    if (!sched_getaffinity(0, sizeof set, set)) return CPU_COUNT_S(sizeof set, set);
#endif
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online < 1 ? 1 : online < QUIRE_MAX_THREADS ? (int)online : QUIRE_MAX_THREADS;
}

/* OMP_NUM_THREADS is a number, or a list, whose first is that of threads which are not within others. 0: it is unset,
 * or names no number. */
static long threads_named(void) {
    const char *name = getenv("OMP_NUM_THREADS");
    char *end;
    if (!name) return 0;
    const long number = strtol(name, &end, 10);
    while (*end == ' ' || *end == '\t') end++;
    return end != name && (!*end || *end == ',') && number > 0 ? number : 0;
}

int threads_available(void) {
    const int most = processors();
    const long named = threads_named();
    return named && named < most ? (int)named : most;
}

#else

int threads_available(void) { return 1; }

thread_pool *pool_open(int threads) {
    (void)threads;
    return NULL;
}

int pool_threads(const thread_pool *pool) {
    (void)pool;
    return 1;
}

void pool_close(thread_pool *pool) { (void)pool; }

void pool_run(thread_pool *pool, int threads, size_t pieces, thread_work work, void *job) {
    (void)pool, (void)threads;
    run_alone(pieces, work, job);
}

#endif

void threads_add(quire_accumulator *into, const quire_accumulator *from) {
    int64_t *to = (int64_t *)into;
    const int64_t *words = (const int64_t *)from;
    for (int i = 0; i < QUIRE_ACCUMULATOR_WORDS; i++) __atomic_fetch_add(&to[i], words[i], __ATOMIC_RELAXED);
}

int quire_has_openmp(void) {
#ifdef QUIRE_THREADS
    return 1;
#else
    return 0;
#endif
}
