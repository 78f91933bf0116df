/* contender.h - whatever can reduce a job: the wall between what is measured and how.
 *
 * A contender says how it is called, where it works and how to run it. Measuring, judging and printing know contenders
 * only through this header; each kind of them is one file, which adds its own to the list of its place.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef QUIRE_BENCH_CONTENDER_H
#define QUIRE_BENCH_CONTENDER_H

#include <stdbool.h>

#include "jobs/job.h"
#include "jobs/options.h"

typedef enum role {
    ROLE_CEILING,  /* reads the data and has no result; of several in a place the fastest counts */
    ROLE_BASELINE, /* what the others' times are divided by; of several that take the job the first */
    ROLE_METHOD,   /* quire's, with a bound and a promise of equal bits */
    ROLE_PEER,     /* of another library */
    ROLE_RUNG,     /* of the ladder of classic kernels */
    ROLE_SUM       /* what times of moments are divided by, too; it has no row */
} role;

/* "ceiling", "baseline", "method", "peer", "rung", "sum": the column 'kind'. */
const char *role_name(role which);

struct place;   /* place.h */
struct reducer; /* gpu/reducer.h */

typedef struct contender contender;
struct contender {
    role role;
    const char *name; /* "read", "fast-math", "exact", ... */
    const struct place *place;
    int threads;         /* 0 where the word means nothing */
    quire_method method; /* for ROLE_METHOD */
    /* Of the CPU: once; *bits is the result in the job's result type. */
    bool (*takes)(const contender *c, const job *j); /* NULL: every job */
    quire_status (*run)(const contender *c, const job *j, uint64_t *bits);
    quire_context *context; /* that run works with, if it does */
    quire_context *other;   /* the same with another number of threads; NULL: it has none */
    /* Of the GPU. */
    const struct reducer *reducer;
    const struct reducer *other_launch; /* the same in another launch shape; NULL: it has none */
};

#define MAX_CONTENDERS 128

/* Those of one place, its ceiling among them. */
typedef struct contenders {
    const struct place *place;
    contender one[MAX_CONTENDERS];
    int count;
} contenders;

/* Adds one, if there is room, and answers it to be filled in; its place and role are set. */
contender *contenders_add(contenders *all, role role, const char *name);

/* The read loop and the fast-math loops (contend_loops.c), first in every list: they are measured in every run. */
void contenders_add_loops(contenders *all);

/* quire's methods on the CPU (contend_cpu.c), on one thread and, if the options ask for more, on those. Complains and
 * answers false if there is no such tier. The contexts are opened and closed here. */
bool contenders_add_cpu(contenders *all, const options *o);
void contenders_close_cpu(void);

/* Reducers of the GPU (contend_reducers.c). */
void contenders_add_reducers(contenders *all, role role, const struct reducer *list, int count);

/* Whether a reducer takes the job, perhaps with its own result type: that of the elements, where it can no other. */
bool reducer_takes(const struct reducer *r, job *j);

/* The tier that the methods run on. */
quire_tier contenders_tier(const options *o);

#endif
