/* processes.c - fork, and a pipe for each share. Pointers in a share are into what the processes have in common: names,
 * and the sources that were opened before.
 *
 * SPDX-License-Identifier: MIT
 */
#include "processes.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "command/terminal.h"

typedef struct process {
    pid_t id;
    int pipe; /* its end to read from */
} process;

static bool write_all(int to, const void *from, size_t size) {
    const char *at = from;
    while (size) {
        const ssize_t some = write(to, at, size);
        if (some <= 0) return false;
        at += some;
        size -= (size_t)some;
    }
    return true;
}

/* Ctrl-C reaches all; what ends this process alone is handed on. */
static bool read_all(const process *all, int count, int from, void *to, size_t size) {
    struct pollfd wait = { .fd = from, .events = POLLIN };
    char *at = to;
    while (size) {
        const int ready = poll(&wait, 1, 500);
        for (int i = 0; interrupted() && i < count; i++) kill(all[i].id, SIGTERM);
        if (interrupted()) nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
        if (ready <= 0) continue;
        const ssize_t some = read(from, at, size);
        if (some <= 0) return false;
        at += some;
        size -= (size_t)some;
    }
    return true;
}

/* The child ends here, without what the parent has to flush and to close. What all would complain of, the first says.
 */
static void be_child(int to, bool (*work)(void *, int, share *), void *user, int i) {
    if (i && !freopen("/dev/null", "w", stderr)) _exit(EXIT_TROUBLE);
    share *mine = calloc(1, sizeof *mine);
    const bool fine = mine && work(user, i, mine) && write_all(to, mine, sizeof *mine);
    _exit(fine ? EXIT_FINE : EXIT_TROUBLE);
}

static bool start(process *p, bool (*work)(void *, int, share *), void *user, int i) {
    int ends[2];
    if (pipe(ends)) return false;
    p->id = fork();
    if (p->id == 0) {
        close(ends[0]);
        be_child(ends[1], work, user, i);
    }
    close(ends[1]);
    p->pipe = ends[0];
    return p->id > 0;
}

static void take(const share *from, bool first, tally *t, ways *w, plan *p) {
    tally_merge(t, &from->tally);
    if (first) {
        *w = from->ways;
        for (int i = 0; i < w->count; i++) w->one[i].context = NULL; /* not ours */
    }
    for (int i = 0; i < w->count && !first; i++) {
        w->one[i].results += from->ways.one[i].results;
        w->one[i].wrong += from->ways.one[i].wrong;
    }
    if (!first && (from->round > p->round || (from->round == p->round && from->at >= p->at))) return;
    p->round = from->round;
    p->at = from->at;
}

bool processes_run(int count, bool (*work)(void *user, int i, share *share), void (*started)(void *user), void *user,
                   tally *t, ways *w, plan *p) {
    process *all = calloc((size_t)count, sizeof *all);
    share *one = malloc(sizeof *one);
    int running = 0;
    bool fine = all && one;
    interrupt_watch();
    while (fine && running < count && (fine = start(&all[running], work, user, running))) running++;
    if (!fine) complain("%d processes: too little memory, or too many processes", count);
    if (fine) started(user);
    for (int i = 0; i < running; i++) {
        const bool got = fine && read_all(all, running, all[i].pipe, one, sizeof *one);
        if (got) take(one, i == 0, t, w, p);
        if (fine && !got && i) complain("process %d of %d ended early", i + 1, count);
        fine = got;
        close(all[i].pipe);
    }
    for (int i = 0, how = 0; i < running; i++) {
        if (!fine) kill(all[i].id, SIGTERM);
        waitpid(all[i].id, &how, 0);
        if (WIFSIGNALED(how)) complain("process %d of %d: signal %d", i + 1, count, WTERMSIG(how));
    }
    free(one);
    free(all);
    return fine;
}
