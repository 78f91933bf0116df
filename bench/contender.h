/* contender.h - whatever can reduce a job: the wall between what is measured and how.
 *
 * A contender says how it is called and how to run it once. Measuring, judging and printing know contenders only through
 * this header; each kind of them is one file, which adds its own to the list.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_CONTENDER_H
#define QUIRE_BENCH_CONTENDER_H

#include <stdbool.h>

#include "job.h"
#include "options.h"

typedef enum role {
    ROLE_CEILING,  /* reads the data and has no result */
    ROLE_BASELINE, /* what the others' speed is compared with */
    ROLE_METHOD    /* quire's, with a bound and a promise of equal bits */
} role;

typedef struct contender contender;
struct contender {
    role role;
    const char *name;  /* "read", "fast-math", "exact", ...       */
    const char *place; /* where it works: "cpu"                   */
    int threads;
    /* Once; *bits is the result in the job's result type. */
    quire_status (*run)(const contender *c, const job *j, uint64_t *bits);
    quire_method method;    /* for ROLE_METHOD, as the next two                          */
    quire_context *context; /* that run works with                                       */
    quire_context *other;   /* the same with another number of threads; NULL: it has none */
};

#define MAX_CONTENDERS 32

typedef struct contenders {
    contender one[MAX_CONTENDERS];
    int count;
} contenders;

/* The read loop and the fast-math loop (contend_loops.c), first in every list, so that they are measured in every run. */
void contenders_add_loops(contenders *all);

/* quire's methods on the CPU (contend_cpu.c), on one thread and, if the options ask for more, on those. Complains and
 * answers false if there is no such tier. The contexts are opened and closed here. */
bool contenders_add_cpu(contenders *all, const options *o);
void contenders_close_cpu(void);

/* The tier that the methods run on. */
quire_tier contenders_tier(const options *o);

#endif
