/* fill.c - copying memory with several threads.
 *
 * SPDX-License-Identifier: MIT
 */
#include "fill.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#define MOST_THREADS 8
#define LEAST_SHARE ((size_t)1 << 20) /* bytes for which a thread is worth starting */

struct share {
    void *to;
    const void *from;
    size_t bytes;
};

static void *fill_share(void *argument) {
    const struct share *share = argument;
    memcpy(share->to, share->from, share->bytes);
    return NULL;
}

static size_t thread_count(size_t bytes) {
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t count = bytes / LEAST_SHARE;
    if (count > MOST_THREADS) count = MOST_THREADS;
    if (processors > 0 && count > (size_t)processors) count = (size_t)processors;
    return count ? count : 1;
}

/* The calling thread takes the last share, and any for which no thread can be had. */
void fill(void *to, const void *from, size_t bytes) {
    const size_t count = thread_count(bytes), part = bytes / count;
    struct share share[MOST_THREADS];
    pthread_t thread[MOST_THREADS];
    bool started[MOST_THREADS] = { false };
    for (size_t i = 0; i < count; i++) {
        share[i] = (struct share){ (char *)to + i * part, (const char *)from + i * part,
                                   i + 1 < count ? part : bytes - i * part };
        started[i] = i + 1 < count && !pthread_create(&thread[i], NULL, fill_share, &share[i]);
        if (!started[i]) fill_share(&share[i]);
    }
    for (size_t i = 0; i < count; i++)
        if (started[i]) pthread_join(thread[i], NULL);
}
